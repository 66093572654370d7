"""One bit a person about cells of all dyadic sizes at once: for analysts who do not know the bandwidth."""

from functools import cached_property

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib.privacy.hadamard import OneBit
from ldp_lib.privacy.response import uniform_below


class DyadicBit(OneBit):
    """`OneBit` on 2^levels cells an axis, whose rows are split over resolutions: coarse ones get more people
    each.

    On dyadic cells the rows of H are Walsh functions. Let a row have level j if it is constant on cells of
    side 2^-j but not on those of side 2^(1-j); there are 2^(jd) - 2^((j-1)d) of them, and those up to level j
    span everything that is constant on the cells of side 2^-j. A person's row has level j with probability
    proportional to j + 1, and is uniform within it. One report serves all bandwidths: the cells of side 2^-j,
    to whose estimates coarser levels contribute, are as exact as from r times the people of level j alone who
    report nothing but those cells: r is 1 at j = 0 and nears (2^d + 1) / (2^d - 1), from below, as j grows.

    Parameters
    ----------
    alpha : privacy budget in nats, 10^-100 to 10^4.
    levels : finest level J, 0 or more: cells of side 2^-J.
    d : dimension of X, 1 or more.

    Attributes
    ----------
    row_level : level of every row, (K,).  level_share : P(level), (J + 1,).  level_size : rows a level, (J +
    1,).
    scale, order, bits, K : as in `HadamardBit`; K = 2^(J d).

    >>> mechanism = DyadicBit(alpha=1.0, levels=2)
    >>> mechanism.row_level.tolist(), mechanism.level_size.tolist()
    ([0, 2, 1, 2], [1, 1, 2])
    """

    def __init__(self, alpha, levels, d=1):
        self.levels = whole("levels", levels, least=0, most=30, cure="Cells have side 2^-levels.")
        super().__init__(alpha, 2.0**-self.levels, d)
        axes = np.stack(np.unravel_index(np.arange(self.K), self.shape))
        # A Walsh function that ignores the last digits of the cell has zeros there.
        lowest = np.where(axes > 0, axes & -axes, 1 << self.levels)
        self.row_level = (self.levels - np.log2(lowest).astype(np.int64)).max(axis=0)
        self.level_size = np.bincount(self.row_level)
        weights = np.arange(1, self.levels + 2)
        self.level_share = weights / weights.sum()
        self._rows_by_level = np.argsort(self.row_level, kind="stable")
        self._first = np.concatenate([[0], np.cumsum(self.level_size)])

    def __repr__(self):
        return f"DyadicBit(alpha={self.alpha!r}, levels={self.levels}, d={self.d})"

    def _rows(self, n, source):
        lots = np.repeat(np.arange(self.levels + 1), np.arange(1, self.levels + 2))
        level = lots[uniform_below(len(lots), n, source)]
        rows = np.empty(n, np.int64)
        for j, size in enumerate(self.level_size):
            here = np.flatnonzero(level == j)
            rows[here] = self._rows_by_level[self._first[j] + uniform_below(int(size), here.size, source)]
        return rows

    @cached_property
    def row_weights(self):
        """1 / (K P(row)), (K,): they make decoded reports unbiased."""
        return self.level_size[self.row_level] / (self.K * self.level_share[self.row_level])

    def variance(self, p):
        """scale^2 times the mean squared weight of a row, for cells of the finest level."""
        real("p", p, least=0, most=1)
        return self.scale**2 * float((self.level_size**2 / self.level_share).sum()) / self.K**2
