"""The panel of notebook 05: private wavelet density estimation and its twofold elbow.

Butucea, Dubois, Kroll & Saumard (2020), Corollaries 2.1 and 4.1, display (5.1). The linear estimator uses
the mechanism that publishes the fathers of level J alone; the threshold estimator uses mechanism (3.2) with
the same J, and thresholds every detail.

The n people of a picture are the first n of 5 10^10: between two positions of the slider new ones join, and
how many of them stand in each of 2^12 cells is drawn once; both these numbers and their sums have
multinomial laws. The noise is kept the same way: that of a sum of n reports is scale * (G - G') with two
gamma variables of shape n, which are sums of those of the groups that joined. So every picture has the
exact law of its position, while from one position to the next it moves and does not flicker. Two things
differ from the mechanism in use: places are recorded on the cells, what a cell's people publish being
replaced by its average; and the noise is real, for a lattice that changed with alpha would jump.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.estimation import LinearWaveletDensity, ThresholdWaveletDensity
from ldp_lib.estimation.densities import on_grid
from ldp_lib.lessons.pictures import broken, curves, here, row
from ldp_lib.nature import Density, density
from ldp_lib.nature.densities import cascade
from ldp_lib.privacy import WaveletAggregate, WaveletLaplace
from ldp_lib.risk.integrated import energies_of, squared_error
from ldp_lib.stage import Control, Shown, log_steps, view
from ldp_lib.stage.picture import Axes, bars, dots, handle, line, linear, log, rule, short, text
from ldp_lib.theory import density_exponent, linear_level, noisy_data_exponent
from ldp_lib.theory.rates import DEGREES, elbow
from ldp_lib.wavelets import WaveletBasis, wavelet_basis

FINE, RECORDED, DRAWN, FINEST = 15, 12, 10, 10
"""Levels of the cells in which a law is known, in which people are recorded, and which the picture shows; the
largest J."""
LEVELS = tuple(range(1, FINEST + 1))

ALPHA = Control("alpha", "privacy", "α", log_steps(0.125, 8.0, 8), 1.0, "{:.3g}",
                "budget of every person, in nats")
SMOOTHNESS = Control("s", "smoothness", "s", (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0), 1.5, "{:g}",
                     "of the class; above 1, so that s > 1/p for every p")
CLASS_NORM = Control("p", "class norm", "p",
                     (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0), 2.0, "{:g}",
                     "small p: spiky densities are in the class")
ERROR_NORM = Control("r", "error norm", "r", (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0), 6.0, "{:g}",
                     "the loss is E ||f̂ - f||_r^r")
RESOLUTION = Control("J", "resolution", "2⁻ᴶ", LEVELS, 6, lambda J: f"1/{2**J}",
                     "the h of this world; J levels of details")
PEOPLE = Control("n", "people", "n", log_steps(10**4, 5 * 10**10, 4), 10**6, short, "people in all")
WAVELET = Control("wavelet", "wavelet", "", ("haar", "db2", "db4", "sym8", "coif1"), "db4",
                  help="longer ones are smoother, and overlap more")
DENSITY = Control("density", "density", "",
                  ("claw", "smooth", "kink", "jumps", "blocks", "bumps", "heavisine", "doppler", "departures",
                   "spikes"), "claw", help="the law of the people; spikes follow s, p and n α²")

JOINED = np.diff(PEOPLE.values, prepend=0)
"""How many join at each position of n."""
SPIKE = 16.0
"""Amplitude of the spikes, where it can be: easy to see."""
SEED = 5
INVERSE = np.linspace(0, 1, 201)
"""The 1/p at which exponents are drawn."""
NORMS = np.append(np.inf, 1 / INVERSE[1:])
"""The same as p."""
EXPONENTS = {role: (words, role, {"width": 2.5}) for role, words in
             (("open", "no privacy"), ("private", "private"), ("other", "noise on X"))}
"""Looks of the exponents, in the order of `Exponents`."""
CENTRES = (np.arange(2**DRAWN) + 0.5) / 2**DRAWN
"""Where the estimates are drawn."""
SIZES = (1e-5, 1e3)
"""Ends of the axis of coefficients."""
RISKS = (1e-6, 1e3)
"""Ends of the axis of risk."""


@dataclass(frozen=True, eq=False)
class Law:
    """A density and a wavelet. Coefficients and energies are those of the averages over 2^FINE cells."""

    density: Density
    basis: WaveletBasis
    truth: dict
    """As `ldp_lib.nature.densities.cascade`, up to level FINEST."""
    bias: np.ndarray
    """Squared bias on [0, 1] at J = 0, ...; within 6% at J = 10 for departures, closer elsewhere."""
    sampling: np.ndarray
    """n times the sampling part of the error there."""
    picture: np.ndarray
    """f averaged over the cells of the picture."""
    people: np.ndarray
    """Of the first n people, how many stand in each of 2^RECORDED cells; a row for each n."""


def law(shape, wavelet, N=0.0, s=0.0, p=0.0, *, level=None):
    """The `Law` called `shape`; N = n alpha^2, s and p count for the spikes only, `level` stands for N."""
    if shape != "spikes":
        return _law(shape, wavelet)
    j = level or density("spikes", n_alpha2=max(N, 3.0), s=s, p=p, wavelet=wavelet).j
    return _spike(wavelet, j, s, p)


@lru_cache(maxsize=64)
def _law(shape, wavelet):
    return _tables(density(shape), wavelet, _masses(shape), _crowd(shape))


@lru_cache(maxsize=16)
def _spike(wavelet, j, s, p):
    """A spike moves people of the plateau from one part of its support to another; all others stay."""
    f = density("spikes", s=s, p=p, wavelet=wavelet, amplitude=SPIKE, level=j)
    masses, people = _masses("plateau").copy(), _crowd("plateau").copy()
    first, last = (f.k << RECORDED) >> j, -(-((f.k + f.basis.overlap) << RECORDED) >> j)
    within, fine = slice(first, last), slice(first << (FINE - RECORDED), last << (FINE - RECORDED))
    masses[fine] = np.diff(f.cdf(np.arange(fine.start, fine.stop + 1) * 2.0**-FINE))
    shares = masses[fine].reshape(-1, 2 ** (FINE - RECORDED)).sum(axis=1)
    joined = np.diff(people[:, within].sum(axis=1), prepend=0)
    moved = np.random.default_rng([SEED, j]).multinomial(joined, shares / shares.sum())
    people[:, within] = moved.cumsum(axis=0)
    return _tables(f, wavelet, masses, people)


def _tables(f, wavelet, masses, people):
    basis = wavelet_basis(wavelet)
    truth = cascade(masses, basis)
    energies = energies_of(masses, truth, f.l2_norm_squared, basis)
    shown = {kind: levels[:FINEST + 1] for kind, levels in truth.items()}
    return Law(f, basis, shown, *energies, masses.reshape(2**DRAWN, -1).sum(axis=1) * 2**DRAWN, people)


@lru_cache(maxsize=16)
def _masses(shape):
    return density(shape).masses(FINE)


@lru_cache(maxsize=16)
def _crowd(shape):
    """Counts, a row for each position of n, (m, 2^RECORDED)."""
    masses = _masses(shape).reshape(2**RECORDED, -1).sum(axis=1)
    return np.random.default_rng(SEED).multinomial(JOINED, masses / masses.sum()).cumsum(axis=0)


@lru_cache(maxsize=32)
def _noise(kind, j):
    """Noise of scale 1 in the sums of the first n people, (m, K): a column for each coefficient."""
    rng = np.random.default_rng([SEED, kind == "phi", j])
    # Long enough for the longest wavelet; shorter ones use the first columns.
    columns = 2**j + max(wavelet_basis(name).overlap for name in WAVELET.values) - 1
    up, down = rng.standard_gamma(JOINED[:, None], (2, len(JOINED), columns)).cumsum(axis=1)
    return up - down


@lru_cache(maxsize=32)
def coefficients(known, n):
    """Means of the coefficients of the first n people of a `Law`, without noise; as `cascade`."""
    return cascade(known.people[PEOPLE.values.index(n)] / n, known.basis)


def aggregate(mechanism, means, n, private):
    """The sums that the analyst gets from the first n people, a `WaveletAggregate` of `mechanism`."""
    totals = []
    for band, scale in zip(mechanism.bands, mechanism.scales_by_level * private, strict=True):
        noise = _noise(band.kind, band.j)[PEOPLE.values.index(n), :len(band.translates)]
        totals.append(n * means[band.kind][band.j] + scale * noise)
    return WaveletAggregate(n, np.concatenate(totals))


def fits(known, alpha, J, n):
    """Role -> estimator of a `Law` from its first n people: "linear", "threshold" and "open", not private."""
    wavelet, means = known.basis.name, coefficients(known, n)
    rules = {
        "linear": LinearWaveletDensity(alpha, wavelet, J, scales="scaling_only", noise="real"),
        "threshold": ThresholdWaveletDensity(alpha, wavelet, J, first_level=0, noise="real",
                                             sup_bound=known.density.sup_norm),
        "open": LinearWaveletDensity(None, wavelet, J, scales="scaling_only"),
    }
    return {role: rule.fit_aggregate(aggregate(rule.mechanism(n), means, n, role != "open"))
            for role, rule in rules.items()}


def error(known, rule):
    """||fhat - f||_2^2 / ||f||_2^2 of what is drawn."""
    J = rule.mechanism_.levels
    square = squared_error(known.truth["phi"][J], rule.fathers_, known.bias[J], known.basis)
    return float(square / known.density.l2_norm_squared)


class Risks(NamedTuple):
    """Exact E ||fhat - f||_2^2 / ||f||_2^2 of the linear estimator at every J of `LEVELS`, in parts."""

    bias: np.ndarray
    sampling: np.ndarray
    noise: np.ndarray

    @property
    def total(self):
        """Their sum."""
        return self.bias + self.sampling + self.noise

    @property
    def best(self):
        """Index of the J with the least risk."""
        return int(self.total.argmin())


def exact_risks(known, alpha, n):
    """The `Risks` for n people of a `Law`."""
    noise = [2**J * WaveletLaplace(alpha, known.basis.name, J, "scaling_only",
                                   noise="real").variance_by_level[0] / n for J in LEVELS]
    at = slice(LEVELS[0], LEVELS[-1] + 1)
    parts = known.bias[at], known.sampling[at] / n, np.array(noise)
    return Risks(*(part / known.density.l2_norm_squared for part in parts))


class Exponents(NamedTuple):
    """The exponents e of ||fhat - f||_r ~ N^-e: without privacy, with it, and with noise on X itself."""

    curves: tuple
    """At `INVERSE`, three arrays."""
    here: tuple
    """At your p."""
    elbows: tuple
    """The 1/p at which each bends; above 1 it bends nowhere."""
    regime: str


def exponents(s, p, r):
    """The `Exponents`."""
    def at(p):
        rates = (density_exponent(s, p, r, private=False), density_exponent(s, p, r),
                 noisy_data_exponent(s, p, r))
        return tuple(rate.exponent / r for rate in rates)

    elbows = tuple(1 / elbow(s, r, DEGREES[noise]) for noise in ("none", "reports", "data"))
    return Exponents(at(NORMS), at(p), elbows, density_exponent(s, p, r).regime)


def details(parts):
    """Level, place in [0, 1] and size of the details in `parts`, one array a level: three arrays."""
    level = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    place = np.concatenate([(np.arange(len(part)) + 0.5) / len(part) for part in parts])
    return level, place, np.abs(np.concatenate(parts))


@view(ALPHA, SMOOTHNESS, CLASS_NORM, ERROR_NORM, RESOLUTION, PEOPLE, WAVELET, DENSITY)
def everything(alpha, s, p, r, J, n, wavelet, density):
    """Side by side, so that all are tall: estimates, exponents, coefficients by level, risk by level."""
    known = law(density, wavelet, n * alpha**2, s, p)
    rules, risk, rates = fits(known, alpha, J, n), exact_risks(known, alpha, n), exponents(s, p, r)
    errors, at = {role: error(known, rule) for role, rule in rules.items()}, LEVELS.index(J)
    threshold = rules["threshold"]
    seen = details([threshold.coefficients_[band.columns] for band in threshold.mechanism_.bands[1:]])
    kept = f"{np.count_nonzero(seen[2])} of {len(seen[2])}"
    chosen, printed = linear_level(n, alpha, s - max(1 / p - 1 / r, 0.0)), linear_level(n, alpha, s)
    parts = {"bias": risk.bias[at], "sampling": risk.sampling[at], "privacy noise": risk.noise[at]}
    usual, private, data = rates.here
    says = (f"With {short(n)} people, α = {alpha:.3g} and J = {J} on {density}, the linear risk is "
            f"{risk.total[at]:.2g} of ||f||², ruled by {max(parts, key=parts.get)}; of J = 1 to "
            f"{LEVELS[-1]}, {LEVELS[risk.best]} would be best. The threshold keeps {kept} details, and on "
            f"this draw the {min(('linear', 'threshold'), key=errors.get)} estimate is the better one. At "
            f"p = {p:g} the regime is {rates.regime}: exponent {private:.3f} with privacy, {usual:.3f} "
            "without.")
    bent = (f"{1 / bend:.3g}" if bend <= 1 else "none" for bend in rates.elbows[1::-1])
    return Shown(
        (estimates(known, rules), bends(rates, p), levels(known, threshold, seen, n),
         risks(risk, J, chosen)), says,
        [("linear risk / ‖f‖²", short(risk.total[at])), ("best J", f"{LEVELS[risk.best]}"),
         ("J of (4.2)", f"{chosen}" + f" (printed: {printed})" * (printed != chosen)),
         ("this draw: linear", short(errors["linear"])), ("threshold", short(errors["threshold"])),
         ("no privacy", short(errors["open"])), ("details kept", kept),
         ("exponent", f"{private:.3f}, open {usual:.3f}, noise on X {data:.3f}"),
         ("regime", rates.regime), ("elbows at p =", " and ".join(bent))])


def curve(basis, J, fathers):
    """The function in V_J with these coefficients of `fathers`, averaged over the picture's cells."""
    return on_grid(fathers, 2.0 ** (J / 2) * basis.means("phi", DRAWN - J)[:, ::-1].T).ravel()


def estimates(known, rules, title="estimates / max f"):
    """The `Axes` of the density and three estimates of it, over the density's maximum."""
    top, J = known.picture.max(), rules["open"].mechanism_.levels
    shown = {role: curve(known.basis, J, rule.fathers_) / top for role, rule in rules.items()}
    marks = (
        rule("zero", "truth", y=0, width=0.8),
        line("linear", CENTRES, shown["linear"], "private", label="linear", width=1.5),
        line("open", CENTRES, shown["open"], "open", label="no privacy", width=1.5),
        line("density", CENTRES, known.picture / top, "truth", label="density", width=1.5),
        line("threshold", CENTRES, shown["threshold"], "bound", label="threshold", width=2.5, dash=()),
    )
    return Axes("estimates", linear(0, 1, 0.25), linear(-0.45, 1.45, 0.5), title, "x", "", marks)


def bends(rates, p):
    """The `Axes` of three `Exponents` against 1/p: their elbows, and where your p is."""
    marks = [rule("p", "reference", x=1 / p, dash=(), handle=handle("p", power=-1)),
             *curves(EXPONENTS, {role: (INVERSE, curve) for role, curve in zip(EXPONENTS, rates.curves)})]
    for role, curve, bend, at in zip(EXPONENTS, rates.curves, rates.elbows, rates.here, strict=True):
        # Left of its elbow a curve is flat; an elbow beyond 1/p = 1 is outside the class of densities.
        marks += [dots(f"{role} elbow", [bend] if bend <= 1 else [], curve[:1] if bend <= 1 else [], role,
                       size=9, marker="diamond", ring=True),
                  dots(f"{role} here", [1 / p], [at], role, size=11, marker="circle")]
    return Axes("exponents", linear(-0.02, 1.03, 0.25), linear(0, 0.5, 0.1), "exponent; ◇ elbow",
                "1/p (right: spikier)", "", tuple(marks))


def levels(known, threshold, seen, n):
    """The `Axes` of true details by level, the noise on them, the thresholds, and what was kept.

    threshold, seen : the fitted estimator, and its `details`. Beyond J nothing is published.
    """
    mechanism, J = threshold.mechanism_, threshold.mechanism_.levels
    noise = np.sqrt(threshold.noise_variance(mechanism, n)[1:])
    # The details of level j account for what V_{j+1} varies more than V_j: root mean square over k.
    sampling = np.sqrt(np.maximum(np.diff(known.sampling[:J + 1]) / 2.0 ** np.arange(J) / n, 0.0))
    marks = (
        dots("true", *_spread(*details(known.truth["psi"][:FINEST])), "truth", label="true", size=3,
             marker="circle"),
        line("sampling", *_segments(sampling), "open", label="sampling", dash=()),
        dots("kept", *_spread(*seen), "bound", label="kept", size=9),
        line("noise", *_segments(noise), "private", label="privacy noise", width=3),
        line("threshold", *_segments(threshold.thresholds(mechanism, n)[1:]), "bound", label="threshold",
             dash=()),
    )
    return Axes("levels", linear(-0.6, 9.6, ticks=range(10)), log(*SIZES, every=2),
                "|details|: signal, noise", "level j; within a level, x", "", marks, wide=1.2)


def _spread(level, place, size):
    """`details` on an axis on which every level has a width of 0.8; what is below the axis is left out."""
    seen = size >= SIZES[0]
    return level[seen] + 0.8 * (place[seen] - 0.5), size[seen]


def _segments(values):
    """A horizontal line for each level, in one path broken by NaN."""
    level = np.arange(len(values))
    return broken(np.stack([level - 0.42, level + 0.42], axis=1)), np.repeat(values, 3)


def risks(risk, J, chosen):
    """The `Axes` of `Risks` against J, and the J that the theorem has `chosen`."""
    best = risk.best
    marks = (
        bars("useless", [0.6], [10.4], [1], RISKS[1:], "nothing"),
        line("chosen", [chosen] * 2, [RISKS[0], 1], "bound", label="J of (4.2)", width=1.5),
        line("bias", LEVELS, risk.bias, "other", label="bias²"),
        line("sampling", LEVELS, risk.sampling, "open", label="sampling"),
        line("noise", LEVELS, risk.noise, "noise", label="noise", dash=(4, 1.5)),
        line("total", LEVELS, risk.total, "private", label="risk", width=3),
        dots("best", LEVELS[best:best + 1], [3 * risk.total[best]], "truth", label="best J", size=11,
             marker="down"),
        here(J, risk.total[LEVELS.index(J)], "private", moves="J", label="your J"),
        text("words", 0.7, RISKS[1], "worse than saying 0", dy=12),
    )
    return Axes("risk", linear(0.6, 10.4, ticks=LEVELS), log(*RISKS, every=2), "exact linear risk / ‖f‖²",
                "J", "", marks, wide=1.1)


def glance(people, J=RESOLUTION.default):
    """Return a figure of the estimates of the claw at each n of `people`."""
    known = law("claw", WAVELET.default)
    rules = [fits(known, ALPHA.default, J, n) for n in people]
    said = [" against ".join(f"{error(known, each[role]):.2g}" for role in ("linear", "threshold"))
            for each in rules]
    return row([estimates(known, each, f"n = {short(n)}") for each, n in zip(rules, people)],
               f"Private estimates of the density claw at n = {', '.join(map(short, people))}: squared error "
               f"over ||f||² of the linear against the threshold estimate {'; '.join(said)}.")
