"""The contour integral against independent oracles: residues, convolution, 40-digit quadrature."""

import itertools

import mpmath as mp
import numpy as np
import pytest
from scipy.stats import binom

from ldp_lib.risk.scores import (
    cube_score,
    cube_sign_probabilities,
    majority_sign_probabilities,
    wrong_side_probability,
)


def laplace_sum_tail(n, x):
    """P(L > x) for the sum of n Laplace(1) and n Laplace(1/2) variables, by residues at 40 digits."""
    if x < 0:
        return 1 - laplace_sum_tail(n, -x)
    # The density at x > 0 is minus the residues of e^{-sx} M(s) at s = 1 and s = 2; divide by s for the tail.
    tail = mp.mpf(0)
    for pole in (1, 2):
        def regular(s, pole=pole):
            others = (1 + s) * (2 - s) * (2 + s) if pole == 1 else (1 - s) * (1 + s) * (2 + s)
            return mp.exp(-s * x) / s * (mp.mpf(4) / others) ** n
        tail += (-1) ** (n + 1) * mp.taylor(regular, pole, n - 1)[n - 1]
    return tail


def mixture(n, p, q, scale):
    """P(T_n < 0) by conditioning on both binomial counts; for few people."""
    with mp.workdps(40):
        p, q, scale = mp.mpf(p), mp.mpf(q), mp.mpf(scale)
        total = mp.mpf(0)
        for ones, people in itertools.product(range(n + 1), repeat=2):
            weight = mp.binomial(n, ones) * q**ones * (1 - q) ** (n - ones)
            weight *= mp.binomial(n, people) * p**people * (1 - p) ** (n - people)
            total += weight * laplace_sum_tail(n, (mp.mpf(ones) - mp.mpf(people) / 2) / scale)
        return total


def quadrature(n, p, q, scale):
    """P(T_n < 0) and P(T_n >= 0) by 40-digit quadrature on the saddlepoint contour; for many people."""
    with mp.workdps(45):
        n, p, q, b = (mp.mpf(v) for v in (n, p, q, scale))

        def K(s):
            return n * (mp.log1p(q * mp.expm1(s)) + mp.log1p(p * mp.expm1(-s / 2))
                        - mp.log1p(-(b * s) ** 2) - mp.log1p(-(b * s) ** 2 / 4))

        low, high = -(1 - mp.mpf(10) ** -30) / b, (1 - mp.mpf(10) ** -30) / b
        for _ in range(160):
            middle = (low + high) / 2
            low, high = (low, middle) if mp.diff(K, middle) > 0 else (middle, high)
        sd = mp.sqrt(mp.diff(K, low, 2))
        c = low if abs(low) > 1 / sd else -1 / sd
        end = 12 / sd * mp.sqrt(1 + 1 / b**2)

        def integrand(t):
            s = c + 1j * t
            return (mp.exp(K(s)) / s).real

        integral = mp.quad(integrand, mp.linspace(0, end, 25)) / mp.pi
        return (-integral, 1 + integral) if c < 0 else (1 - integral, integral)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0, 1e4])
@pytest.mark.parametrize("p, q", [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.3, 0.18), (0.9, 0.2)])
def test_few_people_against_residues(n, p, q, scale):
    expected = mixture(n, p, q, scale)
    assert wrong_side_probability(n, p, q, scale) == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.share(3)
@pytest.mark.parametrize("n, p, q, scale", [
    (10, 0.3, 0.18, 4.0), (100, 1.0, 1.0, 0.1), (1000, 1e-6, 0.0, 1e4), (2000, 0.3, 0.18, 4.0),
    (10**5, 0.3, 0.25, 4.0), (10**6, 0.5, 0.4, 40.0), (10**9, 1e-3, 6e-4, 4.0), (10**9, 0.3, 0.1501, 0.1),
])
def test_many_people_against_quadrature(n, p, q, scale):
    expected = quadrature(n, p, q, scale)[0]
    assert wrong_side_probability(n, p, q, scale) == pytest.approx(float(expected), rel=1e-9)


def test_tails_down_to_1e_200():
    n, p, q, scale = 10**6, 0.5, np.array([0.5, 0.4, 0.25, 0.1, 0.0]), 4.0
    below, above = cube_sign_probabilities(n, p, q, scale)
    for b, a, value in zip(below, above, q, strict=True):
        low, high = quadrature(n, p, float(value), scale)
        assert b == pytest.approx(float(low), rel=1e-9) and a == pytest.approx(float(high), rel=1e-9)
    assert above[-1] < 1e-150
    deep = [(4 * 10**5, 1.0, 0.97, 4.0), (3 * 10**6, 0.5, 0.43, 4.0)]
    for n, p, q, scale in deep:
        expected = quadrature(n, p, q, scale)[0]
        assert expected < 1e-150
        assert wrong_side_probability(n, p, q, scale) == pytest.approx(float(expected), rel=1e-9)


def test_theory_check_values():
    assert wrong_side_probability(2000, 0.3, 0.18, 4.0) == pytest.approx(0.416198411761, abs=5e-13)
    assert wrong_side_probability(10**5, 0.3, 0.25, 4.0) == pytest.approx(3.09841458e-7, rel=1e-8)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("p, q", [(0.0, 0.0), (0.4, 0.3), (1.0, 1.0), (0.8, 0.1)])
def test_lattice_law_against_convolution(n, p, q):
    """A coarse lattice (step 1/2, scale 0.9), where ties matter, by brute-force convolution."""
    scale, granularity = 0.9, 0.5
    k = np.arange(-200, 201)
    noise = np.tanh(granularity / (2 * scale)) * np.exp(-np.abs(k) * granularity / scale)

    def total(people, probability):
        law = noise
        for _ in range(people - 1):
            law = np.convolve(law, noise)
        steps = np.arange(law.size) - law.size // 2
        counts = binom.pmf(np.arange(people + 1), people, probability)
        grid = np.zeros(law.size + 4 * people)
        for count, weight in enumerate(counts):
            grid[2 * count:2 * count + law.size] += weight * law
        return grid, np.arange(grid.size) + steps[0]

    labelled, i = total(n, q)
    unlabelled, j = total(n, p)
    cumulative = np.concatenate([[0.0], np.cumsum(labelled)])
    # 2 W - U < 0 in lattice steps: W < U / 2.
    position = np.clip(np.ceil(j / 2).astype(int) - i[0], 0, labelled.size)
    expected = float(unlabelled @ cumulative[position])
    assert wrong_side_probability(n, p, q, scale, granularity) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [1, 4, 70])
@pytest.mark.parametrize("p, q", [(0.0, 0.0), (1e-5, 1e-5), (0.4, 0.3), (1.0, 1.0), (1.0, 0.5), (0.8, 0.1)])
@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e-4])
def test_tiny_noise_only_breaks_ties(n, p, q, scale):
    """Large alpha: the score is a difference of binomials, enumerated here; real noise halves the ties."""
    ones, people = binom.pmf(np.arange(n + 1), n, q), binom.pmf(np.arange(n + 1), n, p)
    sign = np.sign(2 * np.arange(n + 1)[:, None] - np.arange(n + 1))
    weight = np.outer(ones, people)
    below, tied = weight[sign < 0].sum(), weight[sign == 0].sum()
    assert wrong_side_probability(n, p, q, scale) == pytest.approx(below + tied / 2, rel=1e-9, abs=1e-27)
    granularity = scale / 3
    noise = wrong_side_probability(n, 0.0, 0.0, 3.0, 1.0)
    assert noise < 0.5
    found = wrong_side_probability(n, p, q, scale, granularity)
    assert found == pytest.approx(below + tied * noise, rel=1e-9, abs=1e-27)


def test_tiny_noise_and_small_noise_agree_where_they_meet():
    for n in (4, 30, 1000):
        edge = min(1.6e-4, (5.7e-5 / n) ** 0.5)
        quiet, noisy = wrong_side_probability(n, 0.3, 0.2, [edge * 0.999, edge * 1.001])
        assert quiet == pytest.approx(noisy, rel=1e-8)


def test_fine_lattice_tends_to_real_noise():
    args = (500, 0.3, 0.2, 4.0)
    real = wrong_side_probability(*args)
    gaps = [abs(wrong_side_probability(*args, granularity=2.0**-k) - real) for k in (2, 5, 8)]
    assert gaps[0] > gaps[1] > gaps[2] and gaps[2] < 1e-5


def test_threshold_shifts_the_score():
    n, p, q, scale = 300, 0.4, 0.3, 4.0
    grid = np.linspace(-0.5, 0.6, 23)
    values = wrong_side_probability(n, p, q, scale, threshold=grid)
    assert (np.diff(values) > 0).all()
    # The mean of T_n splits its nearly symmetric law nearly in half.
    assert wrong_side_probability(n, p, q, scale, threshold=q - p / 2) == pytest.approx(0.5, abs=0.01)
    few = wrong_side_probability(1, 0.0, 0.0, 1.0, threshold=0.7)
    assert few == pytest.approx(float(1 - laplace_sum_tail(1, mp.mpf(7) / 10)), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("p, q", [
    (0.0, 0.0), (0.5, 0.5), (0.5, 0.0), (0.2, 0.13), (1.0, 0.4), (1.0, 1.0), (0.97, 0.5)])
def test_majority_against_enumeration(n, p, q):
    expected = 0.0
    for present in range(n + 1):
        inside = binom.pmf(present, n, p)
        if inside:
            expected += inside * binom.cdf(np.ceil(present / 2) - 1, present, q / p if p else 0.0)
    below, above = majority_sign_probabilities(n, p, q)
    assert below == pytest.approx(expected, rel=1e-10, abs=1e-28)
    assert below + above == pytest.approx(1.0, abs=1e-13)


def test_majority_of_many_people():
    n = 10**9
    below, _ = majority_sign_probabilities(n, 1.0, 0.5001)
    assert below == pytest.approx(binom.cdf(n // 2 - 1, n, 0.5001), rel=1e-6)


@pytest.mark.parametrize("bad", [
    dict(n=0), dict(n=1.5), dict(p=1.2), dict(p=-0.1), dict(q=0.31), dict(scale=0.0), dict(p=np.nan),
    dict(scale=np.inf),
])
def test_bad_input_is_named(bad):
    args = dict(n=10, p=0.3, q=0.1, scale=4.0) | bad
    with pytest.raises(ValueError, match=next(iter(bad))):
        wrong_side_probability(**args)


@pytest.mark.parametrize("bad, names", [
    (dict(p="0.3"), "p must hold numbers"), (dict(p=None), "p must hold numbers"),
    (dict(n=[1, 2], p=[0.1] * 3), "shapes"),
    (dict(q=np.ma.array([0.1], mask=[True])), "masked"), (dict(n=1, scale=1e-3), "more people"),
])
def test_odd_input_is_refused_in_words(bad, names):
    with pytest.raises((ValueError, TypeError), match=names):
        wrong_side_probability(**(dict(n=10, p=0.3, q=0.1, scale=4.0, granularity=1e-9) | bad))


@pytest.mark.parametrize("people", [5e11, 5e14])
@pytest.mark.parametrize("alpha", [1e4, 1e5, 1e6])
@pytest.mark.parametrize("lattice", [False, True])
def test_saddlepoints_of_crowds_with_faint_noise(people, alpha, lattice):
    """Cells of any mass, labels from pure to fair: found within a tenth of a deviation or at an end."""
    rng = np.random.default_rng(1)
    p = 10.0 ** rng.uniform(-14, 0, 5000)
    size = np.where(rng.random(p.size) < 0.3, 1.0, 10.0 ** rng.uniform(-14, 0, p.size))
    tilt = rng.choice([-1, 1], p.size) * size
    scale, zero = np.full_like(p, 4 / alpha), np.zeros_like(p)
    step = lattice * 2.0 ** -np.ceil(np.log2(alpha))
    score = cube_score(zero + people, p, p * (1 + tilt) / 2, scale, step, zero)
    s, variance = score.saddlepoint()
    slope = score.derivatives(s)[0]
    assert ((np.abs(slope) < 0.1 * np.sqrt(variance)) | (np.abs(s) > (1 - 1e-8) * score.edge)).mean() > 0.999
