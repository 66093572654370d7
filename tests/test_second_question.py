"""The budget of a report, lower bounds, and the limit of two rounds: by brute force and by other roads."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

from ldp_lib.estimation import UniformityTest
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import SubsetSelection
from ldp_lib.risk import people_for_power, suspects_law
from ldp_lib.theory import (
    faces_exponent, information_budget, people_bound, quadratic_elbow, quadratic_exponent,
    report_information, two_round_limit,
)
from ldp_lib.theory.contraction import kernel_budget, kl, with_budget


def random_channels(K, alpha, count, seed):
    """Channels whose budget is alpha, with 2 to 6 outputs: mixtures, and extreme ones of two values."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kernel = rng.gamma(rng.choice([0.05, 0.3, 1.0]), size=(K, rng.integers(2, 7))) + 1e-9
        if rng.random() < 0.5:
            kernel = np.where(rng.random(kernel.shape) < 1 / (1 + math.exp(alpha)), math.exp(alpha), 1.0)
        kernel /= kernel.sum(axis=1, keepdims=True)
        if np.ptp(kernel, axis=0).max() > 1e-6:
            yield with_budget(kernel, alpha)


def halves(K):
    """The directions +-1/sqrt(K) with as many + as -, one of each pair."""
    for chosen in itertools.combinations(range(1, K), K // 2):
        sign = np.ones(K)
        sign[list(chosen)] = -1
        yield sign / math.sqrt(K)


@pytest.mark.parametrize("K, alpha", [(2, 1.0), (4, 0.3), (6, 1.0), (6, 3.0)])
def test_the_budget_holds_for_random_channels(K, alpha):
    budget, nearest = information_budget(K, alpha), [0.0, 0.0]
    for kernel in random_channels(K, alpha, 200, seed=K):
        assert kernel_budget(kernel) == pytest.approx(alpha)
        matrix = report_information(kernel)
        largest = max(f @ matrix @ f for f in halves(K))
        assert matrix.trace() <= budget.trace * (1 + 1e-9) and largest <= budget.direction * (1 + 1e-9)
        assert matrix.sum(axis=0) == pytest.approx(0, abs=1e-9)
        nearest = np.maximum(nearest, [matrix.trace() / budget.trace, largest / budget.direction])
    print(f"\nK = {K}, alpha = {alpha}: {nearest} of the bounds are reached")
    assert nearest.min() > 0.2


@pytest.mark.parametrize("K, size", [(6, 1), (6, 2), (8, 3)])
def test_subset_selection_and_a_question_reach_the_budget(K, size):
    alpha = math.log(K / size - 1)
    subsets = list(itertools.combinations(range(K), size))
    kernel = np.array([[math.exp(alpha) if face in subset else 1.0 for subset in subsets]
                       for face in range(K)])
    matrix = report_information(kernel / kernel.sum(axis=1, keepdims=True))
    assert matrix.trace() == pytest.approx(information_budget(K, alpha).trace)
    # The trace, over K - 1 directions, is what `SubsetSelection` needs for an unbiased estimate.
    mechanism = SubsetSelection(alpha, 1 / K, size=size)
    noise = mechanism.scale**2 * size * (K - size) / (K * (K - 1))
    assert noise == pytest.approx((K - 1) / information_budget(K, alpha).trace)
    truth = 1 / (1 + math.exp(-1.0))
    answers = np.where(np.arange(K)[:, None] < K // 2, [truth, 1 - truth], [1 - truth, truth])
    direction = np.repeat([1, -1], K // 2) / math.sqrt(K)
    assert direction @ report_information(answers) @ direction == pytest.approx(
        information_budget(K, 1.0).direction)


def divergences(laws, K, delta):
    """Of a protocol of two people, laws[outcome] is P(outcome | faces), (K, K): the mean over the heavy
    halves of D(P0 || P), and D(P0 || the mixture of all P), which is less."""
    fair, tilted = [law.mean() for law in laws], []
    for heavy in itertools.combinations(range(K), K // 2):
        die = np.full(K, (1 - delta) / K)
        die[list(heavy)] = (1 + delta) / K
        tilted.append([die @ law @ die for law in laws])
    return np.mean([kl(fair, law) for law in tilted]), kl(fair, np.mean(tilted, axis=0))


@pytest.mark.parametrize("K, delta", [(2, 0.5), (4, 0.5), (4, 0.9), (6, 0.3)])
def test_no_interactive_protocol_beats_the_bound(K, delta):
    """Two people, the channel of the second chosen by the answer of the first: 75 random protocols each. The
    bound is that of the mean over the halves, and what the mixture loses against it is convexity."""
    alpha = 1.0
    kappa = -math.log1p(-(delta**2)) / (2 * delta**2)
    bound = 2 * kappa * math.sinh(alpha / 2) ** 2 * delta**2 / (K - 1)
    channels, nearest, tried = random_channels(K, alpha, 10**6, seed=[K, round(10 * delta)]), 0.0, 0
    for _ in range(75):
        first = next(channels)
        laws = [np.multiply.outer(first[:, answer], second[:, z])
                for answer, second in ((answer, next(channels)) for answer in range(first.shape[1]))
                for z in range(second.shape[1])]
        told, mixed = divergences(laws, K, delta)
        assert mixed <= told <= bound * (1 + 1e-12)
        nearest, tried = max(nearest, told / bound), tried + 1
    print(f"\nK = {K}, delta = {delta}: at most {nearest:.3f} of the bound in {tried} protocols")
    assert nearest > 0.3


def test_one_question_to_two_people():
    """Two faces, and the same question to both: a bit of sinh^2 is lost, tanh^2 is told."""
    K, delta, alpha = 2, 0.1, 1.0
    truth = 1 / (1 + math.exp(-alpha))
    answers = np.array([[truth, 1 - truth], [1 - truth, truth]])
    laws = [np.multiply.outer(answers[:, first], answers[:, second])
            for first, second in itertools.product(range(2), repeat=2)]
    told, mixed = divergences(laws, K, delta)
    assert told == pytest.approx(math.tanh(alpha / 2) ** 2 * delta**2, rel=0.01) and 0 < mixed < told / 10


@pytest.mark.parametrize("K", [2, 6, 16, 64, 256])
def test_the_bound_for_even_questions_by_scipy(K):
    """Root of the finite sum, with the hypergeometric law and the root finder of SciPy."""
    half = np.arange(K // 2 + 1)
    law = stats.hypergeom.pmf(half, K, K // 2, K // 2)
    needed = 1 + 0.75**2 / (0.05 * 0.95)
    lam = optimize.brentq(lambda value: law @ np.exp(value * (4 * half / K - 1)) - needed, 0, 60)
    people = people_bound(K, 1.0, 0.5, protocol="even")
    assert people == math.ceil(lam * (K - 1) / (math.sinh(0.5) * 0.5) ** 2)
    # By brute force: 1 + chi^2 of the mixture, for one person with the best even channel.
    if K == 6:
        kernel = np.array([[math.e if face in pair else 1.0 for pair in itertools.combinations(range(6), 2)]
                           for face in range(6)])
        kernel /= kernel.sum(axis=1, keepdims=True)
        matrix = report_information(kernel)
        dice = [np.array([1 if face in heavy else -1 for face in range(6)]) * 0.5 / 6
                for heavy in itertools.combinations(range(6), 3)]
        chi = np.mean([1 + one @ matrix @ other for one, other in itertools.product(dice, repeat=2)])
        lam = math.sinh(0.5) ** 2 * 0.25 / 5
        assert chi <= stats.hypergeom.pmf(np.arange(4), 6, 3, 3) @ np.exp(
            lam * (4 * np.arange(4) / 6 - 1)) + 1e-15


def test_bounds_are_below_what_is_enough():
    """And a fixed questionnaire needs more than two rounds have, proved, from K = 32 on at delta = 1/2."""
    for K in (4, 6, 8, 16, 32, 64):
        law = tilted_die(K, 0.5)
        one, two = (people_for_power(UniformityTest(1.0, K, rounds=rounds), law) for rounds in (1, 2))
        any_protocol, even = (people_bound(K, 1.0, 0.5, protocol=each) for each in ("interactive", "even"))
        print(f"\nK = {K}: any protocol {any_protocol}, even {even}, one round {one}, two rounds {two}")
        assert any_protocol <= even <= one and any_protocol < two
        assert (even > two) == (K >= 32)


def test_bounds_grow_as_k_and_as_k_to_three_halves():
    sizes = 2 ** np.arange(10, 17)
    found = {each: [people_bound(int(K), 1.0, 0.05, protocol=each) for K in sizes]
             for each in ("interactive", "even", "fixed")}
    for protocol, exponent in (("interactive", 1.0), ("even", 1.5), ("fixed", 1.5)):
        slopes = np.diff(np.log(found[protocol])) / math.log(2)
        assert np.abs(slopes[-2:] - exponent).max() < 0.01
    assert (np.array(found["fixed"]) < found["even"]).all()
    lam = np.array(found["even"]) * (math.sinh(0.5) * 0.05) ** 2 / (sizes - 1)
    assert lam[-1] / math.sqrt(2 * (sizes[-1] - 1)) == pytest.approx(1.598, abs=0.002)


def test_where_any_fixed_questions_are_covered():
    """Nothing is proved at delta = 1/2, or for few people and a strong tilt; weak tilts are covered."""
    assert all(people_bound(K, 1.0, 0.5, protocol="fixed") == 0 for K in (2, 3, 6, 33, 256, 10_000))
    assert people_bound(64, 1.0, 0.4, protocol="fixed") == 0 < people_bound(64, 1.0, 0.3, protocol="fixed")
    # For a given tilt not for all K: from about e^(1/(2 delta^2)) on nothing is left.
    assert people_bound(300, 1.0, 0.3, protocol="fixed") == 0 < people_bound(100, 1.0, 0.3, protocol="fixed")
    # What is left out, at r of its proof, by drawing tilts: 20,000 signs, at most a share of the bound.
    K, delta, r = 64, 0.2, 40
    rng = np.random.default_rng(1)
    basis = np.linalg.qr(np.column_stack([np.ones(K), rng.normal(size=(K, r))]))[0][:, 1:]
    tilts = delta / math.sqrt(K * r) * rng.choice([-1, 1], size=(20_000, r)) @ basis.T
    assert np.square(tilts).sum(axis=1) == pytest.approx(delta**2 / K)
    assert (tilts.min(axis=1) < -1 / K).mean() <= K * math.exp(-r / (2 * K * delta**2))


def test_the_fixed_bound_by_an_explicit_questionnaire():
    """log(1 + chi^2) of independent signs, Walsh questions to n people, below r log cosh at the stated n."""
    K, delta, n = 16, 0.1, 400
    s2, t2 = math.sinh(0.5) ** 2, math.tanh(0.5) ** 2
    per_direction = n * K * t2 / (K - 1)
    for r in (3, 8, 12):
        gamma2 = delta**2 / K / r
        told = r * math.log(math.cosh(gamma2 * per_direction))
        assert told <= r * math.log(math.cosh(n * delta**2 * s2 / (r * (K - r))))


def test_two_rounds_tend_to_their_limit():
    """lambda of the exact plain tests for more and more faces, and by direct optimising."""
    limit = two_round_limit()
    edge, aim = stats.norm.isf(0.05), stats.norm.ppf(0.8)

    def needed(share):
        return optimize.brentq(lambda lam: math.sqrt(2 / math.pi) * lam * math.sqrt(share * (1 - share))
                               - edge - aim * math.sqrt(1 + lam * (1 - share)), 0, 1e3)

    best = optimize.minimize_scalar(needed, bounds=(0.3, 0.9), method="bounded")
    assert limit.noncentrality == pytest.approx(best.fun, rel=1e-9)
    assert limit.share == pytest.approx(best.x, abs=1e-4)
    found = []
    for K in (16, 64, 256):
        n = people_for_power(UniformityTest(1.0, K, share=0.62), tilted_die(K, 0.5))
        found.append(n * math.tanh(0.5) ** 2 * 0.25 / K)
    print(f"\nlambda {np.round(found, 3)}, limit {limit.noncentrality:.4f}")
    assert found[0] > found[1] > found[2] > limit.noncentrality
    assert found[2] == pytest.approx(limit.noncentrality, rel=0.01)


def test_faces_judged_right_after_the_first_round():
    for K, n, expected in ((256, 42_133, 142.6), (64, 10_550, 39.2), (16, 2655, 11.5)):
        joint = suspects_law(tilted_die(K, 0.5), round(0.6 * n), 1.0)
        heavy, light = (joint.sum(axis=axis) @ np.arange(K // 2 + 1) for axis in (1, 0))
        assert heavy + K // 2 - light == pytest.approx(expected, abs=0.1)


def test_exponents_and_elbows():
    assert [quadratic_elbow(rounds) for rounds in (0, 1, 2)] == [0.25, 0.75, 0.5]
    for rounds, degree in ((0, 1), (1, 3), (2, 2)):
        elbow = quadratic_elbow(rounds)
        assert quadratic_exponent(elbow, rounds) == quadratic_exponent(9.0, rounds) == 0.5
        assert quadratic_exponent(elbow * 0.999, rounds) < 0.5
        # Bias K^(-2s) against noise: K^(1/2)/n, K^(3/2)/(n alpha^2), K/(n alpha^2).
        noise, s = degree / 2, elbow / 2
        assert quadratic_exponent(s, rounds) == pytest.approx(2 * s / (2 * s + noise))
    assert [faces_exponent(1), faces_exponent(1, "public"), faces_exponent(2)] == [1.5, 1.0, 1.0]


@pytest.mark.parametrize("call, words", [
    (lambda: people_bound(7, 1.0, 0.5), "K = 7 faces have no half"),
    (lambda: people_bound(8, 1.0, 1.0), "delta = 1.0"),
    (lambda: people_bound(8, 1.0, 0.5, level=0.9), "power = 0.8"),
    (lambda: people_bound(8, 1.0, 0.5, protocol="both"), "protocol"),
    (lambda: report_information([[0.5, 0.5]]), r"kernel has shape \(1, 2\)"),
    (lambda: report_information([[0.5, 0.4], [0.5, 0.5]]), "each row a law"),
    (lambda: quadratic_elbow(3), "rounds = 3"), (lambda: faces_exponent(0), "rounds = 0")])
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
