"""The exercises of notebook 01, on privacy."""

import numpy as np
from scipy.stats import laplace

from ldp_lib.live.exercises.judges import chosen, exercise, function, number, trial
from ldp_lib.privacy import CellLaplace, CubeLaplace
from ldp_lib.privacy.audit import epsilon_lower_bound, privacy_loss_distribution
from ldp_lib.theory.contraction import total_variation

FIRST, SECOND = (0.13, 1), (0.77, 1)
"""Two records of one feature: the people with whom the panel of notebook 01 begins."""

exercise(
    "01.1", "the noise scale at d = 3, α = 0.5",
    number(lambda: CubeLaplace(0.5, 0.5, 3).scale),
    "count the ones in which two arrays can differ when d = 3, and divide by the budget.")

exercise(
    "01.2", "the noise scale of a new statistic at α = 0.5",
    number(lambda: CellLaplace(0.5, 0.25).scale),
    "write down the arrays of two people in different cells, and of two in one cell with different "
    "labels; add up the absolute differences.")

REPAIRED = CubeLaplace(1.0, 0.2)
"""What the mechanism of exercise 3 should be."""
AUDITED = 20_000
"""Reports of an audit of the reader's repair: half of them suffice."""


class _Readers(CubeLaplace):
    """`REPAIRED` with the reader's function in place of `privatize`."""

    def __init__(self, answer):
        super().__init__(REPAIRED.alpha, REPAIRED.h)
        self._answer = answer

    def privatize(self, X, y, *, rng):
        return np.asarray(self._answer(X=X, y=y, rng=rng), dtype=float)


def _complaint(answer):
    """What is wrong with `answer(X, y, *, rng)`, which must publish the arrays, with no more noise than
    needed, privately."""
    mechanism = _Readers(answer)
    X, y = np.tile([[FIRST[0]], [SECOND[0]]], (AUDITED // 2, 1)), np.ones(AUDITED)
    reports = mechanism.privatize(X, y, rng=np.random.default_rng(1))
    if reports.shape != (AUDITED, mechanism.K) or not np.isfinite(reports).all():
        return f"For {AUDITED} people your function must return {AUDITED} x {mechanism.K} finite numbers."
    error = reports - mechanism.encode(X, y)
    # Six standard errors of a mean over 10,000 reports.
    off = np.abs([error[person::2].mean(axis=0) for person in (0, 1)]).max()
    if off > 0.35:
        return f"On average the reports of your function are off by {off:.2f} in some entry."
    if error.std() > 1.1 * REPAIRED.noise.variance**0.5:
        return f"The noise of your function has standard deviation {error.std():.2f}: that is too much."
    for other in (SECOND, (FIRST[0], 0)):
        bound = epsilon_lower_bound(mechanism, FIRST, other, n=AUDITED, rng=1)
        if bound.epsilon > mechanism.alpha:
            return (f"Between {FIRST} and {other} your function spends {bound.epsilon:.2f} or more; "
                    f"event: {bound.event}.")
    return ""


exercise(
    "01.3", "the bug in a mechanism",
    trial("audit", _complaint),
    "what is done to a report after the noise, without looking at the person again, cannot hurt; what "
    "looks at the person can.")


def _loss_at_bandwidth(h):
    loss = CubeLaplace(1.0, h).privacy_loss(*FIRST, *SECOND)
    return "" if loss <= 0.5 else f"At h = {h:g} the loss is {loss:.3g}."


exercise(
    "01.4", "a bandwidth that hides two people in each other",
    chosen(0, 0.5, _loss_at_bandwidth),
    "the two people must share a cube; a cube is 2h wide.")


def _loss_of_arrays(v, v_prime, scale):
    """The ratio of the likelihoods of the report z = v, where it is largest."""
    return float((laplace.logpdf(v, v, scale) - laplace.logpdf(v, v_prime, scale)).sum())


def _array_cases():
    rng = np.random.default_rng(5)
    return [
        {"v": rng.normal(size=k).round(2), "v_prime": rng.normal(size=k).round(2), "scale": scale}
        for k, scale in ((1, 0.5), (3, 2.0), (8, 10.0))
    ]


exercise(
    "01.5", "the exact loss as a function",
    function(_loss_of_arrays, _array_cases()),
    "where does one coordinate |z - v'| - |z - v| end when z goes far beyond v, away from v'?")


def _advantage_of_two_reports():
    """Total variation between two reports of either person: the losses of independent reports add up."""
    law = privacy_loss_distribution(CubeLaplace(1.0, 0.2), FIRST, SECOND)
    return total_variation(*(np.convolve(under, under) for under in (law.under_a, law.under_b)))


exercise(
    "01.6", "the advantage of a test that sees two reports",
    number(_advantage_of_two_reports),
    "the losses of independent reports add up, so their laws convolve; the advantage is half the sum "
    "of the absolute differences of the two laws.")
