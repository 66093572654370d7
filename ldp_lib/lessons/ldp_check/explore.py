"""What *explore* shows in notebook 01: two people, one report, and how well anybody can tell whose it is.

Everything that it shows is exact, except that the one report which is drawn comes from a fixed seed.
Losses are drawn in units of alpha and reports in units of the noise scale b, so that no scale moves.
"""

import numpy as np

from ldp_lib.lessons.pictures import row, stems, upright
from ldp_lib.privacy import CubeLaplace
from ldp_lib.privacy.audit import privacy_loss_distribution
from ldp_lib.stage import Control, Shown, log_steps, view
from ldp_lib.stage.picture import Axes, bars, cells, dots, handle, line, linear, polygon, rule, step

HEIGHT = 0.37
"""Second coordinate of both people in d = 2: a multiple of no bandwidth of the slider."""

SEED = 97
"""Of the one report that is drawn; the same noise, in units of b, at all positions of one grid."""
PERSONS = ((1, "A", "first", "x"), (2, "B", "second", "x2"))
"""Number, what readers call them, role, and the control of the place."""
SENT = {1: "B", 2: "yB"}
"""What people publish in either half of the sample."""
BANDWIDTHS = (0.05, 0.06, 0.08, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
PLACES = tuple(percent / 100 for percent in range(101))

LINE = (-0.6, 1.6)
"""Where reports are followed on the line on which person 2's array is 0 and person 1's is 1."""
SHADES = 9
"""Of a report in d = 2, from -4b to 4b, in whole multiples of b."""
LOWEST_STEP = 1 / 400
"""Lower steps of a distribution function are drawn together: there are thousands, more than pixels."""
IN_ALPHA = (0, 1, 0, "α")
"""How an axis in units of alpha is read."""
UNITS = linear(-1.25, 1.25, ticks=(-1, -0.5, 0, 0.5, 1), words=("−α", "−α/2", "0", "α/2", "α"),
               reads=IN_ALPHA)
"""Of losses."""


def age(x):
    """Years of somebody at `x`, in words."""
    return f"{18 + 73 * x:.0f}"


def place_and_age(x):
    """A place in words."""
    return f"{x:.2f}: age {age(x)}"


ALPHA = Control("alpha", "privacy", "α", log_steps(0.1, 8.0, 10), 1.0, "{:.3g}", "nats per report")
WIDTH = Control("h", "bandwidth", "h", BANDWIDTHS, 0.2, "{:g}", "distance of grid points; a cube is 2h wide")
DIMENSION = Control("d", "dimension", "d", (1, 2), 1, "{}", "if 2, both people have x₂ = 0.37")
HALF = Control("half", "half", "", (1, 2), 2, {1: "first: B", 2: "second: yB"}.get,
               "of the sample: the first publishes B, the second y times B")
PLACE = Control("x", "A lives at", "x", PLACES, 0.13, place_and_age)
LABEL = Control("y", "A has label 1", "", (False, True), True)
PLACE_2 = Control("x2", "B lives at", "x′", PLACES, 0.77, place_and_age)
LABEL_2 = Control("y2", "B has label 1", "", (False, True), True)


def records(d, x, y, x2, y2):
    """A's record and B's, as mechanisms want them."""
    return ((x, HEIGHT)[:d], y), ((x2, HEIGHT)[:d], y2)


def distribution(mechanism, both, half):
    """Of the log-likelihood ratio of two records in nats: its values (m,), and P(ratio <= value) if A sends
    and if B does, (2, m)."""
    law = privacy_loss_distribution(mechanism, *both, half=half)
    return law.loss, np.minimum(np.cumsum([law.under_a, law.under_b], axis=1), 1.0)


def below_zero(losses, below):
    """P(ratio <= 0) under either sender, (2,): the best test that weighs both errors alike cuts there."""
    return below[:, np.searchsorted(losses, 0.0, side="right") - 1]


def advantage(losses, below):
    """Total variation distance: power minus level of the best test."""
    return float(np.ptp(below_zero(losses, below)))


def log_ratio(report, signals, scale):
    """Of a report (K,) in nats, where A and B publish the `signals` (2, K) with noise of this scale."""
    return float(np.subtract(*np.abs(report - signals)[::-1]).sum() / scale)


def ratio_on_line(loss, place):
    """The log-likelihood ratio of the report v' + place (v - v'), v and v' being the signals of A and B."""
    return loss * (np.abs(place) - np.abs(1 - place))


@view(ALPHA, WIDTH, DIMENSION, HALF, PLACE, LABEL, PLACE_2, LABEL_2)
def everything(alpha, h, d, half, x, y, x2, y2):
    """Left: both arrays and a report. Middle: the ratio and its law. Right: the best tests."""
    mechanism, (first, second) = CubeLaplace(alpha, h, d), records(d, x, y, x2, y2)
    signals = mechanism.encode(*zip(first, second), half=half)
    report = signals[0] + mechanism.noise.sample(mechanism.K, np.random.default_rng(SEED))
    loss = mechanism.privacy_loss(*first, *second, half=half)
    drawn_loss = log_ratio(report, signals, mechanism.scale)
    losses, below = distribution(mechanism, (first, second), half)
    reached = below[0, -1] - (below[0, -2] if losses.size > 1 else 0)
    ones = signals.sum(axis=1)
    arrays = (lines if d == 1 else squares)(mechanism, SENT[half], (x, x2), signals, report)
    return Shown(
        (arrays, (ratio(alpha, loss, drawn_loss), law(alpha, losses, below)), tests(alpha, losses, below)),
        conclusion(alpha, d, signals, loss / alpha),
        [("noise scale b", f"{mechanism.scale:.3g}"), ("distance |x − x′|", f"{abs(x - x2):.2f}"),
         (f"ones in {SENT[half]}", f"{ones[0]:.0f} and {ones[1]:.0f}"),
         ("arrays differ in",
          f"{np.abs(np.subtract(*signals)).sum():.0f} of at most {mechanism.sensitivity:.0f}"),
         ("exact loss", f"{loss:.4g} of α = {alpha:.3g} ({loss / alpha:.1%})"),
         ("P(loss reached)", f"{reached:.4g}"),
         ("best test's advantage", f"{advantage(losses, below):.4f}"),
         ("loss of the drawn report", f"{drawn_loss:+.3f}")])


def conclusion(alpha, d, signals, share):
    """Whether all of the budget is spent; otherwise which share is, and why."""
    if share > 1 - 2.0**-38:     # the noise scale has 40 binary digits
        return f"The supports are disjoint: the loss reaches α = {alpha:.3g} exactly."
    ones = np.count_nonzero(signals, axis=1)
    why = " and ".join(words for words, holds in (
        ("a label 0 publishes an empty array", not ones.all()),
        ("on a grid line a person is in fewer cubes", (ones[ones > 0] < 2**d).any()),
        ("the supports overlap", signals.all(axis=0).any())) if holds)
    end = f"only {share:.1%} of α = {alpha:.3g} is spent." if share else (
        "both arrays are the same, and no report can tell who sent it.")
    return f"{why[0].upper()}{why[1:]}: {end}"


def lines(mechanism, sent, people, signals, report):
    """The `Axes` of what the two publish where d = 1: stems over the grid points, and a noisy report.

    sent : its name. people : where they live; both stand on lines of their own below.
    """
    grid, noise = np.arange(mechanism.shape[0]) * mechanism.h, report / mechanism.scale
    marks = [upright("report", grid, noise, "noise", wide=0.018, label="report"),
             line("zero", [0, grid[-1]], [0, 0], "truth", width=0.8),
             dots("grid", grid, 0, "truth", size=4)]
    for (number, name, role, control), place, level, shift, signal in zip(
            PERSONS, people, (-6.2, -7.7), (-0.012, 0.012), signals):
        side = grid[signal > 0] + shift
        height = np.full(side.size, 1 / mechanism.scale)
        marks += [line(f"stems {number}", *stems(side, height), role, width=2.5),
                  dots(f"heads {number}", side, height, role, size=7),
                  dots(f"person {number}", place, level, role, size=13, label=name, handle=handle(control))]
    return Axes("arrays", linear(-0.08, 1.28, ticks=(0, 0.5, 1)), linear(-8.6, 5.4, ticks=(-4, -2, 0, 2, 4)),
                f"{sent} and one report, in units of b", "x", "", marks)


def squares(mechanism, sent, people, signals, report):
    """The same where d = 2: shaded cells around the grid points for the report, frames around ones."""
    low, high = -mechanism.h / 2, (mechanism.shape[0] - 0.5) * mechanism.h
    levels = np.clip(np.rint(report / mechanism.scale) + SHADES // 2, 0, SHADES - 1)
    marks = [cells("shades", levels.reshape(mechanism.shape).T, SHADES, (low, high, low, high),
                   labels=("report, −4b to 4b",)),
             bars("domain", 0, 1, 0, 1, "truth", hollow=True)]
    for (number, name, role, control), place, signal in zip(PERSONS, people, signals):
        ones = np.argwhere(signal.reshape(mechanism.shape))
        marks += [line(f"ones {number}", *frame(ones, mechanism.h), role, width=2.5, over=True),
                  dots(f"person {number}", place, HEIGHT, role, size=13, label=name, handle=handle(control))]
    unit = linear(-0.3, 1.45, ticks=(0, 0.5, 1))
    return Axes("arrays", unit, unit, f"{sent} (frames) and one report", "x₁", "x₂", marks,
                square=True, grid=False)


def frame(index, h):
    """Return the outline of the cells around the grid points `index` (m, 2) times h; empty if m is 0."""
    if not len(index):
        return [], []
    (left, low), (right, high) = (index.min(axis=0) - 0.5) * h, (index.max(axis=0) + 0.5) * h
    return [left, right, right, left, left], [low, low, high, high, low]


def ratio(alpha, loss, drawn_loss):
    """The `Axes` of the log-likelihood ratio on the line through both arrays, in units of alpha."""
    places = np.array([LINE[0], 0, 1, LINE[1]])
    # A report lies off the line; it is shown where the line has its ratio.
    place = 0.5 + 0.5 * drawn_loss / loss if loss else 0.5
    marks = (
        rule("theorem", "bound", y=(-1, 1), label="Theorem 2.1"),
        line("ratio", places, ratio_on_line(loss, places) / alpha, "private", label="ratio", width=3),
        dots("report", place, drawn_loss / alpha, "other", label="the report", size=11),
    )
    ends = linear(*LINE, ticks=(0, 1), words=("B", "A"), reads=(0, 1, 0, "shares of the way from B to A"))
    return Axes("ratio", ends, UNITS, "Log-likelihood ratio of a report",
                "report, on the line through both arrays", "", marks, high=0.9)


def law(alpha, losses, below):
    """The `Axes` of the exact distribution function of the ratio under either sender."""
    gap, (places, shown) = below_zero(losses, below), seen(losses, below)
    places = np.concatenate([[-2], places / alpha, [2]])
    curves = [step(f"person {number}", places, np.concatenate([[0], side, [1]]), role, label=f"{name} sends")
              for (number, name, role, _), side in zip(PERSONS, shown)]
    marks = (
        rule("theorem", "bound", x=(-1, 1)), *curves,
        line("gap", [0, 0], gap, "truth", width=3),
        dots("ends", [0, 0], gap, "truth", size=11, marker="minus"),
    )
    return Axes("law", UNITS, linear(0, 1, 0.5), f"Its exact law: advantage {advantage(losses, below):.3f}",
                "P(log-likelihood ratio ≤ this)", "", marks)


def seen(losses, below):
    """The losses (k,) at which a distribution function rises by a step that is seen, and both, (2, k)."""
    risen = np.diff(np.rint(below / LOWEST_STEP), axis=1, prepend=0).any(axis=0)
    return losses[risen], below[:, risen]


def tests(alpha, losses, below, title="Best tests: A, not B?"):
    """The `Axes` of power against level of every best test, and of what alpha-LDP forbids."""
    steep = np.exp(alpha)
    corner = (1 / (1 + steep), steep / (1 + steep))
    level, power = (np.concatenate([[1], 1 - side, [0]]) for side in seen(losses, below)[1][::-1])
    marks = (
        polygon("forbidden", *zip((0, 0), corner, (1, 1), (0, 1)), "forbidden", label="forbidden by α"),
        line("guessing", [0, 1], [0, 1], "reference", label="guessing", width=1.5),
        line("edges", [0, 1 / steep, np.nan, 0, 1], [0, 1, np.nan, 1 - 1 / steep, 1], "bound",
             label="slopes eᵅ and e⁻ᵅ", width=1.5),
        line("best", level, power, "private", label="best test", width=3),
    )
    unit = linear(0, 1, 0.5)
    return Axes("tests", unit, unit, title, "level: false alarms", "power", marks, wide=0.85)


def glance(alphas, h=WIDTH.default):
    """Return a figure of the trade-off of A and B at each of `alphas`."""
    columns, said = [], []
    both = records(1, PLACE.default, True, PLACE_2.default, True)
    for alpha in alphas:
        exact = distribution(CubeLaplace(alpha, h, 1), both, HALF.default)
        more = f"{advantage(*exact):.3f}"
        columns.append(tests(alpha, *exact, f"α = {alpha:g}: advantage {more}"))
        said.append(f"at alpha = {alpha:g} it exceeds the level by {more} at most")
    return row(columns, "Power of the best test between two people, against its level: "
               f"{'; '.join(said)}.", (10.0, 3.8))
