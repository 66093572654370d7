"""The exercises of the notebooks: `check("01.1", answer)` says at once whether an answer is right.

One module per notebook registers its exercises with `judges.exercise`: 01 `ldp_check`, 02 `consistency`,
03 `upper_rate`, 04 `assouad`, 05 `elbow`, 06 `bayes`, 07 `beyond`. Exercise 04.2 is the second call of
`exercise` in `assouad`; what computes its right answer stands just above. Answers are computed, never typed:
with the library, or from the definition by another way than the solution takes. A new exercise touches its
module only, and a module that is added to this folder is found.
"""

import importlib
import pkgutil
from typing import NamedTuple

from ldp_lib._arguments import choice
from ldp_lib.live.exercises import judges
from ldp_lib.live.exercises.judges import chosen, function, number

__all__ = ["EXERCISES", "Verdict", "check", "chosen", "function", "number"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

EXERCISES = dict(sorted(judges.REGISTERED.items()))
"""Every exercise of every notebook: "notebook.number" -> `judges.Exercise`."""


class Verdict(NamedTuple):
    """What `check` says: `right` or not, and the `text` that a notebook shows."""

    right: bool
    text: str

    def __repr__(self):
        return self.text


def check(exercise: str, answer: object) -> Verdict:
    """Return the verdict on `answer` to `exercise`, for example "01.1"; a cell that ends with it shows it.

    None and ... (what the notebooks begin with) are "not answered yet".  A wrong answer, of whatever type, is
    told what was expected and given a hint; only an unknown exercise raises.
    """
    entry = EXERCISES[choice("exercise", exercise, EXERCISES)]
    if answer is None or answer is ...:
        return Verdict(False, f"Exercise {exercise} ({entry.question}): not answered yet.")
    wrong = entry.judge(answer)
    if wrong:
        return Verdict(False, f"✗ Exercise {exercise}: not yet. {wrong} Hint: {entry.hint}")
    return Verdict(True, f"✓ Exercise {exercise}: right.")
