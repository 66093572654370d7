"""The panel of notebook 06: private Bayes consistency (Bousquet et al., 2022, Algorithms 1 to 4).

Central: a curator adds noise to the votes of every cell. Local: people add noise to their own reports,
one-hot vectors of the cells, as in notebook 02 but in cells that do not overlap, so that the noise has scale
2/epsilon and not 2^(d+1)/epsilon. One bit: the same cells, and what a curator is to be compared with, since
no mechanism of this library learns from fewer people at epsilon <= 1 (`ldp_lib.privacy.HadamardBit`). Fits
are drawn with common random numbers: for every n one sample of votes, whatever the budget. Noise is real, not
on a lattice, for the reason given in `ldp_lib.live.crowd`.
"""

import itertools
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp_lib.live import style
from ldp_lib.live.bayes_cells import ERROR, LAWS, MODELS, NEGLECTED, PEOPLE, Landscape, Tiling, landscape
from ldp_lib.live.bayes_scene import Cells, Scene
from ldp_lib.live.engine import Control, LivePanel, log_steps
from ldp_lib.live.stage import PanelFigure
from ldp_lib.privacy import HadamardBit, stability_threshold
from ldp_lib.risk import noisy_majority_probabilities
from ldp_lib.risk.cells import score_sign_probabilities
from ldp_lib.risk.scores import cube_sign_probabilities

COMPARED = (*MODELS, "one bit")
GOAL = 0.05
"""Excess risk for which the readout counts people."""
DELTAS = tuple(10.0**-k for k in (60, 50, 40, 30, 25, 20, 16, 13, 10, 8, 6, 4, 2))
SEED = 4


class Result(NamedTuple):
    """Everything that the picture shows at one position of the controls."""

    law: str
    landscape: Landscape
    epsilon: float
    delta: float
    n: int
    model: str
    moves: bool
    tiling: Tiling
    says_one: np.ndarray
    """(K,) booleans: the fit that is drawn."""
    wrong: np.ndarray
    """(K,) booleans: half or more of what a label can win in the cell is lost."""
    fit_risk: float
    curves: dict
    """Each of `COMPARED`, and "open" -> exact excess risk at each of `PEOPLE`; if the law moves, "memory",
    too."""
    expected: np.ndarray
    released: np.ndarray
    """(K,), people of the cells expected, and released; NaN where nobody is and nothing shows."""
    level: float
    """Central: the threshold. Local: the standard deviation of the noise of a count."""
    lost: float
    """Share of the people in cells that are released as 0; 0 in the local model, which zeroes nothing."""


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


@lru_cache(maxsize=4096)
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


def _fit(tiling, n, epsilon, model, rng):
    """(says_one, expected, counts, noisy): a sample of n people and what is released about it."""
    half, K, scale = n // 2, len(tiling.p), 2 / epsilon
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


class Bayes(LivePanel):
    """Move the budget, the people and the law; watch votes in cells, exact risks, the stability histogram."""

    title = "Private Bayes consistency"
    size = (11.6, 4.7)
    scene = Scene
    controls = (
        Control("law", "law", "", tuple(LAWS), "[0, 1]: a threshold",
                help="where people live, and which labels they have"),
        Control("epsilon", "budget", "ε", log_steps(0.1, 10.0, 8), 1.0, "{:.3g}",
                "privacy budget in nats, central or local"),
        Control("delta", "failure", "δ", DELTAS, 1e-6, "{:.0e}",
                "of the stability histogram only; votes and local reports need none"),
        Control("n", "people", "n", PEOPLE, 1000, "{:,}", "people in all"),
        Control("model", "who adds noise", "", MODELS, "central", help="a trusted curator, or every person"),
        Control("moves", "the distribution moves with n", "", (False, True), False,
                help="everybody moves into the middle of one cell, on both sides of a hidden border"),
    )

    def __init__(self):
        # Exact masses and risks of all laws take a second, once; no slider may wait for them.
        budgets = next(control.values for control in self.controls if control.name == "epsilon")
        for entry, model, epsilon in itertools.product(LAWS, COMPARED, budgets):
            curve(entry, model, epsilon)
        super().__init__()

    @staticmethod
    def compute(law, epsilon, delta, n, model, moves):
        """A `Result`: one fit with common random numbers, and exact risks."""
        scene = landscape(law)
        tiling = scene.tilings[model][n]
        if moves:
            tiling = hidden(tiling)
            curves = {name: np.full(len(PEOPLE), 0.5) for name in (*COMPARED, "open")}
            curves["memory"] = memory(np.array(PEOPLE))
        else:
            curves = {name: curve(law, name, epsilon) for name in COMPARED} | {"open": scene.open}
        says_one, expected, counts, noisy = _fit(tiling, n, epsilon, model, np.random.default_rng((SEED, n)))
        lost = np.where(says_one, tiling.gain_zero, tiling.gain_one)
        won = np.where(says_one, tiling.gain_one, tiling.gain_zero)
        if model == "central":
            level = stability_threshold(epsilon, delta, noise="real")
            released = np.where(counts > 0, np.where(noisy >= level, noisy, 0.0), np.nan)
        else:
            level = 2 / epsilon * (2 * (n // 2)) ** 0.5
            released = np.where((tiling.p > 0) | (noisy > 0), np.maximum(noisy, 0.0), np.nan)
        zeroed = counts[released == 0].sum() / n if model == "central" else 0.0
        return Result(
            law, scene, epsilon, delta, n, model, moves, tiling, says_one, wrong=(lost > 0) & (lost >= won),
            fit_risk=float(lost.sum()), curves=curves, expected=expected, released=released,
            level=float(level), lost=float(zeroed))

    def conclude(self, result):
        """What the risks do, and what the histogram keeps."""
        at = PEOPLE.index(result.n)
        central, local, bit = (result.curves[name][at] for name in COMPARED)
        if result.moves:
            return ("The law moves with n: everybody is in one cell, half on either side of a border, "
                    f"and every rule on cells has excess risk {central:.3g} for every n; a rule without "
                    f"privacy that looks at {result.n:,} people has {result.curves['memory'][at]:.2g}.")
        histogram = (f"the histogram at δ = {result.delta:.0e} hides {result.lost:.0%} of the people."
                     if result.model == "central" else "local reports need no δ.")
        return (f"{result.law}, {result.n:,} people, ε = {result.epsilon:.3g}: the exact excess risk is "
                f"{central:.2g} with a curator, {bit:.2g} from one bit per person, "
                f"{local:.2g} from local counts, "
                f"{result.curves['open'][at]:.2g} without privacy; {histogram}")

    def summarise(self, result):
        """Exact risks at n, the people that a curator needs and one bit per person, and the threshold."""
        at = PEOPLE.index(result.n)
        central, bit = (people_for(GOAL, result.curves[name]) for name in ("central", "one bit"))
        ratio = f"{float(f'{bit / central:.2g}'):,g}" if np.isfinite(bit) else "unknown"
        curator = result.model == "central"
        return [
            ("excess risk, exact: central", f"{result.curves['central'][at]:.3g}"),
            ("one bit", f"{result.curves['one bit'][at]:.3g}"),
            ("local counts", f"{result.curves['local'][at]:.3g}"),
            ("no privacy", f"{result.curves['open'][at]:.3g}"), ("this fit", f"{result.fit_risk:.3g}"),
            (f"people for risk {GOAL:g}: central", _in_words(central)), ("one bit", _in_words(bit)),
            ("ratio", ratio),
            ("threshold τ" if curator else "noise of a count", f"{result.level:.3g}"),
            ("people hidden by τ", f"{result.lost:.1%}" if curator else "none: no δ here"),
            ("cells", f"{len(result.tiling.p):,}"),
        ]


def people_for(goal, risks):
    """People at which the risks, one at each of `PEOPLE`, first are `goal` (log-log), or inf."""
    reached = risks <= goal
    if reached[0] or not reached.any():
        return PEOPLE[0] if reached[0] else np.inf
    ends = slice(int(np.argmax(reached)) - 1, int(np.argmax(reached)) + 1)
    log_risks = -np.log(np.maximum(risks[ends], 1e-300))
    return float(np.exp(np.interp(-np.log(goal), log_risks, np.log(PEOPLE[ends]))))


def _in_words(people):
    return f"{float(f'{people:.2g}'):,.0f}" if np.isfinite(people) else f"over {PEOPLE[-1]:,}"


def glance(people, **params):
    """Return a figure of one fit at each n of `people`; `params` are positions of the other controls."""
    with style.context():
        figure = PanelFigure(figsize=(10.0, 3.7), layout="constrained")
        risks = []
        for axes, n in zip(figure.subplots(1, len(people)), people, strict=True):
            result = Bayes.compute(n=n, **params)
            Cells(axes).update(result)
            risks.append(f"{result.curves[result.model][PEOPLE.index(n)]:.2g}")
            axes.set(title=f"n = {n:,}: exact excess risk {risks[-1]}", xlabel="dashes: best rule")
    sizes = ", ".join(f"{n:,}" for n in people)
    figure.alt = (f"{result.law}, ε = {result.epsilon:g}, {result.model} noise: with n = {sizes} people the "
                  f"exact excess risk is {', '.join(risks)}; wrong cells are hatched.")
    return figure
