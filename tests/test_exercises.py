"""Every printed solution is accepted, wrong answers are not, and every exercise stands in a notebook."""

import re
from decimal import Decimal
from fractions import Fraction

import nbformat
import numpy as np
import pytest

from ldp_lib.live import EXERCISES, check, panel
from ldp_lib.stage import judge as judges
from ldp_lib.stage.judge import chosen, function, nearly_best, number, trial

SOLUTION = re.compile(r"<details>\s*<summary>Solution</summary>\s*```python\n(.*?)```.*?</details>",
                      re.DOTALL)
CHECKED = re.compile(r"""^check\("([^"]+)", (\w+)\)$""", re.MULTILINE)
SEVERAL = {"02.7", "03.6"}
"""Exercises of which half the answer, or twice, may be right, too; for wrong ones see test_mistakes.py."""


def printed(folder):
    """Return {exercise: (notebook, name, source of the solution)}; solutions follow the cells that check."""
    found, waiting = {}, None
    for path in sorted(folder.glob("**/[0-9]*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code" and CHECKED.search(cell.source):
                waiting, name = CHECKED.search(cell.source).groups()
                assert f"{name} = ..." in cell.source and waiting not in found
            elif waiting and SOLUTION.search(cell.source):
                found[waiting] = path.name, name, SOLUTION.search(cell.source)[1]
                waiting = None
    return found


@pytest.fixture(scope="module")
def solutions(repository):
    return printed(repository / "notebooks")


def solve(notebook, name, source):
    """Run a printed solution by itself and return its answer."""
    names = {}
    exec(source, names)
    return names[name]


def test_every_exercise_stands_in_its_notebook(solutions):
    assert sorted(solutions) == sorted(EXERCISES)
    for exercise, (notebook, *_) in solutions.items():
        assert notebook[:2] == exercise.partition(".")[0]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_printed_solution_is_right_and_twice_it_is_wrong(exercise, solutions):
    answer = solve(*solutions[exercise])
    verdict, praise = check(exercise, answer), EXERCISES[exercise].praise(answer)
    assert verdict.right and repr(verdict) == f"✓ Exercise {exercise}: right. {praise}".rstrip()
    assert praise and EXERCISES[exercise].tolerance.endswith(".")
    if callable(answer):
        factors = (-1,) if exercise in SEVERAL else (0.5, 2, -1)
        wrong = [lambda factor=factor, **arguments: factor * answer(**arguments) for factor in factors]
    elif isinstance(answer, tuple):  # its last entry is a number
        wrong = [(*answer[:-1], factor * answer[-1]) for factor in (0.5, 2, -1)]
    else:
        wrong = [2 * answer, answer / 2, -answer]
    for attempt in wrong:
        verdict = check(exercise, attempt)
        assert not verdict.right and EXERCISES[exercise].hint in verdict.text


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_answer_is_no_mistake(exercise):
    for nothing in (None, ...):
        verdict = check(exercise, nothing)
        assert not verdict.right and verdict.text.endswith("not answered yet.") and "Hint" not in verdict.text


ODD = ["2", "", [], [32.0], {}, True, 1j, float("nan"), float("inf"), np.ones(3), np.array("a"), object(),
       int, print, lambda: 1, lambda **arguments: 1 / 0, lambda **arguments: "1",
       lambda **arguments: float("nan")]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_odd_answers_are_told_what_is_expected(exercise):
    for odd in ODD:
        verdict = check(exercise, odd)
        assert not verdict.right, odd
        assert "expected" in verdict.text or "your function" in verdict.text, odd


def leave(**arguments):
    raise SystemExit


class Speechless(Exception):
    """A failure that cannot even say what it is."""

    def __str__(self):
        raise ValueError


def fail_without_words(**arguments):
    raise Speechless


STRANGE = [
    10**400, Fraction(10**400), -10**5000, Fraction(22, 7), 5e-324, -0.0, 1e308, np.float16(1e-7),
    np.array(-5, dtype=object), Decimal("0.5"), leave, fail_without_words, lambda **arguments: 10**400,
    lambda **arguments: Fraction(1, 7), lambda **arguments: arguments.popitem(),
]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_answer_makes_a_judge_fail(exercise):
    for strange in STRANGE:
        verdict = check(exercise, strange)
        assert not verdict.right and verdict.text.startswith("✗"), type(strange)


OFFERED = [name for name, entry in EXERCISES.items() if entry.offer]
SHOWN = [name for name in OFFERED if EXERCISES[name].offer.address]


@pytest.mark.parametrize("name", OFFERED)
def test_what_is_offered_holds_right_answers_and_wrong_ones(name):
    verdicts = [check(name, answer).right for answer in EXERCISES[name].offer.answers()]
    assert any(verdicts) and sum(verdicts) < len(verdicts) / 2


@pytest.mark.parametrize("name", SHOWN)
def test_a_panel_is_an_answer(name):
    """A hand can reach every one of its positions, and not only those: the others must stand as asked."""
    offer = EXERCISES[name].offer
    shown = panel(offer.address)
    names = [control.name for control in offer.controls]
    assert shown.remarks == [] and set(offer.controls) <= set(shown.controls)
    assert set(names) <= set(shown.shown(shown.values["scene"]))
    assert not check(name, shown).right  # where it stands at first
    for answer in offer.answers():
        shown.set(**dict(zip(names, answer if len(names) > 1 else (answer,))))
        assert check(name, shown) == check(name, answer)
    shown.set(scene="explore")
    assert "scene = " in check(name, shown).text and "is expected" in check(name, shown).text
    other = panel("start" if shown.name != "start" else "price")
    assert f"A state of {offer.address} is expected" in check(name, other).text


def test_new_noise_changes_no_answer():
    shown = panel(EXERCISES["06.10"].offer.address, delta=1e-13)
    assert check("06.10", shown).right
    shown.set(noise=5)
    assert check("06.10", shown).right
    shown.set(gated=False)
    assert "gate = True" in check("06.10", shown).text


def test_the_least_number_and_a_little_more_count():
    least = number(lambda: 200, relative=0.01, above=True)
    assert least(200) == least(202) == ""
    assert least(199) and least(203) and "up to 1% more" in least(199)


def test_a_function_may_change_the_arrays_that_it_is_given():
    def overwriting(v, v_prime, scale):
        v -= v_prime
        v_prime[:] = 0
        return np.abs(v).sum() / scale

    assert check("01.5", overwriting).right and check("01.5", overwriting).right


def test_an_exercise_has_a_name_of_its_own():
    with pytest.raises(ValueError, match="'01.1' is taken by 'the noise scale"):
        judges.exercise("01.1", "another question", number(lambda: 1), "no hint")


def test_tolerance_and_kinds_of_numbers():
    third = number(lambda: 1 / 3)
    for close in (1 / 3, 0.3333, np.float64(0.33334), np.float32(0.33333), np.array(0.33333)):
        assert third(close) == ""
    assert third(0.333 - 0.001) and third(0)


def test_choices_and_functions_say_where_they_fail():
    even = chosen(0, 10, lambda k: "" if k % 2 == 0 else f"{k:g} is odd.")
    assert even(4) == "" and even(3) == "3 is odd." and "between 0 and 10" in even(12)
    double = function(lambda k: 2 * k, [{"k": 1}, {"k": 3}])
    assert double(lambda k: k + k) == ""
    assert "At k = 3 your function returns 4" in double(lambda k: k + 1)
    assert "At k = 1 your function fails: KeyError" in double(lambda k: {}[k])


def test_half_of_the_people_may_be_written_with_one_slash_or_two():
    """The theorem's n is n/2 people: nobody is asked how an odd one is halved."""
    def bandwidth(n, alpha, beta, d):
        return (n / 2 * alpha**2) ** (-1 / (2 * d + 2 * beta))

    assert EXERCISES["03.3"].judge(bandwidth) == ""
    assert EXERCISES["03.3"].judge(lambda n, alpha, beta, d: bandwidth(2 * n, alpha, beta, d)) != ""


def test_the_nearly_best_are_taken():
    around_three = nearly_best(0, 10, lambda k: 1 + (k - 3) ** 2, range(10), factor=2)
    assert around_three(3) == around_three(4.0) == around_three(2.5) == ""
    assert around_three(5) == "At 5 the risk is 5, 5.00 times the least; 2 is enough."
    whole = nearly_best(0, 10, lambda k: 1 + (k - 3) ** 2, range(10), factor=2, whole=True)
    assert whole(4.0) == "" and whole(2.5) == "A whole number is expected, not 2.5."


def test_trials_name_what_fails():
    strict = trial("race", lambda run: "" if run() > 1 else "Too slow.")
    assert strict(lambda: 2) == "" and strict(lambda: 1) == "Too slow."
    assert strict(lambda: {}["k"]) == "With your function the race fails: KeyError: 'k'."
    assert strict(2) == "A function is expected, not a int."


def test_unknown_exercise_lists_the_known():
    with pytest.raises(ValueError, match="'01.1'"):
        check("99.1", 1)


class Hostile:
    """An answer that cannot even be looked through."""

    def __iter__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize("answer", [Hostile(), (np.array([1, 2]), "common", 6, 10**6), (Hostile(), 0.1)],
                         ids=["hostile", "array", "pair"])
def test_no_answer_makes_check_raise(name, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = check(name, answer)
    assert not said.right and "not yet" in said.text
