"""Privacy of what a curator releases: exact divergences over all small neighbours, and mutants that exceed
them."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import kstest, laplace

from ldp_lib.privacy import (
    LatticeLaplace, RealLaplace, hockey_stick, lattice_laws, stability_delta, stability_histogram,
    stability_threshold,
)
from ldp_lib.privacy.central import central_noise, noisy_votes

CELLS = 2
PEOPLE = [(cell, label) for cell in range(CELLS) for label in (0, 1)]
BUDGETS = [(1.0, 1e-2), (0.3, 1e-6), (2.0, 0.2), (0.1, 0.45)]


def neighbours(most=3):
    """All ordered pairs of samples of 1 to `most` people that differ in one of them; people are (cell,
    label)."""
    for n in range(1, most + 1):
        for rest in itertools.combinations_with_replacement(PEOPLE, n - 1):
            for a, b in itertools.permutations(PEOPLE, 2):
                yield (*rest, a), (*rest, b)


def counts(sample, label=None):
    return [sum(c == cell and label in (None, y) for c, y in sample) for cell in range(CELLS)]


def votes(sample):
    return [sum(2 * y - 1 for c, y in sample if c == cell) for cell in range(CELLS)]


def worst(statistics, epsilon, noise, thresholds):
    """Largest divergence over neighbours of independent noisy statistics, each (function, threshold)."""
    laws, cache = {}, {}

    def law(pair, tau):
        if (pair, tau) not in laws:
            laws[pair, tau] = lattice_laws(*pair, noise, tau)
        return laws[pair, tau]

    most = 0.0
    for a, b in neighbours():
        key = tuple(sorted((x, y, tau) for f, tau in zip(statistics, thresholds, strict=True)
                           for x, y in zip(f(a), f(b), strict=True) if x != y))
        if key not in cache:
            cache[key] = hockey_stick([law((x, y), tau) for x, y, tau in key], epsilon)
        most = max(most, cache[key])
    return most


def coarse(scale):
    """Lattice noise with few steps: pure privacy holds on every lattice that has the whole numbers on it."""
    return LatticeLaplace(scale, steps=16 * scale)


def ones(sample):
    return counts(sample, 1)


@pytest.mark.parametrize("epsilon, delta", BUDGETS)
@pytest.mark.parametrize("threshold", ["sufficient", "printed"])
def test_algorithms_1_and_3_spend_exactly_what_is_computed(epsilon, delta, threshold):
    """PCDE does nothing to the data but the stability histogram."""
    noise = central_noise(epsilon)
    tau = stability_threshold(epsilon, delta, threshold=threshold)
    spent = stability_delta(epsilon, delta, threshold=threshold)
    assert worst([counts], epsilon, noise, [tau]) == pytest.approx(spent, rel=1e-9)
    assert spent <= delta


@pytest.mark.parametrize("epsilon, delta", BUDGETS)
def test_the_printed_threshold_spends_a_quarter_and_the_sufficient_one_all(epsilon, delta):
    printed, sufficient = (stability_delta(epsilon, delta, threshold=name, noise="real")
                           for name in ("printed", "sufficient"))
    assert printed == pytest.approx(delta / 4, rel=1e-12)
    assert sufficient == pytest.approx(delta, rel=1e-12)
    # The lattice moves either by less than one of its steps.
    step = central_noise(epsilon).granularity * epsilon / 2
    for name, real in (("printed", printed), ("sufficient", sufficient)):
        assert stability_delta(epsilon, delta, threshold=name) == pytest.approx(real, rel=1.01 * step)


def test_large_delta_keeps_its_promise():
    for delta in (0.5, 0.7, 0.99):
        assert stability_threshold(1.0, delta) >= 1
        assert worst([counts], 1.0, central_noise(1.0), [stability_threshold(1.0, delta)]) <= delta


def test_mutant_threshold_without_the_one_is_caught():
    epsilon, delta = 1.0, 1e-2
    mutant = stability_threshold(epsilon, delta) - 1
    assert worst([counts], epsilon, central_noise(epsilon), [mutant]) > 1.6 * delta


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_algorithms_2_and_4_are_pure_and_tight(epsilon):
    """One noisy sum a cell; a change of label or of cell reaches epsilon exactly."""
    noise = coarse(central_noise(epsilon).scale)
    assert worst([votes], epsilon, noise, [-math.inf]) < 1e-12
    assert worst([votes], 0.99 * epsilon, noise, [-math.inf]) > 1e-5 * epsilon


def test_mutant_noise_1_over_epsilon_on_counts_is_caught():
    """Counts have sensitivity 2; noise of scale 1/epsilon is that of sums of y - 1/2."""
    epsilon = 1.0
    assert worst([counts], epsilon, coarse(1 / epsilon), [-math.inf]) > 0.1
    assert worst([counts], epsilon, coarse(2 / epsilon), [-math.inf]) < 1e-12
    # So it is for sums of y when both they and the counts are needed: the trap in the printed proof.
    assert worst([counts, ones], epsilon, coarse(2 / epsilon), [-math.inf] * 2) > 0.05


def test_mutant_fresh_draw_a_query_is_caught():
    epsilon = 1.0
    assert worst([votes, votes], epsilon, coarse(2 / epsilon), [-math.inf] * 2) > 0.1


@pytest.mark.parametrize("epsilon, delta", BUDGETS)
def test_algorithm_5_at_halves_stays_within_the_budget(epsilon, delta):
    tau = stability_threshold(epsilon / 2, delta / 2)
    assert worst([counts, ones], epsilon, central_noise(epsilon / 2), [tau] * 2) <= delta


def test_mutant_budgets_not_halved_is_caught():
    epsilon, delta = 1.0, 1e-2
    tau = stability_threshold(epsilon, delta)
    assert worst([counts, ones], epsilon, central_noise(epsilon), [tau] * 2) > 1.5 * delta


def test_hockey_stick_against_all_events():
    rng = np.random.default_rng(0)
    for epsilon in (0.0, 0.4, 1.0):
        pairs = [tuple(rng.dirichlet(np.ones(size), 2)) for size in (3, 2)]
        p, q = (np.outer(pairs[0][k], pairs[1][k]).ravel() for k in (0, 1))
        events = np.array(list(itertools.product((0, 1), repeat=6)))
        assert hockey_stick(pairs, epsilon) == pytest.approx((events @ (p - math.exp(epsilon) * q)).max(),
                                                             abs=1e-12)
    with pytest.raises(ValueError, match="it must hold two laws"):
        hockey_stick([([0.5, 0.5], [1.0])], 1.0)


def test_lattice_laws_lose_nothing():
    """Against the law on a long piece of the lattice, point by point."""
    noise = LatticeLaplace(2.0)
    g, unit = noise.granularity, noise.granularity / noise.scale
    k = np.arange(-80_000, 80_000)
    for a, b, epsilon in ((3, 4, 0.4), (1, 5, 1.0)):
        p, q = (math.tanh(unit / 2) * np.exp(-np.abs(k - c / g) * unit) for c in (a, b))
        direct = np.maximum(p - math.exp(epsilon) * q, 0).sum()
        assert hockey_stick([lattice_laws(a, b, noise)], epsilon) == pytest.approx(direct, abs=1e-10)


@pytest.mark.parametrize("noise", [LatticeLaplace(2.0), LatticeLaplace(5000.0), RealLaplace(0.7)])
def test_tails_and_mean_excess(noise):
    t = np.array([-3.1, -1.0, 0.0, 1e-3, 0.5, 2.0, 7.7]) * noise.scale
    if noise.granularity:
        points = noise.granularity * np.arange(-200_000, 200_001)
        mass = np.exp(-np.abs(points) / noise.scale) * math.tanh(noise.granularity / noise.scale / 2)
        tail = [mass[points >= x].sum() for x in t]
        excess = [mass @ np.maximum(points - x, 0) for x in t]
    else:
        tail = laplace.sf(t, scale=noise.scale)
        excess = [quad(laplace(scale=noise.scale).sf, x, np.inf)[0] for x in t]
    assert noise.tail(t) == pytest.approx(np.array(tail), rel=1e-7)
    assert noise.mean_excess(t) == pytest.approx(np.array(excess), rel=1e-6)


def test_stability_histogram_draws_the_law_it_says():
    """Kolmogorov-Smirnov at level 1e-7 above the threshold; zeros within 5.5 standard deviations (4e-8)."""
    epsilon, delta, count, n = 1.0, 0.05, 4, 40_000
    for noise in ("lattice", "real"):
        released = stability_histogram(np.full(n, count), epsilon, delta, noise=noise, rng=3)
        tau = stability_threshold(epsilon, delta, noise=noise)
        shown = released[released > 0]
        share = central_noise(epsilon, noise).tail(tau - count)
        assert shown.min() >= tau
        assert abs(len(shown) / n - share) < 5.5 * math.sqrt(share * (1 - share) / n)
        # Spread over one lattice step, lattice noise is within 1e-3 of the real law.
        smooth = shown + np.random.default_rng(0).random(len(shown)) * central_noise(epsilon).granularity
        law = laplace(loc=count, scale=2 / epsilon)
        assert kstest(smooth, lambda x: 1 - law.sf(x)
                      / law.sf(tau)).statistic < 2.9 / math.sqrt(len(shown)) + 2e-3


def test_zero_counts_stay_zero_and_lone_people_hide():
    released = stability_histogram(np.array([[0, 1], [0, 10**6]]), 1.0, 1e-9, rng=0)
    assert released.shape == (2, 2) and (released[:, 0] == 0).all() and released[0, 1] == 0
    assert released[1, 1] % central_noise(1.0).granularity == 0


def test_votes_need_no_rounding():
    """Half-integers plus lattice noise are multiples of half a step, also where the step is a whole
    person."""
    for epsilon in (1e-5, 1.0, 50.0):
        noisy = noisy_votes(np.array([3.0, -2.0, 0.0]), epsilon, rng=0)
        assert (noisy * 2 % central_noise(epsilon).granularity == 0).all()


@pytest.mark.parametrize("change, named", [
    ({"counts": [-1]}, "counts"), ({"counts": [0.5]}, "counts"), ({"epsilon": 0.0}, "epsilon"),
    ({"epsilon": 1e-20}, "epsilon"), ({"delta": 0.0}, "delta"), ({"delta": 1.0}, "delta"),
    ({"threshold": "none"}, "threshold"), ({"noise": "none"}, "noise"), ({"rng": "x"}, "rng"),
])
def test_bad_arguments_are_named(change, named):
    arguments = {"counts": [1, 2], "epsilon": 1.0, "delta": 1e-6, "rng": 0} | change
    with pytest.raises((ValueError, TypeError), match=named):
        stability_histogram(arguments.pop("counts"), **arguments)


@pytest.mark.parametrize("threshold, words", [
    (-1e12, "GiB"), (math.nan, "threshold"), (math.inf, "threshold"), ("a", "threshold")])
def test_thresholds_of_lattice_laws_are_checked(threshold, words):
    with pytest.raises((ValueError, TypeError, MemoryError), match=words):
        lattice_laws(0.0, 1.0, LatticeLaplace(2.0), threshold)
