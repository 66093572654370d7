"""The panel of notebook 05: its tables against the library, people and noise against their laws, corners."""

import numpy as np
import pytest
from scipy import stats

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.live import panel
from ldp_lib.live.elbow import LEVELS, Elbow, glance
from ldp_lib.live.elbow_day import best_level, flights
from ldp_lib.live.elbow_people import (
    JOINED,
    PEOPLE,
    RECORDED,
    SHAPES,
    SPIKE,
    WAVELETS,
    _noise,
    aggregate,
    coefficients,
    counts,
    law,
)
from ldp_lib.live.elbow_scene import INVERSE
from ldp_lib.nature import density
from ldp_lib.risk import mise
from ldp_lib.theory import density_elbows, density_exponent


@pytest.fixture(scope="module")
def live():
    Elbow.strict = True
    return panel("elbow")


def some_corners():
    """The default, each control at its ends with all others at theirs, every wavelet with every density."""
    ends = [{c.name: c.values[end] for c in Elbow.controls} for end in (0, -1)]
    settings = [Elbow.completed()]
    for base in (Elbow.completed(), *ends):
        settings += [base | {c.name: c.values[end]} for c in Elbow.controls for end in (0, -1)]
    return settings + [base | {"wavelet": wavelet, "density": shape}
                       for base in ends for wavelet in WAVELETS for shape in SHAPES]


def test_every_corner_computes_and_draws(live):
    fields = {label for label, _ in live._screen.readout}
    for values in some_corners():
        live.set(**values)
        result = live.compute(**values)
        assert live.failure is None and live.values == values
        assert {label for label, _ in live._screen.readout} == fields
        assert (result.risks.total > 0).all() and np.isfinite(result.risks.total).all()
        curves = (*result.estimates.values(), *result.exponents.curves)
        assert all(np.isfinite(curve).all() for curve in curves)
        assert len(result.levels.noise) == len(result.levels.threshold) == values["J"]
        assert result.exponents.regime in live.conclude(result)


def test_only_moving_artists_move(live):
    live.reset()
    before = live._stage.captures
    for control in Elbow.controls:
        live.set(**{control.name: control.values[-1]})
    assert live._stage.captures == before


def test_every_control_changes_picture_and_readout(live):
    for control in Elbow.controls:
        live.reset()
        before, said = live._stage.draw().copy(), live.readout
        value = next(value for value in control.values if value != control.default)
        live.set(**{control.name: value})
        assert (live._stage.draw() != before).any() and live.readout != said, control.name


@pytest.mark.parametrize("shape, wavelet", [("jumps", "haar"), ("claw", "db4"), ("departures", "db2")])
def test_risks_are_those_of_the_library(shape, wavelet):
    """Within the width of a line: the panel knows the law in 2^15 cells, the library in 2^18."""
    result = Elbow.compute(density=shape, wavelet=wavelet, alpha=1.0, n=10**6)
    f = density(shape)
    for J in LEVELS:
        exact = mise(LinearWaveletDensity(1.0, wavelet, J, scales="scaling_only", noise="real"), f, 10**6)
        parts = np.array([exact.bias, exact.sampling, exact.noise]) / f.l2_norm_squared
        mine = [getattr(result.risks, name)[J - 1] for name in ("bias", "sampling", "noise")]
        assert mine == pytest.approx(parts, rel=0.04, abs=1e-7)


def test_errors_are_those_of_the_picture():
    """Coefficients against squared differences of averages over 2^9 cells, which miss only what is finer."""
    result = Elbow.compute(density="smooth", J=4, n=10**5)
    scale = result.law.picture.max()
    for role in ("linear", "threshold", "open"):
        seen = np.square(scale * result.estimates[role] - result.law.picture).mean() / result.law.square
        assert seen == pytest.approx(result.errors[role], rel=1e-3)


@pytest.mark.parametrize("shape", ["claw", "spikes"])
def test_people_have_the_law_of_the_density(shape):
    """Chi-squared of every group that joins, over cells that expect ten or more; each at level 1e-8."""
    known = law(shape, "db2", 1e7, 1.5, 1.0)
    params = dict(n_alpha2=1e7, s=1.5, p=1.0, amplitude=SPIKE) if shape == "spikes" else {}
    f = density(shape, **params)
    masses = f.masses(RECORDED)
    rows = np.array([counts(known, n) for n in PEOPLE])
    assert (rows.sum(axis=1) == PEOPLE).all()
    for people, joined in zip(np.diff(rows, prepend=0, axis=0), JOINED, strict=True):
        often = joined * masses >= 10
        observed, expected = (np.append(v[often], v[~often].sum()) for v in (people, joined * masses))
        expected = np.maximum(expected, 1e-9) * observed.sum() / expected.sum()
        if often.sum() > 5 and expected[-1] >= 10:
            assert stats.chisquare(observed, expected).pvalue > 1e-8


def test_noise_has_the_law_of_a_sum_of_laplace():
    """Gaussian limit at n >= 10^4: Kolmogorov-Smirnov on one level at each n, 25 of them at level 1e-8."""
    for row, n in zip(_noise("psi", 8), PEOPLE, strict=True):
        assert stats.kstest(row / np.sqrt(2 * n), "norm").pvalue > 1e-8


def test_people_join_and_do_not_change():
    """From one n to the next nobody leaves; alpha only scales the noise; J leaves coarser reports alone."""
    known = law("claw", "db2", 0, 1.5, 2.0)
    assert (np.diff(known.people, axis=0) >= 0).all()
    means = coefficients(known, 10**6)
    sums = {}
    for alpha in (0.5, 1.0):
        rule = LinearWaveletDensity(alpha, "db2", 4, scales="scaling_only", noise="real")
        mechanism = rule.mechanism(10**6)
        sums[alpha] = aggregate(mechanism, means, 10**6, True).totals / 10**6 - means["phi"][4]
    assert sums[0.5] == pytest.approx(2 * sums[1.0])


def test_exponents_bend_where_the_theorem_says():
    result = Elbow.compute(s=1.5, p=1.5, r=6.0)
    bends = density_elbows(1.5, 6.0)
    assert result.exponents.elbows[:2] == pytest.approx((1 / bends.nonprivate, 1 / bends.private))
    lines = result.exponents
    for curve, bend, dot in zip(lines.curves, lines.elbows, lines.here, strict=True):
        flat = INVERSE < bend
        assert (curve[flat] == curve[0]).all() and (np.diff(curve[~flat]) < 0).all()
        assert dot == pytest.approx(np.interp(1 / 1.5, INVERSE, curve), abs=5e-4)
    assert result.exponents.regime == density_exponent(1.5, 1.5, 6.0).regime == "sparse"


def test_scenarios_of_the_notebook():
    """Where noise rules α² pays for n; the spike hides; longer wavelets cost noise and save bias."""
    one, half = (Elbow.compute(alpha=alpha, J=9, n=n) for alpha, n in ((1.0, 10**6), (0.562, 3_160_000)))
    assert half.risks.total[-1] == pytest.approx(one.risks.total[-1], rel=0.01)
    tops = []
    for n, there in ((10**7, 5), (10**9, 6)):
        spike = Elbow.compute(density="spikes", s=2.0, p=1.0, r=4.0, wavelet="db2", n=n, J=8).levels
        assert density("spikes", n_alpha2=n, s=2.0, p=1.0, wavelet="db2").j == there < 8
        top = spike.signal[2][spike.signal[0] == there].max()
        # In the picture, taller than what the plateau has at the next level, below the noise, and not kept.
        assert 1e-5 < 5 * spike.signal[2][spike.signal[0] == there + 1].max() < top
        assert 2 * top < spike.noise[there] < spike.threshold[there] / 5 and there not in spike.kept[0]
        tops.append((top, spike.noise[there]))
    assert tops[0][0] > 2 * tops[1][0] and tops[0][1] > 2 * tops[1][1]
    haar, sym8 = (Elbow.compute(density="jumps", wavelet=name).risks.noise for name in ("haar", "sym8"))
    assert (sym8 > 2 * haar).all()
    haar, sym8 = (Elbow.compute(density="smooth", wavelet=name).risks.bias for name in ("haar", "sym8"))
    assert sym8[5] < haar[5] / 1e3


def test_static_pictures_carry_their_conclusions(live):
    figure = live.static(n=10**6)
    assert figure.alt == live.conclude(live.compute(n=10**6))
    words = glance((10**5, 10**7)).alt
    assert "claw" in words and words.count("against") == 3


def test_the_day_is_the_table_of_departures():
    x = flights()
    assert len(x) == 328_521 and 0 < x.min() and x.max() < 1
    J, risk = best_level(1.0, len(x))
    assert J == 4 and risk.standard_error == 0
