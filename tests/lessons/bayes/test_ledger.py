"""The proofs of the central model hold over their range, their printed slips fail, their sums are exact."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from extent import POINTS
from scipy.integrate import quad
from scipy.stats import binom, laplace, multinomial

from ldp_lib.estimation import StableVoronoiClassifier, majority
from ldp_lib.nature import Interval, Line
from ldp_lib.privacy import stability_histogram, stability_threshold
from ldp_lib.privacy.central import central_noise
from ldp_lib.privacy.mutants import HalfTheNoise
from ldp_lib.theory import (cell_signal, errata, histogram_error, histogram_error_bound, histogram_threshold,
                            ledger, pcl_bound, people_for_pcl, people_for_signal)
from ldp_lib.estimation.semi_supervised import ENDS
from ldp_lib.privacy import RealLaplace
from ldp_lib.theory.curator import few_people_bound
from ldp_lib.lessons.bayes.errata import TwoCells, all_zeroed, largest_packing, smallest_cover
from ldp_lib.lessons.bayes.ledger.votes import Curator
from ldp_lib.lessons.bayes.ledger.learner import choice_loss
from ldp_lib.lessons.bayes.ledger.cells import (HeavyTail, box_cells, crowds, density_errors, excess_risk,
                                        few_people, line_cells, people_in_cell, shell_heights,
                                        share_absolute_deviation,
                                        staircase, voronoi_edges, votes)
from ldp_lib.lessons.bayes.ledger.unbounded import FineLattice, StableVotes, ZerosCounted

ENTRIES = [entry for entry in errata() if 20 <= entry.number <= 31]
CLAIMS = {20: "equal", 21: "above", 22: "equal", 23: "equal", 24: "above", 25: "above", 26: "below",
          27: "above",
          28: "equal", 29: "above", 30: "below", 31: "equal"}
"""What the corrected line says of the computed quantity: equal to it, or a bound from above or from below."""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.number} {entry.place}")
def test_printed_slip_fails_and_correction_holds(entry):
    evidence, claim = entry.evidence(), CLAIMS[entry.number]
    if "(15)" in entry.place:
        claim = "above"
    if claim == "above":
        assert evidence.printed * 1.05 < evidence.computed <= evidence.corrected * (1 + 1e-12)
    elif claim == "below":                          # printed: it vanishes
        assert evidence.computed >= evidence.corrected > evidence.printed + 0.5
    else:
        assert evidence.corrected == pytest.approx(evidence.computed, rel=1e-5)
        assert abs(evidence.printed - evidence.computed) > 0.2
    assert entry.place and entry.printed != entry.corrected and entry.consequence and evidence.quantity


def test_three_causes_of_failure_are_counted_in_a_case_that_meets_every_premise():
    """Each premise is counted out by itself; together the causes fail more often than 2 beta."""
    case = TwoCells(faces=20, draws=2)
    beta, draws = Fraction(1, 20), itertools.product(range(case.sides), repeat=case.draws)
    total_variation = abs(case.odd_in_estimate - case.odd_in_truth) / Fraction(case.sides)
    assert total_variation <= beta / case.draws
    missed = sum(case.learner_fails(draw, case.odd_in_truth) for draw in draws)
    assert Fraction(missed, case.sides**case.draws) <= beta
    assert 2 * beta < case.failures() <= 3 * beta
    rng, fails = np.random.default_rng(27), 0
    for bad, *draw in zip(rng.integers(20, size=20_000) == 0, *rng.integers(case.sides, size=(2, 20_000)),
                          strict=True):
        fails += case.learner_fails(draw, case.sides if bad else case.odd_in_estimate)
    spread = math.sqrt(case.failures() * (1 - case.failures()) / 20_000)
    assert abs(fails / 20_000 - case.failures()) < 5.5 * spread            # false alarm 4e-8


def test_no_density_comes_near_a_law_with_atoms():
    """Erratum 27: whatever the cubes, the estimate has hardly any mass next to the atoms."""
    entry, = (e for e in ENTRIES if e.place == "Theorem 4.11, the law of X")
    evidence = entry.evidence()
    assert evidence.corrected == 1.0 and 1 - evidence.computed < 1e-6 and "density" in entry.corrected


def test_all_numbers_have_an_entry():
    assert {entry.number for entry in ENTRIES} == set(range(20, 32))


def random_law(rng):
    """Laws with crowded, almost empty and empty sides."""
    share = (rng.uniform(), 1 - 10 ** -rng.uniform(0, 6), 10 ** -rng.uniform(0, 6), 0.0, 1.0)[rng.integers(5)]
    return dict(edge=rng.uniform(0.01, 0.99), share=share, left=rng.choice([0.0, 1.0, rng.uniform()]),
                right=rng.uniform())


def random_votes(rng, most):
    """Crowded and almost empty cells, thin cut-offs and deep ones; every tenth point is a corner."""
    exponents = (rng.uniform if rng.integers(10) else lambda low, high: rng.choice([low, high]))
    return dict(n=int(10 ** exponents(math.log10(2) + 1e-9, most)), d=round(exponents(0.51, 8.49)),
                epsilon=10 ** exponents(-3, math.log10(350)), M=int(10 ** exponents(0, 5)),
                k=int(10 ** exponents(0, 5)), **random_law(rng))


def random_release(rng, low=0.01, least=10):
    """Budgets over their whole range, and at its ends."""
    exponents = (rng.uniform if rng.integers(10) else lambda low, high: rng.choice([low, high]))
    return dict(epsilon=min(10.0, max(low, 10 ** exponents(math.log10(low), 1))),
                delta=max(10.0**-least, 10 ** -exponents(1e-6, least)))


def random_line(rng, most):
    """Budgets and laws with heavy and light tails; every tenth point is a corner."""
    exponents = (rng.uniform if rng.integers(10) else lambda low, high: rng.choice([low, high]))
    shells = round(exponents(0.51, 14.49))
    return random_release(rng, 0.04, 9) | dict(
        n=int(10 ** exponents(math.log10(16) + 1e-9, most)), k=int(10 ** exponents(0, 5)),
        tail=min(20.0, 10 ** exponents(-2, math.log10(20))), shells=shells,
        box=int(rng.integers(1, shells + 1)), left=rng.choice([0.0, 1.0, rng.uniform()]), right=rng.uniform())


def test_private_histograms_hold_at_random_points():
    rng = np.random.default_rng(14)
    for _ in range(POINTS):
        executed = ledger("bayes-A.14", **random_release(rng))
        assert executed.holds, str(executed)


@pytest.mark.parametrize("theorem, most", [("bayes-A.13", 8), ("bayes-A.15", 5)])
def test_stable_votes_hold_at_random_points(theorem, most):
    rng = np.random.default_rng(13)
    for _ in range(POINTS):
        point = random_line(rng, most)
        if theorem == "bayes-A.15":
            point["M"] = int(10 ** rng.uniform(0, 5))
        executed = ledger(theorem, **point)
        assert executed.holds, str(executed)


BUDGETS = [(1.0, 0.1), (0.3, 1e-3), (5.0, 0.3)]


@pytest.mark.parametrize("epsilon, delta", BUDGETS)
def test_stable_votes_agree_with_quadrature(epsilon, delta):
    """The label and the mean error of a share, both integrated over the two noises."""
    release = StableVotes(epsilon, delta)
    scale, tau = release.noise.scale, release.threshold
    law, full = laplace(scale=scale), math.ceil(6 * tau)
    for count, ones in ((1, 1), (5, 3), (math.ceil(2 * tau) + 3, math.ceil(tau)), (full, full // 2),
                        (full, full // 3), (full, full)):
        def given(chat, ones=ones):
            return law.sf(max(tau, chat / 2) - ones)

        def error(chat, ones=ones, count=count):
            share = np.minimum(grid, chat) / chat
            return (np.abs(share - ones / count) @ mass) + ones / count * law.cdf(tau - ones)

        width = scale / 200
        grid = tau + width * (np.arange(200 * 80) + 0.5)
        mass = law.sf(grid - width / 2 - ones) - law.sf(grid + width / 2 - ones)
        ends = sorted({tau, *(x for x in (count, 2 * tau, 2 * ones, tau * count / ones) if x > tau),
                       max(tau, count) + 40 * scale})
        exact, moved = (sum(quad(lambda chat, of=of: law.pdf(chat - count) * of(chat), *pair, epsabs=slip)[0]
                            for pair in itertools.pairwise(ends))
                        for of, slip in ((given, 1e-12), (error, 1e-6)))
        assert release.says_one(np.array(count), np.array(ones)) == pytest.approx(exact, abs=1e-10)
        hidden = law.cdf(tau - count) * ones / count
        assert release.share_error(count, ones) == pytest.approx(moved + hidden, abs=1e-4)
    assert release.says_one(np.array(7), np.array(0)) == 0 == release.share_error(7, 0)


def test_labels_in_cells_agree_with_enumeration():
    """Four people: all placements and labels; ones and zeros counted say the same of zeros and ones."""
    release, n, p, q = StableVotes(5.0, 0.5), 4, np.array([0.6, 0.2, 0.0]), np.array([0.4, 0.2, 0.0])
    zero, one = release.label_probabilities(n, p, q, 1)
    for cell in range(3):
        expected = sum(
            multinomial.pmf([ones, zeros, n - ones - zeros], n, [q[cell], p[cell] - q[cell], 1 - p[cell]])
            * release.says_one(np.array(ones + zeros), np.array(ones))
            for ones, zeros in itertools.product(range(n + 1), repeat=2) if ones + zeros <= n)
        assert one[cell] == pytest.approx(expected, abs=1e-13) and zero[cell] == 1 - one[cell]
    assert ZerosCounted(5.0, 0.5).label_probabilities(n, p, p - q, 1)[0] == pytest.approx(one)
    # In households of two, two households.
    twice = release.label_probabilities(2, p[:1], q[:1], 2)[1]
    both, single = release.says_one(np.array([4, 2]), np.array([4, 2]))
    mixed = release.says_one(np.array(4), np.array(2))
    assert twice == pytest.approx(0.16 * both + 2 * 0.4 * 0.4 * single + 2 * 0.4 * 0.2 * mixed, rel=1e-9)


def test_cells_of_the_line_are_those_of_the_library():
    """Masses on a fine grid, cell by cell, for a ball whose border lies in a cell."""
    law, r, ball = HeavyTail(0.8, 3, 0.9, 0.2, spread=1.3), 0.37, 2.2
    near, far = line_cells(law, r, ball)
    x = np.linspace(-9.1, 9.1, 1_820_001)
    middle = (x[1:] + x[:-1]) / 2
    masses = [np.abs(np.diff(mass)) / 2 for mass in law.masses(np.abs(x))]
    number = Line().voronoi(r).locate(middle[:, None])
    number -= number.min()
    p, q = (np.bincount(number, part) for part in (sum(masses), 0.9 * masses[0] + 0.2 * masses[1]))
    reached = np.unique(number[np.abs(middle) < ball])
    assert near.number.sum() == len(reached)
    assert sorted(np.repeat(near.p, near.number.astype(int))) == pytest.approx(sorted(p[reached]), abs=1e-5)
    assert near.number @ near.p + far.number @ far.p == pytest.approx(1)
    assert near.number @ near.q == pytest.approx(q[reached].sum(), abs=1e-5)
    assert far.number @ far.p == pytest.approx(np.delete(p, reached).sum(), abs=1e-5)
    eta = np.where(np.searchsorted(law.borders, np.abs(middle)) % 2 == 0, 0.9, 0.2)
    bias = sum(masses) @ np.abs(eta - (q / np.maximum(p, 1e-300))[number])
    assert near.number @ near.bias + far.number @ far.bias == pytest.approx(bias, abs=1e-4)


def test_stable_votes_are_the_histograms_of_the_librarys_learner(monkeypatch):
    """StableVoronoiClassifier with the printed threshold runs both at half the budget: A.13 is about it."""
    asked = []

    def record(counts, epsilon, delta, **options):
        asked.append((epsilon, delta, options["threshold"], options["noise"]))
        return stability_histogram(counts, epsilon, delta, **options)

    monkeypatch.setattr(majority, "stability_histogram", record)
    rule = StableVoronoiClassifier(1.6, 1e-3, Line(), threshold="printed", noise="real", rng=3)
    rule.fit(np.linspace(-3, 3, 500)[:, None], np.arange(500) % 2)
    assert asked == [(0.8, 5e-4, "printed", "real")] * 2
    release = StableVotes(0.8, 5e-4)
    assert release.threshold == stability_threshold(0.8, 5e-4, threshold="printed", noise="real")
    assert release.noise.scale == central_noise(0.8, "real").scale
    assert rule.voronoi_.width == 2 * 500**-0.25
    score = np.minimum(rule.ones_, rule.counts_) - rule.counts_ / 2
    assert ((score > 0) == (np.minimum(rule.ones_, rule.counts_) > rule.counts_ / 2)).all()


def test_divergence_does_not_hang_on_the_lattice():
    """Four times the steps: the same delta within the rounding up to a lattice point."""
    coarse = ledger("bayes-A.14", epsilon=0.7, delta=0.02)
    fine = ledger("bayes-A.14", epsilon=0.7, delta=0.02, curator=FineLattice)
    for name in ("alone", "first histogram", "second histogram", "composition"):
        assert coarse[name].left == pytest.approx(fine[name].left, rel=0.1)
    assert coarse["a count"].left == pytest.approx(fine["a count"].left, rel=1e-9)


@pytest.mark.parametrize("theorem, most", [("bayes-3.2", 12), ("bayes-A.12", 9)])
def test_votes_hold_at_random_points(theorem, most):
    rng = np.random.default_rng(32)
    for _ in range(POINTS):
        executed = ledger(theorem, **random_votes(rng, most))
        assert executed.holds, str(executed)


def test_a_packing_of_one_point_and_a_dimension_that_is_told_too_large():
    one = ledger("bayes-A.12", n=2, d=8)
    assert one.holds and one["packing"].right == math.inf
    assert ledger("bayes-A.12", ddim=1.7).holds and ledger("bayes-A.12", d=3, ddim=3.2).holds


def test_copies_of_a_law_are_its_integrals():
    law, x = crowds(0.3, 0.6, 0.9, 0.2, repeats=3), np.linspace(0, 1, 3001)
    left = (x[:-1] * 3 + 1e-9) % 1 < 0.3
    density = np.where(left, 0.6 / 0.3, 0.4 / 0.7)
    for mass, where in zip(law.masses(x), (left, ~left), strict=True):
        assert mass[1:] == pytest.approx(np.cumsum(density * where) / 3000, abs=1e-12)
    assert law.borders == pytest.approx([0, 0.1, 1 / 3, 1.3 / 3, 2 / 3, 2.3 / 3])


@pytest.mark.parametrize("curator", [Curator, *Curator.__subclasses__()])
def test_privacy_loss_of_curators_by_enumeration(curator):
    """All pairs of records, outcomes on the lattice of the noise one by one, two questions."""
    release = curator(0.8)
    step, worst = release.noise.granularity, 0.0
    z = step * np.arange(-round(30 / step), round(30 / step) + 1)
    for one, other in itertools.product([(0, 0), (0, 1), (1, 0), (1, 1)], repeat=2):
        loss = 0.0
        for cell in (0, 1):
            sums = [2 * release.contribution(y) * (cell == place) for place, y in (one, other)]
            mass = [release.noise.tail(abs(z - centre)) - release.noise.tail(abs(z - centre) + step)
                    for centre in sums]
            loss += release.draws(2) * np.abs(np.log(mass[0] / mass[1])).max()
        worst = max(worst, loss)
    assert release.privacy_loss(2) == pytest.approx(worst, rel=1e-6)


def test_density_holds_at_2000_parameter_sets_where_something_is_released():
    rng, met = np.random.default_rng(43), 0
    while met < POINTS:
        shells = int(rng.integers(1, 6))
        executed = ledger("bayes-4.3", n=int(10 ** rng.uniform(3.5, 4.5)), epsilon=rng.uniform(0.3, 1),
                          delta=0.5 * 10 ** -rng.uniform(0, 3), d=int(rng.integers(1, 4)),
                          tail=10 ** rng.uniform(-0.3, 1),
                          shells=shells, box=int(rng.integers(1, shells + 1)))
        assert all(step.holds for step in executed.steps if step.name != "released"), str(executed)
        met += executed.holds


def test_histograms_are_private_at_random_parameters():
    rng = np.random.default_rng(24)
    for _ in range(POINTS):
        budget = dict(epsilon=10 ** -rng.uniform(0, 2), delta=0.5 * 10 ** -rng.uniform(0, 11.6))
        for executed in (
                ledger("bayes-2.4", **budget, count=int(10 ** rng.uniform(0.5, 4))),
                ledger("bayes-4.2", **budget, people=int(10 ** rng.uniform(1.5, 4)),
                       cells=int(rng.integers(2, 20)))):
            assert executed.holds, str(executed)


def test_few_labels_hold_at_random_parameters():
    rng = np.random.default_rng(411)
    for _ in range(POINTS):
        executed = ledger("bayes-4.11", error=10 ** -rng.uniform(0.302, 5),
                          failure=10 ** -rng.uniform(0.302, 9),
                          epsilon=10 ** -rng.uniform(0, 3), hypotheses=list(ENDS)[rng.integers(3)])
        assert executed.holds, str(executed)


def test_printed_delta_zeroes_everything():
    """n 2^(-sqrt n) is omega(2^(-sqrt n)); the threshold stays above the fullest cell, and the error is 1."""
    for n in (10**5, 10**6):
        executed = ledger("bayes-4.3", n=n, delta=n * 2.0 ** -math.sqrt(n), tail=1.0, shells=1, box=1)
        assert not executed["released"].holds and executed["whole"].left == pytest.approx(1, abs=1e-5)
    falling = [ledger("bayes-4.3", n=n, delta=1e-6)["whole"].left for n in (10**4, 10**6, 10**8)]
    assert falling[0] > 1.7 * falling[1] > 1.7**2 * falling[2]


def test_too_few_labels_and_too_heavy_weights_fail():
    assert not ledger("bayes-4.11", m=300).holds
    assert choice_loss(1000, 2.0) > 1.0                       # weights exp(-eps errors), without the 1/2


@pytest.mark.parametrize("theorem, bad", [
    ("bayes-3.2", dict(epsilon=0)), ("bayes-3.2", dict(edge=1.0)), ("bayes-3.2", dict(share=1.1)),
    ("bayes-3.2", dict(epsilon=400.0)), ("bayes-3.2", dict(household=7)), ("bayes-3.2", dict(repeats=0)),
    ("bayes-3.2", dict(edges=[0.0, 0.5])), ("bayes-3.2", dict(edges=[0.0, 0.1, 0.5, 0.6, 1.0])),
    ("bayes-A.13", dict(epsilon=0.03)), ("bayes-A.13", dict(share=1.5)),
    ("bayes-A.14", dict(epsilon=11.0)), ("bayes-A.14", dict(delta=1e-11)), ("bayes-A.14", dict(replaced=0)),
    ("bayes-A.15", dict(n=10**6)), ("bayes-A.15", dict(household=3)), ("bayes-A.15", dict(box=7)),
    ("bayes-A.15", dict(radius=0)), ("bayes-A.15", dict(spread=1e3)), ("bayes-A.15", dict(tail=0)),
    ("bayes-A.12", dict(n=1)), ("bayes-A.12", dict(centres=[0.2, 1.3])), ("bayes-A.12", dict(ddim=0)),
    ("bayes-4.3", dict(epsilon=1.5)), ("bayes-4.3", dict(delta=0.6)), ("bayes-4.3", dict(box=9)),
    ("bayes-4.11", dict(error=0.6)), ("bayes-4.11", dict(hypotheses="circles"))])
def test_bad_parameters_are_named(theorem, bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        ledger(theorem, **bad)


class RealNoise(Curator):
    """Laplace noise without a lattice."""

    def __init__(self, epsilon):
        self.noise = central_noise(epsilon, "real")


def test_households_count_as_often_as_they_have_people():
    """Three households of two in one cell, and one beside it: all placements, labels and noise."""
    kinds, release = box_cells(crowds(0.5, 0.7, 0.8, 0.1), np.array([0, 0.5, 1]), 1), Curator(0.7)
    sampling = excess = chances = 0.0
    for p, q, gain, loss in zip(kinds.p, kinds.q, kinds.gain, kinds.loss, strict=True):
        for ones, zeros in itertools.product(range(4), repeat=2):
            if ones + zeros <= 3:
                chance = multinomial.pmf([ones, zeros, 3 - ones - zeros], 3, [q, p - q, 1 - p])
                says_one = release.noise.tail(release.noise.granularity - 2 * (ones - zeros))
                excess += chance * (says_one * loss + (1 - says_one) * gain)
                sampling += p * chance * abs(ones / max(ones + zeros, 1) - q / p)
                chances += p * chance * (2 * (ones + zeros) <= 3)
    noisy = excess_risk(kinds, *release.label_probabilities(3, kinds.p, kinds.q, 2))
    assert (votes(kinds, 6, household=2).sampling, noisy) == pytest.approx((sampling, excess), rel=1e-12)
    assert sum(few_people(kinds, 6, 3, household=2)) == pytest.approx(chances, rel=1e-12)


def test_what_is_no_curator_is_refused():
    for theorem in ("bayes-3.2", "bayes-A.12", "bayes-A.13", "bayes-A.14", "bayes-A.15"):
        with pytest.raises(TypeError, match="curator"):
            ledger(theorem, curator=HalfTheNoise)


def test_votes_agree_with_enumeration():
    """Five people, three cells, a fresh x: every placement and labelling, and the law of the noise."""
    n, epsilon, law = 5, 0.8, crowds(0.3, 0.6, 0.9, 0.2)
    edges = np.array([0.0, 0.4, 0.8, 1.0])
    kinds = box_cells(law, edges, 1)
    assert kinds.number.sum() == 3 and kinds.number @ kinds.p == pytest.approx(1)
    assert kinds.number @ kinds.q == pytest.approx(0.6 * 0.9 + 0.4 * 0.2)
    exact, release = votes(kinds, n), RealNoise(epsilon)
    inverse = sampling = excess = moved = 0.0
    for number, p, q, gain, loss in zip(kinds.number, kinds.p, kinds.q, kinds.gain, kinds.loss, strict=True):
        one = 0.0
        for ones, zeros in itertools.product(range(n + 1), repeat=2):
            if ones + zeros <= n:
                chance = multinomial.pmf([ones, zeros, n - ones - zeros], n, [q, p - q, 1 - p])
                people = ones + zeros
                inverse += number * p * chance * (1 / people if people else 0)
                sampling += number * p * chance * abs((ones / people if people else 0) - q / p)
                one += chance * laplace.sf(-(ones - zeros) / 2, scale=1 / epsilon)
                moved += number * p * chance * (1 / epsilon / people if people else 0.5)
        excess += number * (one * loss + (1 - one) * gain)
    noisy = excess_risk(kinds, *release.label_probabilities(n, kinds.p, kinds.q, 1))
    noise = exact.inverse * release.noise.mean_excess(0.0) + exact.empty / 2
    assert (exact.inverse, exact.sampling, noisy, noise) == pytest.approx((inverse, sampling, excess, moved),
                                                                          rel=1e-12)
    light, heavy = few_people(kinds, n, 2)
    assert light + heavy == pytest.approx(kinds.number * kinds.p @ binom.cdf(2, n, kinds.p))
    assert exact.bias == pytest.approx(2 * 0.6 * (0.4 * 0.1 / 0.7) / (0.6 + 0.4 * 0.1 / 0.7) * 0.7)


def test_mean_deviation_of_a_share_is_de_moivres():
    for N, rate in ((1, 0.2), (7, 0.5), (40, 0.37), (9, 1.0), (9, 0.0)):
        k = np.arange(N + 1)
        assert share_absolute_deviation(N, rate) == pytest.approx(binom.pmf(k, N, rate) @ abs(k / N - rate),
                                                                  abs=1e-14)


@pytest.mark.parametrize("count, target", [(1, 1), (5, 9), (12, 12), (40, 3), (40, 60), (0, 4)])
def test_histogram_error_agrees_with_quadrature(count, target):
    epsilon, delta = 0.7, 0.05
    threshold, law = histogram_threshold(epsilon, delta), laplace(scale=2 / epsilon)
    needed = threshold - count
    kinks = [z for z in (0.0, float(target - count)) if z > needed]
    kept = quad(lambda z: abs(count + z - target) * law.pdf(z), needed, 200, epsabs=1e-12, limit=400,
                points=kinks)[0]
    expected = kept + target * law.cdf(needed) if count else target
    assert histogram_error(count, epsilon, delta, target) == pytest.approx(expected, rel=1e-8)
    assert histogram_error(count, epsilon, delta, count) == histogram_error(count, epsilon, delta)


def test_histogram_bound_holds_for_every_budget():
    rng, counts = np.random.default_rng(24), np.arange(300)
    for _ in range(POINTS):
        epsilon, delta = 10 ** rng.uniform(-2, 2), 10 ** -rng.uniform(0, 9)
        bound = histogram_error_bound(counts, epsilon, delta)
        assert (histogram_error(counts, epsilon, delta) <= bound * (1 + 1e-12)).all()
        if epsilon <= 1 and delta <= 0.5:
            assert (bound <= 8.4 / epsilon * np.minimum(math.log(1 / delta), counts) * (1 + 1e-12)).all()


@pytest.mark.parametrize("d, n", [(1, 50), (2, 300), (3, 7)])
def test_staircase_is_a_law_and_errors_are_integrals(d, n):
    cells = staircase(0.8, 3, n ** (-1 / (2 * d)), d)
    assert cells.number @ cells.p == pytest.approx(1) and (cells.volume > -1e-15).all()
    assert cells.number @ (cells.volume * (cells.density > 0)).sum(axis=1) == pytest.approx(7)
    assert shell_heights(0.8, 3) @ [1, 2, 4] == pytest.approx(1)
    # Without noise, and with a threshold just above 1, the private histogram is the ordinary one, but for
    # lone people; with a threshold above n it is zero.
    same, nil = (density_errors(cells, n, RealLaplace(2 / epsilon), histogram_threshold(epsilon, delta))
                 for epsilon, delta in ((1e9, 1 - 1e-12), (0.5, 1e-300)))
    lone = cells.number @ binom.pmf(1, n, cells.p) / n
    assert same.mass == pytest.approx(1 - 0.75 * lone, rel=1e-6)      # delta / 4 survive
    assert abs(same.whole - same.ordinary) <= 0.75 * lone + 1e-6
    assert nil.whole == pytest.approx(1, abs=1e-12) and nil.mass == pytest.approx(0, abs=1e-12)
    assert nil.private == pytest.approx(cells.p)


def test_density_error_agrees_with_simulation():
    """Integrals over a fine grid; 400 samples; five standard errors: false alarm 6e-7."""
    rng, n, epsilon, delta = np.random.default_rng(5), 400, 0.9, 0.1
    r, heights = n**-0.5, shell_heights(0.8, 3)
    grid = np.linspace(0, 8, 8000, endpoint=False) + 0.0005
    f = np.where(grid < 7, heights[np.minimum(np.log2(grid + 1), 2).astype(int)], 0)
    distances = []
    for _ in range(400):
        shell = rng.choice(3, n, p=heights * [1, 2, 4])
        counts = np.bincount(((2.0**shell - 1 + rng.random(n) * 2.0**shell) / r).astype(int), minlength=170)
        noisy = counts + rng.laplace(scale=2 / epsilon, size=len(counts))
        noisy[(counts == 0) | (noisy < histogram_threshold(epsilon, delta))] = 0
        distances.append(np.abs(noisy[(grid / r).astype(int)] / (n * r) - f).mean() * 8)
    exact = density_errors(staircase(0.8, 3, r, 1), n, RealLaplace(2 / epsilon),
                           histogram_threshold(epsilon, delta)).whole
    assert abs(np.mean(distances) - exact) < 5 * np.std(distances) / 20


def test_probability_that_all_is_zeroed_by_enumeration():
    n, cells, epsilon, delta = 6, 3, 1.0, 0.4
    threshold, total = histogram_threshold(epsilon, delta), 0.0
    for placement in itertools.product(range(cells), repeat=n):
        counts = np.bincount(placement, minlength=cells)
        total += np.where(counts > 0, laplace.cdf(threshold - counts, scale=2 / epsilon), 1).prod() / cells**n
    assert all_zeroed(n, cells, epsilon, delta) == pytest.approx(total, rel=1e-12)


def test_strict_packings_obey_the_cover():
    """The corrected Theorem A.4(2) on every subset of a grid of seven points, by search."""
    grid = np.arange(7) / 2
    for size in (2, 4, 7):
        for chosen in itertools.combinations(range(7), size):
            points = grid[list(chosen)]
            for r in (0.5, 1.0, 1.25):
                assert largest_packing(points, 2 * r, strict=True) <= smallest_cover(points, r, strict=False)
                assert largest_packing(points, 2 * r, strict=False) <= smallest_cover(points, r, strict=True)


@pytest.mark.parametrize("r", [0.999, 0.5, 0.3, 1 / 3, 0.07])
def test_packing_of_the_interval_is_strict_and_maximal(r):
    edges = voronoi_edges(Interval().packing(r)[:, 0])
    spacing = 1 / (len(edges) - 1)
    assert r < spacing <= 2 * r * (1 + 1e-12) and edges[0] == 0 and edges[-1] == 1


def test_sizes_are_the_smallest_that_do():
    for risk, d in ((0.5, 1), (0.2, 1), (0.5, 2)):
        n = people_for_pcl(risk, d=d)
        assert pcl_bound(n, d=d) <= risk < pcl_bound(n - 1, d=d)
    assert people_for_pcl(0.3, epsilon=0.1) > people_for_pcl(0.3, epsilon=1.0)


def test_bound_of_the_proof_is_above_the_exact_risk():
    for n in (10**4, 10**6):
        executed = ledger("bayes-3.2", n=n, left=0.7, right=0.7)            # eta is constant: no bias
        assert executed["whole"].left <= pcl_bound(n, L=0.0)
    assert few_people_bound(10**6, 0, 1000) == pytest.approx(0.004) and few_people_bound(10, 5, 100) == 1


def test_local_privacy_needs_one_over_the_cell_more_people():
    for side, d, budget in ((0.1, 1, 1.0), (0.2, 2, 0.5), (0.1, 2, 5.0)):
        people = [people_for_signal(30.0, side, d, budget, model) for model in ("central", "local")]
        assert people[1] / people[0] == pytest.approx(1 / (min(budget, 1) * side**d))
        assert cell_signal(people[1], side, d, budget, "local") == pytest.approx(30)


@pytest.mark.parametrize(("n", "p"), [
    (10, 0.3), (1000, 0.999), (10**6, 1e-5), (671_088_640_000, 1 / 819_200)])
def test_people_in_a_cell_have_the_binomial_law_to_ten_digits(n, p):
    """Against 40 digits, at the mode and on both sides of it."""
    (counts,), (chances,) = people_in_cell(n, np.array([p]))
    mode = int(chances.argmax())
    for at in {mode, max(mode - 3, 0), min(mode + len(counts) // 12, len(counts) - 1)}:
        with mpmath.workdps(40):
            k, q = int(counts[at]), mpmath.mpf(p)
            exact = mpmath.binomial(n, k) * q**k * (1 - q) ** (n - k)
        assert chances[at] == pytest.approx(float(exact), rel=1e-10)
    assert people_in_cell(10, np.array([0.0, 1.0]))[1].max(axis=1).tolist() == [1.0, 1.0]
