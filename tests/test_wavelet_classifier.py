"""The posterior mean against dense linear algebra, the beta = 2 problem, and the rule against cells."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal

from ldp_lib.estimation import OneBitClassifier, WaveletClassifier, posterior
from ldp_lib.nature import problem
from ldp_lib.privacy import DyadicBit
from ldp_lib.risk import excess_risk, simulate_excess_risk
from ldp_lib.wavelets import wavelet_basis


def masses(wavelet, j, cells):
    """Integrals of the fathers of level j over equal cells of [0, 1], (cells, translates)."""
    basis = wavelet_basis(wavelet)
    places = np.linspace(0, 1, cells + 1)[:, None] * 2**j - np.array(basis.translates(j))
    return np.diff(basis.integral("phi", places), axis=0) * 2.0 ** (-j / 2)


@pytest.mark.parametrize("alpha, d", [(1.0, 1), (1.0, 2), (2.0, 1), (4.0, 2)])
def test_scores_are_posterior_means(alpha, d, monkeypatch):
    """One at a time: the covariance of coarse and fine cells from details, and a solved normal equation."""
    monkeypatch.setattr(posterior, "WAVELET_SMOOTHNESS", ((1, 1.0), (0, 2.0)))
    monkeypatch.setattr(posterior, "VARIANCES", np.array([0.01, 0.3]))
    monkeypatch.setattr(posterior, "FINER", 1)
    posterior._series.cache_clear()
    X, y = problem("wave", d=d).sample(3000, rng=1)
    rule = WaveletClassifier(alpha, "db2", levels=2, rng=1).fit(X, y)
    places = np.random.default_rng(0).random((30, d))
    errors, cells = rule.standard_error(places), np.ravel_multi_index(
        tuple(rule._cell(places).T), rule.scores_.shape)
    posterior._series.cache_clear()
    mechanism, fine = rule.mechanism_, len(rule.scores_)
    noise = np.eye(mechanism.K) * mechanism.variance(1 / mechanism.K) / 3000
    if isinstance(mechanism, DyadicBit):
        H = mechanism.signs(np.arange(mechanism.K)[:, None], np.arange(mechanism.K)) / mechanism.K**0.5
        noise = H * (mechanism.row_weights * mechanism.scale**2 / 3000) @ H
    coarsen = np.repeat(np.eye(4), fine // 4, axis=1)
    seen, coarsen = mechanism.score(rule.aggregate_), np.kron(coarsen, coarsen) if d == 2 else coarsen
    evidence, means, freedom, within = [], [], [], []
    for wavelet in ("haar", "db2"):
        spaces = [masses(wavelet, j, fine) for j in range(int(np.log2(fine)) + 1)]
        kernels = [np.kron(F @ F.T, F @ F.T) if d == 2 else F @ F.T for F in spaces]
        for r, beta in ((1, 1.0), (0, 2.0)):
            details = sum(2.0 ** (-(2 * beta + d) * max(j - r, 0)) * (kernels[j + 1] - kernels[j])
                          for j in range(len(kernels) - 1))
            for power in (0.01, 0.3):
                covariance = power * (kernels[0] + details)
                total = coarsen @ covariance @ coarsen.T + noise
                evidence.append(multivariate_normal.logpdf(seen, cov=total))
                means.append(covariance @ coarsen.T @ np.linalg.solve(total, seen))
                freedom.append(mechanism.K - np.trace(np.linalg.solve(total, noise)))
                cross = (covariance @ coarsen.T)[cells]
                explained = (cross.T * np.linalg.solve(total, cross.T)).sum(axis=0)
                within.append(np.diag(covariance)[cells] - explained)
    weights = softmax(evidence)
    assert np.allclose(rule.scores_.ravel(), weights @ means, rtol=1e-6, atol=1e-9)
    assert np.allclose(rule.weights_.ravel(), weights)
    apart = np.array(within) + (np.array(means)[:, cells] - (weights @ means)[cells]) ** 2
    away = [softmax(evidence[part]) @ apart[part] for part in (slice(4), slice(4, 8))]
    assert np.allclose(errors, np.sqrt(np.max(away, axis=0)), rtol=1e-4)
    assert rule.h_ == pytest.approx(min((weights @ freedom) ** (-1 / d), 1))


def test_arches_are_as_smooth_as_they_say():
    law = problem("arches", amplitude=0.3, frequency=3, shift=0.2137123)
    x = np.linspace(0, 1, 30_001)
    eta, step = law.eta(x[:, None]), x[1]
    curvature = np.diff(eta, 2) / step**2
    assert np.abs(curvature).max() == pytest.approx(32 * 0.3 * 9, rel=1e-5)
    crossing = np.flatnonzero(np.diff(np.sign(eta - 0.5)))
    # The slope is 8 there, and the curvature changes its sign.
    assert len(crossing) == 6 and np.allclose(np.abs(np.diff(eta)[crossing] / step), 8 * 0.3 * 3, rtol=1e-3)
    assert np.allclose(curvature[crossing - 3] * curvature[crossing + 3], -(32 * 0.3 * 9) ** 2, rtol=1e-4)
    edges = np.linspace(0, 1, 31)[:, None]
    middle = law.eta((x[:-1, None] + x[1:, None]) / 2).reshape(30, -1)
    p, q = law.cell_masses(edges[:-1], edges[1:])
    assert np.allclose(q / p, middle.mean(axis=1), atol=1e-7)
    margin = law.margin_mass(edges[:-1], edges[1:]) / p
    assert np.allclose(margin, np.abs(2 * middle - 1).mean(axis=1), atol=1e-7)
    assert law.bayes_risk == pytest.approx(0.5 - 0.3 * 2 / 3)


def test_wavelets_beat_cells_beyond_beta_1():
    """Mean over random shifts; 5 standard errors below cells with the best h of each: false alarm 3e-7."""
    shifts, n = np.random.default_rng(1).random(12), 100_000
    laws = [problem("arches", shift=shift) for shift in shifts]
    cells = np.array([[excess_risk(OneBitClassifier(1.0, 1 / m), law, n) for m in range(6, 28)]
                      for law in laws])
    found = [simulate_excess_risk(WaveletClassifier(1.0), law, n, 8, rng=k) for k, law in enumerate(laws)]
    mean = np.mean([risk.mean for risk in found])
    error = np.sqrt(np.sum([risk.standard_error**2 for risk in found])) / len(found)
    one, each = cells.mean(axis=0).min(), cells.min(axis=1).mean()
    print(f"\ncells, one h {one:.5f}, the best h a shift {each:.5f}; wavelets {mean:.5f} +- {error:.5f}")
    assert mean + 5 * error < each < one
