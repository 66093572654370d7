"""The exercises of notebooks 05 and 05b, on private densities."""

import math
import numbers
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.nature import density
from ldp_lib.lessons.elbow.story import ALPHA as BUDGET
from ldp_lib.lessons.elbow.story import NORM, adversary, best_interval, noise_of, tall
from ldp_lib.lessons.elbow.story import PEOPLE as CROWD
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.privacy.wavelet import SCALES
from ldp_lib.risk import best_level, mise
from ldp_lib.stage import Control
from ldp_lib.stage.judge import (
    Exercise, Offer, behaves, chosen, crossing, exercise, function, near, nearly_best, number, telling, trial,
    variants,
)
from ldp_lib.theory import density_elbows, density_exponent
from ldp_lib.theory.rates import elbow
from ldp_lib.wavelets import REGULARITY, wavelet_basis


def _private_exponent(s):
    return Exercise(
        f"the private exponent at s = {s:g}, p = r = 2",
        number(lambda: density_exponent(s=s, p=2, r=2).exponent),
        "the squared bias is 4^(-Js), the noise 4^J/N; which J makes them equal?",
        mistakes={near(2 * s / (2 * s + 1)):
                  "That is the exponent without privacy, where the noise is 2^J/n."},
        more="A level more has 4 times the noise with privacy, and twice without: this is the difference.",
        task=f"A density has smoothness s = {s:g}, and p = r = 2. At a budget of 1 the squared error of the "
             "best private estimate falls like N^(-e). What is e?")


variants("05.1", _private_exponent, s=(2, *(k / 20 for k in range(13, 50) if k != 40)))


def _private_elbow(s, r):
    return Exercise(
        f"the p of the private elbow at s = {s:g}, r = {r:g}",
        number(lambda: density_elbows(s=s, r=r).private),
        "the dense and the sparse exponent are equal there.",
        mistakes={near(r / (2 * s + 1)):
                  "There the lever tips without privacy. Private noise rises with the level."},
        more="In general it is r/(s + 1), and r/(2s + 1) without privacy.",
        task=f"A density has smoothness s = {s:g} in the class of parameter p; its error is measured with "
             f"r = {r:g}. At which p does the exponent of the best private estimate bend?")


variants("05.2", _private_elbow, s=(1, 0.6, 0.8, 1.3, 1.6, 1.9), r=(6, 5, 7, 8, 9, 10))

exercise(
    "05.3", "the noise scale for Haar's fathers as a function",
    function(lambda alpha, J: WaveletLaplace(alpha, "haar", J, "scaling_only", noise="real").scale,
             [{"alpha": 1.0, "J": 0}, {"alpha": 0.5, "J": 3}, {"alpha": 4.0, "J": 6}], relative=1e-6),
    "one father of level J covers a person, and its height is 2^(J/2); two people may differ in two.",
    more="Two levels more double it.")


def _risk_for_the_departures(J, n=328_521):
    return mise(LinearWaveletDensity(1.0, "db2", J, scales="scaling_only"), density("departures"), n).value


exercise(
    "05.4", "a good resolution for the departures at α = 1",
    nearly_best(0, 10, _risk_for_the_departures, candidates=range(10), factor=1.02, whole=True),
    "mise(LinearWaveletDensity(1.0, 'db2', J, scales='scaling_only'), density('departures'), 328_521) is "
    "exact.",
    more="A finer J blurs less and adds more noise; only the noise falls with more people.")


def _people_for_the_claw(share=0.1):
    """People at whom the best J has a risk of `share` of the integral of the square."""
    claw = density("claw")
    return crossing(lambda n: best_level(claw, n, 1.0, "db4")[1].value - share * claw.l2_norm_squared,
                    10**3, 10**9)


exercise(
    "05.5", "people for an error of a tenth on the claw",
    number(_people_for_the_claw, relative=0.02),
    "the least exact risk over J falls in n: bisect.",
    more="The best J is chosen anew for every n.")

BASIS = wavelet_basis("db2")
CASES = [{"alpha": 1.0, "J": 6, "x": [0.25, 0.5]}, {"alpha": 0.5, "J": 3, "x": [0.1, 0.3, 0.62]}]
"""Of the second argument `x`, who the people are, the right scale knows nothing."""


def _scale(alpha, J, x):
    return WaveletLaplace(alpha, "db2", J, "scaling_only", noise="real").scale


def _lost(answer):
    """What one report gives away with the scales of `answer`, or how many people it wastes."""
    for case in CASES:
        value = answer(**case)
        value = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 < float(value) < np.inf:
            return f"At J = {case['J']} your function returns {value!r:.40}; a positive number is expected."
        ratio = float(value) / _scale(**case)
        told = f"At alpha = {case['alpha']:g}, J = {case['J']} one report can tell two people by "
        if ratio < 0.999:
            spent = telling(case["alpha"] / ratio, case["alpha"])
            return told + f"{spent}; the promise is {case['alpha']:g}."
        if ratio > 1.001:
            return (told + f"only {telling(case['alpha'] / ratio, case['alpha'])}: private, but "
                    f"{telling(ratio**2, 1)} times the people are needed.")
    return "Nearly, but it is not the same for all people." * _looks(answer)


MOVES = ([0.25, 0.5], [0.25, 0.8], [0.77, 0.8], [0.77, 0.3], [0.0, 0.3])
"""Of two people one moves, each time."""


def _looks(answer):
    """Does the scale change when one person moves?"""
    found = np.array([answer(**(CASES[0] | {"x": x})) for x in MOVES], float)
    return bool(found.shape == (len(MOVES),) and np.isfinite(found).all()
                and np.ptp(found) > 1e-9 * abs(found).max())


exercise(
    "05.6", "the noise scale for the fathers of level J",
    trial("comparison", _lost),
    "one person's fathers add up to at most S_phi 2^(J/2), S_phi = 1.732. How far are two people apart?",
    second="the scale is the largest distance of two reports over alpha: both people count.", stars=2,
    mistakes={
        _looks: "The scale must not know where people are. If one person moves, x and your noise change: the "
                "noise tells that she moved. Use alpha and J alone.",
        behaves(lambda alpha, J, x: _scale(alpha, J, x) / 2, CASES, 1e-3):
            "You hid A. B's numbers move, too.",
        behaves(lambda alpha, J, x: _scale(alpha, 0, x), CASES, 1e-3):
            "Look at the height of a father of level J: it grows like 2^(J/2).",
        behaves(lambda alpha, J, x: 2 * BASIS.overlap * BASIS.phi_max * 2 ** (J / 2) / alpha, CASES, 1e-3):
            "The three fathers are never all at the top. Use S_phi, 1.732 for db2."},
    more="It knows J and α only, and two levels more double it.",
    enough="Within 0.1% it counts.")

SPIKE, PEOPLE, FIRST = 6, 10**9, 3
"""Of the trial of 05.7: the level of the spike, and from which level on the answer is asked."""
ENOUGH = 0.0012
"""Error over the integral of the square; at the threshold of the library it is a quarter less."""


def _gate(coef, level, sd):
    """What the library's threshold keeps."""
    return np.abs(coef) > math.sqrt(2 * level * math.log(2)) * sd


def _all(coef, level, sd):
    return np.ones(coef.shape, bool)


class _Chooser(ThresholdWaveletDensity):
    """Keeps what a reader's function keeps, and notes it in `noted`."""

    keep = noted = None

    def select(self, mechanism, coefficients, n):
        """Coefficients, (m, K); the function is asked for every row, once for each level from `FIRST` on."""
        chosen = np.array(coefficients)
        sd = np.sqrt(self.noise_variance(mechanism, n))
        for band, noise in zip(mechanism.bands, sd, strict=True):
            if band.kind == "psi" and band.j >= FIRST:
                part = chosen[..., band.columns]
                kept = np.array([self._ask(row, band.j, float(noise)) for row in part])
                self.noted.append((band.j, part / noise, kept))
                chosen[..., band.columns] = np.where(kept, part, 0.0)
        return chosen

    def _ask(self, row, level, noise):
        kept = np.asarray(self.keep(row.copy(), level, noise))
        if kept.dtype != bool or kept.shape != row.shape:
            raise ValueError(f"it returned {kept.dtype} of shape {kept.shape}; True or False for each "
                             f"coefficient, shape {row.shape}, is expected")
        return kept


@cache
def _spiky():
    return density("spikes", s=1.25, p=1.0, amplitude=16.0, level=SPIKE, wavelet="db2")


class Kept(NamedTuple):
    """What a chooser did in 40 simulated samples with one seed."""

    error: float
    """Over the integral of the square."""
    size: np.ndarray
    """Coefficients from level `FIRST` on, in noise levels, (40, K)."""
    kept: np.ndarray
    true: np.ndarray
    """What the coefficients are without noise, in noise levels, (K,)."""


@lru_cache(maxsize=1)
def _tried(keep):
    """The `Kept` of a reader's function."""
    rule = _Chooser(1.0, "db2", SPIKE + 1, first_level=FIRST, scales="common", noise="real")
    rule.keep, rule.noted = keep, []
    error = mise(rule, _spiky(), PEOPLE, repeats=40, cells=12, rng=1).value / _spiky().l2_norm_squared
    noise = float(rule.noise_variance(rule.mechanism(PEOPLE), PEOPLE)[-1]) ** 0.5  # that of every level
    size, kept = (np.hstack([np.vstack([note[part] for note in rule.noted if note[0] == j])
                             for j in range(FIRST, SPIKE + 1)]) for part in (1, 2))
    true = np.hstack([_spiky().coefficients(BASIS, j, "psi") for j in range(FIRST, SPIKE + 1)])
    return Kept(error, size, kept, true / noise)


def _error(keep):
    return _tried(keep).error


def _kept_badly(keep):
    error = _error(keep)
    told = f"Your error is {telling(error, ENOUGH)}; at most {ENOUGH:g} is asked for."
    return "" if error <= ENOUGH else told


def _one_sided(keep):
    """Is all that is kept of one sign, and something larger of the other one is cut?"""
    _, size, kept, _ = _tried(keep)
    sign = np.sign(size[kept])
    return bool(kept.any() and np.ptp(sign) == 0
                and (abs(size)[~kept & (np.sign(size) == -sign[0])] > abs(size[kept]).min()).any())


def _blind_to_noise(keep):
    """Is something cut, the same whatever the noise is, and all of it below a fifth of the noise?"""
    _, size, kept, _ = _tried(keep)
    row, sd = np.linspace(-0.1, 0.1, 66), 0.005
    same = np.array_equal(keep(row, SPIKE, sd), keep(row, SPIKE, 10 * sd))
    return bool(same and not kept.all() and abs(size[~kept]).max() < 0.2)


def _spike_is_cut(keep):
    _, _, kept, true = _tried(keep)
    spike = kept[:, abs(true).argmax()]
    return bool(spike.mean() < 0.5 and kept[~spike].any())


def _spike_is_missed(keep):
    _, _, kept, true = _tried(keep)
    return bool(kept[:, abs(true).argmax()].mean() < 0.5)


exercise(
    "05.7", "which coefficients to keep",
    trial("trial", _kept_badly),
    "noise of one standard deviation is everywhere. How large is the largest of 64 draws of it?",
    second="the standard deviation of the noise is given: try np.abs(coef) > 2.5 * sd.", stars=2,
    mistakes={
        lambda keep: _tried(keep).kept.all():
            "You opened every cell: more than 120 of them. One has a spike.",
        lambda keep: not _tried(keep).kept.any(): "Nothing passes, not even the spike.",
        _one_sided: "Coefficients may be negative: compare their absolute values.",
        _spike_is_cut: "You cut the spike, the largest of all, and keep smaller ones.",
        _spike_is_missed: "Even the spike, the largest of all, seldom passes.",
        _blind_to_noise:
            "That gate does not know privacy's noise, which is more than 100 times that of the people.",
        lambda keep: _tried(keep).kept[:, abs(_tried(keep).true) < 0.1].mean() > 0.02:
            "Too many of the empty cells pass.",
        lambda keep: _tried(keep).kept[:, abs(_tried(keep).true) > 3].mean() < 0.9:
            "You also cut the edges of the plateau: details of levels 3 and 4."},
    score=lambda keep: f"Your error is {_error(keep):.2g}; that of the library's threshold is "
                       f"{_error(_gate):.2g}, of the linear rule on the same reports {_error(_all):.2g}.",
    more="The largest of 2^j draws of noise is about √(2 j log 2) standard deviations.",
    enough="An error of at most 0.0012 of the integral of the square counts.")

WINDOW = 470 / 1440, 480 / 1440
"""Ten minutes to eight."""
GOAL, MOST = 0.002, 9 * 10**6
"""Root mean squared error, and people, that are allowed."""


@cache
def _share(wavelet, scales, J):
    """Of the share of departures in `WINDOW` at alpha = 1: bias, and n times the variance; exact."""
    mechanism, f = WaveletLaplace(1.0, wavelet, J, scales, noise="real"), density("departures")
    share = float(f.cdf(WINDOW[1]) - f.cdf(WINDOW[0]))
    mean, variance = 0.0, share
    for band, noise in zip(mechanism.bands, mechanism.variance_by_level, strict=True):
        k = np.array(band.translates)
        ends = [mechanism.basis.integral(band.kind, 2.0**band.j * end - k) for end in WINDOW]
        weights = 2.0 ** (-band.j / 2) * (ends[1] - ends[0])
        mean += f.coefficients(mechanism.basis, band.j, band.kind) @ weights
        variance += noise * float(np.square(weights).sum())
    return float(mean) - share, variance


def _read(plan):
    """(wavelet, scales, J, n) of a plan, or what is wrong with it."""
    if not isinstance(plan, (tuple, list)) or len(plan) != 4:
        return None, 'A plan of four parts is expected, for example ("db2", "common", 6, 10**6).'
    wavelet, scales, J, n = plan
    if wavelet not in list(REGULARITY) or scales not in SCALES:
        return None, (f"The first two parts are one of the wavelets {', '.join(REGULARITY)} and one of "
                      f"{', '.join(SCALES)}.")
    for value, words, most in ((J, "J", 11), (n, "n", 10**15)):
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not (
                1 <= value <= most and value == round(value)):
            return None, f"{words} is a whole number from 1 to {most:,}."
    return (wavelet, scales, int(J), int(n)), ""


def _misses(plan):
    read, wrong = _read(plan)
    if wrong:
        return wrong
    *how, n = read
    bias, variance = _share(*how)
    error = (bias**2 + variance / n) ** 0.5
    if error <= GOAL:
        return "" if n <= MOST else f"The error is {error:.2g}. But {MOST:,} people can do it."
    return (f"The bias is {round(bias, 4) + 0:+.4f}, the noise ±{(variance / n) ** 0.5:.5f}; the root of the "
            f"sum of their squares must be at most {GOAL}.")


FEWEST = 4_648_417
"""People that the best plan needs: fathers alone, of sym4, J = 7. The twin in tests/lessons tries all."""


def _blind(plan):
    return abs(_share(*_read(plan)[0][:3])[0]) > GOAL


exercise(
    "05.8", "ten minutes to eight",
    _misses,
    "which J sees ten minutes? And who adds less noise: fathers alone, or all levels?",
    second="Fathers alone add the least noise. With Haar's, cells of 5.6 minutes are fine enough, and five "
           "million people do.",
    stars=3,
    mistakes={
        _blind: "More people do not help here: with this wavelet, cells of this J do not know the ten "
                "minutes.",
        lambda plan: _read(plan)[0][1] != "scaling_only":
            "The fathers alone need much less noise: a better report."},
    score=lambda plan: f"{_read(plan)[0][3]:,} people; the fewest are {FEWEST:,}.",
    offer=Offer((Control("wavelet", "wavelet", "", ("haar", "db2", "sym4"), "db2"),
                 Control("scales", "mechanism", "", SCALES, "common"),
                 Control("J", "levels", "J", range(4, 10), 6, "{}"),
                 Control("n", "people", "n", (10**6, 5 * 10**6, 9 * 10**6), 10**6, "{:,}"))),
    more="One share needs no fine curve: only its ten minutes must be seen.",
    enough="An error of at most 0.2 points with at most nine million people counts.")

RUSH = 22.5
"""Minutes of the intervals that shall be best."""


def _minutes(alpha):
    """The best intervals for a day."""
    return 1440 / 2 ** best_interval(alpha)[0]


@cache
def _first_rush():
    """The first position of the slider with such intervals."""
    return next(alpha for alpha in BUDGET.values if _minutes(alpha) <= RUSH)


def _no_rush(alpha):
    if alpha == _first_rush():
        return ""
    return f"At α = {alpha:g} intervals of {_minutes(alpha):.3g} minutes are best."


exercise(
    "05.9", "the smallest budget on the slider at which intervals of 22.5 minutes or less are best",
    chosen(0.1, 9, _no_rush),
    "more budget, less noise: narrower intervals pay. Read “best interval” while you move α.",
    mistakes={
        lambda alpha: 0.1 < alpha < 9 and _minutes(alpha) > RUSH: "The rush is still blurred.",
        lambda alpha: _first_rush() < alpha < 9: "A smaller budget does, too."},
    more="At α = 1 the best intervals have 90 minutes: the same flights, a third of the budget.",
    enough="The exact position counts.",
    offer=Offer((BUDGET,), "elbow/3?scene=a+day&seen=True&alpha=0.125"))

COARSE, FINE, ASKED = 5, 7, 10**6
"""Of 05.10: a level, a finer one, and the people who hide a bump on the coarse one."""


def _hidden(level, n):
    """How high a bump of this level hides in the noise of n people."""
    return tall(level, noise_of(level, n))


def _too_high(n):
    return "" if n == _fewest() else (
        f"With {n:,.0f} people a bump {_hidden(FINE, n):.3g} high hides on level {FINE}.")


@cache
def _fewest():
    """The first position of the slider at which nothing higher hides."""
    return next(n for n in CROWD.values if _hidden(FINE, n) <= _hidden(COARSE, ASKED))


exercise(
    "05.10", "the fewest people on the slider who hide no more on level 7 than a million hide on level 5",
    chosen(10**4 - 1, CROWD.values[-1] + 1, _too_high),
    "one level finer a bump that hides is 2 times as high. How does its height fall with the people?",
    mistakes={
        lambda n: 0 < n < 4 * ASKED: "Two levels finer it is 4 times as high.",
        lambda n: bool(_hidden(FINE, n) > _hidden(COARSE, ASKED)):
            "Two levels make it 4 times as high. But four times the people only halve the noise.",
        lambda n: _fewest() < n <= CROWD.values[-1]: "Fewer people do, too.",
        lambda n: 0 < n < _fewest(): "So many are enough. Which position of the slider is the next one?"},
    more="A level finer takes 4 times the people, for the same height; without privacy 2 times.",
    enough="The exact position counts.",
    offer=Offer((CROWD,), "elbow/3?scene=loud+levels&j=7&n=1000000"))


def _rises(p, open):
    """Is one spike, the far end of the lever, the higher one? The lever of the scene: s = 1, r = 5."""
    return adversary(p, 1.0, 5.0, open).slope > 0


def _no_switch(p):
    if p == min(norm for norm in NORM.values if _rises(norm, False) and not _rises(norm, True)):
        return ""
    private, usual = ("one spike costs" if _rises(p, open) else "many bumps cost" for open in (False, True))
    return f"At p = {p:g} {private} most with privacy, and {usual} most without."


exercise(
    "05.11", "the smallest p on the slider at which one spike costs most, and without privacy many bumps",
    chosen(1, 4, _no_switch),
    "the one lever must rise towards “one spike”, the other one must fall.",
    mistakes={
        lambda p: 1 < p < 4 and _rises(p, True): "There one spike costs most without privacy, too.",
        lambda p: 1 < p < 4 and not _rises(p, False): "There many bumps cost most with privacy, too.",
        lambda p: 1 < p < 4: "At a smaller p that is so, too."},
    more="Between 1.67 and 2.5, at s = 1 and r = 5, the spike is hard with privacy alone.",
    enough="The exact position counts.",
    offer=Offer((NORM,), "elbow/3?scene=lever&norm=3.0&open=True"))

NOISES = [{"s": s, "r": r, "g": g} for s, r, g in ((1.0, 5.0, 0.5), (1.5, 6.0, 0.0), (0.8, 4.0, 1.0),
                                                   (1.2, 5.0, 2.0))]

exercise(
    "05.12", "the p at which the lever tips, for noise that grows by the factor 2^g a level",
    function(lambda s, r, g: elbow(s, r, g), NOISES, relative=1e-6),
    "a level finer: noise 2^g, height 2^(g + 1/2), width 1/2. What does the class allow at this noise?",
    second="m^(1/p) times the noise may be 2^(-j (s + 1/2 - 1/p)): so m changes by 2^(1 - p (g + s + 1/2)).",
    stars=2,
    mistakes={
        behaves(lambda s, r, g: elbow(s, r, 0.5), NOISES): "That is g = ½ alone, the reports of this page.",
        behaves(lambda s, r, g: elbow(s, r, 0.0), NOISES): "That is g = 0 alone, where nobody adds noise.",
        behaves(lambda s, r, g: r * g / (g + s + 0.5), NOISES):
            "A bump is as high as its coefficient times its wavelet, and that is √2 times taller, too."},
    more="Noise on X itself has g = 2: the elbow comes at a still larger p.")

LEVELS = [{"level": 3}, {"level": 6}, {"level": 9}]


def _one_passes(level):
    """In standard deviations: of 2^level normal numbers one lies beyond it on average, up or down."""
    return float(-ndtri(2.0**-level / 2))


exercise(
    "05.13", "the threshold that of 2^level coefficients with noise alone one passes on average",
    function(_one_passes, LEVELS, relative=1e-4),
    "the noise of many reports is nearly normal. Which share of the coefficients may pass?",
    second="A share of 2^(-level) may pass, half of it up and half of it down.", stars=2,
    mistakes={
        behaves(lambda level: float(-ndtri(2.0**-level)), LEVELS, 1e-4):
            "Noise goes down, too: so two would pass, one up and one down.",
        behaves(lambda level: math.sqrt(2 * level * math.log(2)), LEVELS, 1e-4):
            "That is what the library takes, a little higher: fewer than one passes.",
        lambda line: line(level=3) == line(level=9): "A finer level has more coefficients: more may pass."},
    more="It grows like √(2 j log 2), slowly: 1.5 standard deviations at level 3, 3.1 at level 9.")
