"""The exponents that the theorems promise."""

from ldp_lib._arguments import real, whole


def classification_exponent(beta, gamma, d, private=True):
    """Exponent r of the minimax excess risk (n alpha^2)^(-r), or n^(-r) without privacy.

    beta : Hölder exponent of eta, in (0, 1].
    gamma : margin exponent, >= 0, with beta * gamma <= d.
    d : dimension, 1 or more.

    r = beta (1 + gamma) / (2 beta + 2 d) under local privacy (Berrett & Butucea, 2019,
    Theorem 2.3) and beta (1 + gamma) / (2 beta + d) without it (Audibert & Tsybakov, 2007).

    >>> classification_exponent(beta=1, gamma=1, d=1), classification_exponent(1, 1, 1, private=False)
    (0.5, 0.6666666666666666)
    """
    beta = real("beta", beta, above=0, most=1)
    gamma = real("gamma", gamma, least=0)
    d = whole("d", d)
    if beta * gamma > d:
        raise ValueError(
            f"gamma = {gamma:g} is too large: beta * gamma = {beta * gamma:g} must be at most d = {d}, "
            "or eta could not cross 1/2 inside the support. Lower gamma or beta."
        )
    return beta * (1 + gamma) / (2 * beta + (2 * d if private else d))
