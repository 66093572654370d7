"""What a mechanism is: the protocol that the rest of the library relies on, and what all mechanisms share.

A new mechanism on cells is a subclass of `ldp_lib.privacy.cell.CellMechanism`, any other one a subclass of
`Mechanism`, in a module of its own, with one line in `ldp_lib.privacy.registry`.

The functions below put people to a mechanism, whatever it is, for audits and attacks. A record is (x, y), d
features and a label, or x alone where the mechanism takes no labels.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from ldp_lib._arguments import Randomness, generator, labels, points, real, require_memory, whole, wrong_kind
from ldp_lib.privacy.aggregate import CellAggregate, ReportSums, sum_reports
from ldp_lib.privacy.noise import LatticeLaplace, RealLaplace

ENTRY_BYTES, REPORT_BYTES = 48, 24
"""Peak bytes for an entry of an aggregate, and for one of a report matrix, work space included."""
BLOCK_BYTES = 2**25
"""Reports are produced in blocks of about this size, so that a stream of them stays in the cache."""


class Mechanism(ABC):
    """How people report: what leaves a person's hands, and how little that tells about her.

    This is the protocol. Classifiers, risks, audits, attacks and panels ask a mechanism for what stands here,
    and for nothing else. A record is (X, y), or X alone where there are no labels; n people are n rows.

    Attributes
    ----------
    alpha : the budget in nats that a report never exceeds.
    d : number of features.  K : length of a report.
    repr : all parameters, since aggregates of different mechanisms are never merged.
    labelled : whether a record has a label; the methods below take X alone where it has not.
    halves : the halves of the sample that publish different things, (1, 2), which `encode` takes as `half`;
        () where all people do the same.
    noise_laws : pairs (columns of a report, law of the noise that is added there); () where answers are
        randomised and nothing is added. The attacks on floats ask for it.

    Methods
    -------
    encode(X, y) : what people would publish without noise, (n, K).
    privatize(X, y, *, rng=None) : their reports, (n, K), from the operating system's generator unless told
        otherwise.  privatize_blocks : the same as a stream of blocks.
    aggregate(reports) : sums of reports, a `ReportSums`: all that an analyst keeps.
    count(X, y) : the sums of `encode(X, y)`.
    simulate_aggregate(X, y, *, rng) : sums of the same law without the n x K matrix, for simulations;
        `NoisyMechanism` adds noise to what it counts, by `add_noise`.
    privacy_loss(x, y, x2, y2) : exact supremum of the log-likelihood ratio between two people, in nats.

    Notes
    -----
    Some mechanisms also have

    send(X, y, *, rng=None), collect(*sent), bits : what a person sends where that is shorter than a report,
        the aggregate of what people sent, and how many bits that takes her.

    disclosure(X, y) : where losses are -alpha, 0 and alpha only, the probability that a report of the first
        of two people has loss alpha; exact trade-offs ask for it.

    variance(p), law(p, q), score(aggregate) : on cells, see `ldp_lib.privacy.cell.CellMechanism`.

    Subclasses say in `people` what they keep of records, in `_signals` what that makes of a report, and in
    `_reports` what is sent in its place: `NoisyMechanism` adds noise. `_parameters` are what `repr` shows.
    `__init__` is that of reports on a grid over [0, 1]^d; `_grid` is what else `grid_shape` has to know.

    Examples
    --------
    >>> from ldp_lib.privacy import HadamardBit
    >>> mechanism = HadamardBit(alpha=1.0, h=0.5)          # any of them
    >>> aggregate = mechanism.aggregate(mechanism.privatize([[0.2], [0.9]], [1, 0], rng=1))
    >>> aggregate.people, mechanism.privacy_loss(0.2, 1, 0.9, 0)
    (2, 1.0)
    """

    halves = ()
    labelled = True
    noise_laws = ()
    _aggregates = CellAggregate
    _cure = "increase h."
    _parameters = "alpha", "h", "d"
    _least_alpha, _most_alpha = None, math.inf
    _grid = {}

    def __init__(self, alpha: float, h: float, d: int = 1):
        self.alpha = real("alpha", alpha, above=0, least=self._least_alpha, most=self._most_alpha,
                          cure="alpha is the privacy budget in nats, for example 1.0.")
        self.h = real("h", h, above=0, cure="h is a bandwidth on [0, 1], for example 0.1.")
        self.d = whole("d", d, most=1000, cure="A grid has (1/h)^d cells.")
        self.shape = grid_shape(self.h, self.d, **self._grid)
        self.K = self.shape[0] ** self.d

    def __repr__(self):
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._parameters)
        return f"{type(self).__name__}({values})"

    @abstractmethod
    def people(self, X: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, ...]:
        """The checked records as the mechanism sees them: a tuple of arrays, a row for each of n people."""

    @abstractmethod
    def _signals(self, *people):
        """What these people would publish without noise, a new array (n, K)."""

    @abstractmethod
    def _reports(self, *people_and_source):
        """Reports, (n, K), of what `people` returned, random by the last argument's `bytes`."""

    def encode(self, X: ArrayLike, y: ArrayLike) -> np.ndarray:
        """What people at X, (n, d), with labels y, (n,), would publish without noise, shape (n, K)."""
        return self._dense(self._signals, *self.people(X, y))

    def _dense(self, make, *arguments):
        """make(*arguments), if a matrix of reports of so many people fits."""
        n = len(arguments[0])
        require_memory(f"A report matrix of {n} x {self.K}", REPORT_BYTES * float(n) * self.K,
                       f"Use privatize_blocks (a stream) or simulate_aggregate, or {self._cure}")
        return make(*arguments)

    def privatize(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness = None) -> np.ndarray:
        """The people's reports, shape (n, K).

        rng : None or "secure" for people who exist: the operating system's cryptographic generator, which
        needs noise="lattice" where noise is added. A numpy Generator or a seed is for teaching and tests:
        whoever knows it undoes the privacy.
        """
        return self._dense(self._reports, *self.people(X, y), generator(rng, secure=True))

    def privatize_blocks(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness = None) -> Iterator[np.ndarray]:
        """Reports of the same law as a stream of consecutive blocks of rows, for n x K too large to hold."""
        return self._blocks(self.people(X, y), generator(rng, secure=True))

    def _blocks(self, people, source):
        rows = max(1, BLOCK_BYTES // (8 * self.K))
        for start in range(0, len(people[0]), rows):
            yield self._reports(*(part[start:start + rows] for part in people), source)

    def aggregate(self, reports: np.ndarray | Iterable[np.ndarray]) -> ReportSums:
        """Sum the reports: an (n, K) array, or an iterable of blocks of its rows."""
        people, (totals,) = sum_reports(reports, self.K)
        return self._aggregates(people, totals, repr(self))

    def count(self, X: ArrayLike, y: ArrayLike) -> ReportSums:
        """The aggregate of `encode(X, y)`, without noise; subclasses need not make the n x K matrix."""
        return self.aggregate(self.encode(X, y))


class UnlabelledMechanism(Mechanism):
    """What the mechanisms share whose people have no label: their methods take X alone, (n, d)."""

    labelled = False

    def encode(self, X: ArrayLike) -> np.ndarray:
        """What people at X would publish without noise, (n, K)."""
        return self._dense(self._signals, *self.people(X))

    def privatize(self, X: ArrayLike, *, rng: Randomness = None) -> np.ndarray:
        """The people's reports, (n, K); rng as in `Mechanism`, "secure" for people who exist."""
        return self._dense(self._reports, *self.people(X), generator(rng, secure=True))

    def privatize_blocks(self, X: ArrayLike, *, rng: Randomness = None) -> Iterator[np.ndarray]:
        """Reports of the same law as a stream of consecutive blocks of rows, for n x K too large to hold."""
        return self._blocks(self.people(X), generator(rng, secure=True))


class NoisyMechanism(Mechanism):
    """A mechanism that adds independent noise to every entry of a report: of one law, `noise`, unless
    `noise_laws` says otherwise. It is built with `noise` = "lattice" (default) or "real", by name.

    signal_bounds : for each of the `noise_laws`, what the entries of `encode` never exceed in size, but for
        rounding; None where reports do not travel one by one (`ldp_lib.privacy.wire`)."""

    signal_bounds = None

    @property
    def noise_laws(self) -> tuple[tuple[slice, LatticeLaplace | RealLaplace], ...]:
        """The one law, on all columns."""
        return ((slice(0, self.K), self.noise),)

    def _reports(self, *people_and_source):
        *people, source = people_and_source
        reports = self._signals(*people)
        for columns, law in self.noise_laws:
            part = reports[:, columns]
            part += law.sample(part.shape, source)
        return reports

    def add_noise(self, aggregate: ReportSums, *, rng: Randomness) -> ReportSums:
        """Add the noise of all people's reports to sums without noise at cost O(K); for simulation only."""
        rng, aggregate = generator(rng), self._aggregates.checked(aggregate, self)
        totals = aggregate.totals.copy()
        # One row of sums, or one for either half.
        for row, people in zip(np.atleast_2d(totals), np.atleast_1d(aggregate.people), strict=True):
            for columns, law in self.noise_laws:
                row[columns] += law.sample_sum(people, row[columns].shape, rng)
        return aggregate._replace(totals=totals)

    def simulate_aggregate(self, X: ArrayLike, y: ArrayLike, *, rng: Randomness) -> ReportSums:
        """An aggregate with the law of `aggregate(privatize(X, y))` at cost O(n + K).

        This simulates people; it protects nobody. Whoever calls it holds the data, and numpy draws the sums
        in floating point. Let real people run `privatize`.
        """
        return self.add_noise(self.count(X, y), rng=rng)

    @property
    def scale(self) -> float:
        """Noise scale: sensitivity / alpha, rounded up by `ldp_lib.privacy.noise.calibrated_scale`."""
        return self.noise.scale

    @property
    def granularity(self) -> float:
        """Step of the noise lattice; 0 for real noise."""
        return self.noise.granularity

    def __repr__(self):
        kind = "lattice" if self.granularity else "real"
        return f"{super().__repr__()[:-1]}, noise={kind!r})"


def grid_shape(h, d, *, more=0, what="cells", cure="Increase h or lower d.", each=ENTRY_BYTES):
    """How many cells of side h the axes of [0, 1]^d have, and `more` on each: (..., ...), d numbers.

    Refused, with the `cure`, if there are too many of `what` the grid is made of, at so many bytes `each`.
    """
    # 1/h may exceed a whole number by a rounding error only: no cell for that sliver.
    per_axis = max(1, math.ceil(min(1 / h, 1e18) - 1e-9)) + more
    log2_bytes = math.log2(each) + d * math.log2(per_axis)
    require_memory(f"A grid of {per_axis:,}^{d} {what}", 2.0 ** min(log2_bytes, 1000), cure)
    return (per_axis,) * d


def grid_index(shape):
    """The positions of all points of a grid of this shape in flat order, whole numbers (K, d)."""
    return np.stack(np.unravel_index(np.arange(math.prod(shape)), shape), axis=1)


def check_mechanism(mechanism):
    """Refuse what has no reports to audit. Who wants to know what a class tells need not inherit anything."""
    needed = ("encode", "privatize", "K")
    if isinstance(mechanism, type) or not all(hasattr(mechanism, name) for name in needed):
        raise wrong_kind("mechanism", mechanism, "a mechanism, for example CubeLaplace(alpha=1.0, h=0.2), or "
                                                 f"one of your own with {', '.join(needed)}")


def told(mechanism, name):
    """`labelled`, `halves` or `noise_laws`; of what is not a `Mechanism`, as its `encode` says."""
    if hasattr(mechanism, name):
        return getattr(mechanism, name)
    takes = inspect.signature(mechanism.encode).parameters
    return {"labelled": "y" in takes, "halves": (1, 2) if "half" in takes else (), "noise_laws": ()}[name]


def record_pair(mechanism, record_a, record_b):
    """Two records, checked, as arrays that `encode` takes: (features (2, d), labels (2,)), or without labels
    (x (2,),) if d is 1 and (features (2, d),) else."""
    check_mechanism(mechanism)
    named = {"record_a": record_a, "record_b": record_b}
    if not told(mechanism, "labelled"):
        d = getattr(mechanism, "d", 1)
        if d > 1:
            return (points("record_a and record_b", [record_a, record_b], d),)
        cure = "A record of this mechanism is a number x, for example 0.3."
        return (np.array([real(name, record, cure=cure) for name, record in named.items()]),)
    for name, record in named.items():
        if not isinstance(record, tuple) or len(record) != 2:
            raise TypeError(f"{name} = {record!r:.60} is not a record; give a pair (x, y), for example "
                            "(0.3, 1).")
    features = [np.atleast_1d(record[0]) for record in (record_a, record_b)]
    d = getattr(mechanism, "d", features[0].size)
    if features[0].shape != features[1].shape:
        raise ValueError(f"the features of the records have shapes {features[0].shape} and "
                         f"{features[1].shape}; both must be ({d},).")
    X = points("the features of the records", features, d)
    return X, labels("the labels of the records", [record_a[1], record_b[1]], 2)


def halves(mechanism, half=None):
    """The halves of the sample that publish different things, or (half,), or (None,) without halves."""
    if half is None:
        return told(mechanism, "halves") or (None,)
    if not told(mechanism, "halves"):
        raise ValueError(f"half = {half!r} does not exist: {mechanism!r} treats all people alike; leave it "
                         "out.")
    return (half,)


def signals(mechanism, people, half):
    """What `people`, a tuple of arrays as from `record_pair`, publish without noise in that half, (n, K)."""
    return mechanism.encode(*people) if half is None else mechanism.encode(*people, half=half)


def reports(mechanism, people, row, n, rng):
    """n reports of the person in that row of `people` from each of the `halves`, [(n, K), ...]."""
    count = len(halves(mechanism))
    crowd = (np.repeat(part[row:row + 1], count * n, axis=0) for part in people)
    made = np.asarray(mechanism.privatize(*crowd, rng=rng))
    if made.shape != (count * n, mechanism.K):
        raise ValueError(f"privatize of {mechanism!r:.60} returned the shape {made.shape} for {count * n} "
                         f"people; it must be ({count * n}, {mechanism.K}), one report a row.")
    if made.dtype.kind not in "biuf" or made.dtype.itemsize > 8 or (
            made.dtype.kind in "iu" and (np.abs(made.astype(float)) > EXACT).any()):
        raise ValueError(f"privatize of {mechanism!r:.60} returned {made.dtype} of which floats of 64 bits "
                         "do not hold every bit, so that nothing can be said of what they tell; return "
                         "float64 or whole numbers up to 2^53.")
    return np.split(made, count)


EXACT = 2.0**53
"""Whole numbers up to it are floats."""


def scales(mechanism):
    """The noise scale of every entry, (K,); ones where noise is not added."""
    result = np.ones(mechanism.K)
    for columns, law in told(mechanism, "noise_laws"):
        result[columns] = law.scale
    return result
