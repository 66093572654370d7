"""The room of a talk predicts: telephones that have come once answer each scene that asks.

The lecturer's page poses the question of the scene on its screen. Telephones choose one of its answers, and
everybody sees how many have. When the lecturer locks, the counts are published, and then the world answers.
The next question, or none, deletes what was sent, and a telephone has a new token for each: no token joins
two answers of one person.

This is not private: the server sees each choice, when it comes, and from which network address. A room that
is opened with a budget alpha is: of k answers a telephone sends the one that was chosen with probability
e^alpha / (e^alpha + k - 1), and each other one with 1 / (e^alpha + k - 1). That is randomised response for k
answers [1]_, with likelihood ratio e^alpha; each question spends alpha. Counts are published from `LEAST`
reports on. Shares that are estimated of them are unbiased, and so may be negative.

.. [1] P. Kairouz, S. Oh and P. Viswanath, "Extremal mechanisms for local differential privacy", Journal of
   Machine Learning Research 17 (2016), 1-51, Section 4.
"""

import json
import math

from .gathering import LEAST, Gathering, RefusedError, check_budget, line

ANSWERS = (2, 3, 4)
"""How many answers a question can have: telephones have coins for these."""


class Rooms(Gathering):
    """All rooms of a server; the arguments are those of a `Gathering`.

    `number` counts questions, `report` is from tokens to the place of an answer.
    """

    kind, short = "room", "r"
    columns = ("answers TEXT DEFAULT '[]', number INTEGER DEFAULT 0, locked INTEGER DEFAULT 0, "
               "report TEXT DEFAULT '{}'")
    acts = {"begin": {"key", "alpha"}, "pose": {"key", "question", "answers"},
            "report": {"token", "number", "choice"}, "lock": {"key"}, "end": {"key"}}

    def begin(self, key: str, alpha: float | None) -> dict[str, str]:
        """Open a room with the server's `key`: private at `alpha` nats a question, with None not at all."""
        if alpha is not None:
            check_budget(alpha)
        return self._opened(key, "", alpha)

    def pose(self, code: str, key: str, question: str, answers: list[str]) -> None:
        """Ask what the scene asks, nothing if there are no answers; the question that is there goes on.

        All that was sent for another one is deleted.
        """
        if type(answers) is not list or answers and len(answers) not in ANSWERS:
            raise RefusedError(400, f"A question has {', '.join(map(str, ANSWERS))} answers, or it is none.")
        answers = [line(answer, "An answer") for answer in answers]
        if len(set(answers)) < len(answers):
            raise RefusedError(400, "Two answers are the same.")
        asked = line(question, "A question") if answers else "", json.dumps(answers)
        with self._transaction() as base:
            self._check_lecturer(base, code, key)
            if self._found(base, code, "question", "answers") != asked:
                base.execute("UPDATE room SET question = ?, answers = ?, number = number + 1, locked = 0, "
                             "report = '{}' WHERE code = ?", (*asked, code))

    def report(self, code: str, token: str, number: int, choice: int) -> bool:
        """One telephone's answer, the place of it, to the question of this number; whether it is its first.

        Until the lecturer locks it may change; a randomised report stays.
        """
        with self._transaction() as base:
            alpha, now, answers, locked = self._found(base, code, "alpha", "number", "answers", "locked")
            if type(number) is not int or number != now or locked:
                raise RefusedError(409, "This question is not open any more.")
            if type(choice) is not int or not 0 <= choice < len(json.loads(answers)):
                raise RefusedError(400, "choice must be the place of an answer, from 0 on.")
            before = self._joined(base, "report", code, token)
            self._keep(base, "report", code, before | {token: before.get(token, choice) if alpha else choice})
        return token not in before

    def lock(self, code: str, key: str) -> None:
        """Take no more answers to the question, and publish what was said."""
        with self._transaction() as base:
            self._check_lecturer(base, code, key)
            base.execute("UPDATE room SET locked = 1 WHERE code = ? AND question <> ''", (code,))

    def state(self, code: str) -> dict[str, object]:
        """What everybody may see: the question, how many have answered, and the counts once it is locked."""
        with self._transaction("DEFERRED") as base:
            question, answers, number, locked, alpha = self._found(
                base, code, "question", "answers", "number", "locked", "alpha")
            said = list(self._telephones(base, "report", code).values())
        answers = json.loads(answers)
        found = {"question": question, "answers": answers, "number": number, "locked": bool(locked),
                 "alpha": alpha, "n": len(said), "least": LEAST if alpha else 0}
        if locked and len(said) >= found["least"]:
            counts = [said.count(choice) for choice in range(len(answers))]
            found |= {"counts": counts} | (estimated(counts, alpha) if alpha else {})
        return found


def estimated(counts: list[int], alpha: float) -> dict[str, object]:
    """The shares behind the counts of randomised reports.

    Parameters
    ----------
    counts : list of int
        Of each of k >= 2 answers, as reported; one at least is above 0.
    alpha : float
        Nats.

    Returns
    -------
    dict
        `shares`, (k,), unbiased, with sum 1; and `noise`, a bound of the standard deviation of each of them
        that the coins make, which is reached where everybody chose one answer.

    Examples
    --------
    >>> found = estimated([30, 20, 10], alpha=2.0)
    >>> [round(share, 3) for share in found["shares"]], round(found["noise"], 3)
    ([0.578, 0.333, 0.088], 0.078)
    """
    k, n = len(counts), sum(counts)
    other = 1 / (math.exp(alpha) + k - 1)
    truth = math.exp(alpha) * other
    # The variance of a report's indicator is truth (1 - truth) or other (1 - other): the first one is the
    # larger, as truth + other <= 1 and truth >= other.
    return {"shares": [(count / n - other) / (truth - other) for count in counts],
            "noise": math.sqrt(truth * (1 - truth) / n) / (truth - other)}
