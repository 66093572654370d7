"""*explore* of notebook 01: exact at every corner, drawn at every corner, and it says what is true."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_lib.lessons.ldp_check import explore
from ldp_lib.lessons.ldp_check.explore import BANDWIDTHS, LINE, LOWEST_STEP, SEED, SHADES, everything, glance
from ldp_lib.lessons.ldp_check.story import STORY
from ldp_lib.live import panel
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import trade_off
from ldp_lib.stage.figure import render
from ldp_lib.stage.picture import handle
from ldp_lib.stage.still import drawn

SETTINGS = st.fixed_dictionaries(
    {control.name: st.sampled_from(control.values) for control in everything.controls})


class Exact:
    """What the library says of two people at a setting, in floats, where *explore* rounds."""

    def __init__(self, **setting):
        at = {control.name: control.default for control in everything.controls} | setting
        self.alpha, self.half = at["alpha"], at["half"]
        self.mechanism = CubeLaplace(at["alpha"], at["h"], at["d"])
        self.records = explore.records(at["d"], at["x"], at["y"], at["x2"], at["y2"])
        (first, second), (y, y2) = zip(*self.records)
        self.signals = self.mechanism.encode([first, second], [y, y2], half=self.half)
        noise = self.mechanism.noise.sample(self.mechanism.K, np.random.default_rng(SEED))
        self.report = self.signals[0] + noise
        self.loss = self.mechanism.privacy_loss(first, y, second, y2, half=self.half)
        self.share = self.loss / self.alpha
        self.report_loss = explore.log_ratio(self.report, self.signals, self.mechanism.scale)
        self.losses, self.below = explore.distribution(self.mechanism, self.records, self.half)
        self.advantage = explore.advantage(self.losses, self.below)


def marks(**setting):
    """The marks of all axes at a setting, {(axes, mark): Mark}."""
    return {(axes.key, mark.key): mark for axes in everything(**setting).picture.axes
            for mark in axes.marks}


@given(SETTINGS)
def test_both_people_are_handles_where_they_stand(setting):
    found = marks(**setting)
    for number, control in ((1, "x"), (2, "x2")):
        person = found["arrays", f"person {number}"]
        assert person.options["handle"] == handle(control)
        assert person.arrays["x"] == np.float32(setting[control])


@given(SETTINGS)
def test_curves_stay_within_a_pixel_of_the_exact_ones(setting):
    result, found = Exact(**setting), marks(**setting)
    for number, below in zip((1, 2), result.below):
        curve = found["law", f"person {number}"].arrays
        # The step function, just behind every loss; float32 may move a loss by a rounding error.
        place = np.searchsorted(curve["x"], result.losses / setting["alpha"] + 1e-6, side="right") - 1
        assert np.abs(curve["y"][place] - below).max() <= LOWEST_STEP
    best = found["tests", "best"].arrays
    assert (np.diff(best["x"]) <= 0).all() and (best["x"][0], best["x"][-1]) == (1, 0)
    level, power = (1 - side for side in result.below[::-1])
    shown = np.interp(level, best["x"][::-1], best["y"][::-1])
    assert np.abs(shown - power).max() <= 2 * LOWEST_STEP


def test_shades_are_the_report_in_units_of_b():
    result = Exact(d=2, h=0.25)
    shades = marks(d=2, h=0.25)["arrays", "shades"]
    assert shades.options["roles"] == SHADES and shades.options["box"] == [-0.125, 1.125, -0.125, 1.125]
    # Rows go up along the second feature, grid points along the first one first.
    report = result.report.reshape(result.mechanism.shape) / result.mechanism.scale
    for i, k in np.ndindex(*report.shape):
        assert shades.arrays["values"].reshape(5, 5)[k, i] == round(min(max(report[i, k], -4), 4)) + 4


def test_shades_are_named_in_both_still_pictures():
    picture, words = everything(d=2).picture, "report, −4b to 4b"
    assert words in drawn(picture, STORY.size)
    legend = render(picture, "", STORY.size).axes[0].get_legend()
    assert words in [text.get_text() for text in legend.get_texts()]


def test_what_experts_try_first():
    louder, closer, features, label = (Exact(**at) for at in (
        {"alpha": 0.1}, {"x2": 0.33}, {"d": 2}, {"x2": 0.13, "y2": False}))
    assert Exact(alpha=0.1).share == pytest.approx(Exact(alpha=8.0).share)
    assert louder.share == pytest.approx(1) and closer.share == pytest.approx(0.5)
    cubes = closer.mechanism.encode(*zip(*closer.records), half=1)
    assert (cubes.prod(axis=0) > 0).sum() == 1
    assert spends_all(d=2) and np.abs(np.subtract(*features.signals)).sum() == 8
    one = Exact()
    assert np.abs(np.subtract(*one.signals)).sum() == 4 and features.advantage < one.advantage
    assert label.share == pytest.approx(0.5)
    assert Exact(x2=0.13, y2=False, half=1).loss == 0


def spends_all(**setting):
    """Whether *explore* says so."""
    return "exactly" in everything(**setting).says


@given(SETTINGS)
def test_the_numbers_are_those_of_the_library(setting):
    result, numbers = Exact(**setting), dict(everything(**setting).numbers)
    first, second = result.signals
    assert numbers["exact loss"] == f"{result.loss:.4g} of α = {result.alpha:.3g} ({result.share:.1%})"
    assert numbers["loss of the drawn report"] == f"{result.report_loss:+.3f}"
    assert numbers["best test's advantage"] == f"{result.advantage:.4f}"
    assert numbers[f"ones in {explore.SENT[result.half]}"] == f"{first.sum():.0f} and {second.sum():.0f}"
    assert float(numbers["P(loss reached)"]) == pytest.approx(
        np.diff(result.below[0], prepend=0)[-1], rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("name", ["ldp_check", "laboratory"])
def test_a_live_panel_loads_no_plotting_and_no_statistics(name):
    program = (f"import sys\nfrom ldp_lib.live import panel\npanel({name!r})\n"
               "print(*sorted({'matplotlib', 'seaborn', 'pandas', 'scipy.stats'} & set(sys.modules)))")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


@given(SETTINGS)
def test_loss_law_and_curve_agree_with_each_other(setting):
    result = Exact(**setting)
    alpha, loss = setting["alpha"], result.loss
    assert 0 <= loss <= alpha * (1 + 1e-12)
    assert result.losses[-1] == pytest.approx(loss) and result.losses[0] == pytest.approx(-loss)
    places = np.linspace(*LINE, 1001)
    assert np.abs(explore.ratio_on_line(loss, places)).max() == pytest.approx(loss)
    assert abs(result.report_loss) <= loss * (1 + 1e-12)
    assert (np.diff(result.below) >= 0).all() and result.below[:, -1] == pytest.approx(1, abs=1e-11)


@given(SETTINGS)
def test_alpha_is_reached_exactly_when_full_supports_are_disjoint(setting):
    result = Exact(**setting)
    full = (result.signals.sum(axis=1) == 2 ** setting["d"]).all()
    disjoint = not result.signals.prod(axis=0).any()
    assert spends_all(**setting) == (full and disjoint)
    if full and disjoint:
        assert result.loss == pytest.approx(setting["alpha"], rel=2.0**-38)


@given(SETTINGS)
def test_line_is_the_likelihood_ratio_of_the_reports_on_it(setting):
    result = Exact(**setting)
    first, second = result.signals
    for place in (-0.5, 0.0, 0.3, 1.0, 1.5):
        report = second + place * (first - second)
        ratio = (np.abs(report - second) - np.abs(report - first)).sum() / result.mechanism.scale
        assert explore.ratio_on_line(result.loss, place) == pytest.approx(ratio, abs=1e-12)
        assert explore.log_ratio(report, result.signals, result.mechanism.scale) == pytest.approx(
            ratio, abs=1e-12)


@pytest.mark.parametrize("setting", [
    {}, {"d": 2}, {"half": 1, "y": False}, {"x2": 0.33}, {"alpha": 8.0}, {"x2": 0.13}])
def test_tests_are_those_of_the_audit(setting):
    result = Exact(**setting)
    best = trade_off(result.mechanism, *result.records, half=result.half)
    power, level = 1 - result.below
    np.testing.assert_allclose(level[::-1], best.level[:-1], atol=1e-12)
    np.testing.assert_allclose(power[::-1], best.power[:-1], atol=1e-12)
    assert result.advantage == pytest.approx((best.power - best.level).max(), abs=1e-12)
    steep = np.exp(result.alpha)
    assert (best.power <= steep * best.level + 1e-12).all()
    assert (1 - best.level <= steep * (1 - best.power + 1e-12)).all()


def test_report_fits_into_its_axes():
    for alpha in (0.1, 1.0, 8.0):
        for h in BANDWIDTHS:
            report = marks(alpha=alpha, h=h)["arrays", "report"].arrays
            assert max(np.abs(report[side]).max() for side in ("low", "high")) < 5.4


@pytest.mark.parametrize(("setting", "words"), [
    ({}, "disjoint: the loss reaches α = 1 exactly"),
    ({"alpha": 0.1, "d": 2}, "reaches α = 0.1 exactly"),
    ({"x2": 0.33}, "The supports overlap: only 50.0%"),
    ({"x2": 0.8}, "On a grid line a person is in fewer cubes: only 75.0%"),
    ({"y2": False}, "A label 0 publishes an empty array: only 50.0%"),
    ({"x2": 0.13, "y2": False, "half": 1}, "no report can tell"),
    ({"x2": 0.13, "y2": False}, "only 50.0% of α = 1"),
])
def test_conclusion_names_the_reason(setting, words):
    assert words in everything(**setting).says


def test_a_reason_is_of_what_is_published():
    """An empty array overlaps nothing, and where its person stands is no reason either."""
    for x2 in (0.53, 0.6):
        setting = {"half": 2, "h": 0.2, "x": 0.31, "x2": x2, "y": True, "y2": False}
        said = everything(**setting).says
        assert "empty array" in said and "overlap" not in said and "grid line" not in said


def test_readout_has_the_numbers():
    view = panel("ldp_check", scene="explore")
    view.set(alpha=2.0, d=2)
    assert "noise scale b: 4;" in view.readout
    assert "ones in yB: 4 and 4" in view.readout and "arrays differ in: 8 of at most 8" in view.readout
    assert "exact loss: 2 of α = 2 (100.0%)" in view.readout
    assert f"best test's advantage: {Exact(alpha=2.0, d=2).advantage:.4f}" in view.readout
    view.set(y=False, y2=False)
    assert "exact loss: 0 of α = 2 (0.0%)" in view.readout and "best test's advantage: 0.0000" in view.readout


def test_glance_states_the_advantages():
    figure = glance((0.1, 1.0, 4.0), h=0.25)
    figure.canvas.draw()
    assert len(figure.axes) == 3
    for alpha in (0.1, 1.0, 4.0):
        assert f"{Exact(alpha=alpha, h=0.25).advantage:.3f}" in figure.alt
