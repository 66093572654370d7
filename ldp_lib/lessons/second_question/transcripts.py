"""What a survey in two rounds tells of one of its first people: all its transcripts, enumerated.

A few people answer first and one more afterwards, at the office of `ldp_lib.estimation.TwoRoundSurvey`.
Every transcript has an exact probability given all faces. What somebody sees is a function of it, which is
post-processing, and tells no more of her than her report of round 1.
"""

import functools
import itertools
from collections import defaultdict

import numpy as np

from ldp_lib.estimation import TwoRoundSurvey
from ldp_lib.privacy import CellSigns

SEEN = "the question", "the question and the p-value", "all answers", "the same person asked again"
"""The last one is what the office refuses: the first of the first people answers the second question, too."""


def survey_losses(alpha, K=3, people=2):
    """The largest log-likelihood ratio between two faces of one of the first people, for each of `SEEN`.

    Parameters
    ----------
    alpha : float
        Budget of each report in nats.
    K, people : int
        Faces, and people in the first round: 2^(K people) transcripts of it.

    Returns
    -------
    dict
        In nats; exact, and the largest over the faces of all other people.

    Examples
    --------
    >>> [round(loss, 3) for loss in survey_losses(1.0).values()]
    [0.689, 0.689, 1.0, 2.0]
    """
    reports = np.array(list(itertools.product((-1, 1), repeat=K)))
    up = CellSigns(alpha, 1 / K).law(np.eye(K))
    # (reports, faces)
    chances = np.where(reports[:, None] == 1, up, 1 - up).prod(axis=2)
    seen = {what: defaultdict(float) for what in SEEN}
    for sent in itertools.product(range(len(reports)), repeat=people):
        first = functools.reduce(np.multiply.outer, chances[list(sent)])[..., None]
        for answer in (-1, 1):
            about, p_value, last = _second_round(alpha, reports[list(sent)], answer)
            for what, key in zip(SEEN, (about, (about, p_value), (sent, answer)), strict=False):
                seen[what][key] += first * last
            # Her own face decides the answer.
            seen[SEEN[3]][sent, answer] += first * last.reshape(-1, *[1] * people)
    return {what: max(float(np.log(law.max(axis=0) / law.min(axis=0)).max()) for law in found.values())
            for what, found in seen.items()}


def _second_round(alpha, reports, answer):
    """The faces asked about, the p-value after this answer, and P(the answer) given the face of whoever says
    it, (K,); where nobody is asked, it is a coin that nobody reads."""
    K = reports.shape[1]
    survey = TwoRoundSurvey(alpha, K)
    survey.first(range(len(reports)), reports)
    question = survey.question()
    if question is None:
        return (), survey.p_value(), np.full(K, 0.5)
    survey.second(["another"], [[answer]])
    yes = question.law(np.isin(np.arange(K), question.cells))
    return question.cells, survey.p_value(), yes if answer == 1 else 1 - yes
