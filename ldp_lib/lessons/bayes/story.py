"""The story of notebook 06: one desk adds one noise, or everybody adds one (Bousquet et al., 2022)."""

import math
from functools import lru_cache

import numpy as np

from ldp_lib._rounding import head_counts
from ldp_lib.estimation import CellClassifier, HistogramClassifier, NoisyMajorityClassifier
from ldp_lib.lessons.bars import NOISE, ZERO, noise_band, signal_bars
from ldp_lib.lessons.bayes import explore
from ldp_lib.lessons.bayes.explore import DELTA
from ldp_lib.lessons.bayes.numbers import (
    A, CELLS, HOME, KINDS, RIVALS, SIDE, both_noises, change, margin, smallest_delta, survey,
)
from ldp_lib.lessons.people import AGE, ENDS, STOPS, by_age, decisions
from ldp_lib.lessons.pictures import lying, side_by_side, upright
from ldp_lib.lessons.price import ANSWERED, how_many_people
from ldp_lib.nature import problem
from ldp_lib.nature.surveys import cast
from ldp_lib.privacy.central import central_noise, stability_threshold
from ldp_lib.risk import excess_risk
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import (
    Axes, arrow, band, bars, dots, figures, handle, line, linear, log, rule, short, text,
)

EVERYBODY, CURATOR = "everybody", "a curator"
WHO = Control("who", "who adds noise", "", (EVERYBODY, CURATOR), EVERYBODY,
              help="every person, or one desk that all trust")
CROWD = Control("people", "people", "n", STOPS[:5], 144, "{:,}", "people in all")
JOINED = Control("joined", "people", "n", tuple(100 * 9**k for k in range(7)), 100, short,
                 "people in all; the border of a kept law is in the middle of a cell at all of these")
HELD = Control("hold", "keep the law made for 100", "", (False, True), False,
               help="or everybody moves again when n does")
GATED = Control("gated", "gate", "", (False, True), False, help="numbers below the gate are not shown")
MIDDLES = (CELLS + 0.5) * SIDE
YEARS = tuple(f"{18 + 73 * k * SIDE:.0f}–{18 + 73 * (k + 1) * SIDE:.0f}" for k in CELLS)
CUTS = Control("cuts", "cells", "", (2, 4, 8, 24, 72), 8, "{}", "into how many the ages are cut")
TO = Control("to", "A moves to", "", tuple(MIDDLES.tolist()), float(MIDDLES[4]),
             lambda place: f"age {18 + 73 * place:.0f}", "A is 27 years old")
KIND = Control("kind", "released: sums of", "", tuple(KINDS), "votes", help="what is added up in every cell")
PLACES = linear(ENDS[0], 1.3, ticks=(*AGE.ticks[:-1], 1.2), words=(*AGE.words[:-1], "desk"),
                reads=AGE.reads)
"""Ages, and beside them the place of the desk."""


def columns(key, levels, signal, reach, seen=None, wide=0.8):
    """The `Axes` of one bar in the noise of everybody, and in that of a curator, counted in people."""
    places = np.arange(2.0)
    marks = (upright("noise", places, levels, "noise", wide=0.84, low=-levels,
                     label="noise, one standard deviation"),
             ZERO, *signal_bars(places, signal, 0.34, seen=seen),
             text("levels", places, 1.4 * reach, [f"±{figures(level)}" for level in levels], anchor="middle",
                  dy=14))
    return Axes(key, side_by_side(("everybody", "curator")), linear(-1.2 * reach, 1.4 * reach, reach / 3),
                f"sum of votes in people, {YEARS[HOME]} years", "", "", marks, wide=wide, grid=False)


@view(WHO, NOISE)
def two_desks(who, noise):
    """Left: the votes of 144 persons on one cell, as they are sent. Right: what they add up to."""
    X, y = cast()
    rng, trusted, reach = np.random.default_rng((8, noise)), who == CURATOR, 8.0
    votes = np.where((X[:, 0] / SIDE).astype(int) == HOME, y - 0.5, 0.0)
    noisy, inside, true = votes + rng.laplace(0, 1, len(y)), votes != 0, float(votes.sum())
    sums, levels = np.array([noisy.sum(), true + rng.laplace()]), both_noises(len(y))
    marks = [band("cell", [HOME * SIDE, HOME * SIDE + SIDE], -reach, reach, "zero"), ZERO,
             rule("aside", "reference", x=1.08, width=1, dash=()),
             text("cell words", MIDDLES[HOME], reach, "the cell", anchor="middle", dy=16)]
    for key, here, role, ring, label in (("no", inside & (y == 0), "truth", True, "in it: no"),
                                         ("yes", inside & (y == 1), "second", False, "in it: yes"),
                                         ("outside", ~inside, "noise", True, "elsewhere")):
        marks.append(dots(key, np.where(here, X[:, 0], np.nan), votes if trusted else noisy, role, size=9,
                          ring=ring, label=label))
    if trusted:
        marks.append(dots("desk", 1.2, sums[1] - true, "private", size=15, marker="square",
                          label="the desk's noise"))
    words = "votes: yes ½, no −½, elsewhere 0" + ("; noise once" if trusted else ", each with noise")
    sent = Axes("sent", PLACES, linear(-reach, reach, 4), words, "age", "", marks, grid=False)
    says = (f"{inside.sum()} of the {len(y)} are in the cell {YEARS[HOME]} years; their votes add up to "
            f"{true:g}. With everybody's noise the sum is {sums[0]:.1f}, ±{levels[0]:.1f}; with a curator's "
            f"{sums[1]:.1f}, ±{levels[1]:.2f}.")
    return Shown((sent, columns("sums", levels, true, 60, sums)), says,
                 [("noise", f"±{levels[int(trusted)]:.3g} people"),
                  ("released", f"{sums[int(trusted)]:.1f}".replace("-", "−")),
                  ("true sum of these votes", f"{true:g}")])


@view(CROWD)
def which_noise_grows(people):
    """The same bar in two kinds of noise, while people join; the axis grows when the bar would leave it."""
    bar, levels = margin(people), both_noises(people)
    everybody, curator = map(figures, levels)
    return Shown((columns("rivals", levels, bar, 90 * max(1, people // 2304), wide=1.0),),
                 f"{people:,} people: the bar is {short(bar)} people long on average; that of the 144 "
                 f"persons is 4.5, by chance. Everybody's noise is ±{everybody}, a curator's ±{curator}.",
                 [("bar, on average", f"{short(bar)} people"), ("everybody's noise", f"±{everybody}"),
                  ("the curator's", f"±{curator}")])


RULES = {EVERYBODY: lambda side: CellClassifier(1.0, side, mechanism="laplace", noise="real"),
         CURATOR: lambda side: NoisyMajorityClassifier(1.0, side=side, noise="real"),
         "open": HistogramClassifier}
"""Who adds noise -> the rule, from the side of its cells."""


@lru_cache(maxsize=128)
def accuracy(who, n, cuts):
    """How often a rule of `RULES` is right on the survey: exact."""
    law = by_age()
    return 1 - law.bayes_risk - excess_risk(RULES[who](1 / cuts), law, n)


@view(WHO, CROWD, CUTS, NOISE)
def all_cells(who, people, cuts, noise):
    """Above, the votes of all cells in the band of the noise; below, the decisions, and the 144 persons."""
    cells, rng, side = survey(cuts), np.random.default_rng((7, noise)), 1 / cuts
    middles = (np.arange(cuts) + 0.5) * side
    ones, zeros = head_counts(rng, people, np.concatenate([cells.q, cells.p - cells.q])).reshape(2, -1)
    own = np.subtract(*rng.standard_gamma(people if who == EVERYBODY else 1, (2, cuts)))
    seen = ((ones - zeros) / 2 + own) / people
    level = RIVALS["cells" if who == EVERYBODY else "curator"](people) / people
    signal = cells.q - cells.p / 2
    tallest = float(np.abs(signal).max())
    # At 0.01 or more its words are as wide as those of the axis below.
    tick = max(0.01, float(f"{tallest:.0e}"))
    marks = (noise_band(level, *ENDS, f"noise ±{short(level)}"), ZERO,
             *signal_bars(middles, signal, 0.7 * side, seen=seen))
    votes = Axes("bars", AGE, linear(-2 * tallest, 2 * tallest, ticks=(-tick, 0, tick)),
                 f"votes of every cell, as a share of {people:,} people; above 0 the rule says 1", "", "",
                 marks, high=3, grid=False)
    lost = np.where(seen > 0, cells.gain_zero, cells.gain_one).sum()
    mean, bare = f"{accuracy(who, people, cuts):.1%}", f"{accuracy('open', people, cuts):.1%}"
    return Shown(((votes, decisions(middles, side, seen >= 0)),),
                 f"{people:,} people in {cuts} cells, noise of {who}: ±{level:.3g} in each. The rule is "
                 f"right {mean} of the time; without noise {bare}.",
                 [("right, on average", mean), ("this time", f"{1 - by_age().bayes_risk - lost:.1%}"),
                  ("without noise", bare)])


@view(TO, KIND, CUTS, ANSWERED)
def a_moves(to, kind, cuts, answered):
    """Left: what A changes in every sum if she moves. Right: all changes, added up."""
    changes = change(kind, to, cuts)
    lengths = np.array([np.abs(change(each, to, cuts)).sum() for each in KINDS])
    delta = smallest_delta(kind) if lengths.any() else 0.0
    edges = np.arange(cuts + 1) / cuts
    marks = [rule("walls", "reference", x=edges, width=1, dash=()), ZERO]
    width = 0.8 / cuts / len(changes)
    for k, (changed, (words, _)) in enumerate(zip(changes, KINDS[kind])):
        middles = edges[:-1] + 0.1 / cuts + (k + 0.5) * width
        marks.append(upright(f"change {k}", middles, changed, ("private", "second")[k], wide=width,
                             label=f"sum of {words}"))
    marks += [arrow("move", A, -1.3, to, -1.3, "truth"),
              dots("A", to, -1.3, "second", size=18, label="A: drag her", handle=handle("to"))]
    sums = Axes("change", linear(0, 1, ticks=AGE.ticks[:-1], words=AGE.words[:-1], reads=AGE.reads),
                linear(-1.6, 1.3, ticks=(-1, 0, 1)), f"what A changes in the sums of {cuts} cells", "age", "",
                marks, grid=False)
    rows, here = np.arange(len(KINDS), 0, -1.0), np.array([each == kind for each in KINDS])
    hidden = rows[~here & (not answered)]
    marks = (*(lying(key, lengths[shown], rows[shown], "private", hollow=key == "others")
               for key, shown in (("others", ~here & answered), ("this", here))),
             rule("wall", "bound", x=1, width=3, label="scale 1"),
             text("hidden", 0.3, hidden, ["?"] * len(hidden)))
    words = [each.replace(" and", ",") for each in KINDS]
    together = Axes("length", linear(0, 4.4, 1), linear(0.4, len(KINDS) + 0.6, ticks=rows, words=words),
                    "all changes, added up", "noise of this scale is enough at ε = 1", "", marks, wide=0.8,
                    grid=False)
    length = lengths[here][0]
    numbers = [("changes add up to", f"{length:g}"),
               ("noise for ε = 1", f"scale {length:g}, ±{length * 2**0.5:.2f}"),
               ("scale 1: promise exceeded by", f"{delta:.3f}")]
    if not length:
        numbers[1:] = [("this move alone", "needs no noise"), ("what counts", "the worst move")]
    promise = ("Noise of scale 1 keeps the promise of ε = 1." if length <= 1 else
               "With noise of scale 1 the promise of ε = 1 is exceeded by a probability of "
               f"δ = {delta:.3f}.")
    return Shown((sums, together), f"A moves to {TO.texts[TO.values.index(to)]}, with {cuts} cells. Sums of "
                 f"{kind}: all changes add up to {length:g}. {promise}", numbers)


@lru_cache(maxsize=1)
def hidden_risks():
    """Moving law, law held, and an ordinary one: risks of the curator's rule at each of `JOINED`."""
    vote, first = NoisyMajorityClassifier(1.0, noise="real"), JOINED.values[0]
    laws = (lambda n: problem("hidden_threshold", n=n), lambda n: problem("hidden_threshold", n=first),
            lambda n: problem("threshold", **explore.HALF))
    return np.array([[excess_risk(vote, law(n), n) for n in JOINED.values] for law in laws])


@view(HELD, JOINED)
def law_that_hides(hold, joined):
    """Left: a crowd on both sides of a border of no and yes, and walls of cells. Right: the rule's risk."""
    law, side = problem("hidden_threshold", n=JOINED.values[0] if hold else joined), joined**-0.5
    moving, held, fixed = hidden_risks()
    risk = float((held if hold else moving)[JOINED.values.index(joined)])
    # In cells: how wide the crowd is, and how far its border is from the middle of its cell.
    spread, offset = law.width / side, law.place / side - math.floor(law.place / side) - 0.5
    crowd, height = (np.arange(40) + 0.5) / 40 - 0.5, (np.arange(40) * 0.618) % 1
    marks = (rule("walls", "truth", x=np.arange(-1.5, 2), width=3, dash=()),
             rule("border", "best", x=offset, width=2, label="border of no and yes"),
             *(dots(key, offset + spread * crowd[here], height[here], role, size=10, ring=ring, label=key)
               for key, here, role, ring in (("no", crowd < 0, "truth", True),
                                             ("yes", crowd > 0, "second", False))))
    walls = Axes("walls", linear(-2, 2, ticks=(-1, 0, 1), words=("a cell",) * 3), linear(-0.1, 1.1),
                 f"zoomed in: cells are {short(side)} wide", "", "", marks, grid=False)
    curves = [line(key, JOINED.values, risks, role, width=3.5, label=label) for key, risks, role, label in (
        ("moving", moving, "bound", "a new law for each n"),
        ("held", held if hold else np.nan, "private", "kept"),
        ("fixed", fixed, "open", "an ordinary law"))]
    risks = Axes("risk", log(80, 9e7), log(3e-6, 1), "excess risk of the curator's rule", "people n", "",
                 (*curves, dots("now", joined, risk, "truth", size=16, handle=handle("joined"))))
    made = "the law made for 100 is kept" if hold else "a new law is made for every n"
    return Shown((walls, risks),
                 f"{short(joined)} people, {made}: the crowd is {spread:.2g} cells wide, and the excess risk "
                 f"is {risk:.3g}.",
                 [("excess risk", f"{risk:.3f}"), ("the crowd is", f"{short(spread)} cells wide"),
                  ("the law", "is kept" if hold else "is new for each n")])


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


@view(GATED, DELTA, NOISE, ANSWERED)
def cells_without_end(gated, delta, noise, answered):
    """Left: who is there, or what Algorithm 1 releases with its gate or without. Right: how high that is."""
    counts, level = settled(), stability_threshold(1.0, delta, noise="real")
    noisy = counts + central_noise(1.0, "real").sample(counts.shape, np.random.default_rng((9, noise)))
    told, lived = gated or answered, counts > 0
    shown = lived & (noisy >= level) if gated else lived & answered
    left, right, released = LINE[:-1] + 0.03, LINE[1:] - 0.03, np.where(shown, noisy, np.nan)
    marks = [bars("released", left, right, np.minimum(released, 0), np.maximum(released, 0), "private",
                  label="released" if told else ""),
             ZERO, dots("shown", (left + right)[shown] / 2, -10, "private", size=13, marker="tick",
                        label="this cell is shown" if told else ""),
             dots("alone", ALONE, -22, "second", size=16, label="somebody alone")]
    if not told:
        marks.append(bars("people", left, right, 0, counts, "truth", hollow=True,
                          label="true number of people"))
    if gated:
        marks.append(rule("gate", "bound", y=level, width=3, label="the gate"))
    cells = Axes("cells", linear(-9, 9, 3), linear(-28, 170, 50),
                 f"{CROWDED:,} people in cells; noise has scale 2/ε = 2", "place, without end", "",
                 marks, grid=False)
    heights = [stability_threshold(1.0, each, noise="real") for each in DELTA.values]
    across = linear(-62, 0, ticks=(-60, -40, -20, -2), words=("10⁻⁶⁰", "10⁻⁴⁰", "10⁻²⁰", "10⁻²"),
                    reads=(0, 1, 10))
    gates = Axes("gates", across, linear(0, 300, 100), "how many people a cell needs",
                 "δ: chance that she is shown", "",
                 (line("gates", np.log10(DELTA.values), heights, "bound", width=3.5, label="gate"),
                  dots("now", math.log10(delta), level, "truth", size=16,
                       handle=handle("delta", factor=1 / math.log(10), power=0))), wide=0.6)
    if not told:
        return Shown((cells, gates), f"{lived.sum()} cells have people in them, one of them somebody who is "
                     "alone.", [("cells with people", f"{lived.sum()}"), ("people", f"{CROWDED:,}")])
    at = int((ALONE - LINE[0]) / 0.25)
    lone = f"{round(noisy[at], 1) + 0.0:.1f}".replace("-", "−") if shown[at] else ""
    gate = f"the gate is {level:.1f} people" if gated else "there is no gate"
    return Shown((cells, gates),
                 f"At δ = {short(delta)} {gate}: {shown.sum()} of {lived.sum()} cells with people are shown, "
                 f"and the cell of somebody who is alone is {'' if lone else 'not '}among them.",
                 [("gate", f"{level:.1f} people" if gated else "none: δ does nothing"),
                  ("cells shown", f"{shown.sum()} of {lived.sum()}"),
                  ("the lone person's cell shows", lone or "nothing"),
                  ("people not shown", f"{counts[~shown].sum() / CROWDED:.1%}")])


STORY = Story("bayes", "What does a trusted curator buy?", version=2, size=(10.0, 5.2),
              last=(NOISE, GATED), scenes=(
    Scene("two desks", "Each person adds noise, outside the cell, too: an exact 0 tells that she is "
          "elsewhere. A trusted curator adds it once a cell. Switch.", two_desks,
          {"who": EVERYBODY}, ("who", "noise")),
    Scene("four times", "Four times the people: the bar gets four times as long, in people. Which noise "
          "grows?", which_noise_grows, {"people": 144}, ("people",), play=("people", (144, 576)),
          ask=Ask({
              "both": "The curator still adds one draw: 1.41 people, for any n. Everybody's noise doubles.",
              "none": "Everybody who joins adds a draw. Four times the draws partly cancel: the noise "
                "doubles.",
              "everybody's only": "n draws partly cancel: their sum grows like √n, and √4 = 2. The curator "
                "adds one, for any n.",
              "the curator's only": "The other way round: the curator adds one draw, for any n. Everybody's "
                "are n draws, and double."}, right="everybody's only", then={"people": 576})),
    Scene("all cells", "More cells: fewer people in each, and the same noise. A curator's hardly harms the "
          "rule; everybody's drowns it. Play, switch, play.", all_cells, {"people": 2304},
          ("who", "cuts", "people"), play=("cuts", (8, 24, 72))),
    Scene("ladder", "Right for 67%: 163 people without noise, 160,952 with notebook 02's cubes. And a "
          "curator? Everybody's budget α, the curator's ε: both are 1.", how_many_people, {}, ("goal",),
          ask=Ask({
              "234": "It is 1.44 times 163. One bit from everybody, if nobody is trusted, needs 8,623.",
              "1,400": "Fewer: 234. The curator's noise is 1.41 people in each cell: who happens to come "
                "matters more.",
              "8,623": "That is one bit from everybody, nobody trusted. A curator needs 234.",
              "14,912": "That is a noisy number for each cell from everybody. A curator needs 234."},
              right="234", then={"answered": True})),
    Scene("sensitivity", "A moves: the votes of two cells change by ½ each. Release counts of yes instead: "
          "how much more noise hides her?", a_moves, {}, ("to", "kind", "cuts"), ask=Ask({
              "the same": "One count in each of two cells changes by 1, 2 in all. The votes: 1 in all.",
              "twice": "Two counts change by 1: 2 in all, since all numbers together tell about her. Move "
                "cells: still two.",
              "four times": "That is for yes and people together. Counts of yes change by 1 in two cells: "
                "twice."}, right="twice", then={"kind": "yes", "answered": True})),
    Scene("break it", "With more people cells are narrower. For each n some law hides in one cell. Now keep "
          "the law made for 100: what happens?", law_that_hides, {}, ("hold", "joined"),
          play=("joined", JOINED.values), ask=Ask({
              "never learnt": "The law stays, and the cells shrink. Walls come between no and yes: it is "
                "learnt.",
              "learnt, slowly": "The cells shrink, the law stays. Only a law that is new for each n stays "
                "hidden.",
              "learnt at once": "Not before cells are narrower than the crowd: that takes more than a "
                "million people."}, right="learnt, slowly", then={"hold": True})),
    Scene("gate", "Infinitely many cells: drawing noise for all never ends. So only cells with people get "
          "noise. Is somebody who is alone safe?", cells_without_end, {"delta": 1e-6, "gated": False},
          ("gated", "delta", "noise"), ask=Ask({
              "yes, noise hides her": "Noise hides how many, not where. Switch on the gate: only numbers "
                "above it are shown, hers with chance δ.",
              "no, her cell is shown": "Empty cells show nothing, so hers tells. Switch on the gate: δ is "
                "how often she passes."}, right="no, her cell is shown", then={"answered": True})),
    Scene("explore", "For questions. Central means a curator, local everybody, τ the gate. Fills: one "
          "private rule. Dashes: the best.", explore.everything,
          {"law": "square: moons", "n": 1000, "epsilon": 1.0, "model": "central", "moves": False}),
))
