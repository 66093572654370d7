"""The panel of notebook 05: private wavelet density estimation and its twofold elbow.

Butucea, Dubois, Kroll & Saumard (2020), Corollaries 2.1 and 4.1, display (5.1). The linear estimator uses
the mechanism that publishes the fathers of level J alone; the threshold estimator uses mechanism (3.2) with
the same J, and thresholds every detail.
"""

from typing import NamedTuple

import numpy as np

from ldp_lib.estimation.densities import on_grid
from ldp_lib.lessons.elbow.numbers import (
    COUNTS, DRAWN, FINEST, LEVELS, WAVELETS, error, exact_risks, fits, law,
)
from ldp_lib.lessons.pictures import broken, curves, here, row
from ldp_lib.stage import Control, Shown, log_steps, view
from ldp_lib.stage.picture import Axes, bars, dots, handle, line, linear, log, rule, short, text
from ldp_lib.theory import density_exponent, linear_level, noisy_data_exponent
from ldp_lib.theory.rates import DEGREES, elbow


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
PEOPLE = Control("n", "people", "n", COUNTS, 10**6, short, "people in all")
WAVELET = Control("wavelet", "wavelet", "", WAVELETS, "db4",
                  help="longer ones are smoother, and overlap more")
DENSITY = Control("density", "density", "",
                  ("claw", "smooth", "kink", "jumps", "blocks", "bumps", "heavisine", "doppler", "departures",
                   "spikes"), "claw", help="the law of the people; spikes follow s, p and n α²")

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
    """The `Axes` of the density and three estimates of it, over the density's maximum.

    Each as its means over two cells: one of four plots has not more pixels.
    """
    def means(heights):
        return heights.reshape(-1, 2).mean(axis=1) / known.picture.max()

    x, J = CENTRES.reshape(-1, 2).mean(axis=1), rules["open"].mechanism_.levels
    shown = {role: means(curve(known.basis, J, rule.fathers_)) for role, rule in rules.items()}
    marks = (
        rule("zero", "truth", y=0, width=0.8),
        line("linear", x, shown["linear"], "private", label="linear", width=1.5),
        line("open", x, shown["open"], "open", label="no privacy", width=1.5),
        line("density", x, means(known.picture), "truth", label="density", width=1.5),
        line("threshold", x, shown["threshold"], "bound", label="threshold", width=2.5, dash=()),
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
    return Axes("exponents", linear(-0.02, 1.03, 0.25), linear(0, 0.5, 0.1),
                "exponent, divided by r; ◇ elbow", "1/p (right: spikier)", "", tuple(marks))


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
