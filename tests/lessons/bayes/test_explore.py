"""The bayes panel: true at every corner, risks of the library, common random numbers, words that match."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import quad

from ldp_lib._rounding import NOTHING
from ldp_lib.estimation import (
    CubeClassifier, HistogramClassifier, NoisyMajorityClassifier, OneBitClassifier, VoronoiClassifier,
)
from ldp_lib.lessons.bayes.explore import (
    BUDGET, DELTAS, GOAL, HALF, LAWS, MOST_EDGES, PEOPLE, RULES, curve, everything, exact_risks, fit,
    glance, landscape, losses, noise_level, release, tiling_at,
)
from ldp_lib.lessons.bayes.numbers import memory
from ldp_lib.lessons.bayes.story import STORY
from ldp_lib.lessons.figures import best_risks, rivals_figure
from ldp_lib.live import EXERCISES, check, corners, panel
from ldp_lib.nature import problem, space_problem
from ldp_lib.privacy import stability_threshold
from ldp_lib.risk import excess_risk, people_needed
from ldp_lib.risk.exact import people_on_curve
from ldp_lib.risk.scores import cube_sign_probabilities
from ldp_lib.stage import deck, figure, still, theme


@pytest.fixture(scope="module")
def live():
    return panel("bayes", scene="explore")


def mark(axes, key):
    """The mark of this key in the axes of this key."""
    return next(found for found in axes.marks if found.key == key)


def drawn(**position):
    """The axes of the picture, by key."""
    return {axes.key: axes for axes in everything(**position).picture.axes}


def same(one, other):
    """Whether two axes have the same marks, to the last bit."""
    one, other = ([(each.key, {name: array.tobytes() for name, array in each.arrays.items()})
                   for each in axes.marks] for axes in (one, other))
    return one == other


def fitted(law="[0, 1]: a threshold", n=1000, epsilon=1.0, model="central", moves=False):
    """The `Tiling`, and what labels the fit that is drawn gives to its cells."""
    tiling = tiling_at(law, n, model, moves)
    return tiling, fit(tiling.grid, n, epsilon, model)[0]


def released(n=1000, epsilon=1.0, delta=1e-6):
    """What a curator releases of the cells of the threshold, and the share of people that the gate hides."""
    grid = tiling_at("[0, 1]: a threshold", n, "central", False).grid
    *_, counts, noisy = fit(grid, n, epsilon, "central")
    shown = release(grid, counts, noisy, noise_level(n, epsilon, delta, "central"), "central")
    return shown, counts[shown == 0].sum() / n


@pytest.mark.parametrize("law", LAWS)
def test_every_corner_computes_and_draws(law):
    """All 225 settings; a cell with people shows its label, and is hatched where that is wrong."""
    for setting in corners(STORY):
        if (setting["scene"], setting["law"]) != ("explore", law):
            continue
        values = {control.name: setting[control.name] for control in everything.controls}
        n, epsilon, model, moves = (values[name] for name in ("n", "epsilon", "model", "moves"))
        result = everything(**values)
        axes = {axes.key: axes for axes in result.picture.axes}
        tiling = tiling_at(law, n, model, moves)
        says_one, _, counts, noisy = fit(tiling.grid, n, epsilon, model)
        lost, wrong = losses(tiling.grid, says_one)
        told = release(tiling.grid, counts, noisy, noise_level(n, epsilon, values["delta"], model), model)
        assert list(axes) == ["cells", "risks", "counts"]
        fills, hatches = (mark(axes["cells"], key).arrays["values"] for key in ("labels", "wrong"))
        shown = tiling.cells.ravel()
        lived = (shown >= 0) & (tiling.grid.p[shown] > NOTHING)
        assert (fills[lived] == says_one[shown[lived]]).all()
        assert (fills[~lived] == np.where(shown[~lived] < 0, 3, 2)).all()
        assert ((hatches == 0) == ((shown >= 0) & wrong[shown])).all()
        assert says_one.shape == wrong.shape == told.shape == tiling.grid.p.shape
        assert tiling.cells.max() < len(tiling.grid.p) and (tiling.grid.p.sum() <= 1 + 1e-12)
        for risks in exact_risks(law, epsilon, moves).values():
            assert ((risks >= -1e-12) & (risks <= 0.5 + 1e-12)).all()
        assert 0 <= counts[told == 0].sum() / n <= 1 and 0 <= lost.sum() <= 1
        assert f"{n:,}" in result.says
        fields = [label for label, _ in result.numbers]
        assert len(fields) == 11 and fields[0] == "excess risk, exact: curator"


def test_panel_shows_every_law_without_an_error(live):
    for law in LAWS:
        for model in ("central", "local"):
            live.set(law=law, model=model)
            assert live.failure is None
    live.reset()


@pytest.mark.parametrize("control", everything.controls, ids=lambda control: control.name)
def test_every_control_changes_the_picture_and_the_readout_from_the_default(live, control):
    live.set(**live.position())
    before, said, values = live._state(live.place), live.readout, control.values
    live.set(**{control.name: values[0] if values[0] != live.values[control.name] else values[1]})
    after = live._state(live.place)
    assert deck.pack({(0,): after}) != deck.pack({(0,): before}) and live.readout != said
    live.reset()


CORNERS = [{}, {"law": "sphere", "epsilon": 0.1, "delta": DELTAS[0], "n": 10**6, "model": "local"},
           {"law": "tree", "epsilon": 10.0, "delta": DELTAS[-1], "n": 10, "moves": True}]


@pytest.mark.parametrize("values", CORNERS)
def test_every_renderer_draws_it(live, values):
    result = everything(**values)
    picture = result.picture
    state = deck.State(picture, result.says, result.numbers)
    back = deck.unpack(deck.pack({(0,): state}))[(0,)]
    for (sent,), (found,) in zip(picture.columns, back["columns"], strict=True):
        for one, other in zip(sent.marks, found["marks"], strict=True):
            assert all(deck.rounded(sent, name, values).tobytes() == other["arrays"][name].tobytes()
                       for name, values in one.arrays.items())
    assert still.drawn(picture, live.size).count("<g clip-path") == 3
    assert figure.render(picture, "words", live.size).alt == "words"


def test_wrong_cells_are_hatched_over_their_label(live):
    """The hatch alone, without a ground, in every renderer."""
    tiling, says_one = fitted("square: moons", epsilon=0.1)
    assert losses(tiling.grid, says_one)[1].any()
    picture = everything(law="square: moons", epsilon=0.1).picture
    assert re.search(r'<pattern id="wrong"[^>]*><rect[^>]* fill="none"/>', still.drawn(picture, live.size))
    hatched = [area for area in figure.render(picture, "", live.size).axes[0].patches
               if (area.get_hatch() or "").startswith(figure.HATCHES["falling"])]
    assert hatched and not any(area.get_fill() and area.get_facecolor()[3] for area in hatched)
    assert [name for name, look in theme.looks().items() if look["bare"]] == ["wrong"]


@pytest.mark.parametrize("name", LAWS)
def test_edges_part_neighbours(name):
    """Every edge has different cells on its sides, and their lengths add up to all borders."""
    for tiling in list(landscape(name).tilings["central"].values())[::4]:
        if len(tiling.grid.p) > MOST_EDGES:
            assert tiling.edges.size == 0
            continue
        rows, columns = tiling.cells.shape
        left, right, bottom, top = tiling.box
        x = (tiling.edges[0].reshape(-1, 3)[:, :2] - left) / (right - left) * columns
        y = (tiling.edges[1].reshape(-1, 3)[:, :2] - bottom) / (top - bottom) * rows
        length = np.abs(np.diff(x)) + np.abs(np.diff(y))
        borders = (np.diff(tiling.cells, axis=0) != 0).sum() + (np.diff(tiling.cells, axis=1) != 0).sum()
        assert length.sum() == pytest.approx(borders, rel=1e-4) and (length > 0.99).all()
        for (x0, x1), (y0, y1) in zip(x, y, strict=True):
            middle, height = (x0 + x1) / 2, (y0 + y1) / 2
            aside = (0.5, 0.0) if abs(x0 - x1) < 0.01 else (0.0, 0.5)
            here, there = (tiling.cells[tuple(
                int(np.floor(min(max(at + way * step, 0), last - 1) + 1e-3))
                for at, step, last in zip((height, middle), reversed(aside), (rows, columns), strict=True))]
                for way in (-1, 1))
            assert here != there


def test_positions_that_the_appendix_sends_the_reader_to(live):
    moves = ({}, {"model": "local"}, {"epsilon": 0.1}, {"delta": 1e-20}, {"moves": True}, {"law": "sphere"},
             {"law": "tree"})
    laws = {name: exact_risks(name, 1.0, False) for name in ("[0, 1]: a threshold", "tree")}
    default, tree = laws.values()
    tenth = exact_risks("[0, 1]: a threshold", 0.1, False)
    met = np.argmax(default["central"] <= 1.02 * default["open"])
    assert 1000 < PEOPLE[met] < 10**4
    assert len(fitted(model="local")[0].grid.p) < len(fitted()[0].grid.p)
    needed, fewer = ({name: people_on_curve(GOAL, PEOPLE, exact[name]) for name in RULES}
                     for exact in (tenth, default))
    assert needed["central"] / fewer["central"] < 40 < 1000 < needed["one bit"] / fewer["one bit"]
    assert fewer["central"] < fewer["one bit"] < fewer["local"]
    assert released(delta=1e-20)[1] == 1.0 and released(delta=1e-20, n=10**5)[1] < 0.01
    for axes in ("cells", "risks"):
        assert same(drawn(delta=1e-20)[axes], drawn()[axes]), "δ moves the gate only"
    tiling, says_one = fitted(moves=True)
    assert losses(tiling.grid, says_one)[0].sum() == pytest.approx(0.5) and (tiling.grid.p > 0).sum() == 1
    cubes, cells = (landscape(law).tilings["central"] for law in ("square: moons", "sphere"))
    assert len(cells[10**6].grid.p) / len(cells[10].grid.p) < (
        0.1 * len(cubes[10**6].grid.p) / len(cubes[10].grid.p))
    assert len(fitted("sphere")[0].grid.p) > 1 and (tree["central"] >= -1e-12).all()
    for values in moves:
        live.set(**values)
        assert live.failure is None, values
    live.reset()


@pytest.mark.parametrize("epsilon, delta", [(1.0, 1e-6), (0.1, 1e-60), (10.0, 1e-2)])
def test_the_threshold_is_a_handle_of_delta(epsilon, delta):
    level = mark(drawn(epsilon=epsilon, delta=delta)["counts"], "level")
    grip = level.options["handle"]
    back = math.exp((level.arrays["y"][0] - grip["offset"]) / grip["factor"])
    assert math.log(back) == pytest.approx(math.log(delta), rel=1e-4) and grip["control"] == "delta"
    local = mark(drawn(epsilon=epsilon, delta=delta, model="local")["counts"], "level")
    assert "handle" not in local.options and local.label == "noise of a count"


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_curves_are_those_of_the_library(epsilon):
    """As exact as a picture has to be."""
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
    cells = landscape("square: moons").tilings["local"][n].grid
    zero, one = cube_sign_probabilities(n // 2, cells.p, cells.q, 2 / epsilon)
    risk = cells.gain_one @ zero + cells.gain_zero @ one
    assert curve("square: moons", "local", epsilon)[PEOPLE.index(n)] == pytest.approx(risk, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_one_bit_is_the_local_report_that_a_curator_is_compared_with(epsilon):
    """Risks of the library in the panel's cells, and never above those of local counts."""
    law = problem("threshold", **HALF)
    exact = [excess_risk(OneBitClassifier(epsilon, n ** -0.25), law, n) for n in PEOPLE[::5]]
    bit = curve("[0, 1]: a threshold", "one bit", epsilon)
    assert bit[::5] == pytest.approx(exact, rel=1e-6)
    for entry in LAWS:
        assert (curve(entry, "one bit", epsilon) <= curve(entry, "local", epsilon) + 1e-9).mean() > 0.9
    result = everything(epsilon=epsilon)
    fields = dict(result.numbers)
    central, one = (people_on_curve(GOAL, PEOPLE, curve("[0, 1]: a threshold", name, epsilon))
                    for name in ("central", "one bit"))
    assert fields["ratio"] == (f"{float(f'{one / central:.2g}'):,g}" if np.isfinite(one) else "unknown")
    assert "from one bit per person" in result.says


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
        monkeypatch.setattr("ldp_lib.lessons.bayes.explore.SEED", seed)
        tiling, says_one = fitted("square: moons", model=model)
        risks.append(losses(tiling.grid, says_one)[0].sum())
    exact = curve("square: moons", model, 1.0)[PEOPLE.index(1000)]
    assert abs(np.mean(risks) - exact) < 5.5 * np.std(risks, ddof=1) / math.sqrt(len(risks))


def test_budget_moves_the_noise_and_not_the_people():
    """Common random numbers: few labels change between neighbouring budgets, and no counts."""
    fits = [fitted(epsilon=epsilon)[1] for epsilon in BUDGET.values]
    changes = [np.mean(a != b) for a, b in zip(fits, fits[1:], strict=False)]
    assert np.mean(changes) < 0.05
    one, ten = (released(epsilon=epsilon, delta=1e-2, n=10**6)[0] for epsilon in (1.0, 10.0))
    shown = (one > 0) & (ten > 0)
    draws = (one - ten)[shown] / (2 / 1.0 - 2 / 10.0)
    counts = one[shown] - 2 * draws
    assert shown.sum() > 700 and np.abs(counts - np.round(counts)).max() < 1e-6


def test_moving_law_is_lost_for_every_n_and_the_fixed_one_learnt():
    lines = {each.key: each.arrays["y"] for each in drawn(moves=True)["risks"].marks}
    for name in ("central", "local", "one bit", "open"):
        assert (lines[name] == 0.5).all()
    hidden = problem("hidden_threshold", n=1000, flip=0.0)
    assert excess_risk(NoisyMajorityClassifier(1.0), hidden, 1000) == pytest.approx(0.5, abs=1e-9)
    tiling, says_one = fitted(moves=True)
    assert losses(tiling.grid, says_one)[0].sum() == pytest.approx(0.5)
    assert "every rule on cells" in everything(moves=True).says
    fixed = {each.key: each.arrays["y"] for each in drawn()["risks"].marks}
    assert fixed["central"][-1] < 2e-4 < fixed["local"][-1] < 0.01


@pytest.mark.parametrize("law", LAWS)
def test_the_star_of_the_moving_law_is_in_its_cell(law):
    for n in PEOPLE:
        star = mark(drawn(law=law, n=n, moves=True)["cells"], "everybody")
        tiling = tiling_at(law, n, "central", True)
        (x,), (y,) = star.arrays["x"], star.arrays["y"]
        assert 0 < x < 1 and 0 < y < 1
        (rows, columns), (left, right, bottom, top) = tiling.cells.shape, tiling.box
        there = tiling.cells[int((y - bottom) / (top - bottom) * rows),
                             int((x - left) / (right - left) * columns)]
        shown, middle = tiling.cells[tiling.cells >= 0], len(tiling.grid.p) // 2
        assert there >= 0 and abs(there - middle) == abs(shown - middle).min()


@pytest.mark.parametrize("law", LAWS)
def test_the_curator_learns_every_fixed_law(law):
    risks = curve(law, "central", 1.0)
    assert risks[-1] < 0.01 and risks[-1] < risks[0] / 10
    assert (curve(law, "local", 1.0) >= risks - 1e-9).mean() > 0.9


def test_memory_is_the_mean_gap_to_the_first_one():
    for n in (1, 10, 1000):
        assert memory(n) == pytest.approx(quad(lambda a, n=n: (1 - a) ** n, 0, 0.5)[0])


def test_threshold_hides_everybody_when_delta_is_too_small():
    gate = mark(drawn(delta=1e-6)["counts"], "level").arrays["y"][0]
    assert gate == np.float32(stability_threshold(1.0, 1e-6, noise="real")) and released()[1] < 0.1
    shown, lost = released(delta=1e-60)
    assert lost == 1.0 and (shown[np.isfinite(shown)] == 0).all()
    none = everything(delta=1e-60)
    assert "100%" in none.says and "100.0%" in dict(none.numbers)["people hidden by the gate"]
    assert same(drawn(delta=1e-60)["risks"], drawn()["risks"])


def test_people_for_a_risk():
    risks = 1 / np.array(PEOPLE)
    assert people_on_curve(1 / 300, PEOPLE, risks) == pytest.approx(300)
    assert people_on_curve(1.0, PEOPLE, risks) == PEOPLE[0]
    assert people_on_curve(1e-9, PEOPLE, risks) == math.inf


def test_static_pictures_carry_their_conclusion(live):
    figure = live.static(law="sphere", n=10_000)
    assert figure.alt == everything(law="sphere", n=10_000).says
    shown = glance((100, 1000), law="square: moons", epsilon=0.316)
    assert "0.16" in shown.alt
    assert [axes.get_title(loc="left")[:8] for axes in shown.axes] == ["n = 100:", "n = 1,00"]


@pytest.mark.parametrize("values", [{}, {"law": "sphere"}, {"law": "square: moons", "moves": True}])
def test_keys_stay_inside_static_pictures(live, values):
    """Also below a square, whose size is known only after the first layout."""
    made = live.static(**values)
    made.draw_without_rendering()
    for axes in made.axes:
        low, high = axes.get_legend().get_window_extent().get_points()
        assert (low >= 0).all() and (high <= made.bbox.size).all()


@pytest.mark.parametrize("exercise, right", [
    ("06.1", 8.0), ("06.2", lambda epsilon, delta: 1 + 2 / epsilon * math.log(1 / (2 * delta))),
    ("06.3", (999 / 2 + math.log(2)) / math.log(10)), ("06.5", 0.02), ("06.6", 0.25)])
def test_exercises_take_the_right_answer_only(exercise, right):
    assert check(exercise, right).right
    printed = [lambda epsilon, delta: 1 + 2 / epsilon * math.log(2 / delta), 1.0]
    wrong = printed if callable(right) else [1.1 * right, "x"]
    for answer in wrong:
        verdict = check(exercise, answer)
        assert not verdict.right and EXERCISES[exercise].hint in verdict.text
