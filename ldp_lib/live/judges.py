"""How answers to exercises are judged: `number`, `chosen` and `function` make the judge of an `Exercise`."""

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Exercise:
    """A question and how its answer is judged.

    `judge` takes an answer and returns what is wrong with it, in words; "" if it is right.  It never raises.
    `hint` follows a wrong answer, and does not give the right one away.
    """

    question: str
    judge: Callable[[object], str]
    hint: str


def _unlike_a_number(value):
    """Say what is wrong with the type of `value`, "" if it is a finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        return f"A number is expected, not a {type(value).__name__}."
    return "" if math.isfinite(value) else f"A finite number is expected, not {value}."


def number(right, relative=1e-3):
    """Return a judge of numbers: within a `relative` distance of `right()`."""

    def judge(answer):
        wrong = _unlike_a_number(answer)
        if wrong or math.isclose(answer, right(), rel_tol=relative):
            return wrong
        return f"{answer:.6g} is not it."

    return judge


def chosen(low, high, outcome):
    """Return a judge of numbers between `low` and `high` (both excluded) of which several may be right.

    `outcome` takes such a number and says what is wrong with it, "" if nothing is.
    """

    def judge(answer):
        wrong = _unlike_a_number(answer)
        return wrong or (outcome(float(answer)) if low < answer < high
                         else f"A number between {low:g} and {high:g} is expected, not {answer:.6g}.")

    return judge


def function(right, cases, relative=1e-9):
    """Return a judge of functions: they must agree with `right` at all `cases`, each a dict of arguments."""

    def judge(answer):
        if not callable(answer):
            return f"A function is expected, not a {type(answer).__name__}."
        for case in cases:
            where = ", ".join(f"{name} = {np.asarray(value).tolist()}" for name, value in case.items())
            # Whatever the reader's function does wrong is shown to its writer.
            try:
                value = answer(**case)
            except Exception as failure:
                return f"At {where} your function fails: {type(failure).__name__}: {failure}."
            wrong = _unlike_a_number(value)
            if wrong:
                return f"At {where} your function returns something else: {wrong}"
            if not math.isclose(value, right(**case), rel_tol=relative, abs_tol=1e-12):
                return f"At {where} your function returns {value:.6g}, which is not it."
        return ""

    return judge
