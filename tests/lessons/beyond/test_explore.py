"""*Explore* of notebook 07: exact everywhere, common random numbers with the right law, words that match."""

import html
import itertools
import math
import re
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pytest
from scipy import stats

from ldp_lib.estimation import CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.lessons.beyond import explore as beyond
from ldp_lib.lessons.beyond.explore import (
    ALPHAS, CELLS, COUNTS, FLOOR, MOST_PEOPLE, PEOPLE_AXIS, PROBLEMS, ROLES, TUNED, between,
    classifier, everything, fit, glance, law, least, luck, pieces, risks, table, verdict,
)
from ldp_lib.lessons.beyond.numbers import gallery_range
from ldp_lib.lessons.pictures import ERROR, PIXELS, boundary
from ldp_lib.live import corners, kind, panel
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, HadamardBit, SignedSubset
from ldp_lib.risk import excess_risk, people_needed
from ldp_lib.risk.exact import people_on_curve
from ldp_lib.risk.scores import score_sign_probabilities
from ldp_lib.stage.deck import State, pack, rounded, unpack
from ldp_lib.stage.figure import render
from ldp_lib.stage.picture import figures
from ldp_lib.stage.still import drawn

TOP = Path(__file__).resolve().parents[3]
NOTEBOOK = nbformat.read(TOP / "notebooks" / "appendix" / "07_in_full.ipynb", as_version=4)
PROSE = "\n".join(cell.source for cell in NOTEBOOK.cells if cell.cell_type == "markdown")
PRINTED = "\n".join(output.text for cell in NOTEBOOK.cells for output in cell.get("outputs", ())
                    if output.output_type == "stream")


@pytest.fixture(scope="module")
def live():
    return panel("beyond")


def said_there(problem="sine", d=2, alpha=1.0, n=1000, h=TUNED):
    """Exact risks, the people needed, headline and sentence at a position."""
    here, _ = least(problem, d, alpha, n, h)
    needed = beyond.people_needed(problem, d, alpha, n, h)
    return here, needed, *verdict(here, needed, n, h)


def explored():
    """The corners of *explore*."""
    return [values for values in corners(kind("beyond")) if values["scene"] == "explore"]


def test_every_corner_computes_and_draws(live):
    for values in explored():
        live.set(**values)
        position = {control.name: values[control.name] for control in everything.controls}
        shown = live.show(**values)
        assert live.failure is None and live.values == values
        here, cells = least(**position)
        n = position.pop("n")
        drawn_fits = {axes.key: axes.marks[0].arrays["values"] for axes in shown.picture.axes[:4]}
        for role, found in risks(**position).items():
            curve, worst = found.min(axis=0), 1 - 2 * law(values["problem"], values["d"]).bayes_risk
            assert drawn_fits[role].size == PIXELS**2 and set(np.unique(drawn_fits[role])) <= {0, 1}
            assert (-1e-12 <= curve).all() and (curve <= worst).all()
            assert curve[list(COUNTS).index(n)] == here[role]
        assert f"{n:,}" in shown.says and "excess risk" in live.readout
        decisions = fit(values["problem"], values["d"], "paper", values["alpha"], cells["paper"], n)
        assert decisions.shape == (PIXELS, PIXELS) and list(drawn_fits["paper"]) == list(decisions.ravel())


def test_nothing_is_computed_twice_and_caches_are_bounded():
    """Every sweep at every problem and d: no cached result is forgotten before it is needed again."""
    caches = (law, pieces, table, luck, between, boundary)
    found = []
    for _ in range(2):
        for name, d, control in itertools.product(PROBLEMS, (1, 2), everything.controls[2:]):
            for value in control.values:
                everything(problem=name, d=d, **{control.name: value})
        found.append([cache.cache_info().misses for cache in caches])
    assert found[0] == found[1]
    assert all(cache.cache_info().maxsize for cache in caches)


@pytest.mark.parametrize("values", [{}, *(explored()[k] for k in (0, -1))], ids=str)
def test_both_renderers_and_the_deck_take_the_picture(live, values):
    shown, position = live.show(**values), live.position(**values)
    position = {control.name: position[control.name] for control in everything.controls}
    picture, headline = shown.picture, said_there(**position)[2]
    state = State(picture, shown.says, tuple(shown.numbers))
    risk = unpack(pack({(0,): state}))[(0,)]["columns"][2][0]
    assert risk["title"] == headline
    curves = {mark["key"]: mark["arrays"] for mark in risk["marks"]}
    axes = next(axes for axes in picture.axes if axes.title == headline)
    del position["n"]
    for role, found in risks(**position).items():
        np.testing.assert_array_equal(curves[role]["y"], rounded(axes, "y", np.float32(found.min(axis=0))))
    assert all(f">{html.escape(words)}<" in drawn(picture, live.size) for words in ROLES.values())
    figure = render(picture, state.alt, live.size)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        *(ROLES[role] for role in ("paper", "bit", "cells", "best")), headline]


def needed_in_picture(**position):
    """The kind of the mark that leads from n to the people needed, and where it ends; or None."""
    for mark in everything(**position).picture.columns[2][0].marks:
        if mark.key == "needed":
            return mark.kind, mark.arrays.get("x1", mark.arrays.get("x"))[-1]
    return None


def test_the_arrow_leads_to_the_people_needed():
    _, needed, *_ = said_there(n=215)
    assert needed_in_picture(n=215) == ("arrow", np.float32(needed)) and needed > 1e5
    _, never, *_ = said_there(h=0.25, n=100_000)
    assert needed_in_picture(h=0.25, n=100_000) == ("line", np.float32(PEOPLE_AXIS[1])) and np.isinf(never)
    assert needed_in_picture(n=10**7) is None


SEEN = {  # position in explore: the first word of the headline
    "two features": ({}, "860"), "one feature": ({"d": 1}, "120"),
    "strong privacy": ({"n": 215, "alpha": 0.125}, "860"), "hardly any": ({"n": 215, "alpha": 8.0}, "280"),
    "a shift": ({"problem": "wave", "n": 215}, "550"), "a step": ({"problem": "wave", "n": 46_416}, "1,000"),
    "after it": ({"problem": "wave", "n": 10**7}, "11"), "your h": ({"n": 100_000, "h": 1 / 4}, "not"),
    "too fine": ({"n": 10**7, "h": 1 / 20}, "18"),
}


@pytest.mark.parametrize("position, word", SEEN.values(), ids=SEEN)
def test_explore_shows_what_the_appendix_says(live, position, word):
    start = panel("beyond", scene="explore", **position)
    assert start.values == live.position(scene="explore", **position) and start.failure is None
    assert everything(**position).picture.axes[-1].title.split()[0] == word


def test_large_budgets_turn_the_order():
    strong, hardly = (said_there(n=215, alpha=alpha)[0] for alpha in (0.125, 8.0))
    assert strong["bit"] < strong["cells"] and hardly["cells"] < hardly["bit"]


@pytest.mark.parametrize("law", [problem("wave"), problem("wave", d=2), problem("circles")], ids=str)
def test_dashes_stand_where_the_best_rule_changes(law):
    """With 100 places per axis: eta crosses 1/2 within 1/98 of each point; a path has no other crossings."""
    points = boundary(law, 100)
    assert points.shape[0] == 2 and np.isnan(points[:, -1]).all()
    places = points.T[~np.isnan(points[0])][:, : law.d]
    around = np.clip(places[:, None] + list(itertools.product((-0.0102, 0.0102), repeat=law.d)), 0, 1)
    labels = law.eta(around.reshape(-1, law.d)).reshape(around.shape[:2]) >= 0.5
    assert len(places) and (labels.any(axis=1) & ~labels.all(axis=1)).all()
    path = np.stack([np.linspace(0.002, 0.998, 400), np.full(400, 0.37)][: law.d], axis=1)
    changes = np.flatnonzero(np.diff(law.eta(path) >= 0.5))
    assert len(changes) and all(np.abs(places - path[k]).max(axis=1).min() < 0.0125 for k in changes)


def test_glance_says_the_risks():
    figure = glance((1000, 10_000), problem="wave", d=2)
    for n in (1000, 10_000):
        here, *_ = said_there("wave", n=n)
        assert f"{here['paper']:.3f} and {here['best']:.3f} at n = {n:,}" in figure.alt


@pytest.mark.parametrize("name, d, alpha, cells, n", [
    ("sine", 1, 1.0, 4, 1000), ("sine", 2, 0.5, 3, 10_000), ("wave", 1, 4.0, 20, 10**7),
    ("wave", 2, 8.0, 5, 215),
])
@pytest.mark.parametrize("role", ROLES)
def test_table_holds_the_risks_of_the_library(name, d, alpha, cells, n, role):
    at = list(COUNTS).index(n)
    exact = excess_risk(classifier(role, alpha, 1 / cells), law(name, d), n)
    mine = table(name, d, alpha)[role][CELLS.index(cells), at]
    assert mine == pytest.approx(exact, rel=20 * ERROR, abs=1e-15)


def test_pieces_are_all_cells():
    for name, d, paper, cells in itertools.product(("sine", "wave"), (1, 2), (False, True), (3, 8)):
        part, place = pieces(name, d, paper, cells)
        assert place.shape == (cells + paper,) * d and place.max() == len(part.p) - 1
        worst = 1 - 2 * law(name, d).bayes_risk  # E|2 eta - 1|
        assert part.gain_one.sum() + part.gain_zero.sum() == pytest.approx(worst)
        if not paper:
            assert part.p[place].sum() == pytest.approx(1)


def test_fits_have_the_exact_law_cell_by_cell(monkeypatch):
    """Labels of cells compare their probability with numbers that are uniform; level 1e-6."""
    numbers = luck(2)
    assert stats.kstest(numbers.ravel(), "uniform").pvalue > 1e-6
    monkeypatch.setattr(beyond, "luck", lambda d: np.full_like(numbers, 0.4))
    part, place = pieces("sine", 2, False, 2)
    one = score_sign_probabilities(classifier("cells", 1.0, 1 / 2).build_mechanism(2), 215, part.p, part.q)[1]
    labels = fit("sine", 2, "cells", 1.0, 2, 215)[:: PIXELS // 2, :: PIXELS // 2]
    assert (labels == (one[place] > 0.4).T).all()


def test_fits_ask_the_cell_or_the_nearest_grid_point():
    """With many people a fit is the best labels of its cells: four fields, or four and a cross of coins."""
    cells, cubes = (fit("sine", 2, role, 8.0, 4, 10**7) for role in ("bit", "paper"))
    x = (np.arange(PIXELS) + 0.5) / PIXELS
    board = np.outer(x < 0.5, x < 0.5) | np.outer(x > 0.5, x > 0.5)
    assert (cells == board).all()
    sure = (np.abs(x - 0.25) < 0.12) | (np.abs(x - 0.75) < 0.12)
    assert (cubes == board)[np.ix_(sure, sure)].all() and not (cubes == board).all()


def test_best_mechanism_changes_with_alpha():
    kinds = [type(classifier("best", alpha, 1 / 16).build_mechanism(2)) for alpha in ALPHAS]
    assert kinds[0] is HadamardBit and kinds[-1] is SignedSubset and CellLaplace not in kinds


@pytest.mark.parametrize("name, d, alpha, n, h", [
    ("sine", 1, 0.25, 2154, TUNED), ("sine", 2, 1.0, 10_000, TUNED), ("wave", 1, 1.0, 464_159, TUNED),
    ("wave", 1, 2.83, 46_416, TUNED), ("wave", 2, 1.0, 1000, 1 / 6), ("sine", 1, 1.0, 10_000, 1 / 3),
])
def test_people_needed_are_those_at_whom_the_papers_risk_falls_to_the_best(name, d, alpha, n, h):
    """Against the library, 2% below and above."""
    here, needed, *_ = said_there(name, d, alpha, n, h)
    rules = [classifier("paper", alpha, 1 / cells) for cells in CELLS if h in (TUNED, 1 / cells)]

    def risk(people):
        return min(excess_risk(paper, law(name, d), round(people)) for paper in rules)

    assert risk(needed / 1.02) > here["best"] > risk(needed * 1.02)


def test_people_needed_at_the_ends_of_the_table():
    assert people_on_curve(1.0, COUNTS, table("sine", 1, 1.0)["paper"]) == COUNTS[0]
    assert people_on_curve(1e-30, COUNTS, table("wave", 1, 1.0)["paper"]) == np.inf


def test_headline_and_sentence_are_true_at_every_n_and_budget():
    """At the best h and at three others, of which the paper's mechanism likes some better than the cells."""
    seen = {}
    people = [int(n) for n in COUNTS if n <= MOST_PEOPLE]
    for name, d, alpha, n in itertools.product(PROBLEMS, (1, 2), ALPHAS, people):
        for h in (TUNED, 1 / 2, 1 / 3, 1 / 20) if n in (1000, 10**6) else (TUNED,):
            here, needed, words, _ = said_there(name, d, alpha, n, h)
            best, paper = here["best"], here["paper"]
            curve, factor = risks(name, d, alpha, h)["paper"].min(axis=0), needed / n
            kind = re.sub(r"[0-9][0-9,.]* times", "x times", words)
            seen.setdefault(h == TUNED, set()).add(kind)
            if best < FLOOR:
                assert words == ("both equal" if paper < FLOOR else "the best equals") + \
                    " the Bayes rule to 6 digits"
                assert f"{best:.6f}" == "0.000000" and (paper < FLOOR) == (f"{paper:.6f}" == "0.000000")
            elif words == "the same risk":
                assert [paper, curve[-1]] == pytest.approx([best] * 2, rel=10 * ERROR)
            elif kind.startswith("not with 10¹¹"):
                assert curve.min() > best and words.endswith("this h" if h else "any h of the slider")
            else:
                at = np.searchsorted(COUNTS, needed)  # it lies in the step that ends there
                assert curve[at] <= best < curve[at - 1]
                said = float(re.findall(r"[0-9.]+", words.replace(",", "") + " 1")[0])
                if words == "about as many people":
                    assert 1 / 1.2 <= factor <= 1.2
                elif words.startswith("the paper's needs"):
                    assert said == pytest.approx(1 / factor, rel=0.05) and factor < 1 / 1.2 and paper < best
                else:
                    assert said == pytest.approx(factor, rel=0.05) and factor > 1.2 and paper > best
    assert seen[True] == {"x times fewer people", "both equal the Bayes rule to 6 digits",
                          "the best equals the Bayes rule to 6 digits",
                          "not with 10¹¹ people at any h of the slider"}
    assert seen[False] > {"the same risk", "the paper's needs x times fewer people",
                          "not with 10¹¹ people at this h"}


@pytest.mark.parametrize("d, least", [(1, 70), (2, 500)])
def test_first_picture_shows_the_promised_factor(d, least):
    n = 1000 if d == 2 else 215
    assert beyond.people_needed("sine", d, 1.0, n, TUNED) / n >= least


def test_picture_moves_smoothly_with_alpha():
    """Common random numbers: a neighbouring slider position changes few labels."""
    fits = [fit("wave", 2, "cells", alpha, 8, 10_000) for alpha in ALPHAS]
    changes = [np.mean(one != two) for one, two in itertools.pairwise(fits)]
    assert np.mean(changes) < 0.1 and np.mean(fits[0] != fits[-1]) > 0.2


def test_factor_and_conclusion_in_words(live):
    assert [figures(number, 2) for number in (1.44, 63.2, 869.4, 12_345.0)] == ["1.4", "63", "870", "12,000"]
    never = everything(problem="sine", d=2, h=0.25, n=100_000)
    assert np.isinf(said_there(h=0.25, n=100_000)[1]) and "does not get there" in never.says
    figure = live.static(problem="wave")
    assert figure.alt == everything(problem="wave").says


@pytest.mark.parametrize("words, values", [
    ("550", {"n": 215}), ("630", {"n": 10_000}), ("1,000", {"n": 46_416}), ("11", {"n": 10**7}),
    ("18", {"problem": "sine", "n": 10**7, "h": 1 / 20}),
])
def test_the_factors_that_notebook_07_names(words, values):
    """The scenarios under *Move* say in words what the headline says there."""
    shown = everything(**{"problem": "wave", "d": 2} | values)
    assert shown.picture.axes[-1].title == f"{words} times fewer people"


def test_subsets_of_one_size_do_not_learn():
    """w = 1 and h = n^-0.4 satisfy what the theorem asks of n and h, and the risk rises to that of a coin.

    X is uniform and eta = .9; all cells are alike. One bit, the law of w = K, learns.
    """
    risks = {"w = 1": [], "one bit": []}
    for n in (10**4, 10**6, 10**10, 10**14):
        K = round(n**0.4)
        reports = {"w = 1": SignedSubset(1.0, 1 / K, size=1), "one bit": HadamardBit(1.0, 1 / K)}
        for name, report in reports.items():
            risk = 0.8 * float(score_sign_probabilities(report, n, 1 / K, 0.9 / K)[0])
            risks[name].append(risk)
            assert f"{name}: v = {report.variance(1 / K):<9.4g} exact risk {risk:.2g}" in PRINTED
    assert np.all(np.diff(risks["w = 1"]) > 0) and risks["w = 1"][-1] > 0.39
    assert np.all(np.diff(risks["one bit"]) < 0) and risks["one bit"][-1] < 1e-20
    assert SignedSubset(1.0, 1 / 40).size == 40 and SignedSubset(1.0, 1 / 251).size == 251
    assert "the $w$ of least variance" in PROSE


@pytest.mark.parametrize("K", [1, 2, 3, 7, 10, 100, 1000])
def test_the_least_variance_size_has_a_bounded_variance_for_every_law(K):
    """Each step of the proof in notebook 07, and v < 3 b^2 at both ends of p, between which v is linear."""
    for alpha in np.arange(0.05, 12, 0.05):
        subset, bit = SignedSubset(alpha, 1 / K), HadamardBit(alpha, 1 / K)
        b, ideal = bit.scale, 2 * K / math.expm1(alpha)
        assert subset.scale == pytest.approx((1 + ideal / subset.size) / 2)
        assert subset.scale <= max(1.5, b) * (1 + 1e-12) and b * min(alpha, 1) < 1.1
        assert subset.variance(1) == pytest.approx(subset.scale * b)
        assert subset.variance(1 / K) <= b**2 * (1 + 1e-12)
        assert max(subset.variance(0), subset.variance(1)) < 3 * b**2
        assert subset.variance(0) <= subset.scale**2 * subset.size / K * (1 + 1e-12)


@pytest.mark.parametrize("law", [problem(name) for name in ("wave", "cps", "cantor", "moons")], ids=str)
@pytest.mark.parametrize("mechanism", ["laplace", "one-bit", "subset"])
def test_the_bound_behind_consistency_holds(law, mechanism):
    """Excess risk <= that of the best labels + sum sqrt(v / n), also far from equally likely cells."""
    for alpha, cells, n in itertools.product((0.5, 2.0, 6.0), (3, 10), (10, 10**4, 10**7)):
        each = CellClassifier(alpha, 1 / cells, mechanism=mechanism)
        report = each.build_mechanism(law.d)
        p, q = law.cell_masses(*report.boxes())
        labels = 0.5 - law.bayes_risk - np.abs(q - p / 2).sum()
        noise = sum(math.sqrt(report.variance(mass) / n) for mass in p)
        assert labels - 1e-9 <= excess_risk(each, law, n) <= labels + noise


def factor(law, goal):
    """How many times fewer people one bit needs than the paper's mechanism, each at its best of 33 h."""
    needed = []
    for make in (partial(CubeClassifier, noise="real"), OneBitClassifier):
        fewest = 10**11
        rules = [make(1.0, 4 / k) for k in range(8, 41)]
        for each in sorted(rules, key=lambda each: excess_risk(each, law, 10**5)):
            if excess_risk(each, law, fewest) <= goal:
                fewest = people_needed(each, law, goal)
        needed.append(fewest)
    return needed[0] / needed[1]


def test_the_range_of_factors_is_that_of_the_gallery():
    """How far the factors of *Check yourself* carry, as notebook and README say; other laws lie within."""
    said = re.findall(r"= ([0-9,]+\.[0-9])$", PRINTED, re.MULTILINE)
    found = [float(number.replace(",", "")) for number in said]
    assert len(found) == 22 and factor(problem("arches", d=2), 0.02) == pytest.approx(1126.0, abs=0.05)
    words, ends = f"{gallery_range()} times", (min(found), max(found))
    assert words in PRINTED and PROSE.count(words) == 2
    assert words in (TOP / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    others = (problem("moons"), 0.05), (problem("holder", beta=0.5), 0.02), (problem("circles"), 0.05)
    assert all(ends[0] < factor(*other) < ends[1] for other in others)


def test_where_the_best_is_worse_that_is_explained():
    """Least noise is not least risk: at h = 1/3 a border of the law is inside a cell."""
    here, *_ = said_there("sine", 1, 1.0, 10**7, 1 / 3)
    assert here["paper"] < here["best"]
    says = everything(problem="sine", d=1, alpha=1.0, h=1 / 3, n=10**7).says
    assert "fewer: the best has least noise, in cells that fit this law worse" in says
