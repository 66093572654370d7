"""Noisy wavelet coefficients are private: Proposition 3.1 of Butucea et al. (2020), executed."""

from __future__ import annotations

import math

import numpy as np

from ldp_lib._arguments import generator, real, whole
from ldp_lib._rounding import canonical
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.privacy.audit import epsilon_lower_bound
from ldp_lib.privacy.mutants import OnePersonsWavelets
from ldp_lib.privacy.wavelet import LARGEST_NU
from ldp_lib.stage.ledger import Saboteur, Step, proves


@proves("wavelet-3.1",
        Saboteur("overlap", "wavelets that overlap twice as much",
                 lambda: _with_haar_wavelets(OverlappingWavelets), lambda: _with_haar_wavelets(LowWavelets)),
        Saboteur("noise scale", "c for 2 c: half the noise",
                 lambda: _with_haar_wavelets(OnePersonsWavelets), lambda: _with_haar_wavelets(DoubleNoise)),
        Saboteur("growth", "the noise of (3.2) lacks a factor j",
                 lambda: _with_haar_wavelets(SlowNoise), lambda: _with_haar_wavelets(FastNoise)),
        Saboteur("independent noise", "one draw for all entries of a report",
                 lambda: _with_haar_wavelets(OneDrawForAllWavelets),
                 lambda: _with_haar_wavelets(NoiseBackwards)),
        kind="Proposition")
def ledger_wavelet_3_1(alpha: float = 1.0, wavelet: str = "db2", levels: int = 6, nu: float = 1.5,
                       x: float = 0.3, x2: float = 0.7, mechanism: type[WaveletLaplace] = WaveletLaplace):
    """The ledger of Proposition 3.1 at two people, x and x2, who differ in everything that the reports show.

    Its subjects are mechanisms of the class `mechanism` and what the two people publish.

    alpha : nats, > 0.  wavelet : a name of `ldp_lib.wavelets.WaveletBasis`.  levels : J, 1 to 20; the
    coefficients are those of the father at level 0 and of the mothers at 0, ..., J - 1.  nu : of mechanism
    (3.2), > 1, at most 100.  x, x2 : in [0, 1].

    "common" is mechanism (3.1), "by level" is (3.2), "fathers" publishes the fathers of level J only. All
    have real noise, but "on the lattice" and the audit, which looks at AUDITED reports of either person of
    mechanism (3.1) with at most AUDITED_LEVELS levels, with a fixed seed; it refutes an honest mechanism with
    probability 1e-6 at most. c is the filter length less 1; C_nu = (3 nu - 2) / (nu - 1).

    Not counted: two comparisons of the formulas of noise scales, which say what the constants cost.
    """
    alpha, levels = real("alpha", alpha, above=0), whole("levels", levels, most=20)
    nu, x, x2 = real("nu", nu, above=1, most=LARGEST_NU), *(
        real(name, place, least=0, most=1) for name, place in (("x", x), ("x2", x2)))
    name = wavelet_mechanism(mechanism).__name__

    def built(scales, calibration="tight", levels=levels, noise="real"):
        return mechanism(alpha, wavelet, levels, scales, calibration, nu=nu, noise=noise)

    common, by_level, fathers = (built(scales) for scales in ("common", "by_level", "scaling_only"))
    basis, c, j = common.basis, common.basis.overlap, np.arange(levels)
    S_phi, S_psi, root = basis.S_phi, basis.S_psi, math.sqrt(2) + 1

    # By the proof: sums over k at one point, and the noise that pays for them at two.
    sizes = np.append(S_phi, S_psi * 2.0 ** (j / 2))
    common_scale, fathers_scale = 2 * sizes.sum() / alpha, 2 * S_phi * 2 ** (levels / 2) / alpha
    crude = 2 * c / alpha * (basis.phi_max + root * basis.psi_max * (2 ** (levels / 2) - 1))
    weights = np.append(1.0, np.maximum(j, 1.0) ** nu)
    allowed = alpha / weights / (1 / weights).sum()

    # By the subject.
    heights, apart = _sums(common, x, x2)
    tops, top_apart = _sums(fathers, x, x2)
    spent = _sums(by_level, x, x2)[1] / by_level.scales_by_level
    worst = int(canonical(spent / allowed).argmax())
    tails = common.noises[0].tail(common_scale * np.array([1.0, 2.0]))
    loss, noise, both = f"a report of {name}", ("noise scale",), ("overlap", "noise scale")
    grown, people = (*both, "growth"), f"what two people publish with {name}"
    audited = built("common", levels=min(levels, AUDITED_LEVELS), noise="lattice")
    steps = (
        Step("overlap, fathers", "sum_k |phi(x - k)| <= S_phi", heights[0], S_phi, OURS, subject=people,
             uses=("overlap",)),
        Step("overlap, mothers", "2^(-j/2) sum_k |psi_jk(x)| <= S_psi at every level",
             (heights[1:] * 2.0 ** (-j / 2)).max(), S_psi, OURS, subject=people, uses=("overlap",)),
        Step("fathers, overlap", "2^(-J/2) sum_k |phi_Jk(x)| <= S_phi", tops[0] / 2 ** (levels / 2), S_phi,
             OURS, subject=people, uses=("overlap",)),
        Step("common, overlap", "sum |psi_jk(x) - psi_jk(x2)| <= 2 S_phi + 2 S_psi sum_{j < J} 2^(j/2)",
             apart.sum(), 2 * sizes.sum(), OURS, subject=people, uses=("overlap",)),
        Step("coordinate",
             "log P(noise >= sigma_J) / P(noise >= 2 sigma_J) <= 1: what an entry tells that differs by "
             "sigma_J", math.log(tails[0] / tails[1]), 1.0, "mechanism (3.1)", subject=f"the noise of {name}",
             uses=noise),
        Step("farthest report",
             "log ratio of the densities beyond both centres <= sum |psi_jk(x) - psi_jk(x2)| / sigma_J",
             common.privacy_loss(x, x2), apart.sum() / common_scale, "mechanism (3.1)", subject=loss,
             uses=noise),
        Step("common", "the pair's privacy loss <= alpha", common.privacy_loss(x, x2), alpha,
             "mechanism (3.1)", subject=loss, uses=both),
        Step("common, crude constants", "the pair's privacy loss with c sup |phi| for S_phi <= alpha",
             built("common", "crude").privacy_loss(x, x2), alpha, "mechanism (3.1)", subject=loss, uses=both),
        Step("by level, one level",
             "level j spends at most alpha / (C max(j, 1)^nu); the level nearest to it", spent[worst],
             allowed[worst], "C = 2 + sum_{0 < j < J} j^-nu", subject=loss, uses=grown),
        Step("by level", "the pair's privacy loss <= alpha", spent.sum(), alpha, "mechanism (3.2)",
             subject=loss, uses=grown),
        Step("by level, crude constants", "the pair's privacy loss with C_nu, which is enough for any J, "
             "<= alpha", built("by_level", "crude").privacy_loss(x, x2), alpha, "mechanism (3.2)",
             subject=loss, uses=grown),
        Step("fathers", "the pair's privacy loss <= alpha with noise 2 S_phi 2^(J/2) / alpha",
             top_apart.sum() / fathers.scale, alpha, "fathers of level J only", subject=loss, uses=both),
        Step("on the lattice", "the pair's privacy loss with rounded coefficients <= alpha",
             built("common", noise="lattice").privacy_loss(x, x2), alpha, "ours: rounding is paid for",
             subject=loss, uses=both),
        Step("audit", f"{AUDITED:,} reports of either prove a loss of alpha at most",
             epsilon_lower_bound(audited, x, x2, n=AUDITED, rng=1).epsilon, alpha,
             "the entries of a report have noises of their own", subject=f"reports of {name}",
             uses=("independent noise",)),
        Step("common, crude", "tight sigma_J <= (2c/alpha)[sup |phi| + (sqrt 2 + 1) sup |psi| (2^(J/2) - 1)]",
             common_scale, crude, ", display (3.1): c translates cover a point"),
        Step("fathers, quieter", "2 S_phi 2^(J/2) / alpha <= tight sigma_J", fathers_scale, common_scale,
             "the same space V_J for less noise"),
    )
    return {"alpha": alpha, "wavelet": wavelet, "levels": levels, "nu": nu, "x": x, "x2": x2}, steps


OURS = "sharper than the paper"
AUDITED, AUDITED_LEVELS = 400, 3
"""Reports, and levels, of an audit in a ledger: few, as it need only see noise that is the same twice."""


class OverlappingWavelets(WaveletLaplace):
    """Publishes psi_jk + psi_{j,k+1} as if it were psi_jk, and likewise the fathers: twice the overlap."""

    height = 1.0

    def _signals(self, X):
        rows = super()._signals(X)
        for band in self.bands:
            rows[:, band.columns] += np.roll(rows[:, band.columns], 1, axis=1)
        return self.height * rows


class LowWavelets(OverlappingWavelets):
    """(psi_jk + psi_{j,k+1}) / 2: more translates overlap, and the sum of their sizes does not grow."""

    height = 0.5


class DoubleNoise(WaveletLaplace):
    """Noise of twice the scale."""

    factor = 2.0

    def _loss_at_weights(self):
        return self.factor * super()._loss_at_weights()


class EightfoldNoise(DoubleNoise):
    """Noise of 8 times the scale."""

    factor = 8.0


class SlowNoise(WaveletLaplace):
    """With scales="by_level" its noise grows like 2^(j/2) max(j, 1)^(nu - 1) from that of level 1 on."""

    power = -1.0

    def _bands(self):
        bands = super()._bands()
        if self.scales != "by_level":
            return bands
        return tuple(band._replace(weight=band.weight * max(band.j, 1) ** self.power) for band in bands)

    def _loss_at_weights(self):
        return sum(2 * band.size / band.weight for band in super()._bands())


class FastNoise(SlowNoise):
    """Like 2^(j/2) max(j, 1)^(nu + 1)."""

    power = 1.0


class OneDrawForAllWavelets(WaveletLaplace):
    """One noise a person."""

    def privatize(self, X, *, rng):
        signals = self.encode(X)
        return signals + self.noises[0].sample((len(signals), 1), generator(rng, secure=True))


class NoiseBackwards(WaveletLaplace):
    """The noises of a person in another order, which no longer is that of the generator."""

    def privatize(self, X, *, rng):
        signals = self.encode(X)
        return signals + (super().privatize(X, rng=rng) - signals)[:, ::-1]


def wavelet_mechanism(mechanism):
    """`mechanism`, checked: `WaveletLaplace` or a class that inherits from it."""
    if not (isinstance(mechanism, type) and issubclass(mechanism, WaveletLaplace)):
        raise TypeError(f"mechanism = {mechanism!r:.60} is no subject of this proof; it must be the class "
                        "WaveletLaplace, not an object of it, or a class that inherits from it.")
    return mechanism


def _with_haar_wavelets(mechanism):
    """Arguments of 3.1 at which half the noise spends more than alpha: Haar wavelets have no other slack."""
    return {"mechanism": mechanism, "wavelet": "haar"}


def _sums(mechanism, x, x2):
    """For every band: max over two people of the sum of |entries|, and the sum of their differences; before
    noise."""
    rows = mechanism.encode([x, x2])
    starts = [band.start for band in mechanism.bands]
    return (np.add.reduceat(np.abs(rows), starts, axis=1).max(axis=0),
            np.add.reduceat(np.abs(rows[0] - rows[1]), starts))
