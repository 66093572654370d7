"""The story of notebook 00: your answer drowns in your own noise, the sum of many answers does not.

The reader is one more person: what she answers stays in her browser, and no picture depends on it.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.bars import NOISE, noise_band, signal_bars
from ldp_lib.lessons.people import STOPS, SURVEYED
from ldp_lib.lessons.price import ANSWERED, GOAL, Price
from ldp_lib.nature.surveys import FEATURES, cast, load_cps
from ldp_lib.privacy.exact import ResponseCoin
from ldp_lib.stage import Control
from ldp_lib.stage.control import powers_of_two
from ldp_lib.stage.picture import (
    Axes, Picture, arrow, band, bars, dots, handle, line, linear, log, percent, polygon, rule, short, text,
)
from ldp_lib.stage.story_class import Story
from ldp_lib.stage.widget import Ask, LivePanel, Positioned, Scene

COLUMNS, ROWS = 16, 9
"""Of the 144 persons on the stage."""
YOU = (COLUMNS + 1.0, (ROWS - 1) / 2)
"""Where person 145 stands."""
ROW, AGE = "in rows", "by age and schooling"
OLD = 65
"""Years; from here on most people do not work all year."""
CROWDS = (1, 9, 36, *STOPS)
"""Four times the people, again and again; one to begin with, and everybody in the end."""
LOW, HIGH = 0.2, 0.8
"""Ends of the axis of shares."""

PLACE = Control("place", "the persons stand", "", (ROW, AGE), ROW)
ALPHA = Control("alpha", "privacy budget", "α", powers_of_two(-6, 6, 2), 1.0, "{:.3g}",
                "budget of every person, in nats")
PRIOR = Control("prior", "believed before", "π", (0.01, *(k / 20 for k in range(1, 20)), 0.99), 0.5, "{:.0%}",
                "how sure somebody was that your answer is yes, before your report")
CROWD = Control("n", "people", "n", CROWDS, 144, "{:,}", "you are one of them")
CURATOR = Control("curator", "a trusted curator adds the noise", "", (False, True), False,
                  help="one draw for the whole count")


def truth(alpha):
    """The probability that a report is the truth, e^alpha / (1 + e^alpha)."""
    return ResponseCoin(alpha, 1, 1).probability


def spun(noise):
    """Where the 145 wheels stop, shares of a turn; yours is the last one."""
    return np.random.default_rng((0, noise)).random(145)


@cache
def share():
    """The share of the surveyed who worked all year."""
    table = load_cps()
    return float((table.count * table.full_year).sum() / table.count.sum())


def spread(n, p):
    """One standard deviation of the estimated share of n people picked at random, of whom each tells the
    truth with probability p: that of the share of yes reports, divided by 2p - 1."""
    said = said_yes(p)
    return math.sqrt(said * (1 - said) / n) / (2 * p - 1)


def said_yes(p):
    """The probability that somebody picked at random reports a yes."""
    return share() * p + (1 - share()) * (1 - p)


def estimated(reported, p):
    """The share of yes answers behind a share of yes reports; unbiased."""
    return (reported - (1 - p)) / (2 * p - 1)


def yes_reports(ones, zeros, p):
    """The law of the number of yes reports of `ones` people with a yes and `zeros` with a no.

    Returns the first number and the probabilities of it and the following ones, exact but for 10^-14: the
    Fourier transform of (1 - p + p z)^ones (p + (1 - p) z)^zeros, folded beyond nine standard deviations.
    """
    mean, deviation = ones * p + zeros * (1 - p), math.sqrt((ones + zeros) * p * (1 - p))
    reach = math.ceil(9 * deviation) + 8
    first, size = math.floor(mean) - reach, 2 * reach + 1
    z = np.exp(2j * np.pi * np.arange(size) / size)
    folded = np.fft.fft((1 - p + p * z) ** ones * (p + (1 - p) * z) ** zeros).real / size
    return first, np.maximum(folded[np.arange(first, first + size) % size], 0)


def drawn(law, uniform):
    """The number of a `law`, as `yes_reports` returns it, below which lies a share `uniform` of it."""
    first, probabilities = law
    return first + int(np.searchsorted(np.cumsum(probabilities), uniform * probabilities.sum()))


def stage():
    """Where the 144 persons stand in rows, (144, 2)."""
    return np.column_stack([np.arange(144) % COLUMNS, ROWS - 1 - np.arange(144) // COLUMNS]).astype(float)


def people_axes(marks, *, place=ROW, title=""):
    """The stage with the `marks`."""
    wide, high = linear(-0.8, COLUMNS + 2.2), linear(-0.8, ROWS - 0.2)
    if place == ROW:
        return Axes("people", wide, high, title, "", "", marks, grid=False)
    (_, first, years), (_, _, most) = FEATURES["age"], FEATURES["education"]
    ages, school = range(20, 91, 10), (0, 8, 12, 16, 20)
    x = linear(wide.low, wide.high, ticks=[(age - first) / years * (COLUMNS - 1) for age in ages],
               words=[str(age) for age in ages])
    y = linear(high.low, high.high, ticks=[(year + 0.5) / most * (ROWS - 1) for year in school],
               words=[str(year) for year in school])
    return Axes("people", x, y, title, "age", "years of schooling", marks, grid=False)


def masked(label=""):
    """The marks of person 145, the same for yes and no."""
    return (dots("you", *np.reshape(YOU, (2, 1)), "private", size=26, marker="square", ring=True,
                 label=label),
            text("mask", *YOU, "?", anchor="middle"))


class Persons(NamedTuple):
    """The cast: where they stand, (144, 2), and what is true of them, (144,)."""

    stand: np.ndarray
    answer: np.ndarray


class Cast(LivePanel):
    """The 144 persons, and the reader beside them."""

    name, title = "people", "144 persons, and you"
    controls = (PLACE, ANSWERED)

    @staticmethod
    def compute(place, answered):
        """The `Persons`."""
        X, y = cast()
        return Persons(stage() if place == ROW else X * (COLUMNS - 1, ROWS - 1), y)

    @staticmethod
    def draw(result):
        """Circles and triangles; the reader is a square as soon as she has answered, whatever she said."""
        no, yes = (result.stand[result.answer == label].T for label in (0, 1))
        you = masked("you: nobody sees what you said") if result.answered else (
            dots("you", *np.reshape(YOU, (2, 1)), "reference", size=24, marker="circle", ring=True),)
        marks = (dots("no", *no, "truth", size=14, ring=True, label="no"),
                 dots("yes", *yes, "second", size=14, label="yes, all year"), *you,
                 text("you words", *YOU, "you", anchor="middle", dy=30))
        return Picture(((people_axes(marks, place=result.place),),))

    def conclude(self, result):
        """How many said yes."""
        you = "Your answer is hidden: the square is the same for yes and no." if result.answered else ""
        return f"{result.answer.sum()} of 144 persons worked all year. {you}".strip()

    def summarise(self, result):
        """How many said yes; of all, or of the old, as the persons stand."""
        all_of_them = ("yes", f"{result.answer.sum()} of 144")
        if result.place == ROW:
            return [all_of_them, (f"all {SURVEYED:,}", f"{share():.1%}")]
        _, first, years = FEATURES["age"]
        old = result.answer[result.stand[:, 0] / (COLUMNS - 1) * years + first >= OLD]
        return [all_of_them, (f"aged {OLD} and more", f"{old.sum()} of {len(old)}")]


class Spin(NamedTuple):
    """Everybody's wheel: its blue part, and where it stops."""

    p: float
    stops: np.ndarray
    answer: np.ndarray


class Wheel(LivePanel):
    """The reader's wheel, and what all others report after a turn of theirs."""

    name, title = "wheel", "A wheel decides what you say"
    controls = (ALPHA, NOISE)

    @staticmethod
    def compute(alpha, noise):
        """The `Spin`."""
        return Spin(truth(alpha), spun(noise), cast()[1])

    @staticmethod
    def draw(result):
        """Left: your wheel. Right: what the 144 report, and who of them said the opposite."""
        said = result.answer ^ (result.stops[:-1] >= result.p)
        no, yes, opposite = (stage()[here].T for here in (said == 0, said == 1, said != result.answer))
        yours = "you tell the truth" if result.stops[-1] < result.p else "you say the opposite"
        marks = (dots("says no", *no, "private", size=13, marker="square", ring=True, label="says no"),
                 dots("says yes", *yes, "private", size=13, marker="square", label="says yes"),
                 dots("opposite", *opposite, "best", size=16, label="says the opposite"),
                 *masked(),
                 text("you words", *YOU, "you", anchor="middle", dy=30))
        others = people_axes(marks, title="what the 144 persons report")._replace(wide=1.7)
        return Picture(((wheel(result.p, result.stops[-1], yours),), (others,)))

    def conclude(self, result):
        """The odds, and what came up."""
        lies = int((result.stops[:-1] >= result.p).sum())
        return (f"At α = {result.alpha:.3g} the wheel says the truth with probability {result.p:.4f}. After "
                f"this turn {lies} of the 144 report the opposite.")

    def summarise(self, result):
        """The odds."""
        lies = int((result.stops[:-1] >= result.p).sum())
        return [("truth", percent(result.p)), ("the opposite, this time", f"{lies} of 144")]


def wheel(p, stop, words):
    """The `Axes` of a wheel with a blue part p that stopped at `stop`, shares of a turn from the top."""
    def rim(turns):
        return np.sin(2 * np.pi * np.asarray(turns)), np.cos(2 * np.pi * np.asarray(turns))

    def sector(key, start, end, role):
        x, y = rim(np.linspace(start, end, 181))
        return polygon(key, np.append(x, 0), np.append(y, 0), role, label=f"{key} {percent(end - start)}")

    x, y = rim(stop)
    marks = (sector("truth", 0, p, "promise"), sector("opposite", p, 1, "noise"),
             arrow("needle", 0, 0, 0.95 * x, 0.95 * y, "truth", width=4),
             text("outcome", 0, -1.25, words, anchor="middle"))
    side = linear(-1.4, 1.4)
    return Axes("wheel", side, side, "your wheel", "", "", marks, square=True, grid=False)


class Beliefs(NamedTuple):
    """What somebody believes after a report, and what the promise allows."""

    after_yes: float
    after_no: float
    walls: tuple
    """The odds before, times e^-alpha and times e^alpha, as probabilities."""


def moved(prior, k):
    """The belief in a yes after a report that a yes sends with probability k and a no with 1 - k."""
    return prior * k / (prior * k + (1 - prior) * (1 - k))


def odds(prior, factor):
    """The belief whose odds are those of `prior` times `factor`."""
    return prior * factor / (1 - prior + prior * factor)


class Belief(LivePanel):
    """What somebody believes of you before and after your report."""

    name, title = "belief", "What your report can tell"
    controls = (PRIOR, ALPHA)

    @staticmethod
    def compute(prior, alpha):
        """The `Beliefs`."""
        k = truth(alpha)
        return Beliefs(moved(prior, k), moved(prior, 1 - k),
                       tuple(odds(prior, math.exp(side * alpha)) for side in (-1, 1)))

    @staticmethod
    def draw(result):
        """Left: the step from one belief to the next. Right: the same for every belief before."""
        return Picture(((steps(result),), (every_prior(result),)))

    def conclude(self, result):
        """The belief before and after."""
        low, high = result.walls
        return (f"Somebody believed yes with {result.prior:.0%}. After your report it is "
                f"{percent(result.after_yes)} or {percent(result.after_no)}; at α = {result.alpha:.3g} it "
                f"can never leave {percent(low)} to {percent(high)}.")

    def summarise(self, result):
        """The highest belief, and where it started."""
        return [("at most", percent(result.walls[1])), ("before", f"{result.prior:.0%}"),
                ("at least", percent(result.walls[0]))]


PERCENT = linear(0, 1, 0.25, "{:.0%}")


def steps(result):
    """The `Axes` of a belief, what it becomes, and the walls."""
    low, high = result.walls
    marks = (bars("forbidden", [1, 1], [3, 3], [0, high], [low, 1], "forbidden", label="ruled out by α"),
             line("walls", [1, 3, np.nan, 1, 3], [low, low, np.nan, high, high], "bound", width=3,
                  label=f"walls: odds × and ÷ {short(math.exp(result.alpha))}"),
             line("moves", [0.5, 1.5, np.nan, 0.5, 2.5],
                  [result.prior, result.after_yes, np.nan, result.prior, result.after_no], "reference"),
             dots("before", [0.5], [result.prior], "truth", size=18, handle=handle("prior", along="y")),
             dots("yes", [1.5], [result.after_yes], "private", size=18, marker="square"),
             dots("no", [2.5], [result.after_no], "private", size=18, marker="square", ring=True))
    columns = linear(0, 3, ticks=(0.5, 1.5, 2.5), words=("before", "report: yes", "report: no"))
    return Axes("steps", columns, PERCENT, "how sure somebody is that your answer is yes", "", "", marks,
                wide=1.3, grid=False)


def every_prior(result):
    """The `Axes` of the belief after a report against the belief before."""
    before, k = np.linspace(0, 1, 101), truth(result.alpha)
    marks = (line("none", [0, 1], [0, 1], "reference", label="no report"),
             line("after yes", before, moved(before, k), "private", width=3, label="yes"),
             line("after no", before, moved(before, 1 - k), "private", width=3, dash=(2, 1), label="no"),
             dots("yes", [result.prior], [result.after_yes], "private", size=14, marker="square"),
             dots("no", [result.prior], [result.after_no], "private", size=14, marker="square", ring=True),
             rule("prior", "truth", x=result.prior, handle=handle("prior")))
    across = linear(0, 1.03, 0.25, "{:.0%}")  # room for the last word
    return Axes("every prior", across, PERCENT, "after the report", "before it", "", marks)


class Bet(NamedTuple):
    """What is released in two worlds, in which you alone differ, and what a bettor makes of it."""

    x: np.ndarray
    yes: np.ndarray
    """How likely each number is in the world in which your answer is yes; corners of steps, or a curve."""
    no: np.ndarray
    wins: float
    released: float
    world: str
    """Which world made `released`."""


class Worlds(LivePanel):
    """Two worlds that differ in your answer, and the number that is released in each."""

    name, title = "worlds", "Which world is it?"
    controls = (ALPHA, CROWD, CURATOR, NOISE, ANSWERED)

    @staticmethod
    def compute(alpha, n, curator, noise, answered):
        """The `Bet`. Of the n - 1 others the share of yes is that of the survey."""
        ones = round(share() * (n - 1))
        where, which = np.random.default_rng((1, noise)).random(2)
        world = "yes" if which < 0.5 else "no"
        if curator:
            x = np.linspace(ones - 6 / alpha, ones + 1 + 6 / alpha, 481)
            no, yes = (alpha / 2 * np.exp(-alpha * np.abs(x - count)) for count in (ones, ones + 1))
            noisy = -math.copysign(math.log1p(-2 * abs(where - 0.5)), where - 0.5) / alpha
            released = ones + (world == "yes") + noisy
            wins = 1 - math.exp(-alpha / 2) / 2
        else:
            p = truth(alpha)
            law = yes_reports(ones, n - 1 - ones, p)
            first, others = law
            edges = first + np.arange(len(others) + 2) - 0.5
            one = np.convolve(others, (1 - p, p)), np.convolve(others, (p, 1 - p))
            wins = 0.5 + np.abs(one[0] - one[1]).sum() / 4
            seen = np.flatnonzero(one[0] + one[1] > 1e-4 * one[0].max())
            keep = slice(seen[0], seen[-1] + 1)
            x = np.repeat(edges[keep.start:keep.stop + 1], 2)
            yes, no = (np.concatenate([[0], np.repeat(each[keep], 2), [0]]) for each in one)
            report = (np.random.default_rng((2, noise)).random() < p) == (world == "yes")
            released = drawn(law, where) + report
        return Bet(x, yes, no, float(wins), float(released), world)

    @staticmethod
    def draw(result):
        """The two laws, what they differ in, and one number that was released."""
        return Picture(((worlds(result),),))

    def conclude(self, result):
        """How often a bettor wins."""
        what = "a curator's noisy count" if result.curator else f"the sum of {result.n:,} noisy reports"
        if not result.answered:
            return f"One released number, {what}: {result.released:.1f}. Is your answer in it a yes or a no?"
        return (f"Who bets on your answer from {what} wins with probability {result.wins:.4f} at α = "
                f"{result.alpha:.3g}. This number came from the world in which you said {result.world}.")

    def summarise(self, result):
        """How often a bettor wins."""
        number = ("released number", f"{result.released:,.{int(result.curator)}f}")
        return [("she wins", percent(result.wins)), number] if result.answered else [number]


def worlds(result):
    """The `Axes` of both laws; before the question is answered, of the released number alone."""
    low, high = float(result.x[0]), float(result.x[-1])
    margin, left = 0.02 * (high - low), result.released < (low + high) / 2
    marks = [rule("released", "private", x=result.released, width=4, dash=(), label="the released number")]
    if result.answered:
        marks = [band("gain", result.x, np.minimum(result.yes, result.no), np.maximum(result.yes, result.no),
                      "one", label="where they differ"),
                 line("no", result.x, result.no, "truth", width=2.5, label="if your answer is no"),
                 line("yes", result.x, result.yes, "second", width=2.5, label="if it is yes"), *marks,
                 text("origin", result.released, 1.08 * result.no.max(), f"drawn: {result.world}",
                      anchor="start" if left else "end", dx=8 if left else -8)]
    words = "a curator's noisy count" if result.curator else (
        "your report: 0 is no, 1 is yes" if result.n == 1
        else f"the number of yes among {result.n:,} reports")
    title = "how likely each number is" if result.answered else "which world made this number?"
    return Axes("worlds", linear(low - margin, high + margin, even(high - low)),
                linear(0, 1.2 * float(result.no.max())), title, words, "", tuple(marks), grid=False)


def even(span):
    """A whole step of 1, 2 or 5 times a power of ten, of which some four to eight make `span`."""
    power = 10 ** max(0, math.floor(math.log10(span / 4)))
    return next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= 9)


class Estimates(NamedTuple):
    """The share of yes that the analyst sees, with ever more people."""

    seen: np.ndarray
    """The estimate after each of `CROWDS`."""
    level: float
    open_level: float
    """Both: one standard deviation, with and without the wheels."""
    p: float


class Crowd(LivePanel):
    """The share of yes in the crowd: what the analyst wants, against the noise."""

    name, title = "crowd", "Everybody can read the crowd"
    controls = (ALPHA, CROWD, NOISE)

    @staticmethod
    def compute(alpha, n, noise):
        """The `Estimates`: people join those who are there already."""
        p = truth(alpha)
        joining = np.diff(CROWDS, prepend=0)
        turns = np.random.default_rng((3, noise)).random(len(CROWDS))
        laws = [yes_reports(int(count), 0, said_yes(p)) for count in joining]
        reports = np.cumsum([drawn(law, turn) for law, turn in zip(laws, turns)])
        return Estimates(estimated(reports / CROWDS, p), spread(n, p), spread(n, 1.0), p)

    @staticmethod
    def draw(result):
        """Left: bar and noise. Right: the same against the number of people."""
        return Picture(((share_bar(result),), (funnel(result),)))

    def conclude(self, result):
        """The share, and one standard deviation of what is seen of it: noise and chance together."""
        return (f"At n = {result.n:,} one standard deviation of the estimated share is {result.level:.4f}; "
                f"without privacy {result.open_level:.4f}. The share itself is {share():.1%}.")

    def summarise(self, result):
        """The noise, and what is seen in it."""
        estimate = f"{now(result):.1%}".replace("-", "−")
        return [("noise and chance", f"±{100 * result.level:.3g} points"), ("estimate", estimate),
                ("all answers", f"{share():.1%}")]


def now(result):
    """The estimate with the present number of people."""
    return float(result.seen[CROWDS.index(result.n)])


def share_bar(result):
    """The `Axes` of one bar, the share of yes, in the noise."""
    marks = (noise_band(result.level, 0, 1, f"noise and chance ±{100 * result.level:.3g} points"),
             rule("zero", "truth", y=0, width=1), *signal_bars([0.5], [share()], 0.3, seen=[now(result)]))
    return Axes("share", linear(0, 1), linear(-1.25, 1.75, ticks=(0, 1), words=("0", "100%")),
                "the share of yes", "", "", marks, wide=0.7, grid=False)


def funnel(result):
    """The `Axes` of the share that is seen against the number of people."""
    n = np.geomspace(CROWDS[0], SURVEYED, 73)
    level, open_level = (np.array([spread(each, p) for each in n]) for p in (result.p, 1.0))
    middle = share()
    reached = np.where(np.array(CROWDS) <= result.n, result.seen, np.nan)
    gap = [np.nan]
    marks = (band("noise", n, middle - level, middle + level, "noise", label="noise and chance"),
             line("open", np.concatenate([n, gap, n]),
                  np.concatenate([middle - open_level, gap, middle + open_level]), "open",
                  label="chance alone, without noise"),
             rule("share", "truth", y=middle, width=1),
             dots("seen", CROWDS, reached, "private", size=10, label="what the analyst sees"),
             rule("here", "private", x=result.n, width=1, handle=handle("n")),
             dots("now", [result.n], [now(result)], "private", size=17))
    return Axes("funnel", log(0.8, 3e5, ticks=(1, 9, 144, 2304, SURVEYED), words="{:,.0f}"),
                linear(LOW, HIGH, 0.1, "{:.0%}"), "the share of yes, with more and more people",
                "people n", "", marks)


class Free(NamedTuple):
    """A belief, a bet and a crowd at one position."""

    beliefs: Positioned
    bet: Positioned
    crowd: Positioned


class Explore(LivePanel):
    """What a report tells of you, what the sum tells of you, and what it tells of all."""

    name, title = "explore", "One report, and the crowd"
    controls = (ALPHA, PRIOR, CROWD, CURATOR, NOISE)

    @staticmethod
    def compute(alpha, prior, n, curator, noise):
        """All three."""
        return Free(Belief.compute(alpha=alpha, prior=prior),
                    Worlds.compute(alpha=alpha, n=n, curator=curator, noise=noise, answered=True),
                    Crowd.compute(alpha=alpha, n=n, noise=noise))

    @staticmethod
    def draw(result):
        """Beliefs, two worlds, and the crowd."""
        return Picture(((every_prior(result.beliefs),), (worlds(result.bet),), (funnel(result.crowd),)))

    def conclude(self, result):
        """All three."""
        parts = (Belief, result.beliefs), (Worlds, result.bet), (Crowd, result.crowd)
        return " ".join(view.conclude(self, found) for view, found in parts)

    def summarise(self, result):
        """The first number of each."""
        return [("belief at most", percent(result.beliefs.walls[1])),
                ("a bettor wins", percent(result.bet.wins)), *Crowd.summarise(self, result.crowd)]


class Start(Story):
    """Notebook 00: nobody can read you, everybody can read the crowd."""

    name = "start"
    version = 1
    title = "You are person 145"
    size = (10.0, 5.2)
    controls = (PLACE, ANSWERED, ALPHA, NOISE, PRIOR, CROWD, CURATOR, GOAL)
    views = {"people": Cast, "wheel": Wheel, "belief": Belief, "worlds": Worlds, "crowd": Crowd,
             "price": Price, "explore": Explore}
    scenes = (
        Scene("cast", "These 144 people were asked: did you work all year? You are person 145.", {},
              ("place",), view="people", play=("place", (ROW, AGE))),
        Scene("you", "Now you: did you work all year? Your answer stays in this browser.", {}, ("place",),
              view="people",
              ask=Ask(("yes", "no"), None, 2 * (
                  "Your answer is kept in this browser only. The square looks the same for yes and no.",),
                  {"answered": True})),
        Scene("coin",
              "Spin your wheel. Blue: tell the truth. Grey: say the opposite. A larger budget α means more "
              "truth and less privacy.", {}, ("noise", "alpha"), view="wheel"),
        Scene("deniability",
              "How sure is somebody of your yes? Your report multiplies her odds by at most e to the α, "
              "whatever she believed. Drag the dot.", {}, ("prior", "alpha"), view="belief"),
        Scene("two worlds",
              "A bettor knows all other answers, not their reports. She sees the sum of 144 reports, one "
              "yours. How often is she right?",
              {}, ("n", "curator", "noise"), view="worlds",
              ask=Ask(("50%", "52%", "73%", "100%"), 1, (
                  "Your report still moves the sum: 51.7%. From it alone she wins 73.1%; from a curator's "
                  "count 69.7%.",
                  "The other reports hide yours. From yours alone she wins 73.1%; from a curator's count "
                  "69.7%.",
                  "That is from your report alone, 73.1%. In the sum 51.7%; from a curator's count 69.7%.",
                  "Your wheel hides you: 73.1%. The others hide you more: 51.7%. A curator's count: 69.7%."),
                  {"answered": True})),
        Scene("sum",
              "The analyst corrects for the lies. From one report this is useless: ±108 points. Play: the "
              "crowd can be read, and you cannot.",
              {"n": 1}, ("n", "noise"), view="crowd", play=("n", CROWDS)),
        Scene("price",
              "A rule guesses from your age: right for 67%. Cubes of notebook 01 need 987 times the people "
              "of open data. The fewest, trusting nobody?",
              {"n": 144}, ("goal",), view="price", play=("goal", (0.60, 0.64, 0.66, 0.67)),
              ask=Ask(("twice as many", "53 times", "500 times", "987 times"), 1, (
                  "That is nearly a trusted curator: 1.4 times. Trusting nobody: 53 times, with one short "
                  "question.",
                  "One bit is a short question: two people's reports differ less, so less noise hides them.",
                  "53 times. One bit is a short question: two people's reports differ less, so less noise "
                  "hides them.",
                  "53 times. One bit is a short question: two people's reports differ less, so less noise "
                  "hides them."),
                  {"answered": True})),
        Scene("explore",
              "Left: one report. Middle: the sum of n reports, one of them yours. Right: the crowd.", {},
              view="explore"),
    )


STORY = Start
