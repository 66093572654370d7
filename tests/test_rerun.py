"""The program of an answer holds what it needs, and runs to the same answer as its notebook."""

import pytest

from ldp_lib.stage.rerun import program

CASES = {
    "a function of another cell": (["import math", "def f(a):\n    return math.exp(a)", "check('1', f(1.0))"],
                                   ["import math", "def f(a):\n    return math.exp(a)", "f(1.0)"]),
    "the last one of a name": (["a = 1", "a = 2", "check('1', a)"], ["a = 2", "a"]),
    "what was bound before": (["x = 1", "y = x", "x = 5", "check('1', y)"], ["x = 1", "y = x", "y"]),
    "what a function looks up when it is called": (
        ["def f():\n    return x", "x = 1", "x = 2", "check('1', f())"],
        ["def f():\n    return x", "x = 2", "f()"]),
    "what is changed": (
        ["x = [1]", "x.append(2)", "x[0] = 5", "for k in range(2):\n    x.append(k)", "x += [3]",
         "check('1', x)"],
        ["x = [1]", "x.append(2)", "x[0] = 5", "for k in range(2):\n    x.append(k)", "x += [3]", "x"]),
    "not what only looks at it": (["x = 1", "print(x)", "panel('start')", "check('1', x)"], ["x = 1", "x"]),
    "one cell": (["x = 3\ny = 4\nlive.check('1', x)\nx = 7"], ["x = 3", "x"]),
    "the last check of the exercise": (["check('1', 1)", "check('2', 2)", "check('1', 3)", "check('2', 4)"],
                                       ["3"]),
    "star imports": (["from math import *", "check('1', exp(0))"], ["from math import *", "exp(0)"]),
    "what may be bound": (["x = 1", "if x:\n    x = 2", "check('1', x)"], ["x = 1", "if x:\n    x = 2", "x"]),
    "names in names": (["k = 2", "f = lambda k: k", "check('1', [f(k) for k in range(3)])"],
                       ["f = lambda k: k", "[f(k) for k in range(3)]"]),
    "no Python": (["%matplotlib inline", "return 3", "x = (", "y = 1", "check('1', y)"], ["y = 1", "y"]),
    "a method of a class": (["z = 2\nclass A:\n    def f(self):\n        return z", "check('1', A().f())"],
                            ["z = 2", "class A:\n\n    def f(self):\n        return z", "A().f()"]),
}


@pytest.mark.parametrize("case", CASES)
def test_it_holds_what_is_needed(case):
    cells, lines = CASES[case]
    assert program(cells, "1") == "\n".join(lines)


@pytest.mark.parametrize("case", sorted({*CASES} - {"no Python"}))
def test_it_runs_to_the_same_answer(case):
    """The notebook, with a `check` that keeps what it is given; and the program."""
    cells, _ = CASES[case]
    given = {}
    class Live:
        check = given.__setitem__
    names = {"check": given.__setitem__, "live": Live, "panel": str}
    for cell in cells:
        exec(cell, names)
    *before, last = program(cells, "1").splitlines()
    again = {}
    exec("\n".join(before), again)
    assert eval(last, again) == given["1"]


@pytest.mark.parametrize("cells", [
    [], ["x = 1"], ["check('2', 1)"], ["check(1, 2)"], ["check('1')"], ["("]])
def test_who_was_not_asked_has_no_program(cells):
    assert program(cells, "1") == ""
