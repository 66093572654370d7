"""How the panel of notebook 06 looks: three axes, each of which follows a `Result` of
`ldp_lib.live.bayes`."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array

from ldp_lib.live import style

PIXELS = 256
"""Pixels per axis on which cells are located."""
PEOPLE_AXIS = (8, 1.3e6)
RISKS = (2e-7, 1.0)
COUNTS = (0.4, 3e6)
"""Ends of the axis of people in a cell; a cell that shows 0 stands at the lower end."""
NOBODY = 2
"""Stands for the label of a cell in which nobody lives."""
FILLS = (255 * to_rgba_array((*style.REGIONS, "#dedede", "white"))).round().astype(np.uint8)
"""Cells labelled 0, labelled 1, without people, and what is not part of the space."""
HATCH, EDGE = (255 * to_rgba_array((style.INK, "#8a8a8a"))).round().astype(np.uint8)
MOST_EDGES = 300
"""Edges of more cells than this would hide the cells."""
CURVES = {
    "central": ("central", {"linewidth": 2.6, **style.PRIVATE.curve}),
    "one bit": ("local, one bit", {"linewidth": 2.2, **style.REFERENCE.curve, "color": style.INK}),
    "local": ("local, counts", {"linewidth": 2.2, **style.SECOND.curve}),
    "open": ("no privacy", {"linewidth": 1.6, **style.NON_PRIVATE.curve}),
    "memory": ("no privacy, no cells (moving law)", {"linewidth": 1.8, **style.OTHER.curve}),
}


class Tiles(Artist):
    """Cells on a grid of pixels: a fill for the label, hatched where it is wrong, and thin edges."""

    zorder = 0
    cells = np.full((1, 1), -1)
    labels = np.zeros(1, int)
    wrong = np.zeros(1, bool)

    def draw(self, renderer):
        """Copy the colours of every pixel's cell; the hatch is 7 pixels wide at any pixel ratio."""
        left, bottom, right, top = np.round(self.axes.bbox.extents).astype(int)
        rows, columns = self.cells.shape
        down = np.arange(top - bottom) * rows // (top - bottom)
        across = np.arange(right - left) * columns // (right - left)
        number = self.cells[down][:, across]
        table = FILLS[np.append(self.labels, 3)]  # cell -1 is the last one: outside
        image = table[number]
        unit = self.axes.figure.dpi / 100
        stripes = (np.add.outer(np.arange(len(down)), np.arange(len(across))) // unit) % 7 < 1.5
        image[stripes & np.append(self.wrong, False)[number]] = HATCH
        if len(self.labels) <= MOST_EDGES:
            image[:-1][number[1:] != number[:-1]] = EDGE
            image[:, :-1][number[:, 1:] != number[:, :-1]] = EDGE
        renderer.draw_image(renderer.new_gc(), left, bottom, image)


class Cells:
    """The labels of one fit, cell by cell, with the border of the best rule; eta on [0, 1]."""

    def __init__(self, axes):
        style.unit_square(axes)
        axes.set(xticks=(), yticks=(), anchor="N", xlabel="curve: η; dashes: best rule; star: everybody")
        axes.set_title("one fit; hatched: wrong; grey: nobody")
        self.tiles = axes.add_artist(Tiles())
        self.boundary = axes.add_collection(LineCollection(
            [], colors=style.BAYES.colour, linestyles=[style.BAYES.line], linewidths=1.8, zorder=3))
        self.eta, = axes.plot([], [], color=style.INK, linewidth=1.8, zorder=3)
        self.half, = axes.plot([], [], color="#6b6b6b", linewidth=1, zorder=2)
        self.crowd, = axes.plot([], [], marker="*", markersize=17, color=style.INK, markeredgecolor="white",
                                linestyle="none", zorder=4)
        self.moving = [self.tiles, self.half, self.boundary, self.eta, self.crowd]

    def update(self, result):
        """Show the fit of `result`."""
        scene, tiling = result.landscape, result.tiling
        self.tiles.cells, self.tiles.labels = tiling.cells, np.where(tiling.p > 0, result.says_one, NOBODY)
        self.tiles.wrong = result.wrong
        self.boundary.set_segments([] if result.moves else scene.boundary)
        eta = scene.eta[:, :0] if result.moves else scene.eta
        self.eta.set_data(*eta)
        self.half.set_data([0, 1] if eta.size else [], [0.5, 0.5] if eta.size else [])
        place = []
        if result.moves:
            place = [_inside(tiling)]
        self.crowd.set_data([x for x, _ in place], [y for _, y in place])


def _inside(tiling):
    """A point inside the cell of everybody, or the nearest one that a pixel shows; it may be a ring."""
    away = np.abs(np.where(tiling.cells < 0, len(tiling.p), tiling.cells) - len(tiling.p) // 2)
    rows, columns = np.nonzero(away == away.min())
    row = rows[len(rows) // 2]
    across = columns[rows == row]
    run = max(np.split(across, np.flatnonzero(np.diff(across) > 1) + 1), key=len)
    return (run[len(run) // 2] + 0.5) / PIXELS, (row + 0.5) / len(tiling.cells)


class Risks:
    """Exact excess risk against n at one budget."""

    def __init__(self, axes):
        axes.set(xscale="log", yscale="log", xlim=PEOPLE_AXIS, ylim=RISKS, xlabel="people n")
        axes.set_title("exact excess risk")
        self.majority, = axes.plot([], [], linewidth=1.2, label="majority label", **style.REFERENCE.curve)
        self.lines = {name: axes.plot([], [], label=words, **look)[0]
                      for name, (words, look) in CURVES.items()}
        self.here, = axes.plot([], [], **style.PRIVATE.dots, markersize=10, markeredgecolor="white")
        style.legend_below(axes, [*self.lines.values(), self.majority], 2)
        self.moving = [self.majority, *self.lines.values(), self.here]

    def update(self, result):
        """Draw the curves of `result`; a risk of 0 leaves the picture."""
        people = list(result.landscape.tilings["central"])
        for name, line in self.lines.items():
            values = result.curves.get(name, [])
            line.set_data(people[:len(values)], np.maximum(values, RISKS[0] / 100))
        level = 0.5 if result.moves else result.landscape.majority
        self.majority.set_data(PEOPLE_AXIS, [level, level])
        look = {"central": style.PRIVATE, "local": style.SECOND}[result.model]
        self.here.set(color=look.colour, marker=look.marker)
        risk = result.curves[result.model][people.index(result.n)]
        self.here.set_data([result.n], [max(risk, RISKS[0] * 1.15)])


class Counts:
    """People in each cell: expected, released, and set to zero."""

    def __init__(self, axes):
        axes.set(yscale="log", xlim=(-0.02, 1.02), ylim=COUNTS,
                 xlabel="cells: in place on a line, else the fullest first")
        axes.set_title("people released in every cell")
        self.expected, self.shown, self.zeroed = (
            axes.plot([], [], linestyle="none", marker=marker, markersize=size, color=colour, label=words)[0]
            for words, marker, size, colour in (("expected", "_", 6, "#6b6b6b"),
                                                ("released", "o", 3.5, style.PRIVATE.colour),
                                                ("released as 0", "x", 5, style.THEOREM.colour)))
        self.level, = axes.plot([], [], linewidth=1.8, label="threshold τ, or sd of local noise",
                                **style.THEOREM.curve)
        style.legend_below(axes, [self.shown, self.expected, self.zeroed, self.level], 2)
        self.moving = [self.expected, self.shown, self.zeroed, self.level]

    def update(self, result):
        """Draw the counts of `result` and the threshold, or the noise of local reports."""
        place = result.tiling.place
        order = np.argsort(place, kind="stable")
        place, expected, released = place[order], result.expected[order], result.released[order]
        self.expected.set_data(place, np.maximum(expected, COUNTS[0] / 2))
        self.shown.set_data(place[released > 0], np.maximum(released[released > 0], 1.3 * COUNTS[0]))
        none = released == 0
        self.zeroed.set_data(place[none], np.full(none.sum(), 1.3 * COUNTS[0]))
        self.level.set_data([-0.02, 1.02], [result.level] * 2)


class Scene:
    """Left: one fit. Middle: exact risk against n. Right: the stability histogram."""

    def __init__(self, figure):
        left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1.05, 1.05))
        self.parts = Cells(left), Risks(middle), Counts(right)
        self.moving = [artist for part in self.parts for artist in part.moving]

    def update(self, result):
        """Move everything to `result`."""
        for part in self.parts:
            part.update(result)
