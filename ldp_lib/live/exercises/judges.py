"""How answers to exercises are judged: `number`, `chosen`, `nearly_best`, `function` and `trial` make judges.

A judge takes an answer and returns what is wrong with it, in words; "" if it is right. It never raises,
whatever the answer is or does. `exercise` registers a question with its judge.
"""

import copy
import functools
import math
import numbers
import traceback
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import bisect

REGISTERED = {}
"""Every exercise so far: "notebook.number" -> `Exercise`, in the order in which modules were imported."""


class Exercise(NamedTuple):
    """A question and how its answer is judged.

    `judge` takes an answer and returns what is wrong with it, in words; "" if it is right.  It never raises.
    `hint` follows a wrong answer, and does not give the right one away.
    """

    question: str
    judge: Callable[[object], str]
    hint: str


def exercise(name, question, judge, hint):
    """Register the `Exercise` called `name`, for example "01.1"; ValueError if there is one of that name."""
    if name in REGISTERED:
        raise ValueError(f"name = {name!r} is taken by {REGISTERED[name].question!r}; choose the next number "
                         "of the notebook.")
    REGISTERED[name] = Exercise(question, judge, hint)


def _attempted(call, *arguments, **named):
    """(what the call returns, ""); (None, what it raised, in words) if it fails."""
    # Whatever the reader's function does wrong is shown to its writer, even that it wants to leave.
    try:
        return call(*arguments, **named), ""
    except (Exception, SystemExit) as failure:
        return None, traceback.format_exception_only(failure)[0].strip()


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


def number(right: Callable[[], float], relative: float = 1e-3) -> Callable[[object], str]:
    """Return a judge of numbers: within a `relative` distance of `right()`, which is asked once."""
    right = functools.cache(right)

    def judge(answer):
        value, wrong = _real(answer)
        if wrong or math.isclose(value, right(), rel_tol=relative):
            return wrong
        return f"{value:.6g} is not it."

    return judge


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
            return f"A number between {low:g} and {high:g} is expected, not {value:.6g}."
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
        return f"At {value:g} the risk is {mine:.3g}, {mine / least():.2f} times the least."

    return chosen(low, high, outcome, whole)


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
            if not math.isclose(value, right(**case), rel_tol=relative, abs_tol=1e-12):
                return f"At {where} your function returns {value:.6g}, which is not it."
        return ""

    return trial("comparison", outcome)


def crossing(difference, low, high):
    """The number of people n between `low` and `high` where `difference(n)` changes sign; log n to 1e-5."""
    log_n = bisect(lambda log_n: difference(round(math.exp(log_n))), math.log(low), math.log(high), xtol=1e-5)
    return math.exp(log_n)
