"""The panel of notebook 03: the rate as the best compromise of one slider.

Berrett & Butucea (2019), Theorem 2.4.
"""

import math
from functools import lru_cache

import numpy as np

from ldp_lib.lessons.upper_rate.numbers import MULTIPLES, COUNTS, between, exponents, rates, sweep
from ldp_lib.lessons.pictures import curves, here, row
from ldp_lib.stage import Control, Shown, powers_of_two, view
from ldp_lib.stage.picture import Axes, bars, dots, handle, line, log, power_of_ten, rule, short
from ldp_lib.theory import theorem_bandwidth


PEOPLE_AXIS, VALUES = (700.0, 4e12), (1e-11, 1e3)
"""Ends of the right axes; what is larger than 1 bounds nothing."""
CURVES = {
    "printed": ("printed bound", "bound", {"dash": (1, 1.2)}),
    "sharp": ("sharper bound", "bound", {}),
    "worst": ("exact, worst width", "private", {"width": 3.5}),
    "tuned": ("exact, tuned hypercube", "private", {"width": 1.5}),
    "lower": ("lower bound", "other", {}),
}
"""Field of `numbers.Rates` -> its name for readers, role and look, from the top of the picture down."""
START, BELOW = 1e7, 100.0
"""Reference lines begin at this n, by this factor below the line of the tuned hypercube."""

ALPHA = Control("alpha", "privacy", "α", powers_of_two(-9, 9, 3), 1.0, "{:.3g}",
                "budget of every person, in nats")
MULTIPLE = Control("h", "bandwidth", "h", MULTIPLES, 1.0, "{:.3g}×",
                   "times the theorem's, (n α² / 2)^(-1/(2β+2d))")
BETA = Control("beta", "smoothness", "β", (0.25, 0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η")
GAMMA = Control("gamma", "margin", "γ", (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0), 1.0, "{:g}",
                "few people near η = 1/2; at most d/β is used")
FEATURES = Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features")
PEOPLE = Control("n", "people", "n", sorted({*COUNTS, *(m * 10**6 for m in (4, 8, 16, 64))}), 10**8, short,
                "people in all")


@view(ALPHA, MULTIPLE, BETA, GAMMA, FEATURES, PEOPLE)
def everything(alpha, h, beta, gamma, d, n):
    """Left: one n, all bandwidths. Right: all n, the theorem's bandwidth."""
    used = min(gamma, d / beta)  # the theorem ends at d / beta
    width = h * theorem_bandwidth(n, alpha, beta, d)
    sides, found = sweep(n, alpha, beta, used, d), rates(alpha, beta, used, d)
    private, usual = exponents(beta, used, d)
    risk, cost, least = sides.risk(h), "none fits", "none fits"
    says = f"h = {width:.3g} is wider than the hypercube: no exact risk here."
    if sides.multiple.size:
        best = f"{sides.multiple[sides.best]:.3g}"
        least = f"{short(sides.worst.min())} at {best}×"
    if not math.isnan(risk):
        cost, side = short(risk), "bias" if sides.bias[sides.multiple == h] == risk else "noise"
        says = (f"With {short(n)} people and α = {alpha:.3g}, {h:.3g} times the theorem's bandwidth has an "
                f"exact excess risk of {cost} on the worst hypercube of one height, ruled by {side}; of the "
                f"slider {best} times would be best.")
    lower, sharp, printed = (between(n, *curve) for curve in (found.lower, found.sharp, found.printed))
    return Shown(
        (compromise(sides, h), against_people(curves_of_class(alpha, beta, used, d), n, risk)),
        f"{says} The private rate is n^-{private:.3g}, without privacy n^-{usual:.3g}.",
        [("h", f"{width:.3g}"), ("exact risk, worst width", cost), ("least, over h", least),
         ("lower bound", short(float(f"{lower:.2g}"))), ("sharper bound", short(float(f"{sharp:.2g}"))),
         ("printed bound", f"{float(f'{printed:.2g}'):,.9g}"),
         ("γ used", f"{used:.3g}{' (the largest, d/β)' if gamma > used else ''}"),
         ("exponents", f"{private:.3f} and {usual:.3f}")])


def compromise(sides, h=None, title="exact excess risk at one n, all h"):
    """The `Axes` of a `Sweep`, which end where no hypercube fits; and of where the slider stands, if at h."""
    best = [sides.best] if len(sides.multiple) else []
    marks = (
        rule("theorem", "bound", x=1, width=1.5, label="theorem"),
        line("noise", sides.multiple, positive(sides.noise), "reference", dash=(4, 1.5),
             label="noise, for a law of wide bumps"),
        line("bias", sides.multiple, positive(sides.bias), "open", dash=(1, 1),
             label="blur, for a law of narrow bumps"),
        line("worst", sides.multiple, positive(sides.worst), "private", width=3.5,
             label="the larger of the two"),
        dots("best", sides.multiple[best], 1.6 * sides.worst[best], "truth", marker="down", size=10,
             label="best h"),
    )
    if h is not None:
        marks = (rule("mine", "private", x=h, width=1, handle=handle("h")), *marks,
                 here(h, sides.risk(h), "private", label="your h"))
    powers = log(2**-3.15, 2**3.15, ("1/8", "1/4", "1/2", "1", "2", "4", "8"),
                 ticks=[2.0**k for k in range(-3, 4)])
    return Axes("compromise", powers, log(1e-8, 1, every=2), title, "h, in multiples of the theorem's h", "",
                marks)


@lru_cache(maxsize=1024)
def curves_of_class(alpha, beta, gamma, d):
    """Marks of the `Rates`, and of the slopes with and without privacy."""
    found, (private, usual) = rates(alpha, beta, gamma, d), exponents(beta, gamma, d)
    risks = {name: (people, positive(values)) for name, (people, values) in found._asdict().items()}
    # The slopes start together, below the tuned hypercube.
    people, tuned = found.tuned
    ends = np.array([START, people[-1]])
    level = tuned[-1] * (people[-1] / START) ** private / BELOW
    return (*curves(CURVES, risks),
            line("slope", ends, level * (ends / START) ** -private, "reference", width=1.5,
                 label=f"slope −{private:.3f}, private"),
            line("slope open", ends, level * (ends / START) ** -usual, "open", width=1.5,
                 label=f"−{usual:.3f} without"))


def against_people(marks, n, risk):
    """The `Axes` of what `curves_of_class` made against n."""
    marks = (
        bars("empty", *PEOPLE_AXIS, 1, VALUES[1], "nothing", label="above 1: says nothing"),
        rule("mine", "private", x=n, width=1, handle=handle("n")), *marks,
        here(n, risk, "private", label="your n and h"),
    )
    return Axes("people", log(*PEOPLE_AXIS, every=3), log(*VALUES, every=3),
                "excess risk at all n, the theorem's h", "people n", "", marks, wide=1.25)


def positive(values):
    """`values` with gaps where they are 0, which has no place on a logarithmic axis."""
    return np.where(values > 0, values, np.nan)


def glance(people):
    """Return a figure of bias against noise at each n of `people`; alpha = beta = gamma = d = 1."""
    found = [sweep(n, 1.0, 1.0, 1.0, 1) for n in people]
    said = "; ".join(f"{sides.worst.min():.2g} at {sides.multiple[sides.best]:.2g} times the theorem's h"
                     for sides in found)
    columns = [compromise(sides, title=f"n = {power_of_ten(n)}") for n, sides in zip(people, found)]
    return row(columns, "Exact excess risk on the worst hypercube of one height against bandwidth at n = "
               f"{', '.join(f'{n:.0e}' for n in people)}: noise falls, bias rises, and the least risk is "
               f"{said}.")
