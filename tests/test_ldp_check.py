"""*explore* of notebook 01: exact at every corner, drawn at every corner, and it says what is true."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_lib.lessons.ldp_check.explore import BANDWIDTHS, LINE, LOWEST_STEP, SHADES, LdpCheck, glance
from ldp_lib.live import panel
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import trade_off
from ldp_lib.stage.figure import render
from ldp_lib.stage.picture import handle
from ldp_lib.stage.still import drawn

SETTINGS = st.fixed_dictionaries(
    {control.name: st.sampled_from(control.values) for control in LdpCheck.controls})


def records(setting):
    """The two records of a setting, as the library wants them."""
    people = LdpCheck.compute(**setting).people
    return (people[0], setting["y"]), (people[1], setting["y2"])


def marks(**setting):
    """The marks of all axes at a setting, {(axes, mark): Mark}."""
    return {(axes.key, mark.key): mark for axes in LdpCheck.draw(LdpCheck.compute(**setting)).axes
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
    result, found = LdpCheck.compute(**setting), marks(**setting)
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
    result = LdpCheck.compute(d=2, h=0.25)
    shades = marks(d=2, h=0.25)["arrays", "shades"]
    assert shades.options["roles"] == SHADES and shades.options["box"] == [-0.125, 1.125, -0.125, 1.125]
    # Rows go up along the second feature, grid points along the first one first.
    report = result.report.reshape(result.mechanism.shape) / result.mechanism.scale
    for i, k in np.ndindex(*report.shape):
        assert shades.arrays["values"].reshape(5, 5)[k, i] == round(min(max(report[i, k], -4), 4)) + 4


def test_shades_are_named_in_both_still_pictures():
    picture, words = LdpCheck.draw(LdpCheck.compute(d=2)), "report, −4b to 4b"
    assert words in drawn(picture, LdpCheck.size)
    legend = render(picture, "", LdpCheck.size).axes[0].get_legend()
    assert words in [text.get_text() for text in legend.get_texts()]


def test_what_experts_try_first():
    louder, closer, features, label = (LdpCheck.compute(**at) for at in (
        {"alpha": 0.1}, {"x2": 0.33}, {"d": 2}, {"x2": 0.13, "y2": False}))
    assert LdpCheck.compute(alpha=0.1).share == pytest.approx(LdpCheck.compute(alpha=8.0).share)
    assert louder.share == pytest.approx(1) and closer.share == pytest.approx(0.5)
    assert (closer.cubes.prod(axis=0) > 0).sum() == 1
    assert features.spends_all and np.abs(np.subtract(*features.signals)).sum() == 8
    one = LdpCheck.compute()
    assert np.abs(np.subtract(*one.signals)).sum() == 4 and features.advantage < one.advantage
    assert label.share == pytest.approx(0.5)
    assert LdpCheck.compute(x2=0.13, y2=False, half=1).loss == 0


@pytest.mark.parametrize("name", ["ldp_check", "laboratory"])
def test_a_live_panel_loads_no_plotting_and_no_statistics(name):
    program = (f"import sys\nfrom ldp_lib.live import panel\npanel({name!r})\n"
               "print(*sorted({'matplotlib', 'seaborn', 'pandas', 'scipy.stats'} & set(sys.modules)))")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stderr


@given(SETTINGS)
def test_loss_law_and_curve_agree_with_each_other(setting):
    result = LdpCheck.compute(**setting)
    alpha, loss = setting["alpha"], result.loss
    assert 0 <= loss <= alpha * (1 + 1e-12)
    assert result.losses[-1] == pytest.approx(loss) and result.losses[0] == pytest.approx(-loss)
    places = np.linspace(*LINE, 1001)
    assert np.abs(result.line(places)).max() == pytest.approx(loss)
    assert abs(result.report_loss) <= loss * (1 + 1e-12)
    assert (np.diff(result.below) >= 0).all() and result.below[:, -1] == pytest.approx(1, abs=1e-11)


@given(SETTINGS)
def test_alpha_is_reached_exactly_when_full_supports_are_disjoint(setting):
    result = LdpCheck.compute(**setting)
    full = (result.signals.sum(axis=1) == 2 ** setting["d"]).all()
    disjoint = not result.signals.prod(axis=0).any()
    assert result.spends_all == (full and disjoint)
    if result.spends_all:
        assert result.loss == pytest.approx(setting["alpha"], rel=2.0**-38)


@given(SETTINGS)
def test_line_is_the_likelihood_ratio_of_the_reports_on_it(setting):
    result = LdpCheck.compute(**setting)
    first, second = result.signals
    for place in (-0.5, 0.0, 0.3, 1.0, 1.5):
        report = second + place * (first - second)
        ratio = (np.abs(report - second) - np.abs(report - first)).sum() / result.mechanism.scale
        assert result.line(place) == pytest.approx(ratio, abs=1e-12)


@pytest.mark.parametrize("setting", [
    {}, {"d": 2}, {"half": 1, "y": False}, {"x2": 0.33}, {"alpha": 8.0}, {"x2": 0.13}])
def test_tests_are_those_of_the_audit(setting):
    result = LdpCheck.compute(**setting)
    completed = LdpCheck.completed(**setting)
    mechanism = CubeLaplace(completed["alpha"], completed["h"], completed["d"])
    best = trade_off(mechanism, *records(completed), half=completed["half"])
    power, level = 1 - result.below
    np.testing.assert_allclose(level[::-1], best.level[:-1], atol=1e-12)
    np.testing.assert_allclose(power[::-1], best.power[:-1], atol=1e-12)
    assert result.advantage == pytest.approx((best.power - best.level).max(), abs=1e-12)
    steep = np.exp(completed["alpha"])
    assert (best.power <= steep * best.level + 1e-12).all()
    assert (1 - best.level <= steep * (1 - best.power + 1e-12)).all()


def test_report_fits_into_its_axes():
    for alpha in (0.1, 1.0, 8.0):
        for h in BANDWIDTHS:
            result = LdpCheck.compute(alpha=alpha, h=h)
            assert np.abs(result.report / result.mechanism.scale).max() < 5.4


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
    assert words in LdpCheck.conclude(LdpCheck, LdpCheck.compute(**setting))


def test_a_reason_is_of_what_is_published():
    """An empty array overlaps nothing, and where its person stands is no reason either."""
    for x2 in (0.53, 0.6):
        setting = {"half": 2, "h": 0.2, "x": 0.31, "x2": x2, "y": True, "y2": False}
        said = LdpCheck.conclude(LdpCheck, LdpCheck.compute(**setting))
        assert "empty array" in said and "overlap" not in said and "grid line" not in said


def test_readout_has_the_numbers():
    view = panel("ldp_check", scene="explore")
    view.set(alpha=2.0, d=2)
    assert "noise scale b: 4;" in view.readout
    assert "ones in yB: 4 and 4" in view.readout and "arrays differ in: 8 of at most 8" in view.readout
    assert "exact loss: 2 of α = 2 (100.0%)" in view.readout
    assert f"best test's advantage: {view.compute(alpha=2.0, d=2).advantage:.4f}" in view.readout
    view.set(y=False, y2=False)
    assert "exact loss: 0 of α = 2 (0.0%)" in view.readout and "best test's advantage: 0.0000" in view.readout


def test_glance_states_the_advantages():
    figure = glance((0.1, 1.0, 4.0), h=0.25)
    figure.canvas.draw()
    assert len(figure.axes) == 3
    for alpha in (0.1, 1.0, 4.0):
        assert f"{LdpCheck.compute(alpha=alpha, h=0.25).advantage:.3f}" in figure.alt
