"""The panel of notebook 01: exact at every corner, drawn at every corner, and it says what is true."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_lib.live import corners, panel
from ldp_lib.live.ldp_check import BANDWIDTHS, LdpCheck, glance
from ldp_lib.live.ldp_check_scene import LINE, Scene
from ldp_lib.live.stage import Stage
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import trade_off

SETTINGS = st.fixed_dictionaries(
    {control.name: st.sampled_from(control.values) for control in LdpCheck.controls})


def records(setting):
    """The two records of a setting, as the library wants them."""
    people = LdpCheck.compute(**setting).people
    return (people[0], setting["y"]), (people[1], setting["y2"])


def test_every_corner_is_computed_and_drawn():
    stage, view = Stage(Scene, LdpCheck.size), panel("ldp_check")
    for setting in corners(LdpCheck):
        result = view.compute(**setting)
        stage.update(result)
        assert np.ptp(stage.draw()) > 0
        assert view.conclude(result) and view.summarise(result)
    # One background for each change of dimension, none for any other slider.
    dimensions = [setting["d"] for setting in corners(LdpCheck)]
    assert stage.captures == 1 + np.count_nonzero(np.diff(dimensions))


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
        assert result.loss == pytest.approx(setting["alpha"], rel=1e-12)


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


def test_readout_has_the_numbers():
    view = panel("ldp_check")
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
