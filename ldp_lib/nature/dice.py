"""Dice that are not fair: laws of one of K faces."""

import numpy as np

from ldp_lib._arguments import real, whole

MOST_FACES = 10**6


def tilted_die(K: int, delta: float, heavy: int | None = None) -> np.ndarray:
    """Masses of a die whose first faces have probability (1 + delta)/K each, and all others one that is less.

    Parameters
    ----------
    K : int
        Number of faces, 2 to 10^6.
    delta : float
        Relative excess of the heavy faces, above 0 and at most K/heavy - 1. With half of the faces heavy the
        others have (1 - delta)/K, and delta/2 is the total variation distance from the fair die.
    heavy : int, optional
        How many faces are heavy, 1 to K - 1; None, the default, is half of them, which needs an even K.

    Returns
    -------
    array, shape (K,)
        The masses of faces 0 to K - 1; they sum to 1.

    Examples
    --------
    >>> tilted_die(4, 0.5).tolist(), tilted_die(4, 0.5, heavy=1).round(4).tolist()
    ([0.375, 0.375, 0.125, 0.125], [0.375, 0.2083, 0.2083, 0.2083])
    """
    K = whole("K", K, least=2, most=MOST_FACES)
    if heavy is None and K % 2:
        raise ValueError(f"K = {K} faces have no half; K must be even where heavy is None. Name heavy, a "
                         f"whole number from 1 to {K - 1}.")
    heavy = K // 2 if heavy is None else whole("heavy", heavy, most=K - 1)
    delta = real("delta", delta, above=0, most=K / heavy - 1, cure="The light faces keep what is left.")
    masses = np.full(K, (1 - delta * heavy / (K - heavy)) / K)
    masses[:heavy] = (1 + delta) / K
    return masses.clip(min=0.0)
