"""The story of notebook 06: one desk adds one noise, or everybody adds one (Bousquet et al., 2022)."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib._rounding import head_counts
from ldp_lib.estimation import CellClassifier, HistogramClassifier, NoisyMajorityClassifier
from ldp_lib.lessons.bars import NOISE, noise_band, noise_level, signal_bars
from ldp_lib.lessons.bayes import explore
from ldp_lib.lessons.people import AGE, ENDS, STOPS, decisions
from ldp_lib.lessons.price import ANSWERED, GOAL, Price
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy import (
    CellLaplace, CubeLaplace, HadamardBit, LatticeLaplace, RealLaplace, hockey_stick, lattice_laws,
    stability_threshold,
)
from ldp_lib.privacy.central import central_noise
from ldp_lib.risk import cell_grid, excess_risk
from ldp_lib.stage import Control
from ldp_lib.stage.picture import (
    Axes, Picture, arrow, band, bars, dots, figures, handle, line, linear, log, rule, short,
    text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Ask, LivePanel, Scene

EVERYBODY, CURATOR = "everybody", "a curator"
WHO = Control("who", "who adds noise", "", (EVERYBODY, CURATOR), EVERYBODY,
              help="every person, or one desk that all trust")
CROWD = Control("people", "people", "n", STOPS[:5], 144, "{:,}", "people in all")
JOINED = Control("joined", "people", "n", tuple(100 * 9**k for k in range(7)), 100, short,
                 "people in all; the border of a kept law is in the middle of a cell at all of these")
HELD = Control("hold", "keep the law made for 100", "", (False, True), False,
               help="or everybody moves again when n does")
DELTA = next(control for control in explore.Bayes.controls if control.name == "delta")
GATED = Control("gated", "gate", "", (False, True), False, help="numbers below the gate are not shown")
SIDE = 1 / 8
"""Of a cell of ages: nine years and a month."""
CELLS = np.arange(8)
MIDDLES = (CELLS + 0.5) * SIDE
YEARS = tuple(f"{18 + 73 * k * SIDE:.0f}–{18 + 73 * (k + 1) * SIDE:.0f}" for k in CELLS)
HOME = 1
"""The cell of A, 27 years old."""
TO = Control("to", "A moves to", "", tuple(MIDDLES.tolist()), float(MIDDLES[4]),
             lambda place: f"{YEARS[int(place / SIDE)]} years", "the ages of the cell that A moves to")
KINDS = {"votes": (("votes", 0.5),), "yes": (("yes", 1),), "yes and people": (("yes", 1), ("people", 1))}
"""What a curator may release of every cell -> name of each number, and what a person with label 1 adds to
it."""
KIND = Control("kind", "released: sums of", "", tuple(KINDS), "votes", help="what is added up in every cell")
PLACES = linear(ENDS[0], 1.3, ticks=(*AGE.ticks[:-1], 1.2), words=(*AGE.words[:-1], "desk"))
"""Ages, and beside them the place of the desk."""


@lru_cache(maxsize=1)
def survey():
    """The `CellGrid` of the survey: exact shares of people in every cell, and of those with label 1."""
    return cell_grid(NoisyMajorityClassifier(1.0, side=SIDE), problem("cps"))


def depth(mechanism, n):
    """The noise in the votes of the cell `HOME` from reports of n people, in people: one standard deviation.

    A report varies by her place and label, too, which is no noise.
    """
    share = float(survey().p[HOME])
    return math.sqrt(n * (mechanism.variance(share) - share / 4))


RIVALS = {
    "curator": lambda n: math.sqrt(RealLaplace(1.0).variance),
    "one bit each": lambda n: depth(HadamardBit(1.0, SIDE), n),
    "cells": lambda n: depth(CellLaplace(1.0, SIDE), n),
    "cubes": lambda n: n * noise_level(CubeLaplace(1.0, SIDE / 2).scale, n),
}
"""Who adds noise, named as in `price` -> n -> how deep it is, in people, at alpha = epsilon = 1."""


def margin(n):
    """What the votes of n people in the cell `HOME` add up to, on average."""
    cells = survey()
    return float(n * (cells.q[HOME] - cells.p[HOME] / 2))


class Desk(NamedTuple):
    """Votes of 144 persons on one cell, what they send, and what comes out with either kind of noise."""

    x: np.ndarray
    y: np.ndarray
    votes: np.ndarray
    sent: np.ndarray
    sums: np.ndarray
    """(2,): of everybody's noisy votes, and of the votes with the curator's noise."""
    levels: np.ndarray


class Desks(LivePanel):
    """Who adds the noise to one cell: everybody, or one desk."""

    name, title = "desks", "Who adds the noise?"
    controls = (WHO, NOISE)

    @staticmethod
    def compute(who, noise):
        """A `Desk`."""
        X, y = cast()
        rng = np.random.default_rng((8, noise))
        votes = np.where((X[:, 0] / SIDE).astype(int) == HOME, y - 0.5, 0.0)
        noisy = votes + rng.laplace(0, 1, len(y))
        sums = np.array([noisy.sum(), votes.sum() + rng.laplace()])
        levels = np.array([RIVALS[words](len(y)) for words in ("cells", "curator")])
        return Desk(X[:, 0], y, votes, noisy if who == EVERYBODY else votes, sums, levels)

    @staticmethod
    def draw(result):
        """Left: votes as they are sent. Right: what they add up to, in people."""
        alone, reach = result.who == CURATOR, 8.0
        inside = result.votes != 0
        words = "votes: yes ½, no −½, elsewhere 0" + ("; noise once" if alone else ", each with noise")
        marks = [band("cell", [HOME * SIDE, HOME * SIDE + SIDE], [-reach] * 2, [reach] * 2, "zero"),
                 rule("zero", "truth", y=0, width=1), rule("aside", "reference", x=1.08, width=1, dash=()),
                 text("cell words", MIDDLES[HOME], reach, "the cell", anchor="middle", dy=16)]
        for key, here, role, ring, label in (
                ("no", inside & (result.y == 0), "truth", True, "in it: no"),
                ("yes", inside & (result.y == 1), "second", False, "in it: yes"),
                ("outside", ~inside, "noise", True, "elsewhere")):
            marks.append(dots(key, np.where(here, result.x, np.nan), result.sent, role, size=9, ring=ring,
                              label=label))
        if alone:
            marks.append(dots("desk", [1.2], [result.sums[1] - result.votes.sum()], "private", size=15,
                              marker="square", label="the desk's noise"))
        sent = Axes("sent", PLACES, linear(-reach, reach, 4), words, "age", "", tuple(marks), grid=False)
        true = float(result.votes.sum())
        return Picture(((sent,), (columns("sums", result.levels, true, result.sums, 60),)))

    def conclude(self, result):
        """Both sums."""
        inside = int((result.votes != 0).sum())
        return (f"{inside} of the 144 are in the cell {YEARS[HOME]} years; their votes add up to "
                f"{result.votes.sum():g}. With everybody's noise the sum is {result.sums[0]:.1f}, "
                f"±{result.levels[0]:.1f}; with a curator's {result.sums[1]:.1f}, ±{result.levels[1]:.2f}.")

    def summarise(self, result):
        """The sum that is released, and its noise."""
        place = int(result.who == CURATOR)
        return [("noise", f"±{result.levels[place]:.3g} people"),
                ("released", f"{result.sums[place]:.1f}".replace("-", "−")),
                ("true sum of these votes", f"{result.votes.sum():g}")]


def columns(key, levels, signal, seen, reach):
    """The `Axes` of one bar in the noise of everybody, and in that of a curator, counted in people."""
    places = np.arange(2.0)
    marks = [bars("noise", places - 0.42, places + 0.42, -levels, levels, "noise",
                  label="noise, one standard deviation"),
             rule("zero", "truth", y=0, width=1),
             *signal_bars(places, np.full(2, signal), 0.34, seen=seen),
             text("levels", places, np.full(2, 1.4 * reach), [f"±{figures(level)}" for level in levels],
                  anchor="middle", dy=14)]
    across = linear(-0.6, 1.6, ticks=places, words=("everybody", "curator"))
    up = linear(-1.2 * reach, 1.4 * reach, reach / 3)
    return Axes(key, across, up, f"sum of votes in people, {YEARS[HOME]} years", "", "", tuple(marks),
                wide=0.8, grid=False)


class Pair(NamedTuple):
    """One bar and two noises, in people."""

    bar: float
    levels: np.ndarray


class Rivals(LivePanel):
    """The same bar in two kinds of noise, while people join."""

    name, title = "rivals", "Which noise grows?"
    controls = (CROWD,)

    @staticmethod
    def compute(people):
        """The `Pair` of so many people."""
        return Pair(margin(people), np.array([RIVALS[words](people) for words in ("cells", "curator")]))

    @staticmethod
    def draw(result):
        """A column for everybody, and one for a curator; the axis grows when the bar would leave it."""
        reach = 90 * max(1, result.people // 2304)
        return Picture(((columns("rivals", result.levels, result.bar, None, reach)._replace(wide=1.0),),))

    def conclude(self, result):
        """The bar and both noises."""
        everybody, curator = map(figures, result.levels)
        return (f"{result.people:,} people: the bar is {short(result.bar)} people long on average; that of "
                f"the 144 persons is 4.5, by chance. Everybody's noise is ±{everybody}, a "
                f"curator's ±{curator}.")

    def summarise(self, result):
        """The bar, and both noises."""
        everybody, curator = map(figures, result.levels)
        return [("bar, on average", f"{short(result.bar)} people"), ("everybody's noise", f"±{everybody}"),
                ("the curator's", f"±{curator}")]


class Votes(NamedTuple):
    """Bars of all cells as shares of the people, as in the story of notebook 02."""

    places: np.ndarray
    signal: np.ndarray
    seen: np.ndarray
    level: float
    h: float
    accuracy: float
    """Exact mean over people and noise."""
    now: float
    """With these people and this noise."""
    open_accuracy: float


RULES = {EVERYBODY: CellClassifier(1.0, SIDE, mechanism="laplace", noise="real"),
         CURATOR: NoisyMajorityClassifier(1.0, side=SIDE, noise="real"), "open": HistogramClassifier(SIDE)}


@lru_cache(maxsize=64)
def accuracy(who, n):
    """How often a rule of `RULES` is right on the survey: exact."""
    law = problem("cps")
    return 1 - law.bayes_risk - excess_risk(RULES[who], law, n)


class Map(LivePanel):
    """The votes of all cells against the noise, and what the rule says of the 144 persons."""

    name, title = "cells", "All cells at once"
    controls = (WHO, CROWD, NOISE)

    @staticmethod
    def compute(who, people, noise):
        """The `Votes` of a sample, and its noise."""
        cells, rng, n = survey(), np.random.default_rng((7, noise)), people
        ones, zeros = head_counts(rng, n, np.concatenate([cells.q, cells.p - cells.q])).reshape(2, -1)
        own = np.subtract(*rng.standard_gamma(n if who == EVERYBODY else 1, (2, len(CELLS))))
        level = RIVALS["cells" if who == EVERYBODY else "curator"](n) / n
        seen = ((ones - zeros) / 2 + own) / n
        lost = np.where(seen > 0, cells.gain_zero, cells.gain_one).sum()
        return Votes(MIDDLES, cells.q - cells.p / 2, seen, level, SIDE, accuracy(who, n),
                     float(1 - problem("cps").bayes_risk - lost), accuracy("open", n))

    @staticmethod
    def draw(result):
        """Above, bars in the band; below, the decisions."""
        marks = (noise_band(result.level, *ENDS, f"noise ±{short(result.level)}"),
                 rule("zero", "truth", y=0, width=1),
                 *signal_bars(result.places, result.signal, 0.7 * SIDE, seen=result.seen))
        above = Axes("tide", AGE, linear(-0.16, 0.16, 0.08),
                     "votes of every cell, as a share of the people; above 0 the rule says 1", "", "", marks,
                     high=3, grid=False)
        return Picture(((above, decisions(result.places, result.h, result.seen >= 0)),))

    def conclude(self, result):
        """How often the rule is right."""
        return (f"{result.people:,} people, noise of {result.who}: ±{result.level:.3g}. The rule is right "
                f"{result.accuracy:.1%} of the time; without noise {result.open_accuracy:.1%}.")

    def summarise(self, result):
        """Accuracies."""
        return [("right, on average", f"{result.accuracy:.1%}"), ("this time", f"{result.now:.1%}"),
                ("without noise", f"{result.open_accuracy:.1%}")]


class Moves(NamedTuple):
    """What one person changes by moving."""

    change: np.ndarray
    """(numbers, cells)."""
    lengths: np.ndarray
    """Sums of absolute changes, for each of `KINDS`."""
    delta: float
    """The smallest at epsilon = 1 if the noise had scale 1."""


def change(kind, to):
    """What changes in every cell if A, whose label is 1, moves there: (numbers, cells)."""
    added = np.array([own for _, own in KINDS[kind]], float)[:, None]
    return added * ((to == CELLS) * 1.0 - (HOME == CELLS))


@lru_cache(maxsize=64)
def smallest_delta(kind, to):
    """Of noise of scale 1 at epsilon = 1: exact, on a lattice of sixteenths."""
    noise = LatticeLaplace(1.0)
    noise.granularity = 1 / 16
    moved = change(kind, to).ravel()
    return hockey_stick([lattice_laws(0.0, each, noise) for each in moved[moved != 0].tolist()], 1.0)


class Sensitivity(LivePanel):
    """What changes if one person moves: votes by a half each, counts by one each."""

    name, title = "sensitivity", "A moves"
    controls = (TO, KIND, ANSWERED)

    @staticmethod
    def compute(to, kind, answered):
        """The `Moves` of A."""
        cell = int(to / SIDE)
        lengths = np.array([np.abs(change(each, cell)).sum() for each in KINDS])
        delta = smallest_delta(kind, cell) if lengths.any() else 0.0
        return Moves(change(kind, cell), lengths, delta)

    @staticmethod
    def draw(result):
        """Left: the change of every number. Right: its length."""
        count = len(result.change)
        marks = [rule("zero", "truth", y=0, width=1)]
        for k, (changed, (words, _)) in enumerate(zip(result.change, KINDS[result.kind])):
            left = MIDDLES - 0.05 + 0.1 * k / count
            marks.append(bars(f"change {k}", left, left + 0.1 / count, np.minimum(changed, 0),
                              np.maximum(changed, 0), ("private", "second")[k], label=f"sum of {words}"))
        marks += [arrow("move", [MIDDLES[HOME]], [-1.3], [result.to], [-1.3], "truth"),
                  dots("A", [result.to], [-1.3], "second", size=18, label="A: drag her", handle=handle("to"))]
        left = Axes("change", linear(0, 1, ticks=MIDDLES[::2], words=YEARS[::2]),
                    linear(-1.6, 1.3, ticks=(-1, 0, 1)),
                    "what A changes in the sum of each cell", "ages of the cell", "", tuple(marks),
                    grid=False)
        rows = np.arange(len(KINDS), 0, -1.0)
        here = np.array([kind == result.kind for kind in KINDS])
        lengths = [bars(key, np.zeros(shown.sum()), result.lengths[shown], rows[shown] - 0.3,
                        rows[shown] + 0.3, "private", hollow=key == "others")
                   for key, shown in (("others", ~here & result.answered), ("this", here))]
        hidden = rows[~here & (not result.answered)]
        words = [kind.replace(" and", ",") for kind in KINDS]
        right = Axes("length", linear(0, 4.4, 1), linear(0.4, len(KINDS) + 0.6, ticks=rows, words=words),
                     "all changes, added up", "noise of this scale is enough at ε = 1", "",
                     (*lengths, rule("wall", "bound", x=1, width=3, label="scale 1"),
                      text("hidden", np.full(len(hidden), 0.3), hidden, ["?"] * len(hidden))), wide=0.8,
                     grid=False)
        return Picture(((left,), (right,)))

    def conclude(self, result):
        """Length, and what too little noise costs."""
        length = result.lengths[list(KINDS).index(result.kind)]
        return (f"A moves to {YEARS[int(result.to / SIDE)]} years. Sums of {result.kind}: all changes add up "
                f"to {length:g}. With noise of scale 1 the promise of ε = 1 is exceeded by a probability of "
                f"δ = {result.delta:.3f}.")

    def summarise(self, result):
        """Length, and what too little noise costs."""
        length = result.lengths[list(KINDS).index(result.kind)]
        if not length:
            return [("changes add up to", "0"), ("this move alone", "needs no noise"),
                    ("what counts", "the worst move")]
        return [("changes add up to", f"{length:g}"),
                ("noise for ε = 1", f"scale {length:g}, ±{length * 2**0.5:.2f}"),
                ("scale 1: promise exceeded by", f"{result.delta:.3f}")]


class Hidden(NamedTuple):
    """Exact excess risks with more and more people."""

    moving: np.ndarray
    held: np.ndarray
    fixed: np.ndarray
    now: float
    spread: float
    """How wide the crowd is, in cells."""
    offset: float
    """Where its border is, in cells from the middle of its cell."""


@lru_cache(maxsize=1)
def hidden_risks():
    """Moving law, law held, and an ordinary one: risks of the curator's rule at each of `JOINED`."""
    vote, first = NoisyMajorityClassifier(1.0, noise="real"), JOINED.values[0]
    laws = (lambda n: problem("hidden_threshold", n=n), lambda n: problem("hidden_threshold", n=first),
            lambda n: problem("threshold", **explore.HALF))
    return np.array([[excess_risk(vote, law(n), n) for n in JOINED.values] for law in laws])


class Hide(LivePanel):
    """A crowd on both sides of a border of no and yes, inside one cell: for every n again, or kept."""

    name, title = "hidden", "A law that hides between the walls"
    controls = (HELD, JOINED)

    @staticmethod
    def compute(hold, joined):
        """The `Hidden`."""
        law = problem("hidden_threshold", n=JOINED.values[0] if hold else joined)
        side, (moving, held, fixed) = joined**-0.5, hidden_risks()
        middle, at = law.place / side, JOINED.values.index(joined)
        return Hidden(moving, held if hold else np.full(len(held), np.nan), fixed,
                      float((held if hold else moving)[at]), law.width / side,
                      middle - math.floor(middle) - 0.5)

    @staticmethod
    def draw(result):
        """Left: the crowd and the walls of cells. Right: the risk of the rule."""
        crowd = (np.arange(40) + 0.5) / 40 - 0.5
        height = (np.arange(40) * 0.618) % 1
        marks = [rule("walls", "truth", x=np.arange(-1.5, 2), width=3, dash=()),
                 rule("border", "best", x=result.offset, width=2, label="border of no and yes")]
        marks += [dots(key, result.offset + result.spread * crowd[here], height[here], role, size=10,
                       ring=ring, label=label)
                  for key, here, role, ring, label in (
                      ("no", crowd < 0, "truth", True, "no"), ("yes", crowd > 0, "second", False, "yes"))]
        left = Axes("walls", linear(-2, 2, ticks=(-1, 0, 1), words=("a cell", "a cell", "a cell")),
                    linear(-0.1, 1.1), f"zoomed in: cells are {short(result.joined**-0.5)} wide", "", "",
                    tuple(marks), grid=False)
        curves = [line(key, JOINED.values, risks, role, width=3.5, label=label)
                  for key, risks, role, label in (
                      ("moving", result.moving, "bound", "a new law for each n"),
                      ("held", result.held, "private", "kept"),
                      ("fixed", result.fixed, "open", "an ordinary law"))]
        right = Axes("risk", log(80, 9e7), log(3e-6, 1),
                     "excess risk of the curator's rule", "people n", "",
                     (*curves, dots("now", [result.joined], [result.now], "truth", size=16,
                                    handle=handle("joined"))))
        return Picture(((left,), (right,)))

    def conclude(self, result):
        """Risk now."""
        law = "the law made for 100 is kept" if result.hold else "a new law is made for every n"
        return (f"{short(result.joined)} people, {law}: the crowd is {result.spread:.2g} cells wide, and the "
                f"excess risk is {result.now:.3g}.")

    def summarise(self, result):
        """Risk now, and the width of the crowd."""
        return [("excess risk", f"{result.now:.3f}"), ("the crowd is", f"{short(result.spread)} cells wide"),
                ("the law", "is kept" if result.hold else "is new for each n")]


class Gate(NamedTuple):
    """Counts of cells without end, and what is shown of them."""

    counts: np.ndarray
    noisy: np.ndarray
    level: float
    shown: np.ndarray


CROWDED = 2000
"""People of the gate's picture."""
LINE = np.arange(-9, 9.01, 0.25)
"""Edges of cells that never end: only those in sight."""
ALONE = 7.1
"""Where the lone person is."""


@lru_cache(maxsize=1)
def settled():
    """How many people each cell of `LINE` has: a crowd in the middle, and somebody alone."""
    X = np.append(np.random.default_rng(2).normal(size=CROWDED - 1) * 1.5, ALONE)
    return np.histogram(X, LINE)[0]


def lone(result):
    """The number that is shown for the cell of somebody who is alone; "" if none is."""
    at = int((ALONE - LINE[0]) / 0.25)
    return f"{round(result.noisy[at], 1) + 0.0:.1f}".replace("-", "−") if result.shown[at] else ""


class Gated(LivePanel):
    """Noise where people are, and a gate above the noise."""

    name, title = "gate", "Infinitely many cells"
    controls = (GATED, DELTA, NOISE, ANSWERED)

    @staticmethod
    def compute(gated, delta, noise, answered):
        """The `Gate`: Algorithm 1, and the same without its last step; nothing before the answer."""
        counts = settled()
        noisy = counts + central_noise(1.0, "real").sample(counts.shape, np.random.default_rng((9, noise)))
        level = stability_threshold(1.0, delta, noise="real")
        shown = (counts > 0) & (noisy >= level) if gated else (counts > 0) & answered
        return Gate(counts, noisy, level, shown)

    @staticmethod
    def draw(result):
        """Left: who is there, or what is released. Right: how high the gate is."""
        left, right = LINE[:-1] + 0.03, LINE[1:] - 0.03
        released = np.where(result.shown, result.noisy, np.nan)
        told = result.gated or result.answered
        marks = [bars("released", left, right, np.minimum(released, 0), np.maximum(released, 0), "private",
                      label="released" if told else ""),
                 rule("zero", "truth", y=0, width=1),
                 dots("shown", (left + right)[result.shown] / 2, np.full(result.shown.sum(), -10), "private",
                      size=13, marker="tick", label="this cell is shown" if told else ""),
                 dots("alone", [ALONE], [-22], "second", size=16, label="somebody alone")]
        if not told:
            marks.append(bars("people", left, right, np.zeros(len(left)), result.counts, "truth", hollow=True,
                              label="true number of people"))
        if result.gated:
            marks.append(rule("gate", "bound", y=result.level, width=3, label="the gate"))
        cells_ = Axes("cells", linear(-9, 9, 3, "{:+g}"), linear(-28, 170, 50),
                      f"{CROWDED:,} people in cells; noise has scale 2/ε = 2", "place, without end", "",
                      tuple(marks), grid=False)
        digits = np.log10(DELTA.values)
        gates = np.array([stability_threshold(1.0, delta, noise="real") for delta in DELTA.values])
        own = (line("gates", digits, gates, "bound", width=3.5, label="gate"),
               dots("now", [math.log10(result.delta)], [result.level], "truth", size=16,
                    handle=handle("delta", factor=1 / math.log(10), power=0)))
        across = linear(-62, 0, ticks=(-60, -40, -20, -2), words=("10⁻⁶⁰", "10⁻⁴⁰", "10⁻²⁰", "10⁻²"))
        right = Axes("gates", across, linear(0, 300, 100), "how many people a cell needs",
                     "δ: chance that she is shown", "", own, wide=0.6)
        return Picture(((cells_,), (right,)))

    def conclude(self, result):
        """How many cells are shown, and who is betrayed."""
        people, shown = int((result.counts > 0).sum()), int(result.shown.sum())
        if not (result.gated or result.answered):
            return f"{people} cells have people in them, one of them somebody who is alone."
        gate = f"the gate is {result.level:.1f} people" if result.gated else "there is no gate"
        return (f"At δ = {short(result.delta)} {gate}: {shown} of {people} cells with people are shown, and "
                f"the cell of somebody who is alone is {'' if lone(result) else 'not '}among them.")

    def summarise(self, result):
        """The gate, and what it hides."""
        people = int((result.counts > 0).sum())
        if not (result.gated or result.answered):
            return [("cells with people", f"{people}"), ("people", f"{CROWDED:,}")]
        return [("gate", f"{result.level:.1f} people" if result.gated else "none: δ does nothing"),
                ("cells shown", f"{int(result.shown.sum())} of {people}"),
                ("the lone person's cell shows", lone(result) or "nothing"),
                ("people not shown", f"{result.counts[~result.shown].sum() / CROWDED:.1%}")]


class Bayes(Story):
    """Notebook 06: one draw of noise for a cell, whatever n; or n draws that add up."""

    name = "bayes"
    version = 2
    title = "What does a trusted curator buy?"
    size = (10.0, 5.2)
    controls = (*explore.Bayes.controls, WHO, CROWD, NOISE, GOAL, ANSWERED, TO, KIND, HELD, JOINED, GATED)
    views = {"desks": Desks, "rivals": Rivals, "cells": Map, "price": Price, "sensitivity": Sensitivity,
             "hidden": Hide, "gate": Gated, "explore": explore.Bayes}
    scenes = (
        Scene("two desks",
              "Each person adds noise, outside the cell, too: an exact 0 tells that she is elsewhere. Or a "
              "trusted curator adds noise once. Switch, redraw.", {"who": EVERYBODY}, ("who", "noise"),
              view="desks"),
        Scene("four times",
              "Four times the people: the bar gets four times as long, in people. Which noise grows?",
              {"people": 144}, ("people",), view="rivals", play=("people", (144, 576, 2304)),
              ask=Ask(("both", "none", "everybody's only", "the curator's only"), 2, (
                  "The curator still adds one draw: 1.41 people, for any n. Everybody's noise doubles.",
                  "Everybody who joins adds a draw. Four times the draws partly cancel: the noise doubles.",
                  "n draws partly cancel: their sum grows like √n, and √4 = 2. The curator adds one, for "
                  "any n.",
                  "The other way round: the curator adds one draw, for any n. Everybody's are n draws, and "
                  "double."), {"people": 576})),
        Scene("all cells",
              "All cells at once, as shares of the people. With a curator the rule is nearly as good as "
              "without noise. Switch.",
              {"people": 144}, ("who", "people", "noise"), view="cells",
              play=("people", (144, 576, 2304, 9216, 36_864))),
        Scene("ladder",
              "Right for 67%: 163 people without noise, 160,952 with notebook 02's cubes. And a curator? "
              "Everybody's budget α, the curator's ε: both are 1.", {}, ("goal",), view="price",
              ask=Ask(("234", "1,400", "8,623", "14,912"), 0, (
                  "It is 1.44 times 163. One bit from everybody, if nobody is trusted, needs 8,623.",
                  "Fewer: 234. The curator's noise is 1.41 people in each cell: who happens to come matters "
                  "more.",
                  "That is one bit from everybody, nobody trusted. A curator needs 234.",
                  "That is a noisy number for each cell from everybody. A curator needs 234."),
                      {"answered": True})),
        Scene("sensitivity",
              "A moves: the votes of two cells change by ½ each. Release counts of yes instead: how much "
              "more noise hides her?", {}, ("to", "kind"), view="sensitivity",
              ask=Ask(("the same", "twice", "four times"), 1, (
                  "One count in each of two cells changes by 1, 2 in all. The votes: 1 in all.",
                  "Two cells' counts change by 1: 2 in all. All numbers together tell about her, so changes "
                  "add up.",
                  "That is for yes and people together. Counts of yes change by 1 in two cells: twice."),
                      {"kind": "yes", "answered": True})),
        Scene("break it",
              "With more people cells are narrower. For each n some law hides in one cell. Now keep the law "
              "made for 100: what happens?", {}, ("hold", "joined"), view="hidden",
              play=("joined", JOINED.values),
              ask=Ask(("never learnt", "learnt, slowly", "learnt at once"), 1, (
                  "The law stays, and the cells shrink. Walls come between no and yes: it is learnt.",
                  "The cells shrink, the law stays. Only a law that is new for each n stays hidden.",
                  "Not before cells are narrower than the crowd: that takes more than a million people."),
                      {"hold": True})),
        Scene("gate",
              "Infinitely many cells: drawing noise for all never ends. So only cells with people get noise. "
              "Is somebody who is alone safe?", {"delta": 1e-6, "gated": False}, ("gated", "delta", "noise"),
              view="gate",
              ask=Ask(("yes, noise hides her", "no, her cell is shown"), 1, (
                  "Noise hides how many, not where. Switch on the gate: only numbers above it are shown, "
                  "hers with chance δ.",
                  "Empty cells show nothing, so hers tells. Switch on the gate: δ is how often she passes."),
                      {"answered": True})),
        Scene("explore",
              "For questions. Central means a curator, local everybody, τ the gate. Fills: one private rule. "
              "Dashes: the best.",
              {"law": "square: moons", "n": 1000, "epsilon": 1.0, "model": "central", "moves": False},
              view="explore"),
    )


STORY = Bayes
