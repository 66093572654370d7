"""The panel of notebook 07: exact everywhere, common random numbers with the right law, words that match."""

import itertools

import numpy as np
import pytest
from scipy import stats

from ldp_lib.live import beyond, corners, panel
from ldp_lib.live.beyond import (
    ALPHAS, CELLS, ERROR, PEOPLE, PIXELS, TUNED, Beyond, build_mechanism, fit, law, people_for, pieces,
    rule, sign_probabilities, table,
)
from ldp_lib.live.beyond_scene import ROLES, times
from ldp_lib.privacy import CellLaplace, HadamardBit, SignedSubset
from ldp_lib.risk import excess_risk


@pytest.fixture(scope="module")
def live():
    Beyond.strict = True
    return panel("beyond")


def test_every_corner_computes_and_draws(live):
    for values in corners(Beyond):
        live.set(**values)
        result = live.compute(**values)
        assert live.failure is None and live.values == values
        for role in ROLES:
            assert result.decisions[role].shape == (PIXELS, PIXELS)
            assert set(np.unique(result.decisions[role])) <= {0, 1}
            assert (-1e-12 <= result.curves[role]).all()
            assert (result.curves[role] <= 1 - 2 * result.bayes_risk).all()
            assert result.curves[role][list(PEOPLE).index(values["n"])] == result.risks[role]
        assert f"{values['n']:,}" in live.conclude(result) and "accuracy" in live.readout


def test_panel_computes_nothing_heavy_after_it_is_built(live):
    built = table.cache_info().misses
    for values in corners(Beyond):
        live.compute(**values)
    assert built == table.cache_info().misses == 2 * 2 * len(ALPHAS)


@pytest.mark.parametrize("name, d, alpha, cells, n", [
    ("sine", 1, 1.0, 4, 1000), ("sine", 2, 0.5, 3, 10_000), ("wave", 1, 4.0, 20, 10**7),
    ("wave", 2, 8.0, 5, 215),
])
@pytest.mark.parametrize("role", ROLES)
def test_table_holds_the_risks_of_the_library(name, d, alpha, cells, n, role):
    at = list(PEOPLE).index(n)
    exact = excess_risk(rule(role, alpha, 1 / cells), law(name, d), n)
    mine = table(name, d, alpha)[role][CELLS.index(cells), at]
    assert mine == pytest.approx(exact, rel=20 * ERROR, abs=1e-15)


def test_pieces_are_all_cells():
    for name, d, paper, cells in itertools.product(("sine", "wave"), (1, 2), (False, True), (3, 8)):
        part = pieces(name, d, paper, cells)
        assert part.place.shape == (cells + paper,) * d and part.place.max() == len(part.p) - 1
        worst = 1 - 2 * law(name, d).bayes_risk  # E|2 eta - 1|
        assert part.gain_one.sum() + part.gain_zero.sum() == pytest.approx(worst)
        if not paper:
            assert part.p[part.place].sum() == pytest.approx(1)


def test_fits_have_the_exact_law_cell_by_cell(monkeypatch):
    """Labels of cells compare their probability with numbers that are uniform; level 1e-6."""
    numbers = beyond.luck(2)
    assert stats.kstest(numbers.ravel(), "uniform").pvalue > 1e-6
    monkeypatch.setattr(beyond, "luck", lambda d: np.full_like(numbers, 0.4))
    part = pieces("sine", 2, False, 2)
    one = sign_probabilities(build_mechanism("cells", 1.0, 2, 2), part.p, part.q, 215)[1]
    labels = fit("sine", 2, "cells", 1.0, 2, 215)[:: PIXELS // 2, :: PIXELS // 2]
    assert (labels == (one[part.place] > 0.4).T).all()


def test_fits_ask_the_cell_or_the_nearest_grid_point():
    """With many people a fit is the best labels of its cells: four fields, or four and a cross of coins."""
    cells, cubes = (fit("sine", 2, role, 8.0, 4, 10**7) for role in ("bit", "paper"))
    x = (np.arange(PIXELS) + 0.5) / PIXELS
    board = np.outer(x < 0.5, x < 0.5) | np.outer(x > 0.5, x > 0.5)
    assert (cells == board).all()
    sure = (np.abs(x - 0.25) < 0.12) | (np.abs(x - 0.75) < 0.12)
    assert (cubes == board)[np.ix_(sure, sure)].all() and not (cubes == board).all()


def test_best_mechanism_changes_with_alpha():
    kinds = [type(build_mechanism("best", alpha, 16, 2)) for alpha in ALPHAS]
    assert kinds[0] is HadamardBit and kinds[-1] is SignedSubset and CellLaplace not in kinds


def test_people_needed_by_the_papers_mechanism():
    curve = 1.0 / PEOPLE
    assert people_for(1.5 / PEOPLE[5], curve) == pytest.approx(PEOPLE[5] / 1.5, rel=0.2)
    assert people_for(1.0, curve) == PEOPLE[0]
    assert np.isnan(people_for(0.0, curve))


@pytest.mark.parametrize("d, least", [(1, 70), (2, 500)])
def test_first_picture_shows_the_promised_factor(d, least):
    n = 1000 if d == 2 else 215
    result = Beyond.compute(**Beyond.completed(problem="sine", d=d, alpha=1.0, n=n, h=TUNED))
    assert result.needed / result.n >= least


def test_picture_moves_smoothly_with_alpha():
    """Common random numbers: a neighbouring slider position changes few labels."""
    fits = [fit("wave", 2, "cells", alpha, 8, 10_000) for alpha in ALPHAS]
    changes = [np.mean(one != two) for one, two in itertools.pairwise(fits)]
    assert np.mean(changes) < 0.1 and np.mean(fits[0] != fits[-1]) > 0.2


def test_factor_and_conclusion_in_words(live):
    assert [times(factor) for factor in (1.44, 63.2, 869.4, 12_345.0)] == ["1.4", "63", "870", "12,000"]
    never = live.compute(problem="sine", d=2, h=0.25, n=10**6)
    assert np.isnan(never.needed) and "does not get there" in live.conclude(never)
    figure = live.static(problem="wave")
    assert figure.alt == live.conclude(live.compute(problem="wave"))
