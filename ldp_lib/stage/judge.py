"""How answers to exercises are judged: `number`, `chosen`, `nearly_best`, `function` and `trial` make judges.

A judge takes an answer and returns what is wrong with it, in words; "" if it is right. It never raises,
whatever the answer is or does. `exercise` registers a question with its judge, and with a table of typical
mistakes: `near`, `behaves` and `shrinks` make functions that recognise one. `variants` registers one question
with many numbers; "03.1?beta=1&gamma=1&d=4" is the name of one.
"""

import copy
import dataclasses
import functools
import inspect
import itertools
import math
import numbers
import re
import traceback
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
import scipy

from ldp_lib._arguments import choice

from .control import Control, legal, split

EDGE = 1 + 1e-9
"""So much farther than the tolerance an answer may be: 0.49 is within 2% of 0.5. The browser has it, too."""
REGISTERED = {}
"""Every exercise so far: "notebook.number" -> `Exercise`, in the order in which modules were imported."""
VARIANTS = {}
"""Of exercises with parameters: "notebook.number" -> {name of a variant: a function that makes it, once}."""


class Offer(NamedTuple):
    """Answers that are given without Python: where `controls` stand.

    `address` : of the panel whose controls they are, where it stands when the question is asked; "" if they
    stand beside the question.
    """

    controls: tuple[Control, ...]
    address: str = ""

    def answers(self):
        """All of them, in the order of the positions: values, or tuples of values of several controls."""
        for values in itertools.product(*(control.values for control in self.controls)):
            yield values if len(values) > 1 else values[0]

    def given(self, panel):
        """(the answer of a panel, ""); (None, what is wrong) if it stands where the question is not asked."""
        if not self.address or split(self.address)[0] != panel.name:
            return None, f"A state of {self.address or 'no panel'} is expected, not of {panel.name}."
        asked, offered = legal(panel, self.address, {})[0], [control.name for control in self.controls]
        moved = [f"{control.title} = {control.text(asked[control.name])}" for control in panel.controls
                 if control.name not in offered and not control.redraw
                 and panel.values[control.name] != asked[control.name]]
        if moved:
            return None, f"The question is asked at another state: {', '.join(moved)} is expected."
        values = tuple(panel.values[name] for name in offered)
        return (values if len(values) > 1 else values[0]), ""


class Exercise(NamedTuple):
    """A question and how its answer is judged.

    `judge` takes an answer and returns what is wrong with it, in words; "" if it is right.  It never raises.
    `hint` follows a wrong answer, and does not give the right one away; `second` follows it from the second
    wrong try on.  `stars`, 1 to 3, is how hard the question is.  `mistakes` maps functions that recognise a
    wrong answer to what is said then; the first that returns True speaks.  `score` says how good a right
    answer is, `more` what it teaches besides.  `enough`, a sentence, says which answers count; where it is ""
    the judge does.  `offer` : the answers that a page without Python knows.  `task` : the question in full,
    for who has no notebook that asks it.
    """

    question: str
    judge: Callable[[object], str]
    hint: str
    second: str = ""
    stars: int = 1
    mistakes: Mapping[Callable[[object], bool], str] = {}
    score: Callable[[object], str] | None = None
    more: str = ""
    enough: str = ""
    offer: Offer | None = None
    task: str = ""

    @property
    def tolerance(self):
        """Which answers count, a sentence."""
        return self.enough or self.judge.enough

    @property
    def judged_in_pages(self):
        """Can an answer be judged without Python?"""
        return isinstance(self.judge, Number) or self.offer is not None

    def feedback(self, answer):
        """What is said about the typical mistake that `answer` makes; "" if it makes none of them."""
        if isinstance(answer, (bool, np.bool_)):  # to Python True is the number 1
            return ""
        return next((said for made, said in self.mistakes.items() if _attempted(made, answer)[0]), "")

    def praise(self, answer):
        """What a right `answer` is told: its score, and one thing more."""
        return " ".join(filter(None, [self.score and _attempted(self.score, answer)[0], self.more]))

    def told(self, answer):
        """(what is wrong with an answer, in words, what is said then); ("", what a right one is told)."""
        wrong, failure = _attempted(self.judge, answer)
        wrong = f"This cannot be judged: {failure}." if failure else wrong
        return wrong, self.feedback(answer) if wrong else self.praise(answer)


def exercise(name, question, judge, hint, **more):
    """Register the `Exercise` called `name`, for example "01.1"; ValueError if there is one of that name.

    more : further fields of `Exercise`.
    """
    if not isinstance(name, str) or not re.fullmatch(r"\d\d\.[1-9]\d*", name):
        raise ValueError(f"name = {name!r} must be a notebook's two digits, a point and a number, such as "
                         "'03.8'.")
    if name in REGISTERED:
        raise ValueError(f"name = {name!r} is taken by {REGISTERED[name].question!r}; choose the next number "
                         "of the notebook.")
    made = Exercise(question, judge, hint, **more)
    if not isinstance(made.mistakes, Mapping):
        raise TypeError(f"mistakes must be a dictionary, what recognises an answer -> what is said, not a "
                        f"{type(made.mistakes).__name__}.")
    REGISTERED[name] = made


def variants(name, make, **values):
    """Register an exercise with parameters: `make(**parameters)` returns an `Exercise`.

    values : the legal ones of each parameter, numbers; the first are those of the notebook.
    """
    found = [dict(zip(values, each)) for each in itertools.product(*values.values())]
    exercise(name, **make(**found[0])._asdict())
    VARIANTS[name] = {f"{name}?{urlencode(each)}": functools.cache(functools.partial(make, **each))
                      for each in found}


def found(name):
    """The `Exercise` of this name, "03.1" or a variant's; anything else is a ValueError."""
    base = name.partition("?")[0] if isinstance(name, str) else name
    entry = REGISTERED[choice("exercise", base, names())]
    if name == base:
        return entry
    known = VARIANTS.get(base, {})
    if name not in known:
        example = f"a variant of it is {next(iter(known))!r}" if known else "it has no variants"
        raise ValueError(f"exercise = {name!r:.100} has numbers that {base} has not; {example}.")
    return known[name]()


def names():
    """The names of all exercises, in the order of the notebooks."""
    return sorted(REGISTERED, key=lambda name: [int(part) for part in name.split(".")])


def _attempted(call, *arguments, **named):
    """(what the call returns, ""); (None, what it raised, in words) if it fails."""
    # Whatever the reader's function does wrong is shown to its writer, even that it wants to leave.
    try:
        return call(*arguments, **named), ""
    except (Exception, SystemExit) as failure:
        return None, traceback.format_exception_only(failure)[0].strip()


def with_any_names(answer):
    """`answer`; if it is a function, its parameters may have other names than those it is called with.

    Names that the exercise does not use get what is left of the arguments, in the order of the exercise.
    """
    if not callable(answer):
        return answer

    @functools.cache
    def own_names(*given):
        """The names that the parameters of `answer` have for those `given`."""
        signature, failure = _attempted(inspect.signature, answer)
        if failure or not _attempted(signature.bind, **dict.fromkeys(given))[1]:
            return given
        left = [name for name in given if name not in signature.parameters]
        own = [name for name, parameter in signature.parameters.items()
               if name not in given and parameter.default is parameter.empty
               and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)]
        if len(own) != len(left):
            raise TypeError(f"it is called with {', '.join(given)}, and takes "
                            f"{', '.join(signature.parameters) or 'nothing'}")
        names = dict(zip(left, own))
        return [names.get(name, name) for name in given]

    def called(*arguments, **given):
        return answer(*arguments, **(given and dict(zip(own_names(*given), given.values()))))

    return called


def telling(value, limit):
    """`value` with two decimals, or with as many as tell on which side of `limit`, above 0, it lies.

    >>> telling(1.5, 1.02), telling(1.0214, 1.02)
    ('1.50', '1.021')
    """
    for places in itertools.count(max(2, 1 - math.floor(math.log10(limit)))):
        words = f"{value:.{places}f}"
        if places > 15 or np.sign(float(words) - limit) == np.sign(value - limit):
            return words


def _real(value):
    """(`value` as a float, ""); (None, what is wrong with it) if it is no finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        return None, f"A number is expected, not a {type(value).__name__}."
    real, failure = _attempted(float, value)
    if failure or not math.isfinite(real):
        return None, f"A finite number is expected, not {failure or real}."
    return real, ""


@dataclasses.dataclass(frozen=True)
class Number:
    """A judge of numbers: within a `relative` distance of the `right` one, or only `above` it."""

    compute: Callable[[], float]
    relative: float
    above: bool = False

    @functools.cached_property
    def right(self) -> float:
        """What is right; computed when it is first asked for."""
        return self.compute()

    def __call__(self, answer):
        value, wrong = _real(answer)
        if wrong or (math.isclose(value, self.right, rel_tol=EDGE * self.relative)
                     and (value >= self.right or not self.above)):
            return wrong
        close = " Close: rounding?" * _close(value, self.right)
        return f"{value:.6g} is not it. {self.enough}{close}"

    @property
    def enough(self) -> str:
        """Which numbers count, a sentence."""
        if self.relative == 0:
            return "The exact number counts."
        distance = f"{100 * self.relative:g}%"
        return f"It counts, and up to {distance} more." if self.above else f"Within {distance} it counts."


def number(right: Callable[[], float], relative: float = 1e-3,
           above: bool = False) -> Callable[[object], str]:
    """Return a judge of numbers: within a `relative` distance of `right()`, which is asked once.

    above : a smaller number is not enough.
    """
    return Number(right, relative, above)


def _close(value, right):
    """Is a wrong number within 5%, or rounded too soon: off by less than a unit of the last digit written?"""
    unit = Decimal(repr(value)).as_tuple().exponent
    room = min(10.0**unit, abs(right) / 4) if unit < 0 else 0.0
    return bool(abs(value - right) * EDGE < max(room, 0.05 * abs(right)))


class Near(NamedTuple):
    """Recognises numbers within a `relative` distance of `value`."""

    value: float
    relative: float

    def __call__(self, answer):
        return math.isclose(answer, self.value, rel_tol=EDGE * self.relative)


def near(value, relative=0.02):
    """Return a function that recognises numbers within a `relative` distance of `value`."""
    return Near(value, relative)


def chosen(low: float, high: float, outcome: Callable[[float], str],
           whole: bool = False) -> Callable[[object], str]:
    """Return a judge of numbers between `low` and `high` (both excluded) of which several may be right.

    `outcome` takes such a number, a float, and says what is wrong with it, "" if nothing is.
    whole : only whole numbers are legal, and `outcome` takes an int.
    """

    def judge(answer):
        value, wrong = _real(answer)
        if wrong:
            return wrong
        if not low < value < high:
            ends = " The ends are not allowed." * (value in (low, high))
            return f"A number between {low:g} and {high:g} is expected, not {value:.6g}.{ends}"
        if whole and value != round(value):
            return f"A whole number is expected, not {value:g}."
        wrong, failure = _attempted(outcome, round(value) if whole else value)
        return f"{value:g} is not what is expected here: {failure}" if failure else wrong

    return judge


def nearly_best(low, high, risk, candidates, factor, whole=False):
    """Return a judge of numbers like `chosen`: their `risk` is at most `factor` times that of the best.

    `candidates` are the numbers of which the best is taken, which are tried once.
    """
    least = functools.cache(lambda: min(map(risk, candidates)))

    def outcome(value):
        mine = risk(value)
        if mine <= factor * least():
            return ""
        return (f"At {value:g} the risk is {mine:.3g}, {telling(mine / least(), factor)} times the least; "
                f"{factor:g} is enough.")

    judge = chosen(low, high, outcome, whole)
    judge.enough = f"{factor:g} times the least risk is enough."
    return judge


def trial(what: str, outcome: Callable[[Callable], str]) -> Callable[[object], str]:
    """Return a judge of functions: `outcome(answer)` runs the function and says what is wrong with it.

    what : the name of the trial ("audit") for a function that fails in it.
    """

    def judge(answer):
        if not callable(answer):
            return f"A function is expected, not a {type(answer).__name__}."
        wrong, failure = _attempted(outcome, answer)
        return f"With your function the {what} fails: {failure}." if failure else wrong

    return judge


def function(right: Callable[..., float], cases: Iterable[dict[str, object]],
             relative: float = 1e-9) -> Callable[[object], str]:
    """Return a judge of functions: they must agree with `right` at all `cases`, each a dict of arguments."""

    def outcome(answer):
        for case in cases:
            where = ", ".join(f"{name} = {np.asarray(value).tolist()}" for name, value in case.items())
            # A copy, because a function may change the arrays that it is given.
            returned, failure = _attempted(answer, **copy.deepcopy(case))
            if failure:
                return f"At {where} your function fails: {failure}."
            value, wrong = _real(returned)
            if wrong:
                return f"At {where} your function returns something else: {wrong}"
            room = 4 * np.finfo(returned.dtype).eps if isinstance(returned, np.floating) else 0.0
            if not math.isclose(value, right(**case), rel_tol=max(relative, room), abs_tol=1e-12):
                return f"At {where} your function returns {value:.6g}, which is not it."
        return ""

    judge = trial("comparison", outcome)
    judge.enough = f"It must agree to {-math.log10(relative):.0f} digits."
    return judge


def behaves(specimen, cases, relative=1e-6):
    """Return a function that recognises functions that return the same as `specimen` at all `cases`."""
    return lambda answer: all(math.isclose(answer(**case), specimen(**case), rel_tol=relative)
                              for case in cases)


def widths(people, least, most, outcome):
    """Return a judge of functions n -> h, which are called at all numbers of `people`.

    `outcome` takes the tuple of bandwidths, each from `least` to `most`, and says what is wrong with it.
    """

    def tried(answer):
        found = []
        for n in people:
            h, wrong = _real(answer(n=n))
            if not wrong and not least <= h <= most:
                wrong = (f"A bandwidth from {least:g} to {most:g} is expected, not "
                         f"{telling(h, least if h < least else most) if h > 0 else f'{h:.3g}'}.")
            if wrong:
                return f"At n = {n:,} your function returns something else: {wrong}"
            found.append(h)
        return outcome(tuple(found))

    return trial("comparison", tried)


def shrinks(low, high, n=10**6):
    """Return a function that recognises functions like n^-kappa with `low` < kappa < `high`."""
    return lambda answer: low < math.log(answer(n=n) / answer(n=100 * n)) / math.log(100) < high


def crossing(difference, low, high):
    """The number of people n between `low` and `high` where `difference(n)` changes sign; log n to 1e-5."""
    return math.exp(scipy.optimize.bisect(lambda log_n: difference(round(math.exp(log_n))),
                                          math.log(low), math.log(high), xtol=1e-5))
