"""Laws of one's own: written down as functions, or tabulated in bins.

Exact masses need integrals over boxes. So the law is averaged in fine equal bins of its domain, and what is
averaged is a law itself: constant in every bin, with exact masses, samples and risks that fit each other.
Averages are Gauss-Legendre sums in every bin. What stands in a table is an average already.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import interval, numeric, real, require_memory, whole
from ldp_lib.nature.densities import FINE_LEVEL, Steps
from ldp_lib.nature.surveys import Tabulated

BINS = {1: 40320, 2: 480, 3: 48, 4: 24}
"""Bins an axis by the number of features: with many divisors, so that most cells consist of whole bins."""
NODES = {1: 3, 2: 3, 3: 3}
"""Gauss-Legendre points an axis in every bin, which average degree 5 exactly; from d = 4 on two, degree 3."""
CHUNK = 2**18
"""Points at which a function is asked at a time, at most."""
MOST_POINTS = 2**29
"""Points in all: some minutes."""
MOST_FEATURES = 8
BIN_BYTES = 160
"""Peak bytes for a bin while its law is made."""


class OwnProblem(Tabulated):
    """A problem of `problem_from_eta`, whose `gap` says how far it is from what was written down."""

    kind = "problem_from_eta"

    def __init__(self, name, people, positive, margin):
        super().__init__(name, people, positive, {"bins": people.shape})
        self.gap = max((margin - float(self._whole.margin)) / 2, 0.0)


class OwnDensity(Steps):
    """A density of `density_from_pdf`: constant in equal bins of its domain."""

    kind = "density_from_pdf"

    def __init__(self, name, weights, domain):
        super().__init__(name, {"domain": domain}, np.arange(len(weights) + 1) / len(weights), weights)
        self.domain = domain


def problem_from_eta(eta: Callable | ArrayLike, density: Callable | ArrayLike | None = None, *,
                     d: int | None = None, bins: int | tuple[int, ...] | None = None) -> OwnProblem:
    """A classification problem on [0, 1]^d that you write down, or have as a table.

    Parameters
    ----------
    eta : function or array
        P(Y = 1 | X = x), from 0 to 1: a function of all rows at once, X (n, d) -> (n,), or its means in equal
        bins, an array of shape (m_1, ..., m_d).
    density : function or array, optional
        The density of X, up to a factor: likewise a function, or the weights of the bins (counts, for
        example), which may be 0. None is the uniform law.
    d : int, optional
        Number of features, 1 to 8; 1 unless a table or `bins` say more.
    bins : int or tuple of int, optional
        Bins on each axis, for functions. By default 40320, 480, 48 and 24 for d = 1 to 4; from d = 5 on you
        have to choose.

    Returns
    -------
    OwnProblem
        A `Problem` that is constant in bins. Masses, eta, samples, Bayes risk and all risks of
        `ldp_lib.risk` are exactly those of this one law. `gap`, >= 0, estimates its Bayes risk less that of
        the law as written.

    Notes
    -----
    The averages are Gauss-Legendre sums of 3 points an axis in every bin (2 from d = 4 on). Of the sine of
    the library, written down, risks on whole bins agree to 9 digits for d <= 3 and to 5 for d = 4. A jump
    inside a bin is displaced by part of the bin.

    Cells that consist of whole bins have the p and q of the law as written, up to these sums, which miss what
    is narrower than the distance of their points. So a rule on such cells learns the same labels and has the
    same error under both laws, and its excess risk under the written one is larger by what `gap` estimates:
    it is itself such a sum, and rough where eta passes 1/2 in a few coarse bins only.

    Examples
    --------
    >>> import numpy as np
    >>> law = problem_from_eta(lambda X: 0.5 + 0.4 * np.sin(2 * np.pi * X[:, 0]))
    >>> round(law.bayes_risk, 6), law.gap < 1e-9
    (0.245352, True)
    >>> table = problem_from_eta([[0.2, 0.7], [0.9, 0.5]], density=[[30, 10], [40, 20]])
    >>> table.d, round(table.bayes_risk, 2), [float(mass) for mass in table.cell_masses([0, 0], [0.5, 1])]
    (2, 0.23, [0.4, 0.13])
    """
    given = {"eta": eta} if density is None else {"eta": eta, "density": density}
    tables = _tables(given)
    shape = _shape(tables, d, bins)
    people, positive, margin = _averages(
        shape, {"density": np.ones(shape)} | given | tables,
        lambda eta, density: (density, eta * density, np.abs(2 * eta - 1) * density))
    return OwnProblem(getattr(eta, "__name__", "table"), people, positive, float(margin.sum()))


def density_from_pdf(pdf: Callable | ArrayLike, *, domain: tuple[float, float] = (0.0, 1.0),
                     bins: int | None = None) -> OwnDensity:
    """A density that you write down, or have as a table, in the units of your data.

    Parameters
    ----------
    pdf : function or array
        Up to a factor: a function of many points at once, x (n,) -> (n,), or the weights of equal bins of
        the domain (counts, for example), (m,).
    domain : tuple of float
        (lower, upper), finite; (0, 1) by default. The density is 0 elsewhere.
    bins : int, optional
        Bins for a function. By default 2^18, the finest that `coefficients` see.

    Returns
    -------
    OwnDensity
        A `Density` that is constant in bins, with averages as in `problem_from_eta`. `pdf`, `cdf` and
        `sample` are in the units of the domain, all else belongs to (x - lower) / (upper - lower). Its
        `smoothness` is that of steps, 1/p.

    Examples
    --------
    >>> import numpy as np
    >>> ages = density_from_pdf(lambda age: np.exp(-age / 30), domain=(18, 90))
    >>> ages.cdf([18, 54, 90]).round(4).tolist(), float(ages.pdf(18).round(5))
    ([0.0, 0.7685, 1.0], 0.03666)
    >>> density_from_pdf([1, 3], domain=(0, 10)).pdf([2.0, 7.0, 11.0]).tolist()
    [0.05, 0.15, 0.0]
    """
    lower, upper = interval("domain", domain)
    tables = _tables({"pdf": pdf})
    bins = 2**FINE_LEVEL if bins is None and not tables else bins
    weights, = _averages(_shape(tables, 1, bins),
                         {"pdf": lambda X: pdf(lower + (upper - lower) * X[:, 0])} | tables,
                         lambda pdf: (pdf,))
    return OwnDensity(getattr(pdf, "__name__", "table"), weights, (lower, upper))


def _tables(given):
    return {name: numeric(name, values) for name, values in given.items() if not callable(values)}


def _shape(tables, d, bins):
    """Numbers of bins on the axes; that of the tables, if there are some."""
    if tables:
        name, table = next(iter(tables.items()))
        if bins is not None:
            raise ValueError(f"bins = {bins!r:.60} is for functions; {name} is a table of shape "
                             f"{table.shape}. Leave bins out.")
        for other, values in tables.items():
            if values.ndim == 0 or values.size == 0 or values.shape != table.shape:
                raise ValueError(f"{other} has shape {values.shape}; a table must be (m_1, ..., m_d), one "
                                 "number a bin, and all tables of one shape.")
        bins = table.shape
    several = isinstance(bins, (tuple, list, np.ndarray))
    if d is None:
        d = whole("the number of axes of bins", len(bins), most=MOST_FEATURES) if several else 1
    d = whole("d", d, most=MOST_FEATURES)
    if bins is None:
        if d not in BINS:
            raise ValueError(f"d = {d} has no default bins; give bins, how many on each axis, for example "
                             "bins=8.")
        bins = BINS[d]
    shape = tuple(whole("bins", each) for each in (bins if several else [bins] * d))
    if len(shape) != d:
        raise ValueError(f"bins = {bins!r:.60} has {len(shape)} axes, but d = {d}; give one number an axis.")
    require_memory(f"A law in bins = {shape}", float(BIN_BYTES) * math.prod(shape), "Use fewer bins.")
    return shape


def _averages(shape, given, combine):
    """Means in every bin of what `combine` makes of the values of `given`, arrays of this shape.

    given : {name: function of rows (n, d), or table}. The first result weighs; its sum is made 1.
    """
    d, size = len(shape), math.prod(shape)
    node, part = np.polynomial.legendre.leggauss(
        NODES.get(d, 2) if any(map(callable, given.values())) else 1)
    nodes = np.array(list(itertools.product((node + 1) / 2, repeat=d)))
    parts = np.array([math.prod(each) for each in itertools.product(part / 2, repeat=d)])
    if size * len(nodes) > MOST_POINTS:
        raise ValueError(f"bins = {shape} ask for values at {size * len(nodes):.2g} points, more than "
                         f"{MOST_POINTS:.2g}; use fewer bins, or tables.")
    chunk, sums = max(CHUNK // len(nodes), 1), []
    for start in range(0, size, chunk):
        flat = np.arange(start, min(start + chunk, size))
        X = (np.stack(np.unravel_index(flat, shape), axis=-1)[:, None] + nodes) / shape
        values = {name: _legal(name, _called(name, thing, X.reshape(-1, d)) if callable(thing)
                               else np.repeat(thing.ravel()[flat], len(nodes)), name == "eta")
                  for name, thing in given.items()}
        sums.append([each.reshape(-1, len(nodes)) @ parts for each in combine(**values)])
    averages = [np.concatenate(each).reshape(shape) for each in zip(*sums, strict=True)]
    top = averages[0].max()  # the sum of the largest floats is none
    if top == 0:
        raise ValueError(f"{'pdf' if 'pdf' in given else 'density'} is 0 in every bin; it must be positive "
                         "where people are.")
    return [each / top / (averages[0] / top).sum() for each in averages]


def _called(name, function, X):
    """What the function says at all rows, (n,)."""
    rule = f"{name} must take all rows at once, {'x (n,)' if name == 'pdf' else 'X (n, d)'} -> (n,)"
    try:
        values = numeric(name, function(X))
    except (TypeError, ValueError, IndexError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{rule}, and failed: {error!s:.150}. Use functions of numpy, or wrap one of single "
                   "numbers in numpy.vectorize.") from error
    if values.shape not in ((len(X),), (len(X), 1)):
        raise ValueError(f"{rule}; of {len(X)} rows it made shape {values.shape}.")
    return values.ravel()


ROUNDING = 1e-12
"""How far eta may leave [0, 1]."""


def _legal(name, values, share):
    """Values >= 0, or shares; or say which value is none."""
    least, most = (-ROUNDING, 1 + ROUNDING) if share else (0.0, math.inf)
    wrong = ~((values >= least) & (values <= most) & (values < math.inf))
    if wrong.any():
        real(name, float(values[wrong][0]), least=0, most=1 if share else math.inf,
             cure="It is a probability." if share else "Weights of bins and densities are not negative.")
    return np.clip(values, 0.0, 1.0) if share else values
