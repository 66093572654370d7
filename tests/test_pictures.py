"""Nothing that moves crosses a legend or a label that stands still, wherever the controls stand."""

import numpy as np
import pytest
from matplotlib.transforms import Bbox

from ldp_lib.live import PANELS, panel


def positions(controls):
    """The default, each control at every end with the others at their defaults, and all at either end."""
    default = {control.name: control.default for control in controls}
    yield default
    for control in controls:
        choices = control.values if isinstance(control.default, str) else (control.minimum, control.maximum)
        yield from (default | {control.name: value} for value in choices if value != control.default)
    for end in (0, -1):
        yield {control.name: control.values[end] for control in controls}


def crossed(line, box):
    """Does what `line` draws, with its width and its markers, touch the box (pixels)?"""
    point = line.figure.dpi / 72
    path = line.get_path().transformed(line.get_transform()).cleaned(remove_nans=True)
    drawn = (line.get_linestyle() != "None" and len(path.vertices) > 1
             and path.intersects_bbox(box.padded(line.get_linewidth() / 2 * point), False))
    radius = line.get_markersize() / 2 * point if line.get_marker() != "None" else 0.0
    marks = line.axes.transData.transform(np.column_stack(line.get_data())) if radius else np.empty((0, 2))
    near = (marks > box.min - radius).all(axis=1) & (marks < box.max + radius).all(axis=1)
    return drawn or near.any()


def words(axes):
    """The boxes of the legend and of the labels in `axes`, as far as curves may come: name -> `Bbox`."""
    legend = [axes.get_legend()] if axes.get_legend() else []
    boxes = {"legend": part.get_window_extent() for part in legend}
    boxes |= {text.get_text(): text.get_window_extent() for text in axes.texts if not text.get_animated()}
    within = {name: Bbox.intersection(box, axes.bbox) for name, box in boxes.items() if name.strip()}
    return {name: box for name, box in within.items() if box is not None}


@pytest.fixture(scope="module", params=PANELS)
def live(request):
    return panel(request.param)


def test_the_picture_has_as_many_pixels_as_the_place_reserved_for_it(live):
    assert live._stage.draw().shape == (live._screen.height, live._screen.width, 4)


def test_every_word_is_inside_the_picture(live):
    """Also the legends that stand outside their axes."""
    figure = live._stage.figure
    for axes in figure.axes:
        legend = [axes.get_legend()] if axes.get_legend() else []
        for part in (*legend, *axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label):
            box = part.get_window_extent()
            assert box.width == 0 or (box.min >= -1).all() and (box.max <= figure.bbox.max + 1).all(), part


def test_no_curve_crosses_a_legend_or_a_label(live):
    crossings = set()
    for values in positions(live.controls):
        live._stage.update(live.compute(**values))
        for axes in live._stage.figure.axes:
            boxes = words(axes)
            moving = [line for line in axes.lines if line.get_animated() and line.get_visible()]
            crossings |= {(label, line.get_label()) for label, box in boxes.items() for line in moving
                          if crossed(line, box)}
    assert not crossings
