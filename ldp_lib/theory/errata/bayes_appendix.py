"""Where the appendices of Bousquet et al. slip: errata 28 to 31."""

import itertools
import math

import numpy as np
from scipy.stats import binom, laplace

from ldp_lib.theory.central import histogram_threshold
from ldp_lib.theory.errata.entry import BAYES, Erratum, Evidence
from ldp_lib.theory.theorem_bayes_4_3 import shell_heights
from ldp_lib.theory.theorem_bayes_a_12 import voronoi_edges


def largest_packing(points, r, strict):
    """Most of the points with all distances > r (strict) or >= r, by search over the subsets."""
    distance = np.abs(np.subtract.outer(points, points))
    apart = distance > r if strict else distance >= r
    return max(size for size in range(1, len(points) + 1)
               if any(all(apart[i, j] for i, j in itertools.combinations(chosen, 2))
                      for chosen in itertools.combinations(range(len(points)), size)))


def smallest_cover(points, r, strict):
    """Fewest points within < r (strict) or <= r of every point, by search over the subsets."""
    distance = np.abs(np.subtract.outer(points, points))
    near = distance < r if strict else distance <= r
    return next(size for size in range(1, len(points) + 1)
                if any(near[:, chosen].any(axis=1).all()
                       for chosen in itertools.combinations(range(len(points)), size)))


def _closed_packing():
    points = np.arange(9) / 4                        # [0, 2] in steps of 1/4, exact in binary
    return Evidence(
        "largest packing of [0, 2] with distances >= 2; printed: the smallest cover by closed balls of "
        "radius 1, "
        "corrected: by open balls",
        printed=float(smallest_cover(points, 1.0, strict=False)),
        corrected=float(smallest_cover(points, 1.0, strict=True)),
        computed=float(largest_packing(points, 2.0, strict=False)),
    )


def _cell_diameter():
    r = 0.3
    return Evidence(
        "largest diameter of a Voronoi cell of a maximal packing of [0, 1] at distances > 0.3; the proof "
        "bounds it",
        printed=r, corrected=2 * r, computed=float(np.diff(voronoi_edges(r)).max()),
    )


def _packing_number():
    """In R^8 with the maximum norm, of doubling dimension 8, packings are products of packings of a line."""
    d, r, theta = 8, 1.0, 2.125
    line, last = 1, -2 * theta                       # greedily from one end of [-2 theta, 2 theta]
    while last + r * (1 + 1e-9) <= 2 * theta:
        line, last = line + 1, last + r * (1 + 1e-9)
    return Evidence(
        "centres in a ball of radius 2 theta, 4 theta / r = 8.5, in R^8 with the maximum norm; the proof "
        "bounds them",
        printed=(4 * theta / r) ** d, corrected=(8 * theta / r) ** d, computed=float(line**d),
    )


def _log_times_thin():
    """delta = exp(-n^(1/5)); on the line, P(X > 2^k - 1) = 2^(-k/10); cells have length n^(-1/4)."""
    tail, shells, n = 0.1, 120, 1e24
    log = n ** (1 / 5)
    heights = shell_heights(tail, shells)
    mass, p = heights * 2.0 ** np.arange(shells), heights * n**-0.25
    empty = mass @ np.exp(n * np.log1p(-p))
    return Evidence(
        "log(1/delta) Pr[N(x) < 1] at n = 1e24, delta = exp(-n^(1/5)), for a law with a heavy tail; printed: "
        "its limit",
        printed=0.0, corrected=float(log * mass[p <= 1 / n].sum() * math.exp(n * math.log1p(-1 / n))),
        computed=float(log * empty),
    )


def _nobody_seen():
    """Everybody in one cell; Algorithm 5 as printed says 1 iff min(yhat, chat) > chat / 2."""
    n, epsilon, eta = 100, 1.0, 0.9
    scale, ones = 2 / epsilon, np.arange(n + 1)
    threshold = histogram_threshold(epsilon, 2.0**-n)
    chances = binom.pmf(ones, n, eta)
    shown = laplace.sf(threshold - n, scale=scale), chances @ laplace.sf(threshold - ones, scale=scale)
    # What is shown exceeds the threshold by exponential variables E, E' of this scale: E' > threshold + 2 E
    # is the only way to yhat <= chat / 2.
    says_one = shown[0] * shown[1] * (1 - math.exp(-threshold / scale) / 3)
    return Evidence(
        "excess risk where everybody is in one cell with eta = 0.9, n = 100, eps = 1, delta = 2^-n; printed: "
        "its limit for any delta",
        printed=0.0, corrected=(2 * eta - 1) * (1 - math.exp((n - threshold) / scale) / 2),
        computed=(2 * eta - 1) * float(1 - says_one),
    )


def _reversed_difference():
    eta, chosen, best = 0.8, 0, 1
    wrong = {label: 1 - eta if label else eta for label in (0, 1)}
    return Evidence(
        "excess error of the label 0 where eta = 0.8, computed by adding up |2 eta - 1| over the labels that "
        "differ",
        printed=wrong[best] - wrong[chosen], corrected=wrong[chosen] - wrong[best],
        computed=abs(2 * eta - 1) * (chosen != best),
    )


def _dropped_empty_cell():
    n, p, rate = 3, 0.25, 1.0
    N = np.arange(n + 1)
    chances = binom.pmf(N, n, p)
    variance = (chances[1:] * rate * (1 - rate) / N[1:]).sum()
    return Evidence(
        "E|etahat - etabar| with three people, a cell of mass 1/4 where everybody has label 1; etahat = 0 if "
        "it is empty",
        printed=math.sqrt(variance), corrected=math.sqrt(variance) + (1 - p) ** n,
        computed=sum(chance * abs((people > 0) - rate) for people, chance in zip(N, chances, strict=True)),
    )


def _root_outside():
    n, k = 10**6, 1000
    number, p = np.array([1, 250_000]), np.array([0.75, 1e-6])
    weight = number * p
    empty = weight @ binom.pmf(0, n, p)
    counts = [np.arange(700_000, 800_001), np.arange(1, 101)]
    inverse = sum(w * (binom.pmf(N, n, share) / N).sum()
                  for w, N, share in zip(weight, counts, p, strict=True))
    at_most = weight @ binom.cdf(k, n, p)
    return Evidence(
        "E[1/(4 N) | N > 0]^(1/2) Pr[N > 0] + Pr[N = 0]: one cell of mass 0.75, 250000 of 1e-6, n = 1e6, k = "
        "1000",
        printed=at_most / 2 + 1 / (2 * math.sqrt(k)) + empty,
        corrected=math.sqrt((at_most - empty + 1 / k) * (1 - empty)) / 2 + empty,
        computed=math.sqrt(inverse / 4 * (1 - empty)) + empty,
    )


ENTRIES = [
    Erratum(
        28, BAYES, "Definition A.3 and Theorem A.4(2)", "packings with distances >= r",
        "packings with distances > r",
        "With >= the ends of [0, 2] are a 2-packing of two points, and a closed ball of radius 1 covers it.",
        _closed_packing),
    Erratum(
        29, BAYES, "proof of Lemma A.8, last line", "rho(a, b) <= r", "rho(a, b) <= 2 r",
        "The lemma states 2 r, and that is what the triangle inequality gives.", _cell_diameter),
    Erratum(
        29, BAYES, "proof of Lemma A.9, size of a packing", "(4 theta / r)^d", "(8 theta / r)^d",
        "The number of halvings is a whole number; 4^d becomes 8^d below, and the rate survives.",
        _packing_number),
    Erratum(
        30, BAYES, "(12), proof of Theorem A.15", "(2/eps) log(1/delta) (Pr[N < M] + 1/M)",
        "Pr[N < M] + O(log(1/delta) / (eps M))",
        "log(1/delta) Pr[N < M] need not vanish for any M; |etahat' - etahat| <= 1 on that event, and the "
        "theorem survives.",
        _log_times_thin),
    Erratum(
        30, BAYES, "Theorem A.15, delta", "universally consistent",
        "universally consistent if log(1/delta) = o(n^(3/4)), which delta = omega(2^(-n^(1/4))) implies",
        "Without a condition the threshold may exceed n, and every label is 0. Theorem A.13 has one, more "
        "than enough: cells of radius n^(-1/(4d)) expect n^(3/4) people in order. Theorem A.14 holds for "
        "every delta.",
        _nobody_seen),
    Erratum(
        31, BAYES, "proof of Theorem B.1, two displays", "Pr[h* != Y] - Pr[hhat != Y]",
        "Pr[hhat != Y] - Pr[h* != Y]",
        "A sign; the lines after it use the right one.", _reversed_difference),
    Erratum(
        31, BAYES, "(14)", "no term for N = 0", "+ Pr[N = 0]",
        "An empty cell is no average of labels; (15) has the term again.", _dropped_empty_cell),
    Erratum(
        31, BAYES, "(15), second inequality", "Pr[N <= k] / 2 + 1 / (2 sqrt k) + Pr[N = 0]",
        "keep E[N^(-1/2); N > 0] / 2, or {(Pr[0 < N <= k] + 1/k) Pr[N > 0]}^(1/2) / 2 + Pr[N = 0]",
        "The root cannot be taken of the whole mean and then of its parts; consistency survives.",
        _root_outside),
]
"""Errata 28 to 31."""
