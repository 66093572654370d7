"""The stage of a live panel: one matplotlib figure that is redrawn in a few milliseconds.

`interact` with inline matplotlib rebuilds a figure, lays it out, draws all of it and writes a large
PNG for each key press.  The stage does each of these once, or less:

* the figure is built once, by a *scene*; pyplot is never involved;
* the layout is solved once, after the first update, and then frozen;
* what does not move is drawn once and kept as a background; a frame is the background, the moving
  artists and the spines over them;
* of a frame only the tiles that changed are sent: see `frames`.

A scene is a class::

    class Scene:
        def __init__(self, figure):
            axes = figure.subplots()
            axes.set(xlim=(0, 1), ylim=(0, 2))
            self.curve, = axes.plot([], [], **style.PRIVATE.curve)
            self.moving = [self.curve]

        def update(self, result):
            self.curve.set_data(result.x, result.y)

Whatever `update` changes must be in `moving`.  If it changes anything else (a limit, a tick, a title)
matplotlib marks the figure stale and the background is drawn again: correct, but ten times slower, so
fix the limits and put changing numbers into the readout.  (A title is changed by the `set_text` of the
text that `set_title` returned; `set_title` itself asks the settings of the notebook how it looks.)

Moving artists are drawn in the order of their `zorder`, over everything that stands still except the
spines: keep legends and labels clear of them.

What a moving artist costs, in milliseconds: `Line2D` with markers 0.4 (`scatter` 4), a 64 x 64 `pcolormesh` 2
(`imshow` up to 18), contour lines by contourpy in a `LineCollection` 0.2 (`contour` 1.6), a text 1 to 5, a
legend 4.  A frame has about ten.
"""

import base64
import io
import math

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure

from . import style

DPI = 100
"""Pixels per inch of a frame at pixel ratio 1: one pixel of the picture is one CSS pixel."""

STATIC_RATIO = 1.5
"""Pixel ratio of the figures that are saved in notebooks: sharp on a projector, small in the file."""


SPRITE_MARGIN = 2
"""Pixels around a kept line of text: letters lean out of their boxes."""


class PanelFigure(Figure):
    """A matplotlib figure that shows itself, with a text alternative, wherever notebooks are read.

    Attributes
    ----------
    alt : str
        What the picture says, in a sentence: for people who do not see it.
    """

    alt = ""

    def _repr_mimebundle_(self, include=None, exclude=None):
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=DPI * STATIC_RATIO)
        return image_bundle(buffer.getvalue(), self.alt, self.get_size_inches())


def image_bundle(png, alt, size):
    """Return `(data, metadata)` of a display bundle: a PNG (bytes) of `size` inches and its words."""
    width, height = (round(inches * DPI) for inches in size)
    data = {"image/png": base64.b64encode(png).decode("ascii"), "text/plain": alt}
    return data, {"image/png": {"alt": alt, "width": width, "height": height}}


class SpriteRenderer(RendererAgg):
    """Agg, with every line of level text kept as a small image: setting it again costs ten times more.

    Text stands on whole pixels, as a moving label should: at fractions of a pixel its letters swim.
    """

    KEPT = 256

    def __init__(self, width, height, dpi):
        super().__init__(width, height, dpi)
        self._sprites = {}

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        """Draw the line `s` with its baseline's left end at (x, y), y downwards."""
        if angle:
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        key = (s, prop, ismath, gc.get_rgb(), gc.get_alpha())
        if key not in self._sprites:
            if len(self._sprites) == self.KEPT:
                self._sprites.clear()
            self._sprites[key] = self._set(gc, s, prop, ismath, mtext)
        sprite, baseline = self._sprites[key]
        left, bottom = round(x) - SPRITE_MARGIN, self.height - round(y) - baseline
        self.draw_image(gc, left, bottom, sprite)

    def _set(self, gc, s, prop, ismath, mtext):
        """Return the line as an image, upside down for `draw_image`, and the height of its baseline."""
        width, height, descent = self.get_text_width_height_descent(s, prop, ismath)
        baseline = math.ceil(descent) + SPRITE_MARGIN
        size = math.ceil(width) + 2 * SPRITE_MARGIN, math.ceil(height - descent) + baseline + SPRITE_MARGIN
        canvas = RendererAgg(*size, self.dpi)
        free = canvas.new_gc()
        free.copy_properties(gc)
        free.set_clip_rectangle(None)
        free.set_clip_path(None)
        canvas.draw_text(free, SPRITE_MARGIN, size[1] - baseline, s, prop, 0, ismath, mtext)
        return np.array(canvas.buffer_rgba())[::-1], baseline


class SpriteCanvas(FigureCanvasAgg):
    """The canvas of a stage, so that its figure looks the same released as live."""

    def get_renderer(self):
        """The renderer at the figure's present size; matplotlib asks for it at every full draw."""
        width, height = self.figure.bbox.size
        if (width, height, self.figure.dpi) != self._lastKey:
            self.renderer = SpriteRenderer(width, height, self.figure.dpi)
            self._lastKey = width, height, self.figure.dpi
        return self.renderer


class Stage:
    """A figure of `size` (width, height) inches, built by `scene(figure)`, and its cached backgrounds.

    One figure serves every pixel ratio, so that the sharp picture and the moving one have the same layout.

    Attributes
    ----------
    figure : PanelFigure
    captures : int
        How often a background was drawn; it stands still while only moving artists move.
    """

    def __init__(self, scene, size):
        with style.context():
            self.figure = PanelFigure(figsize=size, dpi=DPI, layout="constrained")
            SpriteCanvas(self.figure)
            self._scene = scene(self.figure)
        spines = [spine for axes in self.figure.axes for spine in axes.spines.values()]
        self._moving = sorted([*self._scene.moving, *spines], key=lambda artist: artist.get_zorder())
        for artist in self._moving:
            artist.set_animated(True)
        self._laid_out = False
        self._layers = {}
        self.captures = 0

    def update(self, result):
        """Let the scene move to `result`; the first time, solve the layout and freeze it."""
        self._scene.update(result)
        if not self._laid_out:
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")
            self._laid_out = True

    def draw(self, ratio=1.0):
        """Return the current picture at pixel `ratio` as an array (height, width, 4) of uint8.

        The array is the renderer's own memory: pack or copy it before the next draw.
        """
        if self.figure.stale:
            self._layers.clear()
        self.figure.dpi = DPI * ratio
        if ratio not in self._layers:
            self._layers = {kept: layer for kept, layer in self._layers.items() if kept == 1}
            self._layers[ratio] = self._capture()
        # A change of dpi alone marks the figure stale, but every ratio has a background of its own.
        self.figure.stale = False
        renderer, background = self._layers[ratio]
        renderer.restore_region(background)
        for artist in self._moving:
            artist.draw(renderer)
        return np.asarray(renderer.buffer_rgba())

    def _capture(self):
        """Draw what stands still; return the renderer and a copy of its pixels."""
        self.captures += 1
        width, height = self.figure.bbox.size
        renderer = SpriteRenderer(width, height, self.figure.dpi)
        self.figure.draw(renderer)
        return renderer, renderer.copy_from_bbox(self.figure.bbox)

    def release(self, alt):
        """Return the figure as an ordinary one, with text alternative `alt`; the stage is not used again."""
        for artist in self._moving:
            artist.set_animated(False)
        self.figure.dpi = DPI
        self.figure.alt = alt
        return self.figure
