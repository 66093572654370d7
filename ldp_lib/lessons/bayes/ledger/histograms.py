"""The stability histogram and the private density of Bousquet et al. (2022), Section 4, executed."""

import math
from collections.abc import Callable

import numpy as np

from ldp_lib._arguments import real, whole
from ldp_lib._rounding import canonical
from ldp_lib.lessons.bayes.ledger.cells import density_errors, shell_heights, staircase
from ldp_lib.privacy import LatticeLaplace, RealLaplace, hockey_stick, lattice_laws
from ldp_lib.risk.integrated import count_error
from ldp_lib.stage.ledger import Saboteur, Step, proves
from ldp_lib.theory.curator import histogram_threshold

HALF = Saboteur("noise of scale 2/eps", "half the noise", lambda: {"louder": 0.5}, lambda: {"epsilon": 0.5})
LOW = Saboteur("threshold", "a threshold of 5", lambda: {"threshold": 5.0}, lambda: {"delta": 1e-3})


@proves("bayes-2.4", HALF, LOW,
        Saboteur("noise of scale 2/eps", "a hundred times the noise", lambda: {"louder": 100.0},
                 lambda: {"epsilon": 0.9}),
        Saboteur("threshold", "twice the threshold", lambda: {"threshold": 60.0}, lambda: {"delta": 1e-5}),
        Saboteur("one record replaced", "two people leave the cell", lambda: {"moved": 2},
                 lambda: {"count": 40}))
def ledger_bayes_2_4(epsilon: float = 1.0, delta: float = 1e-6, count: int = 25, *, moved: int = 1,
                     louder: float = 1.0, threshold: float | None = None):
    """The ledger of Theorem 2.4: the stability histogram (Algorithm 1) is private, and how far it errs.

    epsilon : nats, in [0.01, 1]; delta in [1e-12, 1/2] (erratum 24; floats hold the laws so far only).
    count : people in a cell, 3 to 10^4.
    moved : records that are replaced, from one cell to another.  louder : scale of the noise in units of
    2 / epsilon.  threshold : None for the printed 1 + (2/epsilon) log(2/delta).

    The subject is what two neighbouring samples release: exact laws on a lattice. Bun, Nissim & Stemmer
    (2019) have the theorem without proof of a constant; these steps are ours. Those on errors have real
    noise, and speak of this algorithm: whoever always answers 0 errs by c, so that a right side promises
    more than that only where c is above it, which for "small counts" it never is.
    """
    epsilon, delta = _budget(epsilon, delta)
    count, moved = whole("count", count, least=3, most=10**4), whole("moved", moved, most=2)
    noise, tau = _noise(epsilon, louder, threshold, delta)
    printed, log = histogram_threshold(epsilon, delta), math.log(1 / delta)
    here, there = np.array([count, count]), np.array([count - moved, count + moved])
    crowded = [lattice_laws(a, b, noise, tau) for a, b in zip(here, there, strict=True)]
    lone, nobody = lattice_laws(1, 0, noise, tau)
    counts = np.unique(np.geomspace(1, 50 * printed, 100).round())
    error = count_error(counts, counts, RealLaplace(noise.scale), tau)
    bounds = {"zeroed": np.full(counts.shape, (3 + 2 * math.log(2 / delta)) / epsilon),
              "small counts": 3 * counts / epsilon, "error": 8.4 / epsilon * np.minimum(log, counts)}
    worst = {name: canonical(error / bound).argmax() for name, bound in bounds.items()}
    scale, record, cut = "noise of scale 2/eps", "one record replaced", "threshold"
    cells = f"cells of {count} people"
    steps = (
        Step("counts", "counts of two neighbours differ by 2 in l1 norm", np.abs(here - there).sum(), 2,
             subject=cells, uses=(record,)),
        Step("one cell", "log ratio of a released count with one person less <= eps / 2",
             largest_ratio(crowded[:1]), epsilon / 2, subject=cells, uses=(record, scale)),
        Step("two cells", "log ratio of both cells that change <= eps", largest_ratio(crowded), epsilon,
             subject=cells, uses=(record, scale)),
        Step("lone person", "P(a lone person shows) = P(1 + noise >= threshold) <= delta / 3", lone[1:].sum(),
             delta / 3, "delta / 4 for real noise", subject="a lone person", uses=(cut, scale)),
        Step("alone or not", "P(A) - e^(eps/2) Q(A) <= delta: one person or nobody in the cell",
             hockey_stick([(lone, nobody)], epsilon / 2), delta, subject="a lone person", uses=(cut, scale),
             follows="lone person"),
        Step("privacy", "P(A) - e^eps Q(A) <= delta, either order: a lone person joins a crowded cell",
             divergence((moved, count), (0, count + moved), epsilon, noise, tau), delta, HISTOGRAM,
             subject=cells, uses=(cut, scale, record)),
        Step("zeroed", "E|chat - c| <= (3 + 2 log(2/delta)) / eps, at the worst of 100 counts c",
             error[worst["zeroed"]], bounds["zeroed"][0], HISTOGRAM, subject="counts", uses=(cut, scale)),
        *(Step(name, f"E|chat - c| <= {words}, at the worst of 100 counts c", error[worst[name]],
               bounds[name][worst[name]], HISTOGRAM, subject="counts", uses=(cut, scale))
          for name, words in (("small counts", "3 c / eps"),
                              ("error", "(8.4 / eps) min{log(1/delta), c}"))),
    )
    return {"epsilon": epsilon, "delta": delta, "count": count}, steps


def cube_counts(x, cells):
    """People in each of so many equal cells of [0, 1)."""
    return np.bincount((np.asarray(x) * cells).astype(int), minlength=cells)


@proves("bayes-4.2", HALF, LOW,
        Saboteur("fixed cells", "cells that begin where the first person stands",
                 lambda: {"partition": counts_from_the_first}, lambda: {"cells": 3}),
        Saboteur("one record replaced", "two people move to another cell", lambda: {"moved": 2},
                 lambda: {"people": 500}),
        Saboteur("post-processing", "a density that is divided by the number of people in the first cell",
                 lambda: {"shape": lambda counts, cells, true: counts * cells / true[0]},
                 lambda: {"shape": lambda counts, cells, true: np.minimum(counts, 50.0), "people": 300}))
def ledger_bayes_4_2(epsilon: float = 1.0, delta: float = 1e-6, people: int = 400, cells: int = 4, *,
                     moved: int = 1, louder: float = 1.0, threshold: float | None = None,
                     partition: Callable = cube_counts, shape: Callable | None = None):
    """The ledger of Theorem 4.2: the private density (Algorithm 3, PCDE) is (eps, delta)-private.

    epsilon : nats, in [0.01, 1]; delta in [1e-12, 1/2].
    people : in each of two samples on a line, 20 to 10^4.  cells : 2 to 100 of equal length.
    moved : records in which the samples differ; louder, threshold : as in 2.4.
    partition : sample and cells -> counts.  shape : released counts, cells and the true counts, which it must
    not look at -> what is published; None normalises.

    The subject is two pairs of samples: a person from the first cell into the last; and the first of all
    people, who is alone, to the others.
    """
    epsilon, delta = _budget(epsilon, delta)
    people, cells = whole("people", people, least=20, most=10**4), whole("cells", cells, least=2, most=100)
    moved = whole("moved", moved, most=2)
    noise, tau = _noise(epsilon, louder, threshold, delta)
    shape = shape or (lambda counts, cells, true: normalised(counts, cells))
    crowd = np.append(0.01 / cells, np.linspace(0.3 / cells, 0.95, people - 1))
    alone = np.append((np.arange(moved) + 0.01) / cells, np.full(people - moved, 0.97))
    one_moves, joins = (np.append(np.full(moved, 0.97), sample[moved:]) for sample in (crowd, alone))
    pairs = {words: [partition(sample, cells) for sample in samples] for words, samples in (
        ("crowd", (crowd, one_moves)), ("alone", (alone, joins)))}
    moves = {words: np.abs(np.subtract(*pair)).sum() for words, pair in pairs.items()}
    spent = {words: divergence(*pair, epsilon, noise, tau) for words, pair in pairs.items()}
    shown = [np.where(counts > 0, counts + 7.0, 0.0) for counts in pairs["crowd"][:1] * 2]
    published = [shape(counts, cells, true) for counts, true in zip(shown, pairs["crowd"], strict=True)]
    scale, record, cut, fixed = "noise of scale 2/eps", "one record replaced", "threshold", "fixed cells"
    both = f"{people} people in {cells} cells"
    steps = (
        Step("counts", "counts of two neighbours differ by 2 in l1 norm", moves["crowd"], 2, subject=both,
             uses=(record, fixed)),
        Step("counts, alone", "the same if a person leaves a cell where she was alone", moves["alone"], 2,
             subject=both, uses=(record, fixed)),
        Step("ratio", "log ratio of counts that stay positive <= eps", largest_ratio(
            [lattice_laws(a, b, noise, tau) for a, b in zip(*pairs["crowd"], strict=True)
             if a != b and min(a, b) > 0]), epsilon, HISTOGRAM, subject=both, uses=(record, fixed, scale)),
        Step("counts are private", "P(A) - e^eps Q(A) <= delta, either order", spent["crowd"], delta,
             HISTOGRAM, subject=both, uses=(record, fixed, scale)),
        Step("alone is private", "the same if a person leaves a cell where she was alone", spent["alone"],
             delta, HISTOGRAM, subject=both, uses=(record, fixed, scale, cut)),
        Step("post-processing", "equal counts give equal densities: the samples are not looked at again",
             np.abs(np.subtract(*published)).max(), 0.0, "privacy is kept", subject=both,
             uses=("post-processing",)),
    )
    return {"epsilon": epsilon, "delta": delta, "people": people, "cells": cells}, steps


@proves("bayes-4.3",
        Saboteur("noise of scale 2/eps", "a thousand times the noise", lambda: {"louder": 1000.0},
                 lambda: {"epsilon": 0.5}),
        Saboteur("log(1/delta) = o(sqrt n)", "delta = n 2^(-sqrt n)",
                 lambda: {"delta": 500_000 * 2.0 ** -math.sqrt(500_000)}, lambda: {"delta": 1e-9}),
        Saboteur("cubes of side r", "cubes of side r / 40", lambda: {"finer": 40}, lambda: {"n": 50_000}),
        Saboteur("cubes of side r", "cubes of side 40 r", lambda: {"finer": 1 / 40}, lambda: {"n": 60_000}),
        Saboteur("density with few jumps", "all mass on a tenth of every cell", lambda: {"law": comb},
                 lambda: {"shells": 5}),
        Saboteur("independent people", "a thousand people stand together", lambda: {"copies": 1000},
                 lambda: {"n": 60_000}))
def ledger_bayes_4_3(n: int = 500_000, epsilon: float = 1.0, delta: float = 1e-6, d: int = 1,
                     tail: float = 1.0, shells: int = 6, box: int = 3, *, louder: float = 1.0,
                     finer: float = 1.0, law: Callable | None = None, copies: int = 1):
    """The ledger of Theorem 4.3 for Algorithm 3 (PCDE), with the corrections of errata 24 to 26.

    n : people.  epsilon : nats, in (0, 1]; delta in (0, 1/2]: the range of the histogram's error bound.
    d : dimension; cubes of side n^(-1/(2d)).
    tail > 0, shells : the law, P(X_1 > 2^k - 1) = 2^(-tail k) for k < shells.
    box : 1 to shells; the proof's cube T0 has side 2^box - 1.
    louder : scale of the noise in units of 2 / epsilon.  finer : r over the side of the cubes.  law : what
    becomes of the `Staircase`.  copies : so many people stand in one place.

    The subject is the law of the staircase; expectations are sums over binomial counts. The step "released"
    is what log(1/delta) = o(sqrt n) secures, a condition: where it fails, hardly a count survives, and the
    theorem says nothing. Not counted are the
    triangle inequalities, which hold for any law.
    """
    n, d, shells = whole("n", n, most=10**12), whole("d", d, most=8), whole("shells", shells, most=60)
    epsilon, delta = real("epsilon", epsilon, above=0, most=1), real("delta", delta, above=0, most=0.5)
    tail, box = real("tail", tail, above=0), whole("box", box, most=shells)
    r, T = n ** (-1 / (2 * d)), 2.0**box + 1
    tau = 2.0 ** (-tail * box) if box < shells else 0.0
    cells = (law or (lambda cells: cells))(staircase(tail, shells, r / real("finer", finer, above=0), d))
    threshold, log = histogram_threshold(epsilon, delta), math.log(1 / delta)
    noise = RealLaplace(2 / epsilon * real("louder", louder, above=0))
    errors = density_errors(cells, n, noise, threshold, whole("copies", copies))
    inside = cells.shell < box
    heights = np.append(shell_heights(tail, shells), 0.0)
    private = cells.number * errors.private
    inner, outer = 8.4 * T**d * log / (epsilon * math.sqrt(n)), 3 * tau / epsilon
    sampling = math.sqrt(T**d / math.sqrt(n)) + 2 * tau
    bias = r / 2 * (np.abs(np.diff(heights)).sum() + d - 1)
    light = cells.number @ (cells.p * (n * cells.p <= 2 * threshold))
    scale, side, steps_of = "noise of scale 2/eps", "cubes of side r", "density with few jumps"
    rare, people, on = "log(1/delta) = o(sqrt n)", "independent people", f"a staircase of {shells} shells"
    steps = (
        Step("released", "(2/eps) log(2/delta) + 1 <= people expected in the fullest cell", threshold,
             n * cells.p.max(), "omitted from the theorem, errata 25", subject=on, uses=(rare, side)),
        Step("(4)", "E||fhat - f|| <= E||fhat - f_S|| + E||f_S - f||", errors.whole,
             private.sum() + errors.ordinary, "algebra: the triangle inequality"),
        Step("cubes", "cells that meet T0 number at most T^d / r^d, T = T0 + 2", cells.number[inside].sum(),
             T**d / r**d, subject=on, uses=(side,)),
        Step("(5)", "E of the integral of |fhat - f_S| over them <= 8.4 T^d log(1/delta) / (eps sqrt(n))",
             private[inside].sum(), inner, ", with errata 25", subject=on, uses=(scale, side)),
        Step("(7)", "the rest of it <= 3 tau / eps, tau = P(X outside T0)", private[~inside].sum(), outer,
             subject=on, uses=(scale,)),
        Step("light cells", "mass of cells that expect <= 2 thresholds <= 2 threshold T^d / sqrt(n) + tau",
             light, 2 * threshold * T**d / math.sqrt(n) + tau, "what log(1/delta) = o(sqrt n) makes vanish",
             subject=on, uses=(side,)),
        Step("sampling", "E||f_S - E f_S|| <= sqrt(T^d / sqrt(n)) + 2 tau", errors.sampling, sampling, OURS,
             subject=on, uses=(people, side)),
        Step("bias", "||E f_S - f|| <= (r/2) (sum of the jumps of g, + d - 1)", errors.bias, bias, OURS,
             subject=on, uses=(side, steps_of)),
        Step("Theorem 4.4", "E||f_S - f|| <= E||f_S - E f_S|| + ||E f_S - f||", errors.ordinary,
             errors.sampling + errors.bias, "algebra: the triangle inequality"),
        Step("normalised", "|E integral of fhat - 1| <= E||fhat - f||: to divide by it costs as much again",
             abs(errors.mass - 1), errors.whole, "Remark 4.1, with errata 26: the triangle inequality"),
        Step("whole", "E||fhat - f|| <= the sum of the bounds", errors.whole,
             inner + outer + sampling + bias, subject=on, uses=(scale, side, steps_of, people), certain=2.0),
    )
    return {"n": n, "epsilon": epsilon, "delta": delta, "d": d, "tail": tail, "shells": shells,
            "box": box}, steps


OURS = "cited there as Theorem 4.4"
STEPS = 32
"""Lattice steps per scale of the noise in these ledgers, or more: the theorems hold for every lattice."""
HISTOGRAM = "Bousquet et al. 2022, Theorem 2.4, with errata 24"
NO_DIVERGENCE = 1e-14
"""A sum of differences below is a rounding error."""
UNDERFLOW = 1e-250
"""Outcomes that are rarer under both laws are left out: floats no longer hold their ratio."""


def largest_ratio(pairs):
    """The largest |log P(A) / Q(A)| over outcomes A of independent cells, whose laws are the pairs."""
    likely = (np.compress(np.max(pair, axis=0) > UNDERFLOW, pair, axis=1) for pair in pairs)
    with np.errstate(divide="ignore"):                  # what is impossible under one law only: infinite
        return sum(np.abs(np.subtract(*np.log(pair))).max() for pair in likely)


def divergence(before, after, epsilon, noise, threshold):
    """The hockey-stick divergence of the released counts of two samples, the larger of both orders."""
    pairs = [lattice_laws(a, b, noise, threshold) for a, b in zip(before, after, strict=True) if a != b]
    found = hockey_stick(pairs, epsilon, both=True)
    return found if found > NO_DIVERGENCE else 0.0


def _budget(epsilon, delta):
    floats = "Floats hold the laws of the released counts so far only."
    return (real("epsilon", epsilon, least=0.01, most=1, cure=floats),
            real("delta", delta, least=1e-12, most=0.5, cure=floats))


def _noise(epsilon, louder, threshold, delta):
    """The noise of the subject, in units of the theorem's 2 / epsilon, and its threshold."""
    noise = LatticeLaplace(2 / epsilon * real("louder", louder, above=0), STEPS)
    return noise, histogram_threshold(epsilon, delta) if threshold is None else real("threshold", threshold)


def counts_from_the_first(x, cells):
    """The same for cells that begin where the first person stands: they move with her."""
    return cube_counts((x - min(x)) / 2, 2 * cells)


def normalised(counts, cells):
    """The density of Algorithm 3 from released counts: divided by their sum; if that is 0, all are 0."""
    return counts * cells / max(counts.sum(), 1e-300)


def comb(cells):
    """The same masses on a tenth of every cell: a density with teeth narrower than the cells."""
    whole = cells.volume.sum(axis=1)
    volume = np.stack([0.1 * whole, 0.9 * whole, 0 * whole], axis=1)
    density = np.stack([cells.p / volume[:, 0], 0 * whole, 0 * whole], axis=1)
    return cells._replace(volume=volume, density=density)
