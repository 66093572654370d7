"""What is equal up to rounding is treated alike, and the samplers that do so have the law they promise."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from ldp_lib._rounding import canonical, head_counts, ranks
from ldp_lib.estimation import AdaptiveClassifier
from ldp_lib.lessons.assouad import explore as assouad
from ldp_lib.lessons.bayes.ledger.cells import light
from ldp_lib.nature import Circle, GraphMetric, Sphere
from ldp_lib.privacy import LatticeLaplace
from ldp_lib.risk import planning
from ldp_lib.risk.exact import people_on_curve
from ldp_lib.stage.judge import near, number
from ldp_lib.stage.picture import figures, percent, short
from ldp_lib.theory import DenseFamily, lower_bound
from ldp_lib.theory.classification import checked_theta, lower, sandwich, upper
from ldp_lib.theory.classification.game import Game

FALSE_ALARM = 1e-6
"""Of each statistical test here, at the most."""


def neighbours(value):
    return [np.nextafter(value, -math.inf), value, np.nextafter(value, math.inf)]


@pytest.mark.parametrize("value", [0.5, 1.0, 3.0, 0.1, 2.0**-700, 12345.678, -0.3])
def test_neighbours_have_one_canonical_number(value):
    assert len({float(canonical(each)) for each in neighbours(value)}) == 1
    assert abs(canonical(value) / value - 1) <= 2.0**-40
    assert canonical(math.inf) == math.inf and canonical(0.0) == 0.0 and np.isnan(canonical(math.nan))


def test_ranks_share_what_rounding_parts():
    values = np.array([*neighbours(0.7), 0.2, *neighbours(-1.0), 0.70001])
    assert ranks(values).tolist() == [2, 2, 2, 1, 0, 0, 0, 3]
    assert ranks(np.empty(0)).tolist() == []


def people_of(masses, n=1000, seed=3):
    rng = np.random.default_rng(seed)
    return head_counts(rng, n, np.array(masses)).tolist(), rng.random()


def test_a_rounding_error_is_nobody_and_draws_nothing():
    exact = people_of([0.25, 0.0, 0.5, 0.25])
    assert people_of([0.25, 1.1e-16, 0.5, 0.25]) == exact == people_of([0.25, -1.1e-16, 0.5, 0.25])
    assert sum(exact[0]) == 1000 and exact[0][1] == 0
    for moved in itertools.product(*(neighbours(mass) for mass in (0.1, 0.2, 0.3))):
        # Whoever stands nowhere is not counted; 0.1 + 0.2 + 0.4 is not 0.7 for every processor.
        assert people_of([*moved]) == people_of([0.1, 0.2, 0.3])
    assert 500 < sum(people_of([0.1, 0.2, 0.3])[0]) < 700


def test_head_counts_are_multinomial():
    """Means of 20,000 draws; two-sided at `FALSE_ALARM` for all six together."""
    masses, n, repeats = np.array([0.02, 0.3, 0.0, 0.08, 0.1]), 50, 20_000
    rng = np.random.default_rng(5)
    counts = np.array([head_counts(rng, n, masses) for _ in range(repeats)])
    z = (counts.mean(axis=0) - n * masses) / np.sqrt(np.maximum(n * masses * (1 - masses), 1e-9) / repeats)
    assert (np.abs(z) < stats.norm.isf(FALSE_ALARM / 12)).all()
    covariance = np.cov(counts[:, 1], counts[:, 4])[0, 1]
    spread = n * math.sqrt((0.3 * 0.7 * 0.1 * 0.9 + (0.3 * 0.1) ** 2) / repeats)
    assert abs(covariance + n * 0.3 * 0.1) < stats.norm.isf(FALSE_ALARM / 12) * spread


def exact_sum(noise, people):
    """Law of the sum of so many noises: steps and probabilities, by convolution; 1e-13 is left out."""
    one = math.ceil(32 * noise.scale / noise.granularity)
    k = np.arange(-one, one + 1)
    law = np.exp(-np.abs(k) * noise.granularity / noise.scale)
    law *= math.tanh(noise.granularity / (2 * noise.scale))
    total = law
    for _ in range(people - 1):
        total = np.convolve(total, law)
    return np.arange(-people * one, people * one + 1), total


@pytest.mark.parametrize("people, scale, steps", [(1, 0.7, 1), (2, 3.0, 1), (3, 1.0, 8), (7, 0.25, 1)])
def test_sums_of_few_noises_have_the_exact_law(people, scale, steps):
    """Chi-squared of 100,000 draws over the places where five and more are expected."""
    noise, draws = LatticeLaplace(scale, steps), 100_000
    found = noise.sample_sum(people, draws, rng=11) / noise.granularity
    places, law = exact_sum(noise, people)
    expected = draws * law
    often = expected >= 5
    seen = np.array([np.count_nonzero(found == place) for place in places[often]])
    seen = np.append(seen, draws - seen.sum())
    expected = np.append(expected[often], draws - expected[often].sum())
    assert stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1) > FALSE_ALARM


@pytest.mark.parametrize("people, scale", [(50, 4.0), (10**4, 0.3), (10**9, 4.0), (10**12, 2.0)])
def test_sums_of_many_noises_have_mean_variance_and_tails(people, scale):
    """By 100,000 draws of a law that is normal up to 6/n of kurtosis; four tests at `FALSE_ALARM` / 4."""
    noise, draws = LatticeLaplace(scale), 100_000
    found = noise.sample_sum(people, draws, rng=13) / math.sqrt(people * noise.variance)
    limit, excess = stats.norm.isf(FALSE_ALARM / 8), 3 / people
    assert abs(found.mean()) < limit / math.sqrt(draws)
    assert abs(found.var() - 1) < limit * math.sqrt((2 + excess) / draws)
    for reach in (1.0, 3.0):
        tail = 2 * stats.norm.sf(reach)
        off = abs(np.count_nonzero(np.abs(found) > reach) / draws - tail)
        # The Edgeworth term of the kurtosis, and sampling.
        term = excess / 12 * abs(reach**3 - 3 * reach) * stats.norm.pdf(reach)
        assert off < limit * math.sqrt(tail / draws) + 2 * term


def test_every_step_of_a_sum_is_reached():
    """The lowest digit counts too: odd and even steps come alike, and a sum of nobody is 0."""
    noise = LatticeLaplace(1.0)
    steps = noise.sample_sum(10**6, 4000, rng=17) / noise.granularity
    assert (steps == np.rint(steps)).all() and 1800 < np.count_nonzero(steps % 2) < 2200
    assert (noise.sample_sum(0, 5, rng=1) == 0).all()


def test_a_packing_of_the_sphere_does_not_hang_on_the_last_bit(monkeypatch):
    """Corners of symmetric cells are equally far; a distance that is off in its last bit must not choose."""
    from ldp_lib.nature import spaces

    plain, distance = spaces._greedy.__wrapped__(0.4), Sphere.distance
    for seed in range(5):
        rng = np.random.default_rng(seed)

        def shaken(self, a, b, rng=rng):
            exact = np.asarray(distance(self, a, b))
            return exact * (1 + rng.integers(-2, 3, exact.shape) * 2.0**-53)

        monkeypatch.setattr(Sphere, "distance", shaken)
        assert np.allclose(spaces._greedy.__wrapped__(0.4), plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("edge", [1 / 32, 2.675, 12_350.0, 1.005e-9, 999.5])
def test_words_of_a_number_on_the_edge_of_rounding_are_the_same(edge):
    assert len({short(value) for value in neighbours(edge)}) == 1
    assert len({figures(value) for value in neighbours(edge)}) == 1


@pytest.mark.parametrize("tv", [*neighbours(1 - 2.0**-50), 1.0])
def test_what_rounding_leaves_of_a_secret_is_nothing(monkeypatch, tv):
    monkeypatch.setattr(assouad, "chances", lambda *place: dict.fromkeys(assouad.CURVES, tv))
    assert (assouad.rungs(Game.by_hand(100, 4.0, 1.0, 0.0, 1, 1, 1.0, 1.0))[1:] == 0).all()


def test_what_is_certain_up_to_rounding_is_certain():
    assert {percent(share) for share in neighbours(1.0)} == {"100.0%"} and percent(1 - 1e-9) == "> 99.9%"


def test_the_lowest_of_equal_levels_is_taken(monkeypatch):
    """Without any budget all levels of Haar bumps, as high as the density is, cost the same."""
    exact = DenseFamily._values
    for seed in range(5):
        off = shaken(lambda family, levels: exact(family, levels)[0], seed)
        monkeypatch.setattr(DenseFamily, "_values",
                            lambda family, levels, off=off: (off(family, levels), exact(family, levels)[1]))
        family = DenseFamily(1, 1e-17, 0.5, 2, 2, "haar", L=1e6)
        assert family.level == family.first_level


def test_an_answer_at_the_tolerance_counts():
    """And one that is 5% off is not close, whatever the last bit of what is right."""
    for right in neighbours(0.5):
        judge = number(lambda right=right: right, 0.02)
        assert judge(0.49) == judge(right / 0.98) == ""
        assert near(right, 0.02)(0.49) and not near(right, 0.02)(0.4899)
        assert "Close" not in judge(0.475) and "Close" in judge(0.4751)


def test_cells_of_equal_mass_are_all_light_or_all_heavy():
    """Ten cells of mass 2k/n, off by a last bit."""
    masses = np.array(neighbours(0.1))
    assert light(SimpleNamespace(p=masses), 100, 5).all()
    assert not light(SimpleNamespace(p=masses), 101, 4).any()


def shaken(function, seed):
    """The function, with results that are off by a few last bits, each time by others."""
    rng = np.random.default_rng(seed)

    def other(*values):
        exact = np.asarray(function(*values))
        return exact * (1 + rng.integers(-2, 3, exact.shape) * 2.0**-52)

    return other


@pytest.mark.parametrize("seed", range(3))
def test_the_first_of_equally_good_bandwidths_is_taken(seed):
    """Where L h is above 1/2 for all h the bounds say nothing, and all of them are equal."""
    flat = shaken(lambda h: np.full(np.shape(h), 0.3), seed)
    for divides in (False, True):
        plain = upper.best_bandwidth(lambda h: 0.3, 0.1, divides)
        assert upper.best_bandwidth(flat, 0.1, divides) == plain


def test_a_hypercube_is_chosen_alike_where_all_are_equal(monkeypatch):
    """Without any budget nothing is told, and the bounds of two hypercubes of equal mass are equal."""
    plain, exact = lower_bound(1, 1e-17, 1.0, 0.0, 1, L=100), lower.assouad_value
    for seed in range(5):
        off = shaken(lambda *values: exact(*values)[0], seed)
        monkeypatch.setattr(lower, "assouad_value",
                            lambda *values, off=off: (off(*values), exact(*values)[1]))
        found = lower_bound(1, 1e-17, 1.0, 0.0, 1, L=100)
        assert (found.q, found.m) == (plain.q, plain.m)


def test_a_ball_that_fits_exactly_stands():
    """Of integral 1/8, with L = 2: its steepest quarter ends where eta is 0."""
    theta = checked_theta(1.0, 1.0, 1, L=2.0)
    found = [lower._balls(separation, theta) for separation in neighbours(0.125)]
    assert [balls[:2] for balls in found] == [found[0][:2]] * 3 and found[0][0] == 2


def test_a_rule_no_better_than_the_trivial_bound_is_not_named(monkeypatch):
    zone = upper.Zone(1.0, lambda u: np.ones(np.shape(u)), 1.0)
    monkeypatch.setattr(sandwich, "_anywhere", lambda *place: zone)
    monkeypatch.setattr(sandwich, "lower_bound", lambda *place, **known: lower.LowerBound(*[0.0] * 9))
    for trivial in neighbours(1.0):
        monkeypatch.setattr(sandwich, "trivial_bound", lambda *place, trivial=trivial: trivial)
        assert sandwich.sandwich(2, 0.1, 1.0, 1.0, 1, L=10.0).shifts == 0


def test_a_search_is_not_ended_by_the_rounding_error_of_a_mean(monkeypatch):
    """Twenty equal risks have no standard error, and their mean is the target if they are."""
    asked = []

    def risks(rule, problem, n, streams):
        asked.append(len(streams))
        return np.full(len(streams), 0.1)

    class Bar:
        def update(self):
            pass

    monkeypatch.setattr(planning, "_risks", risks)
    for target in neighbours(0.1):
        asked.clear()
        assert planning._simulated([None], None, target, 2, [None] * 37, Bar()).people == 2
        assert sum(asked) == 37


def test_people_on_a_curve_who_just_suffice_suffice():
    assert {people_on_curve(0.1, [10, 100], [risk, 0.05]) for risk in neighbours(0.1)} == {10.0}


@pytest.mark.parametrize("n", [2**k for k in range(6, 19, 4)])
def test_levels_half_way_do_not_hang_on_the_last_bit_of_the_budget(n):
    """With log 3 nats a bit has the scale 1."""
    assert len({AdaptiveClassifier(alpha).build_mechanism(n, 1).K
                for middle in neighbours(math.log(3)) for alpha in neighbours(middle)}) == 1


def test_the_first_of_equally_near_centres_is_nearest():
    ring = np.arange(0.05, 1, 0.1)[:, None]
    assert [Circle().nearest(np.array([[place / 10]]), ring).item() for place in range(10)] == [
        0, *range(9)]
    path = GraphMetric([[0, 1], [1, 2], [2, 3]], [0.1, 0.2, 0.3])
    assert path.packing(0.3).tolist() == [[0.0], [3.0]]            # 0.1 + 0.2 is not above 0.3
    assert path.nearest(np.array([[2.0]]), np.array([[0.0], [3.0]])).tolist() == [0]
    middle = np.array([[1.0, 2.0, 3.0]]) / math.sqrt(14)
    for turn in np.linalg.qr(np.random.default_rng(1).normal(size=(20, 3, 3)))[0]:
        across = np.cross(middle, turn[:1])
        across /= np.linalg.norm(across)
        pair = np.concatenate([math.cos(0.3) * middle + side * math.sin(0.3) * across for side in (1, -1)])
        assert Sphere().nearest(middle, pair).tolist() == [0]
