"""Where Bousquet et al. (2022) slip: errata 20 to 31, the appendices from 28 on."""

import itertools
import math

import numpy as np
from scipy.stats import binom, laplace

from ldp_lib.lessons.bayes.ledger.cells import density_errors, shell_heights, staircase, voronoi_edges
from ldp_lib.lessons.bayes.ledger.learner import TwoCells
from ldp_lib.lessons.bayes.ledger.votes import sensitivity
from ldp_lib.lessons.papers import BAYES
from ldp_lib.nature import Interval
from ldp_lib.privacy import RealLaplace
from ldp_lib.stage.errata import Evidence, erratum
from ldp_lib.theory.curator import histogram_error, histogram_error_bound, histogram_threshold, net


@erratum(20, BAYES, "proofs of Theorems 3.2 and A.12", "etahat + w_j", "etahat + w_j / N(x)",
         "E|w_j| = 1/epsilon never vanishes; the displays that follow divide by N(x).")
def _noise_of_a_mean():
    people, ones, epsilon = 10, 6, 1.0
    return Evidence(
        "P(a cube with 10 people, 6 ones, is labelled 0) at epsilon = 1: P(etahat + noise <= 1/2)",
        printed=math.exp(-epsilon * (ones / people - 1 / 2)) / 2,
        corrected=math.exp(-epsilon * people * (ones / people - 1 / 2)) / 2,
        computed=float(laplace.cdf(people / 2 - ones, scale=1 / epsilon)))


@erratum(21, BAYES, "(1) and (10), last step", "(1/eps)(Pr[N < M] + 1/M)",
         "max(1, 1/eps) Pr[N < M] + 1/(eps M)",
         "As printed it needs eps <= 1, which Theorem 1.5 assumes and Theorem 3.2 does not.")
def _large_epsilon():
    """Four people, two cubes of mass 1/2: every placement of them is enumerated."""
    n, epsilon, M = 4, 100.0, 1
    # In the cube of the fresh x; by symmetry, cube 0.
    people = [placement.count(0) for placement in itertools.product((0, 1), repeat=n)]
    gap = sum(1 / (epsilon * N) if N else 1.0 for N in people) / 2**n
    thin = 2.0**-n                                   # Pr[N < 1]
    return Evidence(
        "E[1/(eps N); N > 0] + Pr[N = 0] with four people in two cubes, eps = 100, M = 1; the last line of "
        "(1) bounds it",
        printed=(thin + 1 / M) / epsilon, corrected=max(1, 1 / epsilon) * thin + 1 / (epsilon * M),
        computed=gap)


@erratum(22, BAYES, "proof of Theorem 3.1, sensitivity", "counts have sensitivity 1",
         "sums of y - 1/2 have sensitivity 1; counts have 2 when a record is replaced",
         "Algorithm 2 is private as it stands; noise of scale 1/epsilon on counts would not be.")
def _sensitivity_of_counts():
    return Evidence(
        "l1 distance of the counts of two cubes when one record is replaced, at most",
        printed=1.0, corrected=2.0, computed=float(sensitivity(lambda y: 1)))


@erratum(22, BAYES, "Algorithm 2, step 5", "Lap(1/epsilon) for each x", "one draw for each cube",
         "With a fresh draw for each question the loss grows with their number.")
def _fresh_noise():
    epsilon, queries = 1.0, 10
    sums = np.array([-6.0, -5.0])                    # of y - 1/2 in one cube, neighbouring data sets
    answer = laplace.logsf(-sums, scale=1 / epsilon)
    return Evidence(
        "privacy loss at epsilon = 1 after ten questions in one cube, all answered 1, with a fresh draw "
        "for each",
        printed=epsilon, corrected=queries * epsilon, computed=float(queries * (answer[1] - answer[0])))


@erratum(23, BAYES, "Lemma 3.3", "any r", "r with n r^d -> infinity, as r = n^(-1/(2d))",
         "With r = n^(-1/d) cubes stay thin: Pr[N = 0] tends to 1/e for the uniform law.")
def _thin_cubes():
    n = 10**6
    return Evidence(
        "Pr[N(x) <= 0] for uniform X, d = 1 and cubes of side r = 1/n, n = 1e6; printed: the limit for any r",
        printed=0.0, corrected=math.exp(-1), computed=float(binom.pmf(0, n, 1 / n)))


@erratum(24, BAYES, "Theorem 2.4, error of the histogram", "O((1/eps) min{log(1/delta), c})",
         "min{1 + (2/eps)(1 + log(2/delta)), c + 2/eps}; at most (8.4/eps) min{log(1/delta), c} if eps <= "
         "1, delta <= 1/2",
         "False for large epsilon, where a count of 1 lies below the threshold, almost without noise, and "
         "as delta -> 1.")
def _histogram_at_large_epsilon():
    epsilon, delta, count = 100.0, 0.1, 1
    return Evidence(
        "E|chat - c| at epsilon = 100, delta = 0.1, c = 1; printed with the constant 8.4 that small "
        "epsilon allows",
        printed=8.4 / epsilon * min(math.log(1 / delta), count),
        corrected=float(histogram_error_bound(count, epsilon, delta)),
        computed=float(histogram_error(count, epsilon, delta)))


@erratum(25, BAYES, "Theorems 1.7 and 4.3, (5)", "delta = omega(2^(-sqrt n))", "log(1/delta) = o(sqrt n)",
         "With the printed condition the threshold can exceed every count. The theorem also needs a "
         "density, so that Remark 1.8 does not give a learner for singular laws; Theorem A.13 does.")
def _delta_too_small():
    n, epsilon = 10**6, 1.0
    log_delta = math.log(n) - math.sqrt(n) * math.log(2)
    delta = math.exp(log_delta)
    cells = staircase(tail=1.0, shells=1, r=n**-0.5, d=1)          # the uniform law on [0, 1]
    errors = density_errors(cells, n, RealLaplace(2 / epsilon), histogram_threshold(epsilon, delta))
    return Evidence(
        "E||fhat - f|| for the uniform law, n = 1e6, eps = 1, delta = n 2^(-sqrt n), before normalising; "
        "printed: its limit",
        printed=0.0,
        corrected=cells.number @ histogram_error_bound(n * cells.p, epsilon, delta) / n + errors.ordinary,
        computed=errors.whole)


def all_zeroed(n, cells, epsilon, delta):
    """P(Algorithm 1 releases only zeros), n people uniform on `cells` cells: exact, a cell at a time."""
    threshold = histogram_threshold(epsilon, delta)
    reach = np.zeros(n + 1)                          # by people placed so far, all their counts zeroed
    reach[0] = 1.0
    for left in range(cells, 0, -1):
        after = np.zeros(n + 1)
        for placed, chance in enumerate(reach):
            counts = np.arange(n - placed + 1)
            zeroed = np.where(counts > 0, laplace.cdf(threshold - counts, scale=2 / epsilon), 1.0)
            after[placed:] += chance * binom.pmf(counts, n - placed, 1 / left) * zeroed
        reach = after
    return float(reach[n])


@erratum(26, BAYES, "Remark 4.1", "normalise the estimate",
         "normalise, or take any fixed density if every count is zeroed",
         "Its distance from f is then at most 2 = 2 ||0 - f||, so that the remark's factor 2 survives.")
def _nothing_to_normalise():
    n, cells, epsilon, delta = 100, 10, 1.0, 1e-6
    counts = np.arange(n + 1)
    kept = binom.pmf(counts, n, 1 / cells) @ laplace.sf(
        histogram_threshold(epsilon, delta) - counts, scale=2 / epsilon)
    return Evidence(
        "P(every count is zeroed), uniform X in 10 cells, n = 100, eps = 1, delta = 1e-6: nothing is left "
        "to divide by",
        printed=0.0, corrected=float(1 - cells * kept), computed=all_zeroed(n, cells, epsilon, delta))


@erratum(27, BAYES, "Theorem 4.11, failure probability", "2 beta", "3 beta",
         "The density estimate fails with probability beta as well. (In Remark 4.12, O(VC) is Omega(VC).)")
def _three_causes():
    case = TwoCells(faces=20, draws=2)
    beta = 1 / case.faces
    return Evidence(
        "failure probability at beta = 0.05 in a case of two cells, all outcomes of its dice counted",
        printed=2 * beta, corrected=3 * beta, computed=case.failures())


@erratum(27, BAYES, "Theorem 4.11, the law of X", "for every distribution P",
         "for every P under which X has a density",
         "The proof takes its synthetic people from Theorem 4.3. Its estimate is a density, and never "
         "comes nearer to a law with atoms, in total variation, than their mass. How many people without "
         "labels are enough depends on the law, as it says.")
def _two_atoms():
    """The event "within w of an atom" tells the law from every density that is constant on cubes."""
    n, w, failure = 10**6, 1e-10, 0.05
    side = n**-0.5
    return Evidence(
        "total variation between two atoms and a density on cubes of side 1/1000 (n = 1e6), at least; "
        "printed: beta / n_semi, which some n brings about",
        printed=failure / net(0.1, failure).synthetic, corrected=1.0, computed=1 - 2 * (2 * w / side))


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


@erratum(28, BAYES, "Definition A.3 and Theorem A.4(2)", "packings with distances >= r",
         "packings with distances > r",
         "With >= the ends of [0, 2] are a 2-packing of two points, and a closed ball of radius 1 covers it.")
def _closed_packing():
    points = np.arange(9) / 4                        # [0, 2] in steps of 1/4, exact in binary
    return Evidence(
        "largest packing of [0, 2] with distances >= 2; printed: the smallest cover by closed balls of "
        "radius 1, corrected: by open balls",
        printed=float(smallest_cover(points, 1.0, strict=False)),
        corrected=float(smallest_cover(points, 1.0, strict=True)),
        computed=float(largest_packing(points, 2.0, strict=False)))


@erratum(29, BAYES, "proof of Lemma A.8, last line", "rho(a, b) <= r", "rho(a, b) <= 2 r",
         "The lemma states 2 r, and that is what the triangle inequality gives.")
def _cell_diameter():
    r = 0.3
    return Evidence(
        "largest diameter of a Voronoi cell of a maximal packing of [0, 1] at distances > 0.3; the proof "
        "bounds it",
        printed=r, corrected=2 * r, computed=float(np.diff(voronoi_edges(Interval().packing(r)[:, 0])).max()))


@erratum(29, BAYES, "proof of Lemma A.9, size of a packing", "(4 theta / r)^d", "(8 theta / r)^d",
         "The number of halvings is a whole number; 4^d becomes 8^d below, and the rate survives.")
def _packing_number():
    """In R^8 with the maximum norm, of doubling dimension 8, packings are products of packings of a line."""
    d, r, theta = 8, 1.0, 2.125
    line = len(np.arange(-2 * theta, 2 * theta, r * (1 + 1e-9)))    # greedily from one end
    return Evidence(
        "centres in a ball of radius 2 theta, 4 theta / r = 8.5, in R^8 with the maximum norm; the proof "
        "bounds them",
        printed=(4 * theta / r) ** d, corrected=(8 * theta / r) ** d, computed=float(line**d))


@erratum(30, BAYES, "(12), proof of Theorem A.15", "(2/eps) log(1/delta) (Pr[N < M] + 1/M)",
         "Pr[N < M] + O(log(1/delta) / (eps M))",
         "log(1/delta) Pr[N < M] need not vanish for any M; |etahat' - etahat| <= 1 on that event, and the "
         "theorem survives.")
def _log_times_thin():
    """delta = exp(-n^(1/5)); on the line, P(X > 2^k - 1) = 2^(-k/10); cells have length n^(-1/4)."""
    tail, shells, n = 0.1, 120, 1e24
    log = n ** (1 / 5)
    heights = shell_heights(tail, shells)
    mass, p = heights * 2.0 ** np.arange(shells), heights * n**-0.25
    empty = mass @ np.exp(n * np.log1p(-p))
    return Evidence(
        "log(1/delta) Pr[N(x) < 1] at n = 1e24, delta = exp(-n^(1/5)), for a law with a heavy tail; "
        "printed: its limit",
        printed=0.0, corrected=float(log * mass[p <= 1 / n].sum() * math.exp(n * math.log1p(-1 / n))),
        computed=float(log * empty))


@erratum(30, BAYES, "Theorem A.15, delta", "universally consistent",
         "universally consistent if log(1/delta) = o(n^(3/4)), which delta = omega(2^(-n^(1/4))) implies",
         "Without a condition the threshold may exceed n, and every label is 0. Theorem A.13 has one, more "
         "than enough: cells of radius n^(-1/(4d)) expect n^(3/4) people in order. Theorem A.14 holds for "
         "every delta.")
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
        "excess risk where everybody is in one cell with eta = 0.9, n = 100, eps = 1, delta = 2^-n; "
        "printed: its limit for any delta",
        printed=0.0, corrected=(2 * eta - 1) * (1 - math.exp((n - threshold) / scale) / 2),
        computed=(2 * eta - 1) * float(1 - says_one))


@erratum(31, BAYES, "proof of Theorem B.1, two displays", "Pr[h* != Y] - Pr[hhat != Y]",
         "Pr[hhat != Y] - Pr[h* != Y]", "A sign; the lines after it use the right one.")
def _reversed_difference():
    eta, chosen, best = 0.8, 0, 1
    wrong = {label: 1 - eta if label else eta for label in (0, 1)}
    return Evidence(
        "excess error of the label 0 where eta = 0.8, computed by adding up |2 eta - 1| over the labels "
        "that differ",
        printed=wrong[best] - wrong[chosen], corrected=wrong[chosen] - wrong[best],
        computed=abs(2 * eta - 1) * (chosen != best))


@erratum(31, BAYES, "(14)", "no term for N = 0", "+ Pr[N = 0]",
         "An empty cell is no average of labels; (15) has the term again.")
def _dropped_empty_cell():
    n, p, rate = 3, 0.25, 1.0
    N = np.arange(n + 1)
    chances = binom.pmf(N, n, p)
    variance = (chances[1:] * rate * (1 - rate) / N[1:]).sum()
    return Evidence(
        "E|etahat - etabar| with three people, a cell of mass 1/4 where everybody has label 1; etahat = 0 "
        "if it is empty",
        printed=math.sqrt(variance), corrected=math.sqrt(variance) + (1 - p) ** n,
        computed=sum(chance * abs((people > 0) - rate) for people, chance in zip(N, chances, strict=True)))


@erratum(31, BAYES, "(15), second inequality", "Pr[N <= k] / 2 + 1 / (2 sqrt k) + Pr[N = 0]",
         "keep E[N^(-1/2); N > 0] / 2, or {(Pr[0 < N <= k] + 1/k) Pr[N > 0]}^(1/2) / 2 + Pr[N = 0]",
         "The root cannot be taken of the whole mean and then of its parts; consistency survives.")
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
        "E[1/(4 N) | N > 0]^(1/2) Pr[N > 0] + Pr[N = 0]: one cell of mass 0.75, 250000 of 1e-6, n = 1e6, k "
        "= 1000",
        printed=at_most / 2 + 1 / (2 * math.sqrt(k)) + empty,
        corrected=math.sqrt((at_most - empty + 1 / k) * (1 - empty)) / 2 + empty,
        computed=math.sqrt(inverse / 4 * (1 - empty)) + empty)
