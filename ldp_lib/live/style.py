"""How the pictures look: one set of colours, line styles and axes for every panel and figure.

Colour is never alone.  Each role in the story has a colour, a line style and a marker of its own,
and lines are named where they end (`name_line`) rather than in a legend far away.  The colours
are those of seaborn's "colorblind" palette that reach a contrast of 3:1 on white.
"""

from typing import NamedTuple

import matplotlib.style

INK = "#222222"


class Look(NamedTuple):
    """How one role is drawn: `colour`, matplotlib `line` style and `marker`."""

    colour: str
    line: object
    marker: str

    @property
    def curve(self):
        """Keyword arguments of a line without markers."""
        return {"color": self.colour, "linestyle": self.line}

    @property
    def dots(self):
        """Keyword arguments of markers without a line (`Line2D` is ten times faster than `scatter`)."""
        return {"color": self.colour, "linestyle": "none", "marker": self.marker}


PRIVATE = Look("#0173b2", "-", "o")
NON_PRIVATE = Look("#029e73", (0, (6, 2)), "s")
THEOREM = Look("#d55e00", (0, (6, 2, 1, 2)), "^")
OTHER = Look("#cc78bc", (0, (1, 1.5)), "D")
REFERENCE = Look("#949494", (0, (3, 2)), "v")
BAYES = Look(INK, (0, (8, 3)), "x")

# Two people, or two classes, that are compared: blue circles and vermilion triangles.
FIRST = PRIVATE
SECOND = Look(THEOREM.colour, (0, (4, 2)), "^")

REGIONS = ("#cfe3f1", "#f7dcc8")
"""Fills of the two sides of a decision, light enough for ink and for `FIRST` and `SECOND` on top."""

_RC = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "text.color": INK,
    "font.size": 10,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    # A white box without an outline: grid lines end at it.
    "legend.facecolor": "white",
    "legend.edgecolor": "none",
    "legend.framealpha": 1.0,
    "legend.fancybox": False,
    "legend.fontsize": 9,
    "savefig.facecolor": "white",
}


def context():
    """Context in which every figure is built: matplotlib's defaults and the look of this collection.

    It starts from the defaults, so that a picture does not depend on what else the notebook has set.
    """
    return matplotlib.style.context(["default", _RC])


def name_line(axes, x, y, text, look, **keywords):
    """Write `text` in the colour of `look` at the data point (x, y), a little to the right; return it."""
    keywords = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": 9} | keywords
    return axes.annotate(text, (x, y), color=look.colour, **keywords)


def level(axes, y, text, look):
    """Draw a static horizontal level at `y` and name it above its right end; return the line."""
    line = axes.axhline(y, linewidth=1.3, **look.curve)
    axes.annotate(text, (1, y), xycoords=("axes fraction", "data"), xytext=(-2, 2),
                  textcoords="offset points", ha="right", va="bottom", fontsize=9, color=look.colour)
    return line


def legend_below(axes, handles, columns):
    """Put the legend of `handles` below the label of the x-axis, where no curve can reach it; return it."""
    return axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=3.8,
                       borderpad=0, ncols=columns, handlelength=2.0, columnspacing=1.2, labelspacing=0.25)


def unit_square(axes):
    """Give `axes` the square [0, 1]^2 with equal scales, no grid and few ticks."""
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    axes.grid(False)
