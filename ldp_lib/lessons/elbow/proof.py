"""The proofs of notebook 05, step by step: Propositions 3.1, 2.1 and 2.2 (Butucea et al., 2020), drawn."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.elbow import explore as panel
from ldp_lib.lessons.elbow import story
from ldp_lib.lessons.steps import Waste, decades, mathml, step_view, times, total
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.stage import Control, log_steps
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import Axes, bars, dots, line, linear, log, rule, short, text
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Scene
from ldp_lib.theory import DenseFamily, SparseFamily, ledger

PEOPLE = Control("n", "people", "n", log_steps(10**5, 10**9, 1), 10**7, short, "people in all")
BUDGET = Control("alpha", "privacy", "α", (0.25, 0.5, 1.0, 2.0), 1.0, "{:g}", "nats")
DEPTH = Control("J", "levels", "J", range(1, 7), 6, "{}", "levels of a report")
LOUDER = Control("louder", "height of the bump", "", (0.5, 0.71, 1.0, 1.41, 2.0, 4.0), 1.0, "{:g}",
                 "in units of the proof's")
CLASS = story.NORM, story.SMOOTH, story.CONTROL["r"]
PART = Control("part", "proposition", "", ("2.1, many bumps", "2.2, one spike"), "2.1, many bumps")
EXACT = (6.70285, 11.10623, 18.04136, 27.84912, 41.73362, 61.38992)
"""Scale of mechanism (3.1) for J = 1, ..., 6 by `calibration="exact"`, db2, alpha = 1; the search takes up
to a second, and a test recomputes some."""
NOISY = ("crude", "tight", "exact")


class Scales(NamedTuple):
    """Noise scales at alpha = 1: by the proof's constants, by S, exact; and of the fathers alone."""

    scales: np.ndarray
    fathers: float


@lru_cache(maxsize=8)
def scales(J):
    """The `Scales`."""
    found = [WaveletLaplace(1.0, "db2", J, "common", kind, noise="real").scale for kind in NOISY[:2]]
    fathers = WaveletLaplace(1.0, "db2", J, "scaling_only", noise="real").scale
    return Scales(np.array([*found, EXACT[J - 1]]), fathers)


def scale_wastes(result):
    """The `Waste` of two lines of Proposition 3.1, in people: noise squared."""
    crude, tight, exact = result.scales
    return Waste("sum of tops", (crude / tight) ** 2), Waste("worst pair", (tight / exact) ** 2)


def scale_numbers(result):
    """What the scale wastes: of the estimator, which has a count of its own beside the lower bounds'."""
    steps = scale_wastes(result)
    return [("times as many people", times(steps[1].factor)), ("the estimator, so far", times(total(steps)))]


def scale_axes(result):
    """The `Axes` of the four scales."""
    values = np.append(result.scales, result.fathers)
    rows = np.arange(4, 0, -1.0)
    marks = [bars("detail scales", np.zeros(3), values[:3], rows[:3] - 0.3, rows[:3] + 0.3, "bound",
                  label="all levels"),
             bars("fathers", [0], values[3:], rows[3:] - 0.3, rows[3:] + 0.3, "private",
                  label="coarse averages (fathers) only"),
             text("words", values, rows, [f"{value:.3g}" for value in values], dx=6)]
    return Axes("scales", linear(0, 1.25 * values.max(), 50 if values.max() > 60 else 10),
                linear(0.4, 4.6, ticks=rows[::-1],
                       words=("fathers", "worst pair", "tight sum", "the proof's")),
                "noise scale that hides one person among all", "", "", tuple(marks), grid=False)


def scale_said(result):
    """The scales in words."""
    crude, tight, exact = result.scales
    return (f"With J = {result.J} levels the proof's constants give {crude:.4g}, the sums of wavelets "
            f"{tight:.4g}, the exact worst pair {exact:.4g}; the fathers alone need {result.fathers:.4g}.")


class Parts(NamedTuple):
    """Variance of the mean coefficient of each level: people at most 1 over n, and noise."""

    people: np.ndarray
    noise: np.ndarray


def parts(n, alpha):
    """The `Parts` of levels 2, ..., 9, as in the panel."""
    levels = np.array(story.LEVEL.values)
    return Parts(np.full(len(levels), 4 / 3 / n), story.noise_of(levels, n) ** 2 / alpha**2)


def parts_axes(result):
    """The `Axes` of both, on a logarithmic scale."""
    levels = np.array(story.LEVEL.values)
    marks = (line("noise", levels, result.noise, "private", width=4, label="noise: 2σ²/n, doubles"),
             line("people", levels, result.people, "open", width=4,
                  label="people: at most B/n, B the density's top"))
    return Axes("parts", linear(1.7, 9.3, ticks=levels), log(1e-10, 1), "variance of one coefficient",
                "level j", "", marks)


def parts_said(result):
    """How much larger the noise is."""
    ratio = result.noise / result.people
    return (f"On level 2 the noise is {short(float(ratio[0]))} times as large as what people add, on level 9 "
            f"{short(float(ratio[-1]))} times.")


def parts_numbers(result):
    """The same, and what they add up to."""
    ratio = result.noise / result.people
    return [("noise / people, level 2", short(float(ratio[0]))), ("level 9", short(float(ratio[-1]))),
            ("variance, level 9", short(float(result.noise[-1] + result.people[-1])))]


class Family(NamedTuple):
    """A ledger with its family, and what one report tells, three ways."""

    book: Ledger
    family: object
    told: np.ndarray
    """Divergence of one report: of a bit, of the most telling mechanism, by the printed constant."""


@lru_cache(maxsize=256)
def family(n, alpha, part=PART.default):
    """The `Family` of a proposition with its own smoothness and norms."""
    name, kind = {"2.1": ("wavelet-2.1", DenseFamily), "2.2": ("wavelet-2.2", SparseFamily)}[part[:3]]
    book = ledger(name, n=n, alpha=alpha)
    of = {key: book.params[key] for key in ("s", "p", "r", "wavelet")}
    one, constant = book["one report"], book["constants"]
    return Family(book, kind(n, alpha, **of), np.array([one.left, one.right, constant.right]))


def chain(result):
    """The `Waste` of the lines that bound what reports tell, in people: divergence grows like n.

    "all reports" compares total variations, which grow like the root of n.
    """
    book = result.book
    return (Waste("any report", book["one report"].slack), Waste("the proof's", book["constants"].slack),
            Waste("n reports", book["all reports"].slack ** 2))


def many_axes(result):
    """The `Axes` of one member of the dense family."""
    one = result.family
    x = np.linspace(0, 1, 1025)
    signs = np.random.default_rng(4).choice([1.0, -1.0], one.m)
    marks = (line("plateau", x, one.base.pdf(x), "reference", width=2, dash=(4, 2), label="plateau"),
             line("member", x, one.pdf(x, signs), "truth", width=3, label=f"{one.m} bumps, any signs"))
    return Axes("many", linear(0, 1, 0.25), linear(0, 2, 0.5),
                "2 to the m densities, one for each choice of signs", "x", "", marks)


def many_said(result):
    """The family."""
    one = result.family
    return (f"With {short(result.n)} people the proof hides {one.m} bumps of level {one.level}; no private "
            f"rule has an error below {short(one.bound)} on all {short(float(one.hypotheses))} densities.")


def many_numbers(result):
    """The same."""
    one = result.family
    return [("bumps", f"{one.m}"), ("level", f"{one.level}"), ("no rule is below", short(one.bound))]


def told_axes(result):
    """The `Axes` of what one report tells about one sign."""
    rows, values = np.array([3.0, 2.0, 1.0]), np.log10(result.told)
    low = math.floor(values.min()) - 0.5
    marks = [bars("bit", [low], values[:1], rows[:1] - 0.3, rows[:1] + 0.3, "private",
                  label="one private yes or no"),
             bars("lids", [low] * 2, values[1:], rows[1:] - 0.3, rows[1:] + 0.3, "bound", label="at most"),
             text("words", values, rows, [short(float(value)) for value in result.told], dx=6)]
    return Axes("told", decades(low, values.max() + 1),
                linear(0.4, 3.6, ticks=rows[::-1], words=("the proof's", "any report", "yes or no")),
                "what one report tells about one sign", "information, in nats", "", tuple(marks), grid=False)


def told_said(result):
    """The chain."""
    return (f"A private yes or no tells {short(float(result.told[0]))} nats, no private report more than "
            f"{short(float(result.told[1]))}; the proof uses {short(float(result.told[2]))}.")


class Search(NamedTuple):
    """What all people tell about one of m places, against log m."""

    heights: np.ndarray
    told: np.ndarray
    enough: float
    here: float


def search(n, alpha, louder):
    """The `Search` of Proposition 2.2 when bumps are `louder` times as high."""
    one = family(n, alpha, "2.2, one spike").family
    heights = np.geomspace(0.4, 5, 41)
    return Search(heights, one.divergence * heights**2, math.log(one.m), one.divergence * louder**2)


def search_axes(result):
    """The `Axes` of what is told against the height of the spike."""
    marks = (line("told", result.heights, result.told, "private", width=4, label="told by all reports"),
             rule("enough", "bound", y=result.enough, width=3, label="log m: enough to find it"),
             rule("eighth", "reference", y=result.enough / 8, width=2.5, label="log m / 8: the proof's"),
             dots("here", [result.louder], [result.here], "private", size=16))
    return Axes("search", log(0.4, 5, "{:g}", ticks=(0.5, 1, 2, 4)), log(0.02, 20),
                "one of m places: is it told where?", "height of the spike", "", marks)


def search_said(result):
    """Below the lid or not."""
    return (f"At {result.louder:g} times the height all reports tell {result.here:.3g} nats about the place; "
            f"log m is {result.enough:.3g}.")


def search_numbers(result):
    """The same."""
    return [("told", f"{result.here:.3g} nats"), ("log m", f"{result.enough:.3g}"),
            ("log m / 8", f"{result.enough / 8:.3g}")]


def ceiling(norm, smooth, r):
    """The `story.Side` with privacy."""
    return story.adversary(norm, smooth, r, False)


def ceiling_axes(result):
    """The `Axes` of what limits the coefficients: the noise level, and the class for many and for one."""
    j = np.linspace(5, 10.5, 45)
    many, one = story.ceilings(j, result.norm, result.smooth)
    marks = (line("noise", j, story.noise_of(j, story.CROWD), "private", width=4, label="one noise level"),
             line("one", j, one, "bound", width=3, label="the class, one spike"),
             line("many", j, many, "other", width=4, label="the class, all places"),
             dots("best", story.HIDING[[result.best]], result.gamma[[result.best]], "truth", size=16,
                  label="what costs most"))
    return Axes("ceiling", linear(4.8, 10.7, ticks=story.HIDING), log(1e-4, 1), "largest coefficient γ",
                "level j", "", marks)


def ceiling_said(result):
    """Where the lines cross."""
    return (f"The noise level meets the ceiling for all places at level {result.ends[0]:.2f}, for one spike "
            f"at level {result.ends[1]:.2f}.")


def ceiling_numbers(result):
    """The same."""
    return [("many, up to level", f"{result.ends[0]:.2f}"), ("one, up to level", f"{result.ends[1]:.2f}")]


def lever_axes(result):
    """The `Axes` of the loss of continuous levels: rising, the lever, falling."""
    j = np.linspace(5, 10.5, 89)
    first, last = result.ends
    before = result.lever[0] * 2 ** ((1 + result.r / 2 - 1 + result.r / 2) * (j - first))
    weight = result.smooth + 0.5 - 1 / result.norm
    after = result.lever[1] * 2 ** ((result.r / 2 - 1 - result.r * weight) * (j - last))
    marks = (line("before", j, np.where(j <= first, before, np.nan), "other", width=3,
                  label="all places: rises"),
             line("lever", result.ends, result.lever, "private", width=6, dash=(), label="lever"),
             line("after", j, np.where(j >= last, after, np.nan), "bound", width=3, label="one: falls"),
             dots("ends", result.ends, result.lever, "truth", size=11, ring=True),
             text("end words", result.ends, result.lever, ["many", "one"], anchor="end", dx=-12, dy=-8))
    return Axes("lever", linear(4.8, 10.7, ticks=story.HIDING),
                log(1 / 64, 16, "{:.2g}", ticks=2.0 ** np.arange(-6, 5, 2)), "loss, if many bumps cost 1",
                "level j", "", marks)


def lever_said(result):
    """The slope."""
    return f"The lever's slope is r − p(s + 1) = {result.slope:g}."


def lever_numbers(result):
    """The same."""
    return [("slope r − p(s + 1)", story.signed(result.slope)),
            ("tips at p =", f"{result.r / (result.smooth + 1):.3g}")]


class Bends(NamedTuple):
    """Exponents against 1/p."""

    exponents: panel.Exponents


def bends(s, p, r):
    """The `Bends`."""
    return Bends(panel._exponents(s, p, r))


def bends_axes(result):
    """The panel's `Axes`."""
    return panel.bends(result)


def bends_said(result):
    """The elbows."""
    usual, private = result.exponents.elbows[:2]
    return (f"The private exponent bends at p = {1 / private:.3g}, the one without privacy at "
            f"p = {1 / usual:.3g}.")


def bends_numbers(result):
    """The same."""
    usual, private = result.exponents.elbows[:2]
    return [("private elbow, p =", f"{1 / private:.3g}"), ("no privacy, p =", f"{1 / usual:.3g}")]


def lines_axes(result):
    """The `Axes` of all lines of a ledger: how far apart their sides are."""
    steps = [step for step in result.book.steps if 1 <= step.slack < math.inf]
    rows, slack = np.arange(len(steps), 0, -1.0), np.log10([step.slack for step in steps])
    marks = (bars("slack", np.zeros(len(steps)), slack, rows - 0.3, rows + 0.3, "bound"),
             text("words", slack, rows, [times(step.slack) for step in steps], dx=6))
    return Axes("lines", decades(0, max(1.0, 1.5 * slack.max()), 4),
                linear(0.4, len(steps) + 0.6, ticks=rows[::-1], words=[step.name for step in steps[::-1]]),
                "how far apart the sides of each line are", "", "", marks, grid=False)


def lines_said(result):
    """The total."""
    return (f"Proposition {result.part[:3]}: no private rule has an error below "
            f"{short(result.family.bound)}; the lines about reports waste {times(total(chain(result)))} in "
            "people.")


class ProofElbow(Story):
    """Both elbows, one step at a time."""

    name = "proof_elbow"
    title = "The proofs of the two elbows"
    size = (10.0, 5.2)
    controls = (PEOPLE, BUDGET, DEPTH, story.NORM, story.SMOOTH, *(
        story.CONTROL[name] for name in ("s", "p", "r")), LOUDER, PART)
    views = {
        "scales": step_view((DEPTH,), scales, scale_axes, scale_said, scale_wastes, 1, scale_numbers),
        "parts": step_view((PEOPLE, BUDGET), parts, parts_axes, parts_said, numbers=parts_numbers),
        "many": step_view((PEOPLE, BUDGET), family, many_axes, many_said, numbers=many_numbers),
        "told": step_view((PEOPLE, BUDGET), family, told_axes, told_said, chain, 1),
        "search": step_view((PEOPLE, BUDGET, LOUDER), search, search_axes, search_said,
                            numbers=search_numbers),
        "ceiling": step_view(CLASS, ceiling, ceiling_axes, ceiling_said, numbers=ceiling_numbers),
        "lever": step_view(CLASS, ceiling, lever_axes, lever_said, numbers=lever_numbers),
        "bends": step_view((story.CONTROL["s"], story.CONTROL["p"], story.CONTROL["r"]), bends, bends_axes,
                           bends_said, numbers=bends_numbers),
        "lines": step_view((PEOPLE, BUDGET, PART), family, lines_axes, lines_said, chain),
    }
    scenes = (
        Scene("noise scale",
              "The proof adds up the tops of all wavelets. They are not all at the top, and two people "
              "differ by less.", {}, view="scales",
              formula=mathml('sigma = frac{2}{alpha} (S_phi + S_psi sum_{j < J} 2^{j/2}) '
                             '<= frac{2 c}{alpha} ("max " phi + (sqrt{2} + 1) 2^{J/2} "max " psi)')),
        Scene("variance",
              "The mean of one coefficient has two noises. That of people is the same on every level, "
              "privacy's doubles.", {}, view="parts",
              formula=mathml('"variance" <= frac{B}{n} + frac{2 sigma_j^2}{n} "," "  " sigma_j " like " '
                             '2^{j/2}')),
        Scene("many bumps",
              "Hide bumps of size γ at m places of a level, up or down. Each sign must be guessed.", {},
              view="many", formula=mathml(
                  '"error" >= m gamma^r 2^{j(r/2 - 1)} ( 1 - "what all reports tell" )')),
        Scene("one report",
              "One report tells about one sign at most this much. A private yes or no comes close.", {},
              view="told", formula=mathml(
                  '"told" <= (e^alpha - 1)^2 "area"^2 "," "  the area of one bump"')),
        Scene("one of many",
              "Now one spike, at one of m places. Reports must tell log m before it is found.", {},
              view="search", formula=mathml('n (e^alpha - 1)^2 "area"^2 <= frac{log m}{8}')),
        Scene("ceiling",
              "The class, of size L, is a ceiling for γ: lower at all m places than for one spike.",
              {"norm": 2.0, "smooth": 1.0, "r": 5.0}, view="ceiling",
              formula=mathml('gamma <= L 2^{-j(s + 1/2 - 1/p)} m^{-1/p}')),
        Scene("lever", "Count powers of 2. Between both crossings the loss is a lever.", {}, view="lever",
              formula=mathml('m gamma^r 2^{j(r/2 - 1)} " like " 2^{j(r - p(s + 1))}')),
        Scene("two elbows",
              "Where the lever tips the exponent bends: with privacy at a larger p, here further left.",
              {"s": 1.5, "p": 2.0, "r": 6.0}, view="bends",
              formula=mathml('p = frac{r}{s + 1} "," "  without privacy " p = frac{r}{2 s + 1}')),
        Scene("explore", "All lines of both propositions, and what those about reports waste.", {},
              view="lines"),
    )


STORY = ProofElbow
