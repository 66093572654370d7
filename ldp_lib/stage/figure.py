"""A picture in matplotlib: for figures that stand still, in notebooks, on paper and on nbviewer.

The same marks as in the browser (`ldp_lib/stage/browser/draw.js`), with seaborn's grid and
matplotlib's layout.
"""

import io
from typing import NamedTuple

import matplotlib.style
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.markers import CARETDOWN, CARETLEFT, CARETRIGHT, CARETUP
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.ticker import NullLocator

from .picture import ARROW, boxes, cut, named
from .still import DPI, STROKES, embedded
from .theme import FAINT, HATCHES, INK, MARKERS, PALE, PAPER, QUIET, ROLES, grey

STATIC_RATIO = 1.5
"""Pixels per CSS pixel of figures saved in notebooks: sharp on a projector, small in the file."""
CARETS = {"left": CARETLEFT, "right": CARETRIGHT, "down": CARETDOWN, "up": CARETUP}
SQUARE = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY)

LOOK = {
    "figure.facecolor": PAPER["light"], "axes.facecolor": PAPER["light"], "axes.edgecolor": INK["light"],
    "axes.labelcolor": QUIET["light"], "axes.titlesize": 11, "axes.titlelocation": "left",
    "axes.labelsize": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "grid.color": FAINT["light"], "grid.linewidth": 0.8,
    "xtick.color": QUIET["light"], "ytick.color": QUIET["light"], "xtick.labelsize": 10,
    "ytick.labelsize": 10, "text.color": INK["light"], "font.size": 10, "hatch.linewidth": 0.5,
    "legend.frameon": False, "legend.fontsize": 10,
}


class PanelFigure(Figure):
    """A matplotlib figure that shows itself, with a text alternative, wherever notebooks are read.

    Attributes
    ----------
    alt : str
        What the picture says, in a sentence: for people who do not see it.
    """

    alt = ""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return Shown(self, self.alt)._repr_mimebundle_()


class Shown(NamedTuple):
    """A matplotlib figure and `alt`, its text alternative: a notebook shows it as it does a `PanelFigure`."""

    figure: Figure
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None):
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=DPI * STATIC_RATIO)
        return {"text/html": embedded(buffer.getvalue(), "png", self.alt, self.figure.get_size_inches()),
                "text/plain": self.alt}


def shown(drawn, alt):
    """What seaborn has `drawn`, Axes or a grid of them, as `Shown` with `alt`: the last line of a cell.

    alt : what the picture says, in a sentence: for people who do not see it.
    """
    from matplotlib import pyplot  # seaborn has loaded it; a live kernel need not

    pyplot.close(drawn.figure)  # or the notebook would show it a second time, without words
    return Shown(drawn.figure, alt)


def render(picture, alt, size):
    """Return the `PanelFigure` of a picture, `size` inches, whose text alternative is `alt`.

    A key that all axes share stands once, below them.
    """
    keys = [[(mark.kind, mark.role, mark.label) for mark in named(axes)] for axes in picture.axes]
    shared = len(keys) > 1 and all(key == keys[0] for key in keys)
    # From matplotlib's defaults, so that a picture does not depend on what else the notebook has set.
    with matplotlib.style.context(["default", LOOK]):
        made = PanelFigure(figsize=size, dpi=DPI, layout="constrained")
        FigureCanvasAgg(made)
        made.alt = alt
        shares = [max(axes.wide for axes in column) for column in picture.columns]
        outer = made.add_gridspec(1, len(shares), width_ratios=shares)
        for place, column, share in zip(outer, picture.columns, shares):
            inner = place.subgridspec(len(column), 1, height_ratios=[axes.high for axes in column])
            for axes, cell in zip(column, inner):
                target = made.add_subplot(cell)
                plot(target, axes)
                if not shared:
                    _key(target, axes, DPI * size[0] * share / sum(shares), loc="upper center",
                         bbox_to_anchor=(0.5, 0), borderaxespad=3.6)
        if shared:
            _key(made, picture.axes[0], DPI * size[0], loc="outside lower center")
        # A square finds its size after the layout around it, and ticks after their axes: it is a little wrong
        # until it is repeated.
        places = None
        for _ in range(4):
            made.get_layout_engine().execute(made)
            before, places = places, [axes.get_position(original=True).bounds for axes in made.axes]
            if places == before:
                break
    return made


def plot(target, axes):
    """Draw the `Axes` of a picture on matplotlib's axes `target`, without their key."""
    for scale, way in ((axes.x, "x"), (axes.y, "y")):
        target.set(**{f"{way}scale": "log" if scale.log else "linear", f"{way}lim": (scale.low, scale.high)})
        getattr(target, f"{way}axis").set_minor_locator(NullLocator())
        getattr(target, f"set_{way}ticks")(scale.ticks, scale.words)
    target.set(title=axes.title, xlabel=axes.xlabel, ylabel=axes.ylabel)
    target.grid(axes.grid)
    if axes.square:
        target.set_aspect("equal")
    for order, mark in enumerate(axes.marks):
        artists = DRAW[mark.kind](target, mark, ROLES[mark.role])
        if mark.kind == "bars":
            artists += _cuts(target, cut(mark, axes.x, axes.y), ROLES[mark.role])
        for artist in artists:
            artist.set_zorder(2 + 0.01 * order if mark.kind != "text" else 4)


def _key(target, axes, width, **where):
    """Write the key of `axes` on matplotlib's axes or figure `target`, in columns for `width` CSS pixels."""
    marks = list(named(axes))
    if marks:
        longest = max(len(mark.label) for mark in marks)
        target.legend([_sample(mark) for mark in marks], [mark.label for mark in marks], handlelength=2.0,
                      columnspacing=1.0, labelspacing=0.2, handler_map={tuple: HandlerTuple(None, pad=0)},
                      ncols=max(1, min(len(marks), int(width / (60 + 7 * longest)))), **where)


def _sample(mark):
    """What stands for a mark in the key of its axes."""
    role = ROLES[mark.role]
    if mark.kind == "line":
        return Line2D([], [], **_stroke(mark, role))
    if mark.kind == "dots":
        return Line2D([], [], **_marker(mark, role))
    if mark.kind == "cells":
        return tuple(Patch(facecolor=grey(shade), linewidth=0) for shade, _ in boxes(mark))
    if mark.options.get("hollow"):
        return Patch(facecolor="none", edgecolor=role.light)
    if mark.kind == "band":
        return Patch(**_pale(role))
    return Patch(**_ground(role), linewidth=0)


def _ground(role):
    """Fill and hatch of the areas of a role."""
    if role.bare:
        return {"facecolor": "none", "edgecolor": role.light, "hatch": 2 * HATCHES[role.hatch]}
    return {"facecolor": role.light, "edgecolor": to_rgba(INK["light"], 0.28), "hatch": HATCHES[role.hatch]}


def _stroke(mark, role):
    """Colour, dashes and width of the lines of a mark."""
    dash = mark.options.get("dash", role.dash)
    return {"color": role.light, "linestyle": (0, dash) if dash else "-",
            "linewidth": 0.8 * mark.options.get("width", 2)}


def _line(target, mark, role):
    return target.plot(mark.arrays["x"], mark.arrays["y"], **_stroke(mark, role))


def _band(target, mark, role):
    a = mark.arrays
    return [target.fill_between(a["x"], a["low"], a["high"], **_pale(role))]


def _pale(role):
    """How a band of a role is filled."""
    return {"color": role.light, "alpha": 1.0 if role.soft else PALE["light"], "linewidth": 0}


def _marker(mark, role):
    name, size = mark.options.get("marker") or role.marker, 0.75 * mark.options.get("size", 8)
    edge = role.light if name in STROKES or mark.options.get("ring") else PAPER["light"]
    return {"linestyle": "none", "marker": MARKERS[name], "markersize": size, "markeredgecolor": edge,
            "color": PAPER["light"] if mark.options.get("ring") else role.light}


def _dots(target, mark, role):
    look = _marker(mark, role)
    edges = target.plot(mark.arrays["x"], mark.arrays["y"], **look)
    if look["markeredgecolor"] != PAPER["light"]:
        return edges
    # The edges are under all dots, or a crowd of them would wipe itself out.
    return edges + target.plot(mark.arrays["x"], mark.arrays["y"], **look | {"markeredgewidth": 0})


def _polygon(target, mark, role):
    corners = np.column_stack([mark.arrays["x"], mark.arrays["y"]])
    return [target.add_artist(PathPatch(Path([*corners, corners[0]], closed=True), **_area(mark, role)))]


def _area(mark, role):
    if mark.options.get("hollow"):
        return {"facecolor": "none", "edgecolor": role.light, "linewidth": 1.2}
    return _ground(role) | {"linewidth": 0}


def _boxes(target, mark, role):
    artists = []
    for looks, (left, right, low, high) in boxes(mark):
        if mark.kind == "bars":
            look = _area(mark, role)
        elif isinstance(looks, str):
            look = _ground(ROLES[looks]) | {"linewidth": 0, "antialiased": False}
        else:
            look = {"facecolor": grey(looks), "linewidth": 0, "antialiased": False}
        # One path for all boxes: their hatch is drawn once.
        corners = np.array([[left, low], [right, low], [right, high], [left, high], [left, low]])
        path = Path(corners.transpose(2, 0, 1).reshape(-1, 2), np.tile(SQUARE, len(left)))
        artists.append(target.add_artist(PathPatch(path, **look)))
    return artists


def _cuts(target, ends, role):
    """Open arrows at the ends of bars that the axes cut."""
    return [artist for one, other, way in ends for artist in target.plot(
        *np.mean([one, other], axis=0, keepdims=True).T, marker=CARETS[way], markersize=1.5 * ARROW,
        markerfacecolor=PAPER["light"], markeredgecolor=role.light)]


def _rule(target, mark, role):
    look = _stroke(mark, role)
    return ([target.axvline(x, **look) for x in mark.arrays.get("x", ())]
            + [target.axhline(y, **look) for y in mark.arrays.get("y", ())])


def _arrow(target, mark, role):
    (x0,), (y0,), (x1,), (y1,) = mark.arrays.values()
    return [target.annotate("", (x1, y1), (x0, y0), annotation_clip=False,
                            arrowprops={"arrowstyle": "->", "color": role.light, "shrinkA": 0, "shrinkB": 0})]


def _text(target, mark, role):
    options, words = mark.options, mark.options["words"]
    side = {"start": "left", "middle": "center", "end": "right"}[options["anchor"]]
    return [target.annotate(words[k % len(words)], (x, y),
                            xytext=(0.72 * options["dx"], -0.72 * options["dy"]), textcoords="offset points",
                            ha=side, va="center", annotation_clip=False)
            for k, (x, y) in enumerate(zip(mark.arrays["x"], mark.arrays["y"]))]


DRAW = {"line": _line, "band": _band, "dots": _dots, "bars": _boxes, "polygon": _polygon,
        "cells": _boxes, "rule": _rule, "arrow": _arrow, "text": _text}
