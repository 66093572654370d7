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
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.picture import (
    Axes, Picture, bars, dots, handle, line, linear, log, rule, short, text,
)
from ldp_lib.stage.widget import LivePanel, Positioned
from ldp_lib.theory import density_elbows, density_exponent, linear_level, noisy_data_exponent
from ldp_lib.wavelets import WaveletBasis, wavelet_basis

PEOPLE = log_steps(10**4, 5 * 10**10, 4)
"""Positions of n."""
JOINED = np.diff(PEOPLE, prepend=0)
"""How many join at each of them."""
SHAPES = ("claw", "smooth", "kink", "jumps", "blocks", "bumps", "heavisine", "doppler", "departures",
          "spikes")
"""Densities of the panel; the spikes are those of the lower bound, and follow the sliders."""
WAVELETS = ("haar", "db2", "db4", "sym8", "coif1")
FINE, RECORDED, DRAWN, FINEST = 15, 12, 10, 10
"""Levels of the cells in which a law is known, in which people are recorded, and which the picture shows; the
largest J."""
SPIKE = 16.0
"""Amplitude of the spikes, where it can be: easy to see."""
SEED = 5
LEVELS = tuple(range(1, FINEST + 1))
"""Positions of J."""
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
    """Of the first n people, how many stand in each of 2^RECORDED cells; a row for each of PEOPLE."""


def law(shape, wavelet, N, s, p, *, level=None):
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
    """(len(PEOPLE), 2^RECORDED) counts."""
    masses = _masses(shape).reshape(2**RECORDED, -1).sum(axis=1)
    return np.random.default_rng(SEED).multinomial(JOINED, masses / masses.sum()).cumsum(axis=0)


@lru_cache(maxsize=32)
def _noise(kind, j):
    """Noise of scale 1 in the sums of the first n people, (len(PEOPLE), K): a column for each coefficient."""
    rng = np.random.default_rng([SEED, kind == "phi", j])
    # Long enough for the longest wavelet; shorter ones use the first columns.
    columns = 2**j + max(wavelet_basis(name).overlap for name in WAVELETS) - 1
    up, down = rng.standard_gamma(JOINED[:, None], (2, len(JOINED), columns)).cumsum(axis=1)
    return up - down


@lru_cache(maxsize=32)
def coefficients(law_, n):
    """Means of the coefficients of the first n people, without noise; as `cascade`."""
    return cascade(law_.people[PEOPLE.index(n)] / n, law_.basis)


def aggregate(mechanism, means, n, private):
    """The sums that the analyst gets from the first n people, a `WaveletAggregate` of `mechanism`."""
    totals = []
    for band, scale in zip(mechanism.bands, mechanism.scales_by_level * private, strict=True):
        noise = _noise(band.kind, band.j)[PEOPLE.index(n), :len(band.translates)]
        totals.append(n * means[band.kind][band.j] + scale * noise)
    return WaveletAggregate(n, np.concatenate(totals))


class Levels(NamedTuple):
    """Sizes by level: details j = 0, ..., 9 of the truth, j < J of the threshold estimator; arrays."""

    signal: tuple
    """(level, place in [0, 1] and |coefficient|) of all true details: three arrays."""
    details: int
    """How many noisy details there are."""
    kept: tuple
    """Of those that were kept: level, place and size."""
    noise: np.ndarray
    """Standard deviation that privacy adds to a detail, (J,)."""
    sampling: np.ndarray
    """Standard deviation of a detail because people are a sample, root mean square over k, (J,)."""
    threshold: np.ndarray
    """(J,)."""


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


class Exponents(NamedTuple):
    """The exponents e of ||fhat - f||_r ~ N^-e: without privacy, with it, and with noise on X itself."""

    curves: tuple
    """At `INVERSE`, three arrays."""
    here: tuple
    """At your p."""
    elbows: tuple
    """The 1/p at which each bends; above 1 it bends nowhere."""
    regime: str


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls."""

    law: Law
    estimates: dict
    """Role -> values over max f in 2^10 cells of [0, 1]: "linear", "threshold", "open"."""
    errors: dict
    """Role -> ||fhat - f||_2^2 / ||f||_2^2 of what is drawn."""
    levels: Levels
    risks: Risks
    exponents: Exponents
    chosen: tuple
    """J of (4.2) with s* and as printed, with s."""


def _exponents(s, p, r):
    """The `Exponents`."""
    elbows = density_elbows(s, r)
    # The third line bends at p = v r / (2 s + v), v = 5.
    return Exponents(_trio(s, NORMS, r), _trio(s, p, r),
                     (1 / elbows.nonprivate, 1 / elbows.private, (2 * s + 5) / (5 * r)),
                     density_exponent(s, p, r).regime)


def _trio(s, p, r):
    """The exponents of the error at p, a number or an array, in the order of `Exponents`."""
    rates = density_exponent(s, p, r, private=False), density_exponent(s, p, r), noisy_data_exponent(s, p, r)
    return tuple(rate.exponent / r for rate in rates)


def _fit(estimator, law_, means, n):
    """Fit the `estimator`; its picture over max f, and its error over ||f||^2."""
    mechanism, J = estimator.mechanism(n), estimator.mechanism(n).levels
    fathers = estimator.fit_aggregate(aggregate(mechanism, means, n, estimator.alpha is not None)).fathers_
    # The fathers of level J, averaged over the picture's cells in one of theirs.
    table = 2.0 ** (J / 2) * law_.basis.means("phi", DRAWN - J)[:, ::-1].T
    error = squared_error(law_.truth["phi"][J], fathers, law_.bias[J], law_.basis)
    return on_grid(fathers, table).ravel() / law_.picture.max(), float(error / law_.density.l2_norm_squared)


def _places(parts):
    """Level, place and size of the details in `parts`, one array a level."""
    level = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    place = np.concatenate([(np.arange(len(part)) + 0.5) / len(part) for part in parts])
    return level, place, np.abs(np.concatenate(parts))


def _levels(rule, law_, n):
    """The `Levels` of a fitted threshold estimator."""
    mechanism, J = rule.mechanism_, rule.mechanism_.levels
    kept = _places([rule.coefficients_[band.columns] for band in mechanism.bands[1:]])
    some = kept[2] > 0
    # The details of level j account for what V_{j+1} varies more than V_j.
    sampling = np.diff(law_.sampling[:J + 1]) / 2.0 ** np.arange(J) / n
    return Levels(_places(law_.truth["psi"][:LEVELS[-1]]), len(some), tuple(part[some] for part in kept),
                  np.sqrt(rule.noise_variance(mechanism, n)[1:]), np.sqrt(np.maximum(sampling, 0.0)),
                  rule.thresholds(mechanism, n)[1:])


def _risks(alpha, wavelet, law_, n):
    """The `Risks`."""
    noise = [2**J * WaveletLaplace(alpha, wavelet, J, "scaling_only", noise="real").variance_by_level[0] / n
             for J in LEVELS]
    at = slice(LEVELS[0], LEVELS[-1] + 1)
    parts = law_.bias[at], law_.sampling[at] / n, np.array(noise)
    return Risks(*(part / law_.density.l2_norm_squared for part in parts))


class Elbow(LivePanel):
    """Move alpha, the class, J, n, wavelet and density; watch spikes hide where the noise is loudest."""

    title = "Private wavelet density estimation, and where its rate bends"
    name = "elbow"
    size = (10.6, 4.6)
    controls = (
        Control("alpha", "privacy", "α", log_steps(0.125, 8.0, 8), 1.0, "{:.3g}",
                "budget of every person, in nats"),
        Control("s", "smoothness", "s", (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0), 1.5, "{:g}",
                "of the class; above 1, so that s > 1/p for every p"),
        Control("p", "class norm", "p",
                (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0), 2.0, "{:g}",
                "small p: spiky densities are in the class"),
        Control("r", "error norm", "r", (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0), 6.0, "{:g}",
                "the loss is E ||f̂ - f||_r^r"),
        Control("J", "resolution", "2⁻ᴶ", LEVELS, 6, lambda J: f"1/{2**J}",
                "the h of this world; J levels of details"),
        Control("n", "people", "n", PEOPLE, 10**6, short, "people in all"),
        Control("wavelet", "wavelet", "", WAVELETS, "db4", help="longer ones are smoother, and overlap more"),
        Control("density", "density", "", SHAPES, "claw",
                help="the law of the people; spikes follow s, p and n α²"),
    )

    @staticmethod
    def compute(alpha: float, s: float, p: float, r: float, J: int, n: int, wavelet: str,
                density: str) -> Result:
        """A `Result`: three fits with common random numbers, exact risks and exponents."""
        law_ = law(density, wavelet, n * alpha**2, s, p)
        means = coefficients(law_, n)
        rules = {
            "linear": LinearWaveletDensity(alpha, wavelet, J, scales="scaling_only", noise="real"),
            "threshold": ThresholdWaveletDensity(alpha, wavelet, J, first_level=0, noise="real",
                                                 sup_bound=law_.density.sup_norm),
            "open": LinearWaveletDensity(None, wavelet, J, scales="scaling_only"),
        }
        fits = {role: _fit(rule, law_, means, n) for role, rule in rules.items()}
        estimates, errors = ({role: fit[part] for role, fit in fits.items()} for part in (0, 1))
        star = s - max(1 / p - 1 / r, 0.0)
        return Result(law_, estimates, errors, _levels(rules["threshold"], law_, n),
                      _risks(alpha, wavelet, law_, n), _exponents(s, p, r),
                      (linear_level(n, alpha, star), linear_level(n, alpha, s)))

    @staticmethod
    def draw(result: Positioned) -> Picture:
        """Side by side, so that all are tall: estimates, exponents, coefficients by level, risk by level."""
        return Picture(((estimates(result),), (bends(result),), (levels(result),), (risks(result),)))

    def conclude(self, result: Positioned) -> str:
        """Who wins on this draw, what rules the risk, and where p stands among the elbows."""
        risks, at = result.risks, LEVELS.index(result.J)
        parts = {"bias": risks.bias[at], "sampling": risks.sampling[at], "privacy noise": risks.noise[at]}
        private, usual = result.exponents.here[1], result.exponents.here[0]
        better = min(("linear", "threshold"), key=result.errors.get)
        return (f"With {short(result.n)} people, α = {result.alpha:.3g} and J = {result.J} on "
                f"{result.density}, the linear risk is {risks.total[at]:.2g} of ||f||², ruled by "
                f"{max(parts, key=parts.get)}; of J = 1 to {LEVELS[-1]}, {LEVELS[risks.best]} would be best. "
                f"The threshold keeps {len(result.levels.kept[0])} of {result.levels.details} details, and "
                f"on this draw the {better} estimate is the better one. At p = {result.p:g} the regime is "
                f"{result.exponents.regime}: exponent {private:.3f} with privacy, {usual:.3f} without.")

    def summarise(self, result: Positioned) -> list[tuple[str, str]]:
        """Risk, errors of the draw, coefficients kept, levels, exponents and elbows."""
        risks, at = result.risks, LEVELS.index(result.J)
        chosen, printed = result.chosen
        slip = f" (printed: {printed})" if printed != chosen else ""
        usual, private, data = result.exponents.here
        bends = (f"{1 / bend:.3g}" if bend <= 1 else "none" for bend in result.exponents.elbows[1::-1])
        return [
            ("linear risk / ‖f‖²", short(risks.total[at])), ("best J", f"{LEVELS[risks.best]}"),
            ("J of (4.2)", f"{chosen}{slip}"),
            ("this draw: linear", short(result.errors["linear"])),
            ("threshold", short(result.errors["threshold"])),
            ("no privacy", short(result.errors["open"])),
            ("details kept", f"{len(result.levels.kept[0])} of {result.levels.details}"),
            ("exponent", f"{private:.3f}, open {usual:.3f}, noise on X {data:.3f}"),
            ("regime", result.exponents.regime), ("elbows at p =", " and ".join(bends)),
        ]


def estimates(result, title="estimates / max f"):
    """The `Axes` of the density and three estimates of it, over the density's maximum."""
    shown, f = result.estimates, result.law.picture
    marks = (
        rule("zero", "truth", y=0, width=0.8),
        line("linear", CENTRES, shown["linear"], "private", label="linear", width=1.5),
        line("open", CENTRES, shown["open"], "open", label="no privacy", width=1.5),
        line("density", CENTRES, f / f.max(), "truth", label="density", width=1.5),
        line("threshold", CENTRES, shown["threshold"], "bound", label="threshold", width=2.5, dash=()),
    )
    return Axes("estimates", linear(0, 1, 0.25), linear(-0.45, 1.45, 0.5), title, "x", "", marks)


def bends(result):
    """The `Axes` of the three exponents against 1/p: their elbows, and where your p is."""
    found, x = result.exponents, 1 / result.p
    marks = [rule("p", "reference", x=x, dash=(), handle=handle("p", power=-1)),
             *curves(EXPONENTS, {role: (INVERSE, curve) for role, curve in zip(EXPONENTS, found.curves)})]
    for role, curve, bend, at in zip(EXPONENTS, found.curves, found.elbows, found.here, strict=True):
        # Left of its elbow a curve is flat; an elbow beyond 1/p = 1 is outside the class of densities.
        marks += [dots(f"{role} elbow", [bend] if bend <= 1 else [], curve[:1] if bend <= 1 else [], role,
                       size=9, marker="diamond", ring=True),
                  dots(f"{role} here", [x], [at], role, size=11, marker="circle")]
    return Axes("exponents", linear(-0.02, 1.03, 0.25), linear(0, 0.5, 0.1), "exponent; ◇ elbow",
                "1/p (right: spikier)", "", tuple(marks))


def levels(result):
    """The `Axes` of true details by level, the noise on them, the thresholds, and what was kept.

    Beyond J nothing is published.
    """
    found = result.levels
    marks = (
        dots("true", *_spread(found.signal), "truth", label="true", size=3, marker="circle"),
        line("sampling", *_segments(found.sampling), "open", label="sampling", dash=()),
        dots("kept", *_spread(found.kept), "bound", label="kept", size=9),
        line("noise", *_segments(found.noise), "private", label="privacy noise", width=3),
        line("threshold", *_segments(found.threshold), "bound", label="threshold", dash=()),
    )
    return Axes("levels", linear(-0.6, 9.6, ticks=range(10)), log(*SIZES, every=2),
                "|details|: signal, noise", "level j; within a level, x", "", marks, wide=1.2)


def _spread(sizes):
    """(level, place, size) as places on an axis on which every level has a width of 0.8; what is below the
    axis is left out."""
    level, place, size = (part[sizes[2] >= SIZES[0]] for part in sizes)
    return level + 0.8 * (place - 0.5), size


def _segments(values):
    """A horizontal line for each level, in one path broken by NaN."""
    level = np.arange(len(values))
    return broken(np.stack([level - 0.42, level + 0.42], axis=1)), np.repeat(values, 3)


def risks(result):
    """The `Axes` of the exact risk of the linear estimator against J, in its parts, and J of the theorem."""
    found, best = result.risks, result.risks.best
    marks = (
        bars("useless", [0.6], [10.4], [1], RISKS[1:], "nothing"),
        line("chosen", [result.chosen[0]] * 2, [RISKS[0], 1], "bound", label="J of (4.2)", width=1.5),
        line("bias", LEVELS, found.bias, "other", label="bias²"),
        line("sampling", LEVELS, found.sampling, "open", label="sampling"),
        line("noise", LEVELS, found.noise, "noise", label="noise", dash=(4, 1.5)),
        line("total", LEVELS, found.total, "private", label="risk", width=3),
        dots("best", LEVELS[best:best + 1], [3 * found.total[best]], "truth", label="best J", size=11,
             marker="down"),
        here(result.J, found.total[LEVELS.index(result.J)], "private", moves="J", label="your J"),
        text("words", 0.7, RISKS[1], "say 0 instead", dy=12),
    )
    return Axes("risk", linear(0.6, 10.4, ticks=LEVELS), log(*RISKS, every=2), "exact linear risk / ‖f‖²",
                "J", "", marks, wide=1.1)


def glance(people, **params):
    """Return a figure of the estimates at each n of `people`; `params` as in the panel."""
    results = [Elbow.compute(n=n, **params) for n in people]
    said = [" against ".join(f"{result.errors[role]:.2g}" for role in ("linear", "threshold"))
            for result in results]
    sizes = ", ".join(map(short, people))
    return row([estimates(result, f"n = {short(result.n)}") for result in results],
               f"Private estimates of the density {results[-1].density} at n = {sizes}: squared error over "
               f"||f||² of the linear against the threshold estimate {'; '.join(said)}.")
