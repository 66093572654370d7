"""The second panel of notebook 01: a laboratory in which mechanisms are broken.

Left, the audit of an honest or a broken mechanism: what n reports prove about the budget it spends. Right,
floating-point noise under two attacks that never err: how many outputs give their sender away, and the bits
that do it. Budgets are drawn in units of the claimed alpha, so that no scale moves with a slider.

All audits take a minute or two, and are run beforehand:

    python data/build.py laboratory_audits

writes the table `laboratory_audits.csv`, which stands beside the surveys. Every line of it is one call,
which anybody can repeat: `run(name, alpha, n)`.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.computed import Table
from ldp_lib.lessons.pictures import here, lying
from ldp_lib.privacy import LatticeLaplace, RealLaplace
from ldp_lib.privacy.attacks import Attack, exposure
from ldp_lib.privacy.audit import ceiling, epsilon_lower_bound, precision_attack, reachability_attack
from ldp_lib.privacy.mechanism import halves
from ldp_lib.privacy.mutants import MUTANTS
from ldp_lib.privacy.registry import REGISTRY
from ldp_lib.stage import Control, Scene, Shown, view
from ldp_lib.stage.picture import Axes, bars, cells, dots, line, linear, log, raised, rule, short, text
from ldp_lib.stage.widget import LivePanel

SUSPECTS = {mutant.name: mutant for mutant in (*REGISTRY, *MUTANTS)}
"""Honest and broken mechanisms, by name."""
ALPHAS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
PEOPLE = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
"""Reports of each person and half. Each n is an audit of its own."""
H, SEED = 0.3, 1
"""The seed is common to all audits, so that pictures of neighbours look alike."""
FAILURE = 1e-6
CONFIDENCE = 1 - FAILURE / len(PEOPLE)
"""Of one audit: whoever watches all n and stops where she likes errs with probability FAILURE at most."""
ROWS = 8
"""Outputs of either noise whose bits are shown."""
LEAST, INFINITE = 1 / 16, 128
"""Where bounds of alpha/16 and less, and infinite ones, are drawn, in units of alpha."""
FEWEST, MOST = 80, 125_000
"""Ends of the scale of reports."""

HIGHEST_PLACE, LOWEST_PLACE = 6, -63
"""Bits are shown from 2^6 to 2^-63."""
FINEST = -53
"""Outputs of the input 1 are multiples of 2^-53 (see `precision_attack`)."""
ZERO, ONE, TELLTALE, INSIDE = range(4)
"""What a place of a number may be: 0, 1, a 1 that the input 1 forbids, or finer than the float can say."""

OUTPUTS = 5_000
"""Outputs of either noise that are attacked."""


def run(name, alpha, n):
    """The `EpsilonBound` of one audit of the suspect called `name`."""
    suspect = SUSPECTS[name]
    return epsilon_lower_bound(suspect.build(alpha, H), *suspect.records, n=n, confidence=CONFIDENCE,
                               rng=SEED)


def printed(mechanism, alpha, n):
    """Nats, to 4 decimals, that n reports of each of two people prove to be spent, and by which event."""
    bound = run(mechanism, alpha, n)
    return f"{bound.epsilon:.4f}", bound.event


AUDITS = Table("laboratory_audits", printed, {"mechanism": tuple(SUSPECTS), "alpha": ALPHAS, "n": PEOPLE},
               {"epsilon": float, "event": str})


class Attacked(NamedTuple):
    """Outputs of the input 0, one entry of a record, under both attacks with the wrong guess 1.

    `excluded` and `exposed` say for which of the `outputs` (OUTPUTS,) reachability excludes the guess, and
    precision proves the input to be 0.
    """

    outputs: np.ndarray
    excluded: Attack
    exposed: Attack


@functools.lru_cache(maxsize=2 * len(ALPHAS))
def attacked(kind, alpha):
    """`Attacked` for noise of scale 2 / alpha, of one `kind`: `RealLaplace` or `LatticeLaplace`."""
    noise = kind(2 / alpha)
    outputs = noise.sample(OUTPUTS, np.random.default_rng(SEED))
    return Attacked(outputs, reachability_attack(outputs, 1.0, noise), precision_attack(outputs, 1.0))


@functools.lru_cache(maxsize=len(SUSPECTS))
def groups(name):
    """How many halves of the sample the suspect called `name` treats differently: 1 or 2."""
    return len(halves(SUSPECTS[name].build(1.0, H)))


MECHANISM = Control("mechanism", "mechanism", "", tuple(SUSPECTS), "half the noise")
ALPHA = Control("alpha", "claimed budget", "α", ALPHAS, 1.0, "{:g}", "nats per report")
REPORTS = Control("n", "reports", "n", PEOPLE, 10_000, "{:,}", "of each of two people, in either half")


def set_in_type(event):
    """The event of an audit, with signs of mathematics in place of those of a program."""
    for typed, sign in ((">=", "≥"), ("<=", "≤"), (" - ", " − ")):
        event = event.replace(typed, sign)
    return event


@view(MECHANISM, ALPHA, REPORTS)
def laboratory(mechanism, alpha, n):
    """Left: what n reports prove. Right: the bits of outputs, and the shares of those that betray."""
    (epsilon, event), loss = AUDITS[mechanism, alpha, n], SUSPECTS[mechanism].spends * alpha
    textbook, ours = attacked(RealLaplace, alpha), attacked(LatticeLaplace, alpha)
    claim, reports = f"the claim α = {alpha:g} of {mechanism!r}", f"{n:,} reports"
    bound, refuted = in_nats(epsilon), epsilon > alpha
    audit = (f"{reports} refute {claim}: it spends at least {bound}." if refuted else
             f"{reports} do not refute {claim}: they prove only that it spends {bound} or more.")
    says = (f"{audit} Of the textbook's float outputs {textbook.excluded.rate:.0%} rule out the wrong input; "
            f"of the lattice's, {ours.excluded.rate:.0%}.")
    exact = exposure(2 / alpha)
    columns = climb(mechanism, alpha, n), (betrayal(textbook, ours), shares(textbook, ours, exact))
    return Shown(columns, says, [
        ("spends at least", f"{bound} (simulated)"),
        ("true loss", "not known" if math.isnan(loss) else in_nats(loss)),
        ("verdict", "REFUTED" if refuted else "not refuted"),
        ("curve errs with probability", f"{short(FAILURE)} at most"),
        ("textbook", f"{textbook.excluded.rate:.1%} exclude the wrong input, "
                     f"{textbook.exposed.rate:.1%} prove x = 0 (exact {exact:.1%})"),
        ("ours", f"{ours.excluded.rate:.0%} and {ours.exposed.rate:.0%}"),
        ("event", set_in_type(event)), ("what is wrong", SUSPECTS[mechanism].wrong)])


def in_nats(budget):
    """A budget in words."""
    return "∞" if budget == math.inf else f"{budget:.2f}"


def climb(mechanism, alpha, n):
    """The `Axes` of what up to n reports prove about the budget, in units of the claim."""
    people = np.array([size for size in PEOPLE if size <= n])
    heights = np.array([AUDITS[mechanism, alpha, size][0] for size in people.tolist()]) / alpha
    heights = np.clip(heights, LEAST, INFINITE)
    provable = np.maximum(ceiling(people, groups(mechanism), CONFIDENCE) / alpha, LEAST)
    marks = [
        bars("refuted", FEWEST, MOST, 1, 1.5 * INFINITE, "forbidden", label="above α: refuted"),
        rule("claim", "bound", y=1),
        line("most", people, provable, "truth", label="most provable", width=1.5, dash=(1, 1.5)),
    ]
    true = SUSPECTS[mechanism].spends
    if not math.isnan(true):
        words = {math.inf: "∞", 1: "α"}.get(true, f"{true:.3g}α")
        marks.append(rule("true", "best", y=min(true, INFINITE), label=f"true loss: {words}", width=1.5))
    marks += [
        line("path", people, heights, "private", label="proved"),
        dots("points", people, heights, "private", size=6),
        here(n, heights[-1], "private", moves="n"),
    ]
    scale = log(LEAST / 2, 1.5 * INFINITE, ("0", "α/4", "α/2", "α", "2α", "4α", "16α", "∞"),
                ticks=(LEAST, 0.25, 0.5, 1, 2, 4, 16, INFINITE),
                reads=(0, 1, 0, f"α; {LEAST} stands for 0 and {INFINITE} for ∞"))
    return Axes("climb", log(FEWEST, MOST), scale, "Audit: budget that n reports prove",
                "reports n of each person and half, simulated", "", marks)


def bits(values):
    """The places HIGHEST_PLACE, ..., LOWEST_PLACE of floats (m,): kinds, (m, places)."""
    mantissa, exponent = np.frexp(np.abs(values))
    whole = (mantissa * 2.0**53).astype(np.int64)[:, None]
    place = np.arange(HIGHEST_PLACE, LOWEST_PLACE - 1, -1)
    shift = place - (exponent[:, None] - 53)
    ones = whole >> np.clip(shift, 0, 62) & 1
    kinds = np.where(ones == 1, np.where(place < FINEST, TELLTALE, ONE), ZERO)
    return np.where(shift < 0, INSIDE, kinds)


def betrayal(textbook, ours):
    """The `Axes` of the first outputs of the input 0, in binary: the textbook's rows above, ours below."""
    both = ours, textbook
    kinds = [bits(attacked.outputs[:ROWS])[::-1] for attacked in both]
    rows = np.concatenate([kinds[0], np.full((1, kinds[0].shape[1]), INSIDE), kinds[1]])
    # An empty line and three of a row keep neighbours apart.
    lines = np.stack([np.full_like(rows, INSIDE), rows, rows, rows], axis=1).reshape(-1, rows.shape[1])
    left, right = -HIGHEST_PLACE - 0.5, -LOWEST_PLACE + 0.5
    marks = [cells("bits", lines, ("zero", "truth", "bound", None), (left, right, 0, len(rows)),
                   labels=("0", "1", "1 that x = 1 cannot have")),
             rule("finest", "bound", x=-FINEST + 0.5)]
    for place, proofs, marker, says in ((right + 4, "excluded", "cross", "not 1"),
                                        (right + 11, "exposed", "diamond", "it was 0")):
        lower, upper = (getattr(attacked, proofs).ruled_out[:ROWS][::-1] for attacked in both)
        height = np.flatnonzero([*lower, False, *upper]) + 0.625
        marks.append(dots(proofs, place, height, "bound", size=7, marker=marker, label=says))
    places = (0, -20, -40, FINEST)
    return Axes("bits", linear(left, right + 15, ticks=[-place for place in places],
                               words=["1", *(f"2{raised(place)}" for place in places[1:])],
                               reads=(0, 1, 0, "places after the binary point")),
                linear(0, len(rows) + 0.25, ticks=(ROWS / 2, 1.5 * ROWS + 1), words=("ours", "textbook")),
                "Attacks: outputs of x = 0, and what they prove", "", "", marks, high=1.5, grid=False)


def shares(textbook, ours, exact):
    """The `Axes` of how many of all outputs give their input away."""
    rates = np.array([[noise.excluded.rate, noise.exposed.rate] for noise in (textbook, ours)])
    heights = np.array([[3, 2], [1, 0]])
    marks = [lying(name, share, height, role, label=name)
             for name, role, share, height in zip(("textbook", "ours"), ("bound", "private"), rates, heights)]
    # Words stand behind what is longer, the bar or the exact value.
    ends = np.maximum(rates, [[0, exact], [0, 0]]).ravel()
    marks += [dots("exact", exact, 2, "truth", size=18, marker="tick", label="exact"),
              text("counts", ends, heights.ravel(),
                   [f"{share:.1%}" if share else "0" for share in rates.ravel()], dx=7)]
    return Axes("shares", linear(0, 1.2, 0.25, "{:.0%}"),
                linear(-0.6, 3.6, ticks=(0, 1, 2, 3), words=("it was 0", "not 1", "it was 0", "not 1")),
                "Share of outputs that prove it", "", "", marks)


class Laboratory(LivePanel):
    """Audit and attacks on mechanisms that claim to be alpha-private."""

    name = "laboratory"
    title = "Which mechanisms survive an audit, and which outputs an attack?"
    size = (10.6, 5.2)
    view = laboratory
    scenes = (
        Scene("climb", "Half the noise, and 100 reports. Raise n: when do the reports refute the claim?",
              laboratory, {"n": 100}, ("n",)),
        Scene("one after the other", "1,000 reports each. Which mechanisms are refuted, and by which event?",
              laboratory, {"mechanism": "one draw for all cells", "n": 1000}, ("mechanism", "n")),
        Scene("the honest one", "Honest noise, 100,000 reports: not refuted. That is not a proof of privacy.",
              laboratory, {"mechanism": "CubeLaplace", "n": 100_000}, ("alpha", "n")),
        Scene("what the audit cannot see",
              "The audit passes float noise. Most of its outputs exclude the wrong input.",
              laboratory, {"mechanism": "float Laplace"}, ("mechanism",), ("bits", "shares")),
        Scene("loud and quiet", "Raise α: with less noise, more outputs have bits that x = 1 cannot have.",
              laboratory, {"alpha": 0.25}, ("alpha",), ("bits", "shares")),
    )


STORY = Laboratory
