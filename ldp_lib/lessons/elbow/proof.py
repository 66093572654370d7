"""The proofs of notebook 05, step by step: Propositions 3.1, 2.1 and 2.2 (Butucea et al., 2020), drawn."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.computed import Table
from ldp_lib.lessons.elbow import explore
from ldp_lib.lessons.elbow.explore import CLASS_NORM, ERROR_NORM, SMOOTHNESS
from ldp_lib.lessons.elbow.story import (
    PRIVATE_PEOPLE, HIDING, LEVEL, NORM, SMOOTH, adversary, ceilings, noise_of, signed,
)
from ldp_lib.lessons.steps import Waste, decades, mathml, staircase, step, times, total
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.stage import Control, Scene, Shown, Story, log_steps, view
from ldp_lib.stage.ledger import Ledger
from ldp_lib.stage.picture import Axes, bars, dots, line, linear, log, rule, short, text
from ldp_lib.theory import DenseFamily, SparseFamily, ledger

PEOPLE = Control("n", "people", "n", log_steps(10**5, 10**9, 1), 10**7, short, "people in all")
BUDGET = Control("alpha", "privacy", "α", (0.25, 0.5, 1.0, 2.0), 1.0, "{:g}", "nats")
DEPTH = Control("J", "levels", "J", range(1, 7), 6, "{}", "levels of a report")
LOUDER = Control("louder", "height of the bump", "", (0.5, 0.71, 1.0, 1.41, 2.0, 4.0), 1.0, "{:g}",
                 "in units of the proof's")
PART = Control("part", "proposition", "", ("2.1, many bumps", "2.2, one spike"), "2.1, many bumps")


def exact_scale(J):
    """Noise scale of mechanism (3.1) by its exact worst pair of people, db2, alpha = 1; 5 decimals."""
    return [f"{WaveletLaplace(1.0, 'db2', J, 'common', 'exact', noise='real').scale:.5f}"]


EXACT = Table("elbow_scales", exact_scale, {"J": DEPTH.values}, {"scale": float})


@lru_cache(maxsize=8)
def scales(J):
    """Noise scales at alpha = 1: by the proof's constants, by S, exact; and of the fathers alone."""
    found = [WaveletLaplace(1.0, "db2", J, "common", kind, noise="real").scale for kind in ("crude", "tight")]
    return *found, *EXACT[J], WaveletLaplace(1.0, "db2", J, "scaling_only", noise="real").scale


@view(DEPTH)
def noise_scales(J):
    """The noise scales; what they waste in people goes with their squares."""
    crude, tight, exact, fathers = scales(J)
    values, rows = np.array(scales(J)), np.arange(4, 0, -1.0)
    marks = (bars("detail scales", np.zeros(3), values[:3], rows[:3] - 0.3, rows[:3] + 0.3, "bound",
                  label="all levels"),
             bars("fathers", [0], values[3:], rows[3:] - 0.3, rows[3:] + 0.3, "private",
                  label="coarse averages (fathers) only"),
             text("words", values, rows, [f"{value:.3g}" for value in values], dx=6))
    axes = Axes("scales", linear(0, 1.25 * values.max(), 50 if values.max() > 60 else 10),
                linear(0.4, 4.6, ticks=rows[::-1],
                       words=("fathers", "worst pair", "tight sum", "the proof's")),
                "noise scale that hides one person among all", "", "", marks, grid=False)
    steps = Waste("sum of tops", (crude / tight) ** 2), Waste("worst pair", (tight / exact) ** 2)
    says = (f"With J = {J} levels the proof's constants give {crude:.4g}, the sums of wavelets {tight:.4g}, "
            f"the exact worst pair {exact:.4g}; the fathers alone need {fathers:.4g}.")
    # The estimator has a count of its own beside the lower bounds'.
    return Shown((axes, staircase(steps, 1)), says, [("times as many people", times(steps[1].factor)),
                                                     ("the estimator, so far", times(total(steps)))])


@view(PEOPLE, BUDGET)
def two_variances(n, alpha):
    """Variance of the mean coefficient of each level: people at most B / n, and noise."""
    levels = np.array(LEVEL.values)
    people, noise = np.full(len(levels), 4 / 3 / n), noise_of(levels, n) ** 2 / alpha**2
    marks = (line("noise", levels, noise, "private", width=4, label="noise: 2σ²/n, doubles"),
             line("people", levels, people, "open", width=4,
                  label="people: at most B/n, B the density's top"))
    axes = Axes("parts", linear(1.7, 9.3, ticks=levels), log(1e-10, 1), "variance of one coefficient",
                "level j", "", marks)
    first, last = (short(float(noise[k] / people[k])) for k in (0, -1))
    return Shown((axes,), f"On level 2 the noise is {first} times as large as what people add, on level 9 "
                 f"{last} times.",
                 [("noise / people, level 2", first), ("level 9", last),
                  ("variance, level 9", short(float(noise[-1] + people[-1])))])


class Family(NamedTuple):
    """A ledger with its family."""

    book: Ledger
    family: DenseFamily | SparseFamily


@lru_cache(maxsize=256)
def family(n, alpha, part=PART.default):
    """The `Family` of a proposition with its own smoothness and norms."""
    name, kind = {"2.1": ("wavelet-2.1", DenseFamily), "2.2": ("wavelet-2.2", SparseFamily)}[part[:3]]
    book = ledger(name, n=n, alpha=alpha)
    return Family(book, kind(n, alpha, **{key: book.params[key] for key in ("s", "p", "r", "wavelet")}))


def wastes(book):
    """The `Waste` of the lines that bound what reports tell, in people: divergence grows like n.

    "all reports" compares total variations, which grow like the root of n.
    """
    return (Waste("any report", book["one report"].slack), Waste("the proof's", book["constants"].slack),
            Waste("n reports", book["all reports"].slack ** 2))


@view(PEOPLE, BUDGET)
def many_bumps(n, alpha):
    """One member of the dense family."""
    dense, x = family(n, alpha).family, np.linspace(0, 1, 1025)
    signs = np.random.default_rng(4).choice([1.0, -1.0], dense.m)
    marks = (line("plateau", x, dense.base.pdf(x), "reference", width=2, dash=(4, 2), label="plateau"),
             line("member", x, dense.pdf(x, signs), "truth", width=3, label=f"{dense.m} bumps, any signs"))
    axes = Axes("many", linear(0, 1, 0.25), linear(0, 2, 0.5),
                "2 to the m densities, one for each choice of signs", "x", "", marks)
    m, level, bound = dense.m, dense.level, short(dense.bound)
    return Shown((axes,), f"With {short(n)} people the proof hides {m} bumps of level {level}; no private "
                 f"rule has an error below {bound} on all {short(float(dense.hypotheses))} densities.",
                 [("bumps", f"{m}"), ("level", f"{level}"), ("no rule is below", bound)])


@view(PEOPLE, BUDGET)
def one_report(n, alpha):
    """What one report tells about one sign: a bit, the most telling mechanism, by the printed constant."""
    book = family(n, alpha).book
    told = np.array([book["one report"].left, book["one report"].right, book["constants"].right])
    rows, values = np.array([3.0, 2.0, 1.0]), np.log10(told)
    bit, most, proof = words = [short(float(value)) for value in told]
    low = math.floor(values.min()) - 0.5
    marks = (bars("bit", [low], values[:1], rows[:1] - 0.3, rows[:1] + 0.3, "private",
                  label="one private yes or no"),
             bars("lids", [low] * 2, values[1:], rows[1:] - 0.3, rows[1:] + 0.3, "bound", label="at most"),
             text("words", values, rows, words, dx=6))
    axes = Axes("told", decades(low, values.max() + 1),
                linear(0.4, 3.6, ticks=rows[::-1], words=("the proof's", "any report", "yes or no")),
                "what one report tells about one sign", "information, in nats", "", marks, grid=False)
    return step((axes,), f"A private yes or no tells {bit} nats, no private report more than {most}; the "
                f"proof uses {proof}.", wastes(book), 1)


@view(PEOPLE, BUDGET, LOUDER)
def one_of_many(n, alpha, louder):
    """What all people tell about one of m places, against log m, when bumps are `louder` times as high."""
    sparse, heights = family(n, alpha, "2.2, one spike").family, np.geomspace(0.4, 5, 41)
    enough, told = math.log(sparse.m), sparse.divergence * louder**2
    marks = (line("told", heights, sparse.divergence * heights**2, "private", width=4,
                  label="told by all reports"),
             rule("enough", "bound", y=enough, width=3, label="log m: names the place"),
             rule("eighth", "reference", y=enough / 8, width=2.5, label="log m / 8: the proof's"),
             dots("here", [louder], [told], "private", size=16))
    axes = Axes("search", log(0.4, 5, "{:g}", ticks=(0.5, 1, 2, 4)), log(0.02, 20),
                "what all reports tell about the place of the spike", "height of the spike", "", marks)
    return Shown((axes,), f"At {louder:g} times the height all reports tell {told:.3g} nats about the place; "
                 f"log m is {enough:.3g}.",
                 [("told", f"{told:.3g} nats"), ("log m", f"{enough:.3g}"),
                  ("log m / 8", f"{enough / 8:.3g}")])


@view(NORM, SMOOTH, ERROR_NORM)
def ceiling(norm, smooth, r):
    """What limits the coefficients: the noise level, and the class for many and for one."""
    side, j = adversary(norm, smooth, r, False), np.linspace(5, 10.5, 45)
    many, one = ceilings(j, norm, smooth)
    marks = (line("noise", j, noise_of(j, PRIVATE_PEOPLE), "private", width=4, label="one noise level"),
             line("one", j, one, "bound", width=3, label="the class, one spike"),
             line("many", j, many, "other", width=4, label="the class, all places"),
             dots("best", [side.level], [side.gamma[side.best]], "truth", size=16, label="what costs most"))
    axes = Axes("ceiling", linear(4.8, 10.7, ticks=HIDING), log(1e-4, 1), "largest coefficient γ", "level j",
                "", marks)
    first, last = (f"{end:.2f}" for end in side.ends)
    return Shown((axes,), f"The noise level meets the ceiling for all places at level {first}, for one spike "
                 f"at level {last}.", [("many, up to level", first), ("one, up to level", last)])


@view(NORM, SMOOTH, ERROR_NORM)
def lever(norm, smooth, r):
    """The loss of continuous levels: rising, the lever, falling."""
    side, j = adversary(norm, smooth, r, False), np.linspace(5, 10.5, 89)
    first, last = side.ends
    before = side.lever[0] * 2 ** ((1 + r / 2 - 1 + r / 2) * (j - first))
    after = side.lever[1] * 2 ** ((r / 2 - 1 - r * (smooth + 0.5 - 1 / norm)) * (j - last))
    marks = (line("before", j, np.where(j <= first, before, np.nan), "other", width=3,
                  label="all places: rises"),
             line("lever", side.ends, side.lever, "private", width=6, dash=(), label="lever"),
             line("after", j, np.where(j >= last, after, np.nan), "bound", width=3, label="one: falls"),
             dots("ends", side.ends, side.lever, "truth", size=11, ring=True),
             text("end words", side.ends, side.lever, ["many", "one"], anchor="end", dx=-12, dy=-8))
    axes = Axes("lever", linear(4.8, 10.7, ticks=HIDING),
                log(1 / 64, 16, "{:.2g}", ticks=2.0 ** np.arange(-6, 5, 2)), "loss, if many bumps cost 1",
                "level j", "", marks)
    tips = r / (smooth + 1)
    return Shown((axes,), f"The lever's slope is r − p(s + 1) = {side.slope:g}.",
                 [("slope r − p(s + 1)", signed(side.slope)),
                  ("tips at p =", f"{tips:.3g}" if tips >= 1 else "none: p is 1 or more")])


@view(SMOOTHNESS, CLASS_NORM, ERROR_NORM)
def two_elbows(s, p, r):
    """Exponents against 1/p, and where they bend."""
    rates = explore.exponents(s, p, r)
    # A norm has p >= 1: an elbow beyond is in no picture.
    places = [f"{1 / bend:.3g}" if bend <= 1 else "" for bend in rates.elbows[:2]]
    usual, private = (f"at p = {place}" if place else "nowhere" for place in places)
    numbers = zip(("no privacy, p =", "private elbow, p ="), [place or "none" for place in places])
    return Shown((explore.bends(rates, p),), f"The private exponent bends {private}, the one without privacy "
                 f"{usual}.", list(numbers)[::-1])


@view(PEOPLE, BUDGET, PART)
def all_lines(n, alpha, part):
    """All lines of a ledger: how far apart their sides are."""
    book, hidden = family(n, alpha, part)
    steps = [each for each in book.steps if 1 <= each.slack < math.inf]
    rows, slack = np.arange(len(steps), 0, -1.0), np.log10([each.slack for each in steps])
    marks = (bars("slack", np.zeros(len(steps)), slack, rows - 0.3, rows + 0.3, "bound"),
             text("words", slack, rows, [times(each.slack) for each in steps], dx=6))
    axes = Axes("lines", decades(0, max(1.0, 1.5 * slack.max()), 4),
                linear(0.4, len(steps) + 0.6, ticks=rows[::-1], words=[each.name for each in steps[::-1]]),
                "how far apart the sides of each line are", "", "", marks, grid=False)
    return step((axes,), f"Proposition {part[:3]}: no private rule has an error below {short(hidden.bound)}; "
                f"the lines about reports waste {times(total(wastes(book)))} in people.", wastes(book))


STORY = Story("proof_elbow", "The proofs of the two elbows", size=(10.0, 5.2), last=(ERROR_NORM,), scenes=(
    Scene("noise scale", "The proof adds up the tops of all wavelets. Nobody is at all tops, and two people "
          "differ by less than twice the sum.", noise_scales, formula=mathml(
              'sigma = frac{2}{alpha} (S_phi + S_psi sum_{j < J} 2^{j/2}) '
              '<= frac{2 c}{alpha} ("max " phi + (sqrt{2} + 1) 2^{J/2} "max " psi)')),
    Scene("variance", "The variance of one coefficient has two parts. The people's part is at most B/n on "
          "every level, the part of privacy doubles.", two_variances, formula=mathml(
              '"variance" <= frac{B}{n} + frac{2 sigma_j^2}{n} "," "  " sigma_j " like " 2^{j/2}')),
    Scene("many bumps", "Hide bumps of size γ at m places of a level, up or down. Each sign must be "
          "guessed.", many_bumps,
          formula=mathml('"error" >= m gamma^r 2^{j(r/2 - 1)} ( 1 - "what all reports tell" )')),
    Scene("one report", "No private report tells more about one sign than the middle bar. A private yes "
          "or no tells nearly as much.", one_report,
          formula=mathml('"told" <= (e^alpha - 1)^2 "area"^2 "," "  the area of one bump"')),
    Scene("one of many", "One spike stands at one of m places. To name the place takes log m nats. The proof "
          "lets reports tell an eighth.", one_of_many,
          formula=mathml('n (e^alpha - 1)^2 "area"^2 <= frac{log m}{8}')),
    Scene("ceiling", "The class, of size L, is a ceiling for γ: lower at all m places than for one spike.",
          ceiling, {"norm": 2.0, "smooth": 1.0, "r": 5.0},
          formula=mathml('gamma <= L 2^{-j(s + 1/2 - 1/p)} m^{-1/p}')),
    Scene("lever", "Between the crossings: as many bumps, one noise level high, as the class allows. Count "
          "powers of 2 in number, height and width.", lever,
          formula=mathml('m " like " 2^{j(1 - p(s + 1))} "," "  " m gamma^r 2^{j(r/2 - 1)} " like " '
                         '2^{j(r - p(s + 1))}')),
    Scene("two elbows", "Where the lever tips, the theorem's exponent bends, here divided by r: with privacy "
          "at a larger p, further left.", two_elbows, {"s": 1.5, "p": 2.0, "r": 6.0},
          formula=mathml('p = frac{r}{s + 1} "," "  without privacy " p = frac{r}{2 s + 1}')),
    Scene("explore", "All lines of both propositions, and what those about reports waste.", all_lines),
))
# Controls stand in the order of the story: in "two elbows" r is below the norm of the class.
