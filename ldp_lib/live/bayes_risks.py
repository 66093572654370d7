"""Exact risks of the rules of the bayes panel, and the fit that it draws.

Central: a curator adds noise to the votes of every cell. Local: people add noise to their own reports,
one-hot vectors of the cells, as in notebook 02 but in cells that do not overlap, so that the noise has scale
2/epsilon and not 2^(d+1)/epsilon. One bit: the same cells, and what a curator is to be compared with, since
no mechanism of this library learns from fewer people at epsilon <= 1 (`ldp_lib.privacy.HadamardBit`). Fits
are drawn with common random numbers: for every n one sample of votes, whatever the budget. Noise is real, not
on a lattice, for the reason given in `ldp_lib.live.crowd`.
"""

from functools import lru_cache

import numpy as np

from ldp_lib.live.bayes_cells import ERROR, MODELS, NEGLECTED, PEOPLE, landscape
from ldp_lib.privacy import HadamardBit
from ldp_lib.risk import noisy_majority_probabilities
from ldp_lib.risk.scores import cube_sign_probabilities, score_sign_probabilities

COMPARED = (*MODELS, "one bit")
SEED = 4


def _negligible(votes, n, scale):
    """Which classes of cells the curator's vote gets wrong with less than `NEGLECTED` of the risk.

    P(V + Z <= 0) <= E exp(-s V) E exp(-s Z) for every s in (0, 1/scale); the best of a few.
    """
    log_mean = np.full(len(n), np.inf)
    for share in (0.1, 0.4, 0.7, 0.95):
        for cap in (0.2, np.inf):
            s = min(share / scale, cap)
            votes_part = n * np.log1p(votes.q * np.expm1(-s) + (votes.p - votes.q) * np.expm1(s))
            np.minimum(log_mean, votes_part - np.log1p(-(s * scale) ** 2), out=log_mean)
    return np.log(votes.stake) + log_mean < np.log(NEGLECTED)


@lru_cache(maxsize=512)
def curve(entry, model, epsilon):
    """Exact excess risk at each of `PEOPLE`, (21,); all cells of all n go through one call.

    model : one of `COMPARED`; one bit has the cells of the other local reports.
    """
    votes = landscape(entry).votes["central" if model == "central" else "local"]
    n, scale = np.array(PEOPLE)[votes.row], 2 / epsilon
    zero = np.zeros(len(n))
    if model == "central":
        keep = ~_negligible(votes, n, scale)
        zero[keep] = noisy_majority_probabilities(n[keep], votes.p[keep], votes.q[keep], scale,
                                                  relative_error=ERROR)[0]
    elif model == "one bit":
        zero = score_sign_probabilities(HadamardBit(epsilon, 1.0), n, votes.p, votes.q)[0]
    else:
        zero = cube_sign_probabilities(n // 2, votes.p, votes.q, scale, relative_error=ERROR)[0]
    return votes.floor + np.bincount(votes.row, votes.stake * zero, minlength=len(PEOPLE))


def hidden(tiling):
    """The cells once the law has moved: everybody in one of them, half on either side of a border inside."""
    p = np.zeros(len(tiling.p))
    p[len(p) // 2] = 1.0
    return tiling._replace(p=p, q=p / 2, gain_one=p / 2, gain_zero=p / 2)


def memory(n):
    """Mean error after n people of the rule that says 1 from the smallest x with label 1 on.

    The threshold is in the middle of a law without atoms: the integral of (1 - a)^n over [0, 1/2], whatever
    the scale of the law. No privacy, no cells.
    """
    return (1 - 0.5 ** (n + 1.0)) / (n + 1)


def fit(tiling, n, epsilon, model):
    """(says_one, expected, counts, noisy), (K,) each: a sample of n people and what is released about it."""
    rng, half, K, scale = np.random.default_rng((SEED, n)), n // 2, len(tiling.p), 2 / epsilon
    rest = max(0.0, 1 - tiling.p.sum())
    if model == "central":
        kinds = np.concatenate([tiling.q, tiling.p - tiling.q, [rest]])
        ones, zeros = np.split(rng.multinomial(n, kinds)[:-1], 2)
        vote, noise = scale * rng.laplace(size=(2, K))
        return ones - zeros + vote > 0, n * tiling.p, ones + zeros, ones + zeros + noise
    counts = rng.multinomial(half, np.append(tiling.p, rest))[:-1]
    ones = rng.multinomial(half, np.append(tiling.q, 1 - tiling.q.sum()))[:-1]
    first, second = scale * (rng.standard_gamma(half, (2, K)) - rng.standard_gamma(half, (2, K)))
    return ones + second - (counts + first) / 2 >= 0, half * tiling.p, counts, counts + first
