"""The bayes panel: true at every corner, risks of the library, common random numbers, words that match."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from ldp_lib.estimation import (
    CubeClassifier, HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier, VoronoiClassifier,
)
from ldp_lib.live import corners, panel
from ldp_lib.live.bayes import GOAL, Bayes, curve, glance, memory, people_for
from ldp_lib.live.bayes_cells import HALF, LAWS, PEOPLE, landscape
from ldp_lib.live.bayes_people import best_risks, rivals_figure
from ldp_lib.live.bayes_scene import NOBODY, PIXELS, Scene
from ldp_lib.live.exercises import check
from ldp_lib.live.exercises_bayes import BAYES
from ldp_lib.live.stage import Stage
from ldp_lib.nature import problem, space_problem
from ldp_lib.privacy import stability_threshold
from ldp_lib.risk import excess_risk, people_needed
from ldp_lib.risk.scores import cube_sign_probabilities

DRAWN = Stage(Scene, Bayes.size)


@pytest.fixture(scope="module")
def live():
    Bayes.strict = True
    return panel("bayes")


@pytest.mark.parametrize("law", LAWS)
def test_every_corner_computes_and_draws(live, law):
    """All 225 settings, headless."""
    for values in corners(Bayes):
        if values["law"] != law:
            continue
        result = live.compute(**values)
        DRAWN.update(result)
        assert DRAWN.draw().shape == (470, 1160, 4)
        cells = len(result.tiling.p)
        assert result.says_one.shape == result.wrong.shape == result.released.shape == (cells,)
        assert result.tiling.cells.max() < cells and (result.tiling.p.sum() <= 1 + 1e-12)
        for risks in result.curves.values():
            assert ((risks >= -1e-12) & (risks <= 0.5 + 1e-12)).all()
        assert 0 <= result.lost <= 1 and 0 <= result.fit_risk <= 1
        assert f"{values['n']:,}" in live.conclude(result)
        fields = [label for label, _ in live.summarise(result)]
        assert len(fields) == 11 and fields[0] == "excess risk, exact: central"


def test_panel_shows_every_law_without_an_error(live):
    for law in LAWS:
        for model in ("central", "local"):
            live.set(law=law, model=model)
            assert live.failure is None
    live.reset()


@pytest.mark.parametrize("control", [control.name for control in Bayes.controls])
def test_every_control_changes_the_picture_and_the_readout_from_the_default(live, control):
    live.reset()
    before, said = live._stage.draw()[..., :3].copy(), live.readout
    values = next(c.values for c in Bayes.controls if c.name == control)
    live.set(**{control: values[0] if values[0] != live.values[control] else values[1]})
    assert (live._stage.draw()[..., :3] != before).any() and live.readout != said
    live.reset()


def test_only_moving_artists_move(live):
    live.reset()
    before = live._stage.captures
    for control in Bayes.controls:
        live.set(**{control.name: control.values[-1]})
    assert live._stage.captures == before
    live.reset()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_curves_are_those_of_the_library(epsilon):
    """Merged and neglected cells cost a relative 1e-4 at most."""
    cubes, tree = NoisyMajorityClassifier(epsilon, noise="real"), space_problem("tree", depth=6)
    for entry, law, rule in (
            ("[0, 1]: a threshold", problem("threshold", **HALF), cubes),
            ("[0, 1]: Cantor set", problem("cantor"), cubes), ("square: moons", problem("moons"), cubes),
            ("tree", tree, VoronoiClassifier(epsilon, tree.space, noise="real"))):
        exact = [excess_risk(rule, law, n) for n in PEOPLE[::5]]
        assert curve(entry, "central", epsilon)[::5] == pytest.approx(exact, rel=1e-4, abs=1e-7)


def test_risks_without_privacy_and_of_the_majority():
    moons, scene = problem("moons"), landscape("square: moons")
    exact = [excess_risk(HistogramClassifier(n ** -0.25), moons, n) for n in PEOPLE[::5]]
    assert scene.open[::5] == pytest.approx(exact, rel=1e-4, abs=1e-7)
    assert scene.majority == pytest.approx(1 - moons.majority_rate - moons.bayes_risk)


def test_local_risk_is_that_of_one_hot_reports():
    """Cell by cell, without merging; noise of scale 2/epsilon on disjoint cells."""
    n, epsilon = 1000, 1.0
    cells = landscape("square: moons").tilings["local"][n]
    zero, one = cube_sign_probabilities(n // 2, cells.p, cells.q, 2 / epsilon)
    risk = cells.gain_one @ zero + cells.gain_zero @ one
    assert curve("square: moons", "local", epsilon)[PEOPLE.index(n)] == pytest.approx(risk, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_one_bit_is_the_local_report_that_a_curator_is_compared_with(live, epsilon):
    """Risks of the library in the panel's cells, and never above those of local counts."""
    law = problem("threshold", **HALF)
    exact = [excess_risk(OneBitClassifier(epsilon, n ** -0.25), law, n) for n in PEOPLE[::5]]
    bit = curve("[0, 1]: a threshold", "one bit", epsilon)
    assert bit[::5] == pytest.approx(exact, rel=1e-6)
    for entry in LAWS:
        assert (curve(entry, "one bit", epsilon) <= curve(entry, "local", epsilon) + 1e-9).mean() > 0.9
    result = live.compute(epsilon=epsilon)
    fields = dict(live.summarise(result))
    central, one = (people_for(GOAL, result.curves[name]) for name in ("central", "one bit"))
    assert fields["ratio"] == (f"{float(f'{one / central:.2g}'):,g}" if np.isfinite(one) else "unknown")
    assert "from one bit per person" in live.conclude(result)


def test_a_curator_saves_a_factor_of_tens_on_the_survey():
    """Best of a dense grid for every rule: against the best local rule, and against the paper's."""
    survey, widths = problem("cps"), [k / 100 for k in range(5, 101)]
    bits, curators = ([make(h) for h in widths] for make in (
        lambda h: OneBitClassifier(1.0, h), lambda h: NoisyMajorityClassifier(1.0, side=h)))
    papers = [CubeClassifier(1.0, h, noise="real") for h in widths[5:26]]
    needed = {goal: [people_needed(rules, survey, goal) for rules in (bits, curators)]
              for goal in (0.05, 0.02)}
    assert needed[0.05][0] / needed[0.05][1] == pytest.approx(7.9, rel=0.03)
    assert needed[0.02][0] / needed[0.02][1] == pytest.approx(38.2, rel=0.03)
    people = np.array([needed[0.05][0], 10**4, 2 * 10**5])
    for rules in (bits, curators, papers):
        exact = [min(excess_risk(rule, survey, int(n)) for rule in rules) for n in people]
        assert best_risks(rules, survey, people) == pytest.approx(exact, rel=1e-4)
    rivals = {"paper": papers, "one bit": bits, "curator": curators}
    figure = rivals_figure(rivals, survey, people, {0.05: (41_984, *needed[0.05])})
    assert "For excess risk 0.05: paper 41,984 people, one bit" in figure.alt


@pytest.mark.parametrize("model", ["central", "local"])
def test_fits_have_the_exact_mean_risk(monkeypatch, model):
    """200 seeds of the fit that is drawn: their mean risk is the exact one within 5.5 errors (4e-8)."""
    risks = []
    for seed in range(200):
        monkeypatch.setattr("ldp_lib.live.bayes.SEED", seed)
        risks.append(Bayes.compute(law="square: moons", model=model).fit_risk)
    exact = curve("square: moons", model, 1.0)[PEOPLE.index(1000)]
    assert abs(np.mean(risks) - exact) < 5.5 * np.std(risks, ddof=1) / math.sqrt(len(risks))


def test_budget_moves_the_noise_and_not_the_people():
    """Common random numbers: few labels change between neighbouring budgets, and no counts."""
    budgets = next(control.values for control in Bayes.controls if control.name == "epsilon")
    results = [Bayes.compute(epsilon=epsilon, delta=1e-60) for epsilon in budgets]
    changes = [np.mean(a.says_one != b.says_one) for a, b in zip(results, results[1:], strict=False)]
    assert np.mean(changes) < 0.05
    one, ten = (Bayes.compute(epsilon=epsilon, delta=1e-2, n=10**6) for epsilon in (1.0, 10.0))
    shown = (one.released > 0) & (ten.released > 0)
    draws = (one.released - ten.released)[shown] / (2 / 1.0 - 2 / 10.0)
    counts = one.released[shown] - 2 * draws
    assert shown.sum() > 700 and np.abs(counts - np.round(counts)).max() < 1e-6


def test_moving_law_is_lost_for_every_n_and_the_fixed_one_learnt(live):
    moved = Bayes.compute(moves=True)
    for name in ("central", "local", "one bit", "open"):
        assert (moved.curves[name] == 0.5).all()
    hidden = problem("hidden_threshold", n=1000, flip=0.0)
    assert excess_risk(NoisyMajorityClassifier(1.0), hidden, 1000) == pytest.approx(0.5, abs=1e-9)
    assert moved.fit_risk == pytest.approx(0.5) and "every rule on cells" in live.conclude(moved)
    fixed = Bayes.compute()
    assert fixed.curves["central"][-1] < 2e-4 < fixed.curves["local"][-1] < 0.01


@pytest.mark.parametrize("law", LAWS)
def test_the_star_of_the_moving_law_is_in_its_cell(law):
    cells = DRAWN._scene.parts[0]
    for n in PEOPLE:
        moved = Bayes.compute(law=law, n=n, moves=True)
        cells.update(moved)
        (x,), (y,) = cells.crowd.get_data()
        tiling = moved.tiling
        there = tiling.cells[int(y * len(tiling.cells)), int(x * PIXELS)]
        shown = tiling.cells[tiling.cells >= 0]
        assert there >= 0 and abs(there - len(tiling.p) // 2) == abs(shown - len(tiling.p) // 2).min()


def test_cells_without_people_have_a_fill_of_their_own():
    cells = DRAWN._scene.parts[0]
    fixed = Bayes.compute()
    cells.update(fixed)
    assert ((cells.tiles.labels == NOBODY) == (fixed.tiling.p == 0)).all() and (fixed.tiling.p == 0).any()


@pytest.mark.parametrize("law", LAWS)
def test_the_curator_learns_every_fixed_law(law):
    risks = curve(law, "central", 1.0)
    assert risks[-1] < 0.01 and risks[-1] < risks[0] / 10
    assert (curve(law, "local", 1.0) >= risks - 1e-9).mean() > 0.9


def test_memory_is_the_mean_gap_to_the_first_one():
    for n in (1, 10, 1000):
        assert memory(n) == pytest.approx(quad(lambda a, n=n: (1 - a) ** n, 0, 0.5)[0])


def test_threshold_hides_everybody_when_delta_is_too_small(live):
    kept, none = (Bayes.compute(delta=delta) for delta in (1e-6, 1e-60))
    assert kept.level == stability_threshold(1.0, 1e-6, noise="real") and kept.lost < 0.1
    assert none.lost == 1.0 and (none.released[np.isfinite(none.released)] == 0).all()
    assert "100%" in live.conclude(none) and "100.0%" in dict(live.summarise(none))["people hidden by τ"]
    assert (kept.curves["central"] == none.curves["central"]).all()


def test_people_for_a_risk():
    risks = 1 / np.array(PEOPLE)
    assert people_for(1 / 300, risks) == pytest.approx(300)
    assert people_for(1.0, risks) == PEOPLE[0] and people_for(1e-9, risks) == math.inf


def test_static_pictures_carry_their_conclusion(live):
    figure = live.static(law="sphere", n=10_000)
    assert figure.alt == live.conclude(live.compute(law="sphere", n=10_000))
    assert "0.16" in glance((100, 1000), law="square: moons", epsilon=0.316).alt


@pytest.mark.parametrize("exercise, right", [
    ("06.1", 8.0), ("06.2", lambda epsilon, delta: 1 + 2 / epsilon * math.log(1 / (2 * delta))),
    ("06.3", (999 / 2 + math.log(2)) / math.log(10)), ("06.5", 0.02), ("06.6", 0.25)])
def test_exercises_take_the_right_answer_only(exercise, right):
    assert check(exercise, right).right
    printed = [lambda epsilon, delta: 1 + 2 / epsilon * math.log(2 / delta), 1.0]
    wrong = printed if callable(right) else [1.1 * right, "x"]
    for answer in wrong:
        verdict = check(exercise, answer)
        assert not verdict.right and BAYES[exercise].hint in verdict.text
