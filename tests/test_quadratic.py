"""Two estimates of sum p_k^2: exact errors against simulated people, and against another closed form."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from ldp_lib.estimation.uniformity import places
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import CellSigns
from ldp_lib.risk import best_clip, quadratic_one_round, quadratic_two_rounds

ZIPF = 1 / np.arange(1, 9) / (1 / np.arange(1, 9)).sum()


def excesses(law, n, alpha, repeats, rng):
    """Unbiased reports about D of n people in each of so many surveys, (repeats, n, K)."""
    K = len(law)
    mechanism = CellSigns(alpha, 1 / K)
    faces = places(rng.choice(K, repeats * n, p=law), K)
    signs = mechanism.privatize(faces, rng=rng).reshape(repeats, n, K) / mechanism.tilt
    return signs - signs.mean(axis=2, keepdims=True)


def test_one_round_by_all_answers_of_two_people():
    """The variance of u + <phi_1, phi_2> by summing over faces and signs, K = 3."""
    law, alpha = np.array([0.6, 0.3, 0.1]), 1.4
    tilt, signs = math.tanh(alpha / 2), np.array(list(itertools.product((-1, 1), repeat=3)))
    chances = ((1 + tilt * signs) / 2 @ law) / 4
    phi = (signs - signs.mean(axis=1, keepdims=True)) / tilt
    products, weights = 1 / 3 + phi @ phi.T, np.outer(chances, chances)
    mean = (weights * products).sum()
    assert mean == pytest.approx(law @ law)
    error = quadratic_one_round(law, 2, alpha)
    assert error.variance == pytest.approx((weights * (products - mean) ** 2).sum())
    assert error.bias == 0 and error.clip is None and error.share is None


@pytest.mark.parametrize("law, n", [(ZIPF, 60), (tilted_die(8, 0.9), 200)])
def test_one_round_is_simulated(law, n):
    """1,500 surveys: mean and mean square within 6 of their own standard errors; false alarm 4e-9 each."""
    found = []
    for seed in range(15):
        phi = excesses(law, n, 2.0, 100, np.random.default_rng(seed))
        products = (phi.sum(axis=1) ** 2).sum(axis=1) - (phi**2).sum(axis=(1, 2))
        found.append(1 / len(law) + products / (n * (n - 1)))
    off = np.concatenate(found) - law @ law
    error = quadratic_one_round(law, n, 2.0)
    assert abs(off.mean()) < 6 * off.std() / math.sqrt(len(off))
    assert abs((off**2).mean() - error.variance) < 6 * (off**2).std() / math.sqrt(len(off))


@pytest.mark.parametrize("law, n, clip, share, alpha", [
    (ZIPF, 4000, 0.3, 0.5, 1.0), (ZIPF, 4000, 0.02, 0.5, 1.0), (tilted_die(8, 0.9), 2000, 0.1, 0.7, 1.0),
    (tilted_die(16, 0.5), 5000, 0.05, 0.3, 1.0), (np.array([0.95, 0.05]), 4000, 0.45, 0.5, 4.0)])
def test_two_rounds_are_simulated(law, n, clip, share, alpha):
    """20,000 surveys: bias within 6 standard errors; mean square within 6 and 3%, which is more than the
    covariances that are left out."""
    K, rng, first = len(law), np.random.default_rng(5), round(share * n)
    tilt, repeats = math.tanh(alpha / 2), 20_000
    held = rng.multinomial(first, law, repeats)
    ones = rng.binomial(held, (1 + tilt) / 2) + rng.binomial(first - held, 0.5)
    believed = np.clip((2 * ones / first - 1) / tilt - 1 / K, -clip, clip)
    yes = rng.binomial(n - first, (1 + tilt * (believed @ law) / clip) / 2)
    estimate = 1 / K + clip / tilt * (2 * yes / (n - first) - 1) - believed.mean(axis=1)
    off = estimate - law @ law
    error = quadratic_two_rounds(law, n, alpha, clip, share=share)
    assert abs(off.mean() - error.bias) < 6 * off.std() / math.sqrt(repeats)
    square = error.root_mean_square**2
    assert abs((off**2).mean() - square) < 6 * (off**2).std() / math.sqrt(repeats) + 0.03 * square


@pytest.mark.parametrize("law", [tilted_die(64, 0.5), 1 / np.arange(1, 65) / (1 / np.arange(1, 65)).sum()])
def test_two_rounds_by_clipped_normal_variables(law):
    """The second road: means and variances of clipped normal variables, in closed form; to 2%."""
    n, clip, tilt, K = 20_000, 0.04, math.tanh(0.5), len(law)
    first = n // 2
    excess, sigma = law - 1 / K, np.sqrt((1 / tilt**2 - law**2) / first)
    low, high = (-clip - excess) / sigma, (clip - excess) / sigma
    inside, edges = np.diff(stats.norm.cdf([low, high]), axis=0)[0], stats.norm.pdf([low, high])
    ends = stats.norm.sf(high) - stats.norm.cdf(low)
    mean = clip * ends + excess * inside + sigma * (edges[0] - edges[1])
    square = (clip**2 * (1 - inside) + (excess**2 + sigma**2) * inside + 2 * excess * sigma * (
        edges[0] - edges[1]) + sigma**2 * (low * edges[0] - high * edges[1]))
    bias = excess @ (mean - excess)
    variance = excess**2 @ (square - mean**2) + (clip**2 / tilt**2 - (law @ mean) ** 2) / (n - first)
    error = quadratic_two_rounds(law, n, 1.0, clip)
    assert error.bias == pytest.approx(bias, rel=0.02) and error.variance == pytest.approx(variance, rel=0.02)


def test_the_best_clip_is_the_best_of_its_grid_and_its_error_is_that_of_two_rounds():
    law = tilted_die(16, 0.5)
    best = best_clip(law, 3000, 1.0)
    again = quadratic_two_rounds(law, 3000, 1.0, best.clip, share=best.share)
    assert again.root_mean_square == pytest.approx(best.root_mean_square)
    others = [quadratic_two_rounds(law, 3000, 1.0, best.clip * factor, share=best.share)
              for factor in (0.8, 0.9, 1.1, 1.2)]
    assert best.root_mean_square < min(other.root_mean_square for other in others)


def test_two_rounds_gain_near_fair_laws_and_a_fixed_clip_loses_elsewhere():
    """What the appendix says: the gain at 100,000 people, and a clip of three standard deviations."""
    zipf = 1 / np.arange(1, 65) / (1 / np.arange(1, 65)).sum()
    gains = [quadratic_one_round(law, 10**5, 1.0).root_mean_square
             / best_clip(law, 10**5, 1.0).root_mean_square
             for law in (tilted_die(256, 0.5), tilted_die(64, 0.5), zipf, tilted_die(64, 16.0, heavy=1))]
    assert gains == sorted(gains, reverse=True) and gains[0] > 3 and gains[2] < 1.3 and gains[3] < 1.05
    fixed = quadratic_two_rounds(zipf, 10**5, 1.0, 3 / (math.tanh(0.5) * math.sqrt(50_000)))
    assert fixed.root_mean_square > 10 * quadratic_one_round(zipf, 10**5, 1.0).root_mean_square
    # With few people the best clip says little more than that the die is nearly fair, as nobody's 1/K does.
    die = tilted_die(256, 0.5)
    nobody = float(((die - 1 / 256) ** 2).sum())
    assert 0.8 < best_clip(die, 10_000, 1.0).root_mean_square / nobody < 0.9
    assert quadratic_one_round(die, 10_000, 1.0).root_mean_square > 10 * nobody


@pytest.mark.parametrize("call, words", [
    (lambda: quadratic_one_round([0.5, 0.5], 1, 1.0), "n = 1"),
    (lambda: quadratic_one_round([0.5, 0.4], 5, 1.0), "law"),
    (lambda: quadratic_two_rounds([0.5, 0.5], 9, 1.0, 0.0), "clip"),
    (lambda: quadratic_two_rounds([0.5, 0.5], 9, 1.0, 0.1, share=1.0), "share"),
    (lambda: best_clip([0.5, 0.5], 9, 0.0), "alpha")])
def test_bad_input_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
