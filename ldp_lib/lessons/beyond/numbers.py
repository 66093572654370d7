"""Private rules compared: people that they need on many laws, and how often they are right on the survey."""

from functools import lru_cache, partial

from ldp_lib.estimation import AdaptiveClassifier, CellClassifier, CubeClassifier, OneBitClassifier
from ldp_lib.lessons.computed import Table
from ldp_lib.nature import problem
from ldp_lib.risk import cell_grid, excess_risk, people_needed, simulate_excess_risk

LAWS = {
    "sine": ("sine", {}), "wave": ("wave", {}), "arches": ("arches", {}),
    "arches, shifted": ("arches", {"shift": 0.37}), "jump": ("threshold", {}),
    "checkerboard": ("checkerboard", {"d": 1}), "rough": ("holder", {}), "survey: age": ("cps", {}),
    "sine, d = 2": ("sine", {"d": 2}), "arches, d = 2": ("arches", {"d": 2}),
    "survey, d = 2": ("cps", {"features": ("age", "education")}),
}
"""Laws of the gallery: name -> its problem."""
GALLERY_WIDTHS = tuple(4 / k for k in range(8, 241))
"""1/2 to 1/60. A law whose borders lie on few grids may need a narrow one: the checkerboard has 4/104."""


def fewest(law, alpha, goal):
    """The fewest people of the paper's report and of one bit for an excess risk, at the best of
    `GALLERY_WIDTHS`; exact.
    """
    kind, params = LAWS[law]
    return [f"{people_needed([rule(alpha, h) for h in GALLERY_WIDTHS], problem(kind, **params), goal)}"
            for rule in (partial(CubeClassifier, noise="real"), OneBitClassifier)]


GALLERY = Table("beyond_gallery", fewest,
                {"law": tuple(LAWS), "alpha": (1.0, 8.0), "goal": (0.05, 0.02)}, {"paper": int, "bit": int})


def gallery_range():
    """The least and the most of people by the paper's report / people by one bit at alpha = 1, in words.

    Two digits, no more: with three times as many bandwidths the least is 9.5, and not 10.4.

    >>> gallery_range()
    'from about 10 to 2,700'
    """
    factors = [paper / bit for (_, alpha, _), (paper, bit) in GALLERY.items() if alpha == 1]
    least, most = (float(f"{end:.2g}") for end in (min(factors), max(factors)))
    return f"from about {least:,.0f} to {most:,.0f}"


@lru_cache(maxsize=1)
def survey():
    """The law of the survey of age and schooling, all its people, and the cells of the rule that learns h."""
    law = problem("cps", features=("age", "education"))
    people = law.people(rng=0)
    return law, people, cell_grid(AdaptiveClassifier(1.0), law, len(people[1]))


def how_often_right(alpha):
    """How often rules are right on the survey of age and schooling, 215,574 people; 3 decimals, 3 digits.

    The paper's and the best report on cells, each at the best of h = 1/2, ..., 1/17, chosen by looking at the
    truth (exact); and the rule that learns h, the mean of 12 simulations (seed 1) and its standard error.
    """
    law, people, _ = survey()
    n, best = len(people[1]), 1 - law.bayes_risk
    known = [best - min(excess_risk(rule(alpha, 1 / m), law, n) for m in range(2, 18))
             for rule in (partial(CubeClassifier, noise="real"), partial(CellClassifier, mechanism="best"))]
    learnt = simulate_excess_risk(AdaptiveClassifier(alpha), law, n, 12, rng=1)
    return [*(f"{share:.3f}" for share in (*known, best - learnt.mean)), f"{learnt.standard_error:#.3g}"]


RIGHT = Table("beyond_survey", how_often_right, {"alpha": (0.5, 1.0, 2.0, 8.0)},
              dict.fromkeys(("paper", "cells", "learnt", "standard error"), float))
