"""The exercises of the notebooks: `check("01.1", answer)` says at once whether an answer is right.

The module `exercises` of a lesson registers its exercises with `ldp_lib.stage.judge.exercise`. Exercise 04.2
is the second call of `exercise` in that of `assouad`; what computes its right answer stands just above.
Answers are computed, never typed: with the library, or from the definition by another way than the solution
takes. What a student answered is in `ldp_lib.stage.kept`.
"""

import textwrap
from collections import Counter
from typing import NamedTuple

from ldp_lib import lessons
from ldp_lib.stage import judge, kept
from ldp_lib.stage.kept import progress, recall
from ldp_lib.stage.widget import LivePanel

__all__ = ["EXERCISES", "Verdict", "check", "progress", "recall"]

lessons.modules("exercises")
EXERCISES = {name: judge.REGISTERED[name] for name in judge.names()}
"""Every exercise of every notebook: "notebook.number" -> `judge.Exercise`."""

_wrong_tries = Counter()
"""Of every exercise, in this process."""


class Verdict(NamedTuple):
    """What `check` says: `right` or not, and the `text` that a notebook shows."""

    right: bool
    text: str

    def __repr__(self):
        # A verdict on a wrong answer is long, and outputs are cut in the middle of words.
        return self.text if self.right else textwrap.fill(self.text, 100)


def check(exercise: str, answer: object) -> Verdict:
    """Judge an answer; a cell that ends with it shows the verdict.

    A wrong answer, of whatever type, is told what was expected, then, if it is a typical mistake, which one,
    and a hint; from the second wrong try on, a second hint. In a notebook the answer is kept in a file beside
    it, see `progress`.

    Parameters
    ----------
    exercise : str
        For example "01.1": a key of `EXERCISES`, or registered since; or with the numbers of a variant,
        "03.1?beta=1&gamma=1&d=4".  Anything else is a ValueError, and nothing else raises.
    answer : object
        None and ..., with which the notebooks begin, are "not answered yet". Of an exercise whose answer is a
        state of a panel, the panel itself will do.

    Returns
    -------
    Verdict
        `right` or not, and the `text`.

    Examples
    --------
    >>> check("03.2", ...)
    Exercise 03.2 (people for half the risk, two features): not answered yet.
    >>> check("03.2", 8)
    ✓ Exercise 03.2: right. Without privacy 4 times the people would do.
    >>> print(check("03.2", 4).text.partition(" Hint")[0])
    ✗ Exercise 03.2: not yet. 4 is not it. Within 2% it counts. That is the price without privacy.
    """
    entry = judge.found(exercise)
    if answer is None or answer is ...:
        return Verdict(False, f"Exercise {exercise} ({entry.question}): not answered yet.")
    moved = entry.offer and isinstance(answer, LivePanel)
    if moved:
        answer, wrong = entry.offer.given(answer)
        if wrong:
            return Verdict(False, f"✗ Exercise {exercise}: not yet. {wrong}")
    wrong, said = entry.told(judge.with_any_names(answer))
    if wrong:
        _wrong_tries[exercise] += 1
        again = entry.second and _wrong_tries[exercise] > 1
        parts = (f"✗ Exercise {exercise}: not yet.", wrong, said, f"Hint: {entry.hint}",
                 again and f"Second hint: {entry.second}")
    else:
        parts = f"✓ Exercise {exercise}: right.", said
    parts += kept.keep(exercise, answer, not wrong, moved),
    return Verdict(not wrong, " ".join(filter(None, parts)))
