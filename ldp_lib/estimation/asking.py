"""How often the people of a locally private rule are asked: one count for the rule and all its copies.

Nobody can recognise people in a rule that keeps no records, and hashes of records would betray them. What can
be counted is askings, calls of `fit` that draw reports. A rule shares its count with what `copy` and
scikit-learn's `clone` make of it, so that a search over parameters or a rule for each class is seen to ask
the same people again. Rules that are built one by one each count for themselves, those of
`dataclasses.replace` too: who builds them has to add.
"""

import copy
import math
import numbers
import threading
import warnings
from typing import Self

from ldp_lib._arguments import whole
from ldp_lib.estimation.base import Discreet, parameters

_LOCK = threading.Lock()


class AskedAgainError(RuntimeError):
    """People who exist would be asked more often than `times` says; nothing was drawn.

    >>> from ldp_lib.estimation import OneBitClassifier
    >>> rule = OneBitClassifier(alpha=1.0, h=0.5).fit([[0.1], [0.9]], [0, 1])
    >>> try:
    ...     rule.fit([[0.1], [0.9]], [0, 1])
    ... except AskedAgainError as error:
    ...     print(str(error)[:85])
    OneBitClassifier and its copies have asked their people as often as times = 1 allows.
    """


class SimulationWarning(UserWarning):
    """What was computed is a simulation: whoever knows the seed knows the noise.

    >>> from ldp_lib.estimation import OneBitClassifier
    >>> rule = OneBitClassifier(alpha=1.0, h=0.5, rng=1).fit([[0.1], [0.9]], [0, 1])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     loss = rule.fit([[0.1], [0.9]], [0, 1]).total_loss_
    >>> loss, caught[0].category.__name__
    (2.0, 'SimulationWarning')
    """


class Askings:
    """The askings of a rule and its copies, which share this object.

    A pickle has a count of its own, since nobody counts across processes, and no asking left. Only what
    `clone` made takes one along, since searches make a clone for each fit that they send away: here it counts
    as done, at the alpha that it has then, and at a larger one it is not asked. Whoever loads that pickle
    twice is not found out.

    number, loss : how many there were, and what a person who was always asked told, in nats.
    simulated : whether the first had a seed; None before that.
    most : the number that may be reached here; infinite where the count began.
    counted : the alpha at which the asking that a pickle took along counts; infinite without one.
    real : that of people who may exist, where this one is of simulated ones who came after them; else None.
    """

    def __init__(self, number=0, loss=0.0, simulated=None, most=math.inf, counted=math.inf, real=None):
        self.number, self.loss, self.simulated = number, loss, simulated
        self.most, self.counted, self.real = most, counted, real

    def __deepcopy__(self, memo):
        return self

    def ask(self, alpha, times, seeded):
        """Count one more: (its number, loss with it, whether people are simulated); None if it may not be."""
        with _LOCK:
            self.simulated = seeded if self.simulated is None else self.simulated
            simulated = seeded or self.simulated
            if not simulated and self.number >= min(times, self.most):
                return None
            self._count(alpha)
            return self.number, self.loss, simulated

    def _count(self, alpha):
        self.number, self.loss = self.number + 1, self.loss + alpha

    def sent(self, alpha, takes_one):
        """The count in a pickle."""
        with _LOCK:
            there = Askings(self.number, self.loss, self.simulated, min(self.number + takes_one, self.most),
                            alpha if takes_one else self.counted)
            if takes_one:
                self._count(alpha)
        there.real = self.real and self.real.sent(0, False)
        return there


@parameters(kw_only=True)
class AsksPeople(Discreet):
    """A rule with a budget `alpha` whose `fit` asks everybody for a report, `times` times in all.

    `set_params(rng=seed)` says that other people will be simulated: they have a count of their own, and
    without a seed that of the people before them goes on.
    """

    times: int = 1

    @property
    def _count(self):
        return vars(self).setdefault("_askings", Askings())

    def _ask(self):
        """Where the noise of one more asking comes from, and the loss with it; or `AskedAgainError`."""
        times = whole("times", self.times, cure="times is how often each person may be asked in all.")
        seeded, source, alpha = self.rng is not None, self._source(), float(self.alpha)
        if not seeded and self._count.real:
            self._askings = self._count.real
        count = self._count
        who = f"{type(self).__name__} and its copies"
        if alpha > count.counted:
            raise AskedAgainError(
                f"{who} were sent to another process and counted at alpha = {count.counted:g}: at alpha = "
                f"{alpha:g} people would tell more than total_loss_ says; nothing was drawn. Give the rule "
                "that is searched the largest alpha of the search, or search in one process, n_jobs=None.")
        asked = count.ask(alpha, times, seeded)
        if asked is None:
            before = (f"{who} have asked their people as often as times = {times} allows"
                      if count.number >= times else
                      f"{who} came in a pickle, from a file or another process, where nobody counts who was "
                      f"asked; of times = {times} no asking is left here")
            raise AskedAgainError(
                f"{before}. To ask again costs each person alpha = {alpha:g} nats more, "
                f"{count.loss + alpha:g} in all; nothing was drawn. Ask once and tune on the reports with "
                "fit_aggregate (README, 'Each person answers once'); or say in times= how often each may be "
                "asked in all; or build a new rule, for other people; or name a seed, rng=, if people are "
                "simulated.")
        number, loss, simulated = asked
        if simulated and number == times + 1:
            warnings.warn(
                f"{who} ask the same simulated people again: times = {times}. People who exist would have "
                f"told {loss:g} nats by now and alpha = {alpha:g} more each time, which total_loss_ adds up, "
                "and fit would refuse. Say times= if it is meant; set_params(rng=seed) simulates other "
                "people.", SimulationWarning, stacklevel=3)
        return source, loss

    def set_params(self, **params: object) -> Self:
        """Set parameters by name; a seed or a Generator for `rng` begins with people who were not asked, and
        so does rng=None after simulated ones, unless others were asked before them. Returns self."""
        super().set_params(**params)
        if "_sent" in vars(self):
            self._sent = None
        before = self._count
        if params.get("rng") is not None:
            asked = not before.simulated and (before.number or before.most < math.inf)
            self._askings = Askings(real=before if asked else before.real)
        elif "rng" in params and before.simulated:
            self._askings = before.real or Askings()
        return self

    def __copy__(self):
        return self._like(vars(self))

    def __deepcopy__(self, memo):
        return self._like(copy.deepcopy(vars(self), memo))

    def _like(self, attributes):
        twin = object.__new__(type(self))
        vars(twin).update(attributes, _askings=self._count)
        vars(twin).pop("_sent", None)
        return twin

    def __sklearn_clone__(self):
        clone = type(self)(**copy.deepcopy(self.get_params()))
        clone._askings, clone._sent = self._count, None
        return clone

    def __getstate__(self):
        count, state = self._count, vars(self).copy()
        sent = state.pop("_sent", False)
        if sent is None and "total_loss_" not in state and isinstance(self.alpha, numbers.Real):
            # joblib pickles a clone more than once, and means one.
            takes_one = self.times != 1 or self.rng is not None or bool(count.simulated)
            sent = self._sent = count.sent(float(self.alpha), takes_one)
        return state | {"_askings": sent or count.sent(0, False)}
