"""The panel of notebook 05: its tables against the library, people and noise against their laws, corners."""

import numpy as np
import pytest
from scipy import stats
from story_facts import moved

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.estimation.densities import on_grid
from ldp_lib.lessons.elbow.explore import (
    DENSITY, INVERSE, PEOPLE, SIZES, WAVELET, details, everything, exponents, glance,
)
from ldp_lib.lessons.elbow.numbers import (
    DRAWN, FINEST, JOINED, LEVELS, RECORDED, AMPLITUDE, _noise, _spike, aggregate, coefficients, error,
    exact_risks, fits, law,
)
from ldp_lib.lessons.elbow.story import STORY
from ldp_lib.lessons.figures import day
from ldp_lib.live import panel
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.risk import best_level, mise
from ldp_lib.stage import still
from ldp_lib.stage.deck import State, pack, unpack
from ldp_lib.theory import density_elbows, density_exponent


@pytest.fixture(scope="module")
def live():
    live = panel("elbow", scene="explore")
    yield live
    live.close()


def some_corners():
    """The default, each control at its ends with all others at theirs, every wavelet with every density."""
    controls = everything.controls
    ends = [{c.name: c.values[end] for c in controls} for end in (0, -1)]
    default = {c.name: c.default for c in controls}
    settings = [default]
    for base in (default, *ends):
        settings += [base | {c.name: c.values[end]} for c in controls for end in (0, -1)]
    return settings + [base | {"wavelet": wavelet, "density": shape}
                       for base in ends for wavelet in WAVELET.values for shape in DENSITY.values]


def marks(picture):
    """All marks of a picture, by axes and key."""
    return {(axes.key, mark.key): mark for axes in picture.axes for mark in axes.marks}


def noise_and_threshold(rule, n):
    """Of the details of a fitted threshold estimator, level by level."""
    return np.sqrt(rule.noise_variance(rule.mechanism_, n)[1:]), rule.thresholds(rule.mechanism_, n)[1:]


def kept(rule):
    """Level, place and size of what a fitted threshold estimator keeps."""
    seen = details([rule.coefficients_[band.columns] for band in rule.mechanism_.bands[1:]])
    return [part[seen[2] > 0] for part in seen]


def test_every_corner_computes_and_draws(live):
    fields = [label for label, _ in everything().numbers]
    for values in some_corners():
        live.set(**values)
        shown = live.show(**values)
        assert live.failure is None and values.items() <= live.values.items()
        assert [label for label, _ in shown.numbers] == fields
        found = marks(shown.picture)
        total = found["risk", "total"].arrays["y"]
        assert (total > 0).all() and np.isfinite(total).all()
        curves = [found["estimates", role] for role in ("linear", "threshold", "open")]
        curves += [found["exponents", role] for role in ("open", "private", "other")]
        assert all(np.isfinite(curve.arrays["y"]).all() for curve in curves)
        for key in ("noise", "threshold"):
            assert np.isnan(found["levels", key].arrays["x"]).sum() == values["J"], "a line each"
        assert exponents(*(values[name] for name in "spr")).regime in shown.says


@pytest.mark.parametrize("values", some_corners()[:1] + some_corners()[17:20])
def test_both_renderers_draw(live, values):
    result = live.show(**values)
    picture, alt = result.picture, result.says
    sent = unpack(pack({(0,): State(picture, alt, tuple(result.numbers))}))[0,]
    assert sent["alt"] == alt and [len(column) for column in sent["columns"]] == [1, 1, 1, 1]
    assert still.drawn(picture, live.size).count("<g clip-path") == 4
    made = live.static(**values)
    assert len(made.axes) == 4 and made.alt == alt and "<img" in made._repr_mimebundle_()["text/html"]


def halved(cells):
    """Means over two cells."""
    return cells.reshape(-1, 2).mean(axis=1)


def test_the_picture_shows_the_result(live):
    found = marks(live.show(p=3.0, n=10**7, J=7).picture)
    known = law("claw", "db4")
    rules = fits(known, 1.0, 7, 10**7)
    averages = 2.0**3.5 * known.basis.means("phi", DRAWN - 7)[:, ::-1].T
    for role in ("linear", "threshold", "open"):
        values = halved(on_grid(rules[role].fathers_, averages).ravel()) / known.picture.max()
        assert found["estimates", role].arrays["y"] == pytest.approx(values, rel=1e-6)
    assert found["exponents", "p"].arrays["x"] == pytest.approx([1 / 3])
    for role, here in zip(("open", "private", "other"), exponents(1.5, 3.0, 6.0).here, strict=True):
        assert found["exponents", f"{role} here"].arrays["y"] == pytest.approx([here])
    assert found["risk", "here"].arrays["x"] == [7]
    assert found["risk", "here"].arrays["y"] == pytest.approx([exact_risks(known, 1.0, 10**7).total[6]])
    assert found["levels", "kept"].arrays["y"] == pytest.approx(kept(rules["threshold"])[2], rel=1e-6)
    size = np.abs(np.concatenate(known.truth["psi"][:FINEST]))
    assert len(found["levels", "true"].arrays["y"]) == (size >= SIZES[0]).sum() < len(size)
    noise, _ = noise_and_threshold(rules["threshold"], 10**7)
    assert np.nanmax(found["levels", "noise"].arrays["y"]) == pytest.approx(noise.max())


def test_every_control_changes_picture_and_readout():
    for control in everything.controls:
        value = next(value for value in control.values if value != control.default)
        before, after = everything(), everything(**{control.name: value})
        changed = (not np.array_equal(mark.arrays[name], marks(after.picture)[key].arrays[name])
                   for key, mark in marks(before.picture).items() for name in mark.arrays)
        assert any(changed) and before.numbers != after.numbers, control.name


def test_what_scenes_of_the_panel_showed():
    """Positions of the addresses in the appendix, and what is said about them there."""
    # Bias falls, and privacy noise rises like 4^J.
    risks = exact_risks(law("claw", "db4"), 1.0, 10**6)
    assert (np.diff(risks.bias) < 0).all() and risks.noise[1:] / risks.noise[:-1] == pytest.approx(4)
    # Both elbows are crossed on the way from p = 20 to p = 1, the private one first.
    usual, private, _ = exponents(1.5, 20.0, 6.0).elbows
    assert 1 / 20 < private < usual < 1
    there = density("spikes", n_alpha2=10**9, s=2.0, p=1.0, wavelet="db2").j
    spike = fits(law("spikes", "db2", 10**9, 2.0, 1.0), 1.0, 8, 10**9)["threshold"]
    assert there == 6 and 6 not in kept(spike)[0]
    assert law("jumps", "haar").basis.overlap == 1


@pytest.mark.parametrize("shape, wavelet", [("jumps", "haar"), ("claw", "db4"), ("departures", "db2")])
def test_risks_are_those_of_the_library(shape, wavelet):
    """Within the width of a line: the panel knows the law in 2^15 cells, the library in 2^18."""
    risks, f = exact_risks(law(shape, wavelet), 1.0, 10**6), density(shape)
    for J in LEVELS:
        exact = mise(LinearWaveletDensity(1.0, wavelet, J, scales="scaling_only", noise="real"), f, 10**6)
        parts = np.array([exact.bias, exact.sampling, exact.noise]) / f.l2_norm_squared
        mine = [getattr(risks, name)[J - 1] for name in ("bias", "sampling", "noise")]
        assert mine == pytest.approx(parts, rel=0.04, abs=1e-7)


def test_errors_are_those_of_the_picture():
    """Coefficients against squared differences of averages over 2^9 cells, which miss only what is finer."""
    known = law("smooth", "db4")
    found = marks(everything(density="smooth", J=4, n=10**5).picture)
    for role, rule in fits(known, 1.0, 4, 10**5).items():
        drawn = found["estimates", role].arrays["y"].astype(float)
        seen = np.square(known.picture.max() * drawn - halved(known.picture)).mean()
        assert seen / known.density.l2_norm_squared == pytest.approx(error(known, rule), rel=1e-3)


@pytest.mark.parametrize("shape", ["claw", "spikes"])
def test_people_have_the_law_of_the_density(shape):
    """Chi-squared of every group that joins, over cells that expect ten or more; each at level 1e-8."""
    known = law(shape, "db2", 1e7, 1.5, 1.0)
    params = dict(n_alpha2=1e7, s=1.5, p=1.0, amplitude=AMPLITUDE) if shape == "spikes" else {}
    f = density(shape, **params)
    masses = f.masses(RECORDED)
    assert (known.people.sum(axis=1) == PEOPLE.values).all()
    for people, joined in zip(np.diff(known.people, prepend=0, axis=0), JOINED, strict=True):
        often = joined * masses >= 10
        observed, expected = (np.append(v[often], v[~often].sum()) for v in (people, joined * masses))
        expected = np.maximum(expected, 1e-9) * observed.sum() / expected.sum()
        if often.sum() > 5 and expected[-1] >= 10:
            assert stats.chisquare(observed, expected).pvalue > 1e-8


def test_noise_has_the_law_of_a_sum_of_laplace():
    """Gaussian limit at n >= 10^4: Kolmogorov-Smirnov on one level at each n, 25 of them at level 1e-8."""
    for row, n in zip(_noise("psi", 8), PEOPLE.values, strict=True):
        assert stats.kstest(row / np.sqrt(2 * n), "norm").pvalue > 1e-8


def test_people_join_and_do_not_change():
    """From one n to the next nobody leaves; alpha only scales the noise; J leaves coarser reports alone."""
    known = law("claw", "db2")
    assert (np.diff(known.people, axis=0) >= 0).all()
    means = coefficients(known, 10**6)
    sums = {}
    for alpha in (0.5, 1.0):
        rule = LinearWaveletDensity(alpha, "db2", 4, scales="scaling_only", noise="real")
        mechanism = rule.mechanism(10**6)
        sums[alpha] = aggregate(mechanism, means, 10**6, True).totals / 10**6 - means["phi"][4]
    assert sums[0.5] == pytest.approx(2 * sums[1.0])


def test_exponents_bend_where_the_theorem_says():
    lines, bends = exponents(1.5, 1.5, 6.0), density_elbows(1.5, 6.0)
    assert lines.elbows[:2] == pytest.approx((1 / bends.nonprivate, 1 / bends.private))
    for curve, bend, dot in zip(lines.curves, lines.elbows, lines.here, strict=True):
        flat = INVERSE < bend
        assert (curve[flat] == curve[0]).all() and (np.diff(curve[~flat]) < 0).all()
        assert dot == pytest.approx(np.interp(1 / 1.5, INVERSE, curve), abs=5e-4)
    assert lines.regime == density_exponent(1.5, 1.5, 6.0).regime == "sparse"


def test_scenarios_of_the_notebook():
    """Where noise rules α² pays for n; the spike hides; longer wavelets cost noise and save bias."""
    claw = law("claw", "db4")
    one, half = (exact_risks(claw, alpha, n) for alpha, n in ((1.0, 10**6), (0.562, 3_160_000)))
    assert half.total[-1] == pytest.approx(one.total[-1], rel=0.01)
    tops = []
    for n, there in ((10**7, 5), (10**9, 6)):
        spike = law("spikes", "db2", n, 2.0, 1.0)
        rule = fits(spike, 1.0, 8, n)["threshold"]
        noise, threshold = noise_and_threshold(rule, n)
        assert density("spikes", n_alpha2=n, s=2.0, p=1.0, wavelet="db2").j == there < 8
        top, plateau = (np.abs(spike.truth["psi"][j]).max() for j in (there, there + 1))
        # In the picture, taller than what the plateau has at the next level, below the noise, and not kept.
        assert 1e-5 < 5 * plateau < top
        assert 2 * top < noise[there] < threshold[there] / 5 and there not in kept(rule)[0]
        tops.append((top, noise[there]))
    assert tops[0][0] > 2 * tops[1][0] and tops[0][1] > 2 * tops[1][1]
    haar, sym8 = (exact_risks(law("jumps", name), 1.0, 10**6).noise for name in ("haar", "sym8"))
    assert (sym8 > 2 * haar).all()
    haar, sym8 = (exact_risks(law("smooth", name), 1.0, 10**6).bias for name in ("haar", "sym8"))
    assert sym8[5] < haar[5] / 1e3


def test_figures_say_what_they_show():
    words = glance((10**5, 10**7)).alt
    assert "claw" in words and words.count("against") == 3


def test_the_day_is_the_table_of_departures():
    x = flights()
    assert len(x) == 328_521 and 0 < x.min() and x.max() < 1
    J, risk = best_level(density("departures"), len(x), 1.0, "db2")
    assert J == 4 and risk.standard_error == 0
    assert "at α = 1" in day((1.0,)).alt


def test_what_is_kept_between_pictures_is_bounded():
    """The spikes, which follow three sliders, are many; what a law keeps is far below its 2^15 cells."""
    for s, p, n in zip((1.25, 1.5, 2.0, 3.0) * 12, (1.0, 1.2, 2.0) * 16, PEOPLE.values * 2):
        law("spikes", "sym8", n, s, p)
    assert _spike.cache_info().currsize <= 32
    known = law("claw", "db4")
    assert sum(level.nbytes for levels in known.truth.values() for level in levels) < 40_000


def test_a_linear_rule_breaks_where_its_levels_are_too_many():
    """What *Break it* of 05b says, on the slider of its panel."""
    read = {J: moved(STORY, "explore", density="kink", J=J).readout for J in LEVELS}
    draw = {J: (float(seen["this draw: linear"]), float(seen["threshold"])) for J, seen in read.items()}
    assert read[8]["best J"] == "3" and float(read[8]["linear risk / ‖f‖²"]) > 1 and draw[8][0] > 1
    assert all(0.005 < draw[J][1] < 0.007 for J in LEVELS if J >= 2), "it hardly moves"
    assert draw[3][0] < 0.2 * draw[3][1], "with the right J linear is better"
