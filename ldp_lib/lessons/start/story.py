"""The story of notebook 00: your answer drowns in your own noise, the sum of many answers does not.

The reader is one more person: what she answers stays in her browser, and no picture depends on it.
"""

import math
from functools import cache

import numpy as np

from ldp_lib.lessons.bars import NOISE, ZERO, noise_band, signal_bars
from ldp_lib.lessons.people import STOPS, SURVEYED
from ldp_lib.lessons.price import ANSWERED, how_many_people
from ldp_lib.nature.surveys import FEATURES, cast, load_cps
from ldp_lib.privacy.exact import ResponseCoin
from ldp_lib.privacy.responses import share_of_yes, yes_reports
from ldp_lib.stage import Ask, Control, Scene, Shown, Story, powers_of_two, view
from ldp_lib.stage.picture import (
    Axes, band, bars, dots, handle, line, linear, log, percent, polygon, rule, short, text,
)
from ldp_lib.theory.contraction import total_variation

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
PERCENT = linear(0, 1, 0.25, "{:.0%}")

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


@cache
def share():
    """The share of the surveyed who worked all year."""
    table = load_cps()
    return float((table.count * table.full_year).sum() / table.count.sum())


def spread(n, p):
    """One standard deviation of the estimated share of n people picked at random, of whom each tells the
    truth with probability p: that of the share of yes reports, divided by 2p - 1."""
    said = said_yes(p)
    return np.sqrt(said * (1 - said) / n) / (2 * p - 1)


def said_yes(p):
    """The probability that somebody picked at random reports a yes."""
    return share() * p + (1 - share()) * (1 - p)


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
               words=[str(age) for age in ages], reads=(first, years / (COLUMNS - 1)))
    y = linear(high.low, high.high, ticks=[(year + 0.5) / most * (ROWS - 1) for year in school],
               words=[str(year) for year in school], reads=(-0.5, most / (ROWS - 1)))
    return Axes("people", x, y, title, "age", "years of schooling", marks, grid=False)


def masked(label=""):
    """The marks of person 145, the same for yes and no."""
    return (dots("you", *YOU, "private", size=26, marker="square", ring=True, label=label),
            text("mask", *YOU, "?", anchor="middle"))


@view(PLACE, ANSWERED)
def people(place, answered):
    """Circles and triangles; the reader is a square as soon as she has answered, whatever she said."""
    X, y = cast()
    stand = stage() if place == ROW else X * (COLUMNS - 1, ROWS - 1)
    no, yes = (stand[y == label].T for label in (0, 1))
    you = masked("you: nobody sees what you said") if answered else (
        dots("you", *YOU, "reference", size=24, marker="circle", ring=True),)
    marks = (dots("no", *no, "truth", size=14, ring=True, label="no"),
             dots("yes", *yes, "second", size=14, label="yes, all year"), *you,
             text("you words", *YOU, "you", anchor="middle", dy=30))
    hidden = " Your answer is hidden: the square is the same for yes and no." if answered else ""
    _, first, years = FEATURES["age"]
    old = y[X[:, 0] * years + first >= OLD]
    return Shown((people_axes(marks, place=place),), f"{y.sum()} of 144 persons worked all year.{hidden}",
                 [("yes", f"{y.sum()} of 144"),
                  (f"all {SURVEYED:,}", f"{share():.1%}") if place == ROW else
                  (f"aged {OLD} and more", f"{old.sum()} of {len(old)}")])


@view(ALPHA, NOISE)
def wheels(alpha, noise):
    """Left: your wheel. Right: what the 144 report, and who of them said the opposite."""
    p, answers = truth(alpha), cast()[1]
    *others, yours = np.random.default_rng((0, noise)).random(145)  # where wheels stop, shares of a turn
    lies = np.array(others) >= p
    said = answers ^ lies
    no, yes, opposite = (stage()[here].T for here in (said == 0, said == 1, lies))
    marks = (dots("says no", *no, "private", size=13, marker="square", ring=True, label="says no"),
             dots("says yes", *yes, "private", size=13, marker="square", label="says yes"),
             dots("opposite", *opposite, "best", size=16, label="says the opposite"),
             *masked(),
             text("you words", *YOU, "you", anchor="middle", dy=30))
    reports = people_axes(marks, title="what the 144 persons report")._replace(wide=1.7)
    words = "you tell the truth" if yours < p else "you say the opposite"
    return Shown((wheel(p, yours, words), reports), f"At α = {alpha:.3g} the wheel says the truth with "
                 f"probability {p:.4f}. After this turn {lies.sum()} of the 144 report the opposite.",
                 [("truth", percent(p)), ("the opposite, this time", f"{lies.sum()} of 144")])


def wheel(p, stop, words):
    """The `Axes` of a wheel with a blue part p that stopped at `stop`, shares of a turn from the top."""
    def rim(turns):
        return np.sin(2 * np.pi * np.asarray(turns)), np.cos(2 * np.pi * np.asarray(turns))

    def sector(key, start, end, role):
        x, y = rim(np.linspace(start, end, 181))
        return polygon(key, np.append(x, 0), np.append(y, 0), role, label=f"{key} {percent(end - start)}")

    x, y = rim(stop)
    marks = (sector("truth", 0, p, "private"), sector("opposite", p, 1, "noise"),
             line("needle", [0, 0.95 * x], [0, 0.95 * y], "truth", width=5, over=True),
             text("outcome", 0, -1.25, words, anchor="middle"))
    side = linear(-1.4, 1.4)
    return Axes("wheel", side, side, "your wheel", "", "", marks, square=True, grid=False)


def moved(prior, k):
    """The belief in a yes after a report that a yes sends with probability k and a no with 1 - k."""
    return prior * k / (prior * k + (1 - prior) * (1 - k))


def odds(prior, factor):
    """The belief whose odds are those of `prior` times `factor`."""
    return prior * factor / (1 - prior + prior * factor)


@view(PRIOR, ALPHA)
def belief(prior, alpha):
    """Left: the step from one belief to the next. Right: the same for every belief before."""
    k = truth(alpha)
    yes, no = moved(prior, k), moved(prior, 1 - k)
    low, high = (odds(prior, math.exp(side * alpha)) for side in (-1, 1))
    marks = (bars("forbidden", 1, 3, [0, high], [low, 1], "forbidden", label="ruled out by α"),
             line("walls", [1, 3, np.nan, 1, 3], [low, low, np.nan, high, high], "bound", width=3,
                  label=f"walls: odds × and ÷ {short(math.exp(alpha))}"),
             line("moves", [0.5, 1.5, np.nan, 0.5, 2.5], [prior, yes, np.nan, prior, no], "reference"),
             dots("before", 0.5, prior, "truth", size=18, handle=handle("prior", along="y")),
             dots("yes", 1.5, yes, "private", size=18, marker="square"),
             dots("no", 2.5, no, "private", size=18, marker="square", ring=True))
    columns = linear(0, 3, ticks=(0.5, 1.5, 2.5), words=("before", "report: yes", "report: no"))
    ends = Axes("two beliefs", columns, PERCENT, "how sure somebody is that your answer is yes", "", "",
                marks, wide=1.3, grid=False)
    return Shown((ends, every_prior(prior, k)),
                 f"Somebody believed yes with {prior:.0%}. After your report it is {percent(yes)} or "
                 f"{percent(no)}; at α = {alpha:.3g} it can never leave {bound(low)} to {bound(high)}.",
                 [("at most", bound(high)), ("before", f"{prior:.0%}"), ("at least", bound(low))])


def bound(share):
    """A bound in words. Beside "at most" a "> 99.9%" would say nothing, so that it gets as many digits as
    tell it from certainty.

    >>> bound(0.731), bound(0.99966), bound(0.0000034)
    ('73.1%', '99.966%', '0.00034%')
    """
    words = percent(share)
    if not words.startswith(("<", ">")):
        return words
    return f"{share:.{-1 - math.floor(math.log10(min(share, 1 - share)))}%}"


def every_prior(prior, k):
    """The `Axes` of the belief after a report against the belief before."""
    before = np.linspace(0, 1, 101)
    marks = (line("none", [0, 1], [0, 1], "reference", label="no report"),
             line("after yes", before, moved(before, k), "private", width=3, label="yes"),
             line("after no", before, moved(before, 1 - k), "private", width=3, dash=(2, 1), label="no"),
             dots("yes", prior, moved(prior, k), "private", size=14, marker="square"),
             dots("no", prior, moved(prior, 1 - k), "private", size=14, marker="square", ring=True),
             rule("prior", "truth", x=prior, handle=handle("prior")))
    across = linear(0, 1.03, 0.25, "{:.0%}")  # room for the last word
    return Axes("every prior", across, PERCENT, "after the report", "before it", "", marks)


def noisy_count(ones, alpha, uniform):
    """What a curator releases of your answer and of others, of whom `ones` said yes.

    Returns numbers (m,), how likely each is if your answer is no and if it is yes, in these two worlds the
    number at the share `uniform` of the noise, and how often a bettor is right.
    """
    x = np.linspace(ones - 6 / alpha, ones + 1 + 6 / alpha, 481)
    no, yes = (alpha / 2 * np.exp(-alpha * np.abs(x - count)) for count in (ones, ones + 1))
    noise = -math.copysign(math.log1p(-2 * abs(uniform - 0.5)), uniform - 0.5) / alpha
    return x, no, yes, (ones + noise, ones + 1 + noise), 1 - math.exp(-alpha / 2) / 2


def sum_of_reports(ones, zeros, p, uniform, stop):
    """The sum of your report and those of others with a yes and with a no: what `noisy_count` returns.

    Numbers are corners of steps. `uniform` : a share of the law of the others. `stop` : of your wheel.
    """
    first, others = law = yes_reports(ones, zeros, p)
    edges = first + np.arange(len(others) + 2) - 0.5
    chances = np.convolve(others, (p, 1 - p)), np.convolve(others, (1 - p, p))
    wins = (1 + total_variation(*chances)) / 2
    seen = np.flatnonzero(chances[0] + chances[1] > 1e-4 * chances[1].max())
    keep = slice(seen[0], seen[-1] + 1)
    no, yes = (np.concatenate([[0], np.repeat(each[keep], 2), [0]]) for each in chances)
    count, true = drawn(law, uniform), stop < p
    return np.repeat(edges[keep.start:keep.stop + 1], 2), no, yes, (count + (not true), count + true), wins


@view(ALPHA, CROWD, CURATOR, NOISE, ANSWERED)
def which_world(alpha, n, curator, noise, answered):
    """One released number; after the answer also its law in both worlds, and what they differ in."""
    ones = round(share() * (n - 1))  # of the others the share of yes is that of the survey
    uniform, side = np.random.default_rng((1, noise)).random(2)
    x, no, yes, numbers, wins = noisy_count(ones, alpha, uniform) if curator else sum_of_reports(
        ones, n - 1 - ones, truth(alpha), uniform, np.random.default_rng((2, noise)).random())
    world = "yes" if side < 0.5 else "no"
    released, low, high = float(numbers[world == "yes"]), float(x[0]), float(x[-1])
    margin, left = 0.02 * (high - low), released < (low + high) / 2
    marks = [rule("released", "private", x=released, width=4, dash=(), label="the released number")]
    if answered:
        marks = [band("gain", x, np.minimum(yes, no), np.maximum(yes, no), "one", label="where they differ"),
                 line("no", x, no, "truth", width=2.5, label="if your answer is no"),
                 line("yes", x, yes, "second", width=2.5, label="if it is yes"), *marks,
                 text("origin", released, 1.08 * no.max(), f"drawn: {world}",
                      anchor="start" if left else "end", dx=8 if left else -8)]
    words = "a curator's noisy count" if curator else (
        "your report: 0 is no, 1 is yes" if n == 1 else f"the number of yes among {n:,} reports")
    title = "how likely each number is" if answered else "which world made this number?"
    axes = Axes("worlds", linear(low - margin, high + margin, whole_step(high - low)),
                linear(0, 1.2 * float(no.max())), title, words, "", marks, grid=False)
    what = "a curator's noisy count" if curator else (
        "one noisy report" if n == 1 else f"the sum of {n:,} noisy reports")
    printed = round(released, 1) + 0.0  # no zero has a sign
    number = ("released number", f"{printed:,.{int(curator)}f}")
    if not answered:
        return Shown((axes,), f"One released number, {what}: {printed:.1f}. Is your answer in it a yes or a "
                     "no?", [number])
    return Shown((axes,), f"Who bets on your answer from {what} wins with probability {wins:.4f} at α = "
                 f"{alpha:.3g}. This number came from the world in which you said {world}.",
                 [("she wins", percent(wins)), number])


def whole_step(span):
    """A whole step of 1, 2 or 5 times a power of ten, of which some four to eight make `span`."""
    power = 10 ** max(0, math.floor(math.log10(span / 4)))
    return next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= 9)


def estimates(p, noise):
    """The share of yes that the analyst sees with each of `CROWDS`: people join those who are there."""
    joining = np.diff(CROWDS, prepend=0)
    turns = np.random.default_rng((3, noise)).random(len(CROWDS))
    laws = [yes_reports(int(count), 0, said_yes(p)) for count in joining]
    reports = np.cumsum([drawn(law, turn) for law, turn in zip(laws, turns)])
    return share_of_yes(reports / CROWDS, p)


@view(ALPHA, CROWD, NOISE)
def crowd(alpha, n, noise):
    """Left: one bar, the share of yes, in the noise. Right: the same against the number of people."""
    p = truth(alpha)
    seen, level = estimates(p, noise), spread(n, p)
    now = float(seen[CROWDS.index(n)])
    marks = (noise_band(level, 0, 1, f"noise and chance ±{100 * level:.3g} points"), ZERO,
             *signal_bars(0.5, share(), 0.3, seen=now))
    bar = Axes("share", linear(0, 1), linear(-1.25, 1.75, ticks=(0, 1), words=("0", "100%")),
               "the share of yes", "", "", marks, wide=0.7, grid=False)
    return Shown((bar, funnel(p, n, seen)),
                 f"At n = {n:,} one standard deviation of the estimated share is {level:.4f}; without "
                 f"privacy {spread(n, 1.0):.4f}. The share itself is {share():.1%}.",
                 [("noise and chance", f"±{100 * level:.3g} points"),
                  ("estimate", f"{round(now, 3) + 0.0:.1%}".replace("-", "−")),
                  ("all answers", f"{share():.1%}")])


def funnel(p, present, seen):
    """The `Axes` of the share that is `seen` with each of `CROWDS`, up to the `present` number of people."""
    n = np.geomspace(CROWDS[0], SURVEYED, 73)
    level, chance, middle, gap = spread(n, p), spread(n, 1.0), share(), [np.nan]
    marks = (band("noise", n, middle - level, middle + level, "noise", label="noise and chance"),
             line("open", np.concatenate([n, gap, n]),
                  np.concatenate([middle - chance, gap, middle + chance]), "open",
                  label="chance alone, without noise"),
             rule("share", "truth", y=middle, width=1),
             dots("seen", CROWDS, np.where(np.array(CROWDS) <= present, seen, np.nan), "private", size=10,
                  label="what the analyst sees"),
             rule("here", "private", x=present, width=1, handle=handle("n")),
             dots("now", present, seen[CROWDS.index(present)], "private", size=17))
    return Axes("funnel", log(0.8, 3e5, ticks=(1, 9, 144, 2304, SURVEYED), words="{:,.0f}"),
                linear(LOW, HIGH, 0.1, "{:.0%}"), "the share of yes, with more and more people",
                "people n", "", marks)


@view(ALPHA, NOISE, PRIOR, CROWD, CURATOR)
def everything(alpha, noise, prior, n, curator):
    """What a report tells of you, what the sum tells of you, and what it tells of all."""
    report = belief(prior=prior, alpha=alpha)
    released = which_world(alpha=alpha, n=n, curator=curator, noise=noise, answered=True)
    all_of_them = crowd(alpha=alpha, n=n, noise=noise)
    return Shown((report.columns[1], released.columns[0], all_of_them.columns[1]),
                 f"{report.says} {released.says} {all_of_them.says}",
                 [("belief at most", report.numbers[0][1]), ("a bettor wins", released.numbers[0][1]),
                  *all_of_them.numbers])


SHORT_QUESTION = ("One bit is a short question: two people's reports are closer, so less noise hides "
                  "them.")
"""Why trusting nobody takes 53 times the people, not 987."""

STORY = Story("start", "You are person 145", size=(10.0, 5.2), scenes=(
    Scene("cast", "These 144 people were asked: did you work all year? You are person 145.",
          people, {}, ("place",), play=("place", (ROW, AGE))),
    Scene("you", "Now you: did you work all year? Your answer stays in this browser.",
          people, {}, ("place",), ask=Ask(dict.fromkeys(
              ("yes", "no"), "Your answer is kept in this browser only. The square looks the same for yes "
              "and no."), then={"answered": True})),
    Scene("coin", "Spin your wheel. Blue: tell the truth. Grey: say the opposite. A larger budget α means "
          "more truth and less privacy.",
          wheels, {}, ("noise", "alpha")),
    Scene("deniability", "How sure is somebody of your yes? Your report multiplies her odds by at most e to "
          "the α, whatever she believed. Drag the dot.",
          belief, {}, ("prior", "alpha")),
    Scene("two worlds", "A bettor knows all other answers, not their reports. She sees the sum of "
          "yours and 143 other reports. How often is she right?",
          which_world, {}, ("n", "curator", "noise"), ask=Ask({
              "50%": "Your report still moves the sum: 51.7%. From it alone she wins 73.1%; from a "
                     "trusted curator's noisy count 69.7%.",
              "52%": "The other reports hide yours. From yours alone she wins 73.1%; from a trusted "
                     "curator's noisy count 69.7%.",
              "73%": "That is from your report alone, 73.1%. In the sum 51.7%; from a trusted curator's "
                     "noisy count 69.7%.",
              "100%": "Your wheel hides you: 73.1%. The others hide you more: 51.7%. A trusted curator's "
                      "noisy count: 69.7%."}, right="52%", then={"answered": True})),
    Scene("sum", "The analyst corrects for the lies. From one report this is useless: ±108 points. Play: the "
          "crowd can be read, and you cannot.",
          crowd, {"n": 1}, ("n", "noise"), play=("n", CROWDS)),
    Scene("price", "Guess by age who worked all year, 67% right. A number per age group costs 987 times the "
          "people. The smallest factor, trusting nobody?",
          how_many_people, {"n": 144}, ("goal",), play=("goal", (0.60, 0.64, 0.66, 0.67)), ask=Ask({
              "twice as many": "That is nearly a trusted curator: 1.4 times. Trusting nobody: 53 times, "
                               "with one short question.",
              "53 times": SHORT_QUESTION, "500 times": f"53 times. {SHORT_QUESTION}",
              "987 times": f"53 times. {SHORT_QUESTION}"}, right="53 times", then={"answered": True})),
    Scene("explore", "Left: one report. Middle: the sum of n reports, one of them yours. Right: the crowd.",
          everything),
))
