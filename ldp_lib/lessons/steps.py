"""What the stories of proofs share: typeset formulas, and the staircase of what the steps waste.

A story of a proof has one scene a step. On the left stands what the step compares: the two sides of a line of
the proof's ledger (`ldp_lib.theory.ledger`), on the right the `staircase`: how many times as many people the
proof has asked for so far. `proof_consistency` and the other modules of that name are the proofs.
"""

import html
import math
import re
from typing import NamedTuple

import numpy as np

from ldp_lib.lessons.pictures import listed, lying, round_distance
from ldp_lib.stage import Control, Shown
from ldp_lib.stage.ledger import SYMBOLS
from ldp_lib.stage.picture import Axes, linear, power_of_ten, raised, short, text

LN10 = math.log(10.0)
SMOOTHNESS = Control("beta", "smoothness", "β", (0.5, 0.75, 1.0), 1.0, "{:g}", "Hölder exponent of η")
DIMENSION = Control("d", "dimension", "d", (1, 2), 1, "{}", "number of features")
"""Of several proofs."""


class Waste(NamedTuple):
    """A step of a proof in a word or two, and the `factor` of people that it wastes."""

    word: str
    factor: float


def total(steps):
    """The factor of people that these steps waste together."""
    return math.prod(step.factor for step in steps)


def times(factor):
    """A factor in words.

    >>> times(2.7404), times(311771.07)
    ('×2.74', '×312,000')
    """
    return f"×{factor:.2f}" if factor < 10 else f"×{short(factor)}"


def chance(exponent):
    """A probability in words, from its decimal logarithm, which may be below that of the smallest float.

    >>> chance(-0.229), chance(-400.5), chance(-5.001)
    ('0.59', '3.2·10⁻⁴⁰¹', '1.0·10⁻⁵')
    """
    if exponent > -3:
        return f"{10**exponent:.2g}"
    whole = math.floor(exponent - math.log10(0.995))           # 9.95 and more round to 1.0 of the next power
    return f"{10 ** (exponent - whole):.1f}·10{raised(whole)}"


def decades(low, high, most=6):
    """A linear `Scale` of decimal logarithms, with about `most` ticks at multiples of a whole number."""
    step = max(1, math.ceil((high - low) / most))
    ticks = range(math.ceil(low / step) * step, math.floor(high) + 1, step)
    words = [power_of_ten(10.0**k) if abs(k) < 300 else f"10{raised(k)}" for k in ticks]
    return linear(low, high, ticks=ticks, words=words, reads=(0, 1, 10))


def ticked(top):
    """A linear `Scale` from 0 to `top` with three to six ticks at a round distance."""
    return linear(0, top, round_distance(top / 6))


def staircase(steps, now=None):
    """The `Axes` of what steps waste: each begins where the one before it ended.

    now : the number of the present step, which is marked; later ones are not drawn. None: all are, and the
    largest is marked.
    """
    ends = np.log10(np.cumprod([step.factor for step in steps]))
    starts = np.concatenate([[0.0], ends[:-1]])
    shown = list(range(len(steps) if now is None else now + 1))
    marked = max(shown, key=lambda k: steps[k].factor) if now is None else now
    (rows, down), right = listed([step.word for step in steps]), 1.6 * max(0.6, ends.max())
    marks = []
    for key, role, here in (("before", "reference", [k for k in shown if k != marked]),
                            ("now", "bound", [marked])):
        if here:
            marks.append(lying(key, ends[here], rows[here], role, low=starts[here]))
    # Words stand behind the end of a bar; where the axis ends, before its start, or at its end if it is long.
    late = np.maximum(starts, ends) > 0.6 * right
    before = np.where(starts > 0.3 * right, np.minimum(starts, ends), ends)
    for key, places, anchor, dx, rest in (("factors", np.maximum(starts, ends), "start", 6, ~late),
                                          ("late factors", before, "end", -6, late)):
        here = [k for k in shown if rest[k]]
        if here:
            marks.append(text(key, places[here], rows[here], [times(steps[k].factor) for k in here],
                              anchor=anchor, dx=dx))
    return Axes("waste", decades(0, right, 5), down, "what the proof wastes",
                "times as many people as needed", "", marks, grid=False, wide=0.8)


def step(columns, says, steps, now=None):
    """What a step of a proof shows: what it compares, and beside that the `staircase` of what is wasted.

    columns, says : of `Shown`. steps : every `Waste`. now : the present one's number; None: all are shown.
    """
    if now is None:
        numbers = [("in all, times as many people", times(total(steps)))]
    else:
        numbers = [("times as many people", times(steps[now].factor)),
                   ("so far", times(total(steps[:now + 1])))]
    return Shown((*columns, staircase(steps, now)), says, numbers)


TOKEN = re.compile(r""""[^"]*"|[A-Za-z]+'?|\d+(?:\.\d+)?|[<>]=|->|\S""")
"""Of a formula: words in quotes, a name, a number, a sign."""
SUMS, RELATIONS = {"<mo>+</mo>", "<mo>−</mo>"}, {"<mo>=</mo>", "<mo>≤</mo>", "<mo>≥</mo>"}
"""Signs before which a formula may be broken where a window is narrow; relations only outside of brackets."""
SIGNS = {"-": "−", "->": "→", "sum": "∑", "in": "∈"}


def mathml(formula):
    r"""A formula as MathML, which browsers typeset and screen readers read.

    formula : names, numbers and signs as in ledgers, `x^{...}` and `x_{...}`, `frac{...}{...}`, `sqrt{...}`,
    and words in quotes. Browsers break no formula: it is a row of them, which ends with signs, commas
    of their own and before words in brackets.

    >>> left, right = mathml("eta <= x^{2}").replace(' displaystyle="true"', "").split("<wbr/>")
    >>> left, right.removeprefix('<math><mo form="infix">≤</mo>')
    ('<math><mi>η</mi></math>', '<msup><mi>x</mi><mrow><mn>2</mn></mrow></msup></math>')
    """
    tokens = TOKEN.findall(formula)
    tokens.reverse()
    sides, depth = [[]], 0
    for part in _parts(tokens):
        depth += (">(<" in part) - (">)<" in part)
        begun = sides[-1] and not sides[-1][-1].endswith(">(</mo>")
        if begun and (part in SUMS or part in RELATIONS and not depth or part.startswith("<mtext>(")):
            sides.append([])
            part = part.replace("<mo>", '<mo form="infix">')
        sides[-1].append(part)
        if part == "<mtext>,</mtext>":
            sides.append([])
    if tokens:
        raise ValueError(f"formula = {formula!r:.60} closes a brace that it did not open; drop a }}.")
    return "<wbr/>".join(f'<math displaystyle="true">{"".join(side)}</math>' for side in sides)


def _parts(tokens):
    """The parts up to a closing brace, or the end."""
    parts = []
    while tokens and tokens[-1] != "}":
        if tokens[-1] in "^_":
            tag = {"^": "msup", "_": "msub"}[tokens.pop()]
            tag = "munder" if parts[-1] == "<mo>∑</mo>" else tag
            parts.append(f"<{tag}>{parts.pop()}{_atom(tokens)}</{tag}>")
        else:
            parts.append(_atom(tokens))
    return parts


def _atom(tokens):
    """One part: a braced row, a fraction, a root, a name, a number, a sign."""
    token = tokens.pop()
    if token == "{":
        row = "".join(_parts(tokens))
        if not tokens:
            raise ValueError(f"formula has a brace that it does not close, after {row:.60}; add a }}.")
        tokens.pop()
        return f"<mrow>{row}</mrow>"
    if token == "frac":
        return f"<mfrac>{_atom(tokens)}{_atom(tokens)}</mfrac>"
    if token == "sqrt":
        return f"<msqrt>{_atom(tokens)}</msqrt>"
    if token[0] == '"':
        return f"<mtext>{html.escape(token[1:-1]).replace(' ', '&#160;')}</mtext>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token[0].isalpha() and token not in SIGNS:
        name = token.removesuffix("'")
        name = SYMBOLS.get(name, name)
        if len(name) > 1:
            return f'<mo lspace="0.2em" rspace="0.1em">{name}</mo>'
        prime = '<mo lspace="0" rspace="0">′</mo>' if token.endswith("'") else ""
        return f"<mrow><mi>{name}</mi>{prime}</mrow>" if prime else f"<mi>{name}</mi>"
    sign = html.escape(token)
    stretch = ' stretchy="false"' if token in "()[]|" else ""
    return f"<mo{stretch}>{SIGNS.get(token, SYMBOLS.get(sign, sign))}</mo>"
