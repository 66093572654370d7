"""The laboratory: its audits are the library's, its attacks betray the textbook and never the lattice."""

import itertools
import math
import re

import numpy as np
import pytest

from ldp_lib.lessons.ldp_check.exercises import REPAIRED
from ldp_lib.lessons.ldp_check.laboratory import (
    ALPHAS, AUDITS, CONFIDENCE, FINEST, H, HIGHEST_PLACE, INSIDE, LOWEST_PLACE, ONE, OUTPUTS, PEOPLE, ROWS,
    SUSPECTS, TELLTALE, ZERO, Laboratory, attacked, bits, groups, laboratory, run,
)
from ldp_lib.live import check, panel
from ldp_lib.privacy import LatticeLaplace, RealLaplace
from ldp_lib.privacy.attacks import exposure
from ldp_lib.privacy.audit import ceiling
from ldp_lib.privacy.registry import REGISTRY

SPENDS = {name: suspect.spends for name, suspect in SUSPECTS.items() if not math.isnan(suspect.spends)}
"""The true loss in units of alpha, where it is known."""


def test_every_scene_opens():
    view = panel("laboratory")
    for name, position in view.starts().items():
        view.go(name)
        assert view.values == position and view.failure is None
    assert all(len(scene.sentence.split()) <= 25 for scene in view.scenes)


def test_scenes_show_what_their_sentences_say():
    positions = list(Laboratory.starts().values())
    climb, one_draw, honest, blind, quiet = (dict(laboratory(**at).numbers) for at in positions)
    assert [at["n"] for at in positions] == [100, 1000, *3 * [100_000]]
    assert dict(laboratory(n=10_000).numbers)["verdict"] == one_draw["verdict"] == "REFUTED"
    assert climb["verdict"] == honest["verdict"] == blind["verdict"] == "not refuted"
    assert blind["true loss"] == "∞" and attacked(RealLaplace, positions[3]["alpha"]).excluded.rate > 0.5
    rates = [attacked(RealLaplace, alpha).exposed.rate for alpha in ALPHAS]
    assert positions[4]["alpha"] == ALPHAS[0] and quiet["verdict"] and (np.diff(rates) > 0).all()
    assert (np.diff([exposure(2 / alpha) for alpha in ALPHAS]) > 0).all()


def test_rows_of_bits_stand_beside_their_proofs():
    axes = next(axes for axes in laboratory(alpha=4.0).picture.axes if axes.key == "bits")
    found = {mark.key: mark for mark in axes.marks}
    cells = found["bits"]
    values = cells.arrays["values"].reshape(cells.options["rows"], -1)
    ours, textbook = (attacked(noise, 4.0).outputs for noise in (LatticeLaplace, RealLaplace))
    outputs = [*ours[:ROWS][::-1], 0.0, *textbook[:ROWS][::-1]]
    assert len(outputs) == 2 * ROWS + 1 and cells.options["rows"] == 4 * len(outputs)
    assert [cells.options["roles"][kind] for kind in (ZERO, ONE, TELLTALE, INSIDE)] == [
        "zero", "truth", "bound", None]
    for row, output in enumerate(outputs):
        if output:
            places = bits(np.array([output]))
            np.testing.assert_array_equal(values[4 * row + 1: 4 * row + 4], np.repeat(places, 3, axis=0))
    telltale = np.flatnonzero((values[2::4] == TELLTALE).any(axis=1))
    np.testing.assert_array_equal(np.floor(found["exposed"].arrays["y"]), telltale)
    assert 0 < len(found["exposed"].arrays["y"]) <= len(found["excluded"].arrays["y"])


@pytest.mark.parametrize(("mechanism", "words"), [
    ("half the noise", "true loss: 2α"), ("CubeLaplace", "true loss: α"), ("float Laplace", "true loss: ∞"),
    ("sometimes forgets", None)])
def test_the_true_loss_is_a_level_where_it_is_known(mechanism, words):
    climb = laboratory(mechanism=mechanism).picture.axes[0]
    assert next((mark.label for mark in climb.marks if mark.key == "true"), None) == words


@pytest.mark.parametrize("name", SUSPECTS)
def test_the_file_holds_what_the_audit_says(name):
    for alpha, n in ((0.25, 2000), (1.4, 1000), (8.0, 500)):
        fresh, (epsilon, event) = run(name, alpha, n), AUDITS[name, alpha, n]
        assert epsilon == pytest.approx(fresh.epsilon, abs=1e-4) and event == fresh.event
        assert fresh.failure_probability == pytest.approx(1 - CONFIDENCE)


def test_no_bound_exceeds_the_true_loss_or_the_ceiling():
    """The audits are stored: nothing is random. With another seed one of 2,420 fails with odds 2e-4."""
    for (name, alpha, n), (epsilon, _) in AUDITS.items():
        assert epsilon <= SPENDS.get(name, math.inf) * alpha
        most = ceiling(np.array(n), groups(name), CONFIDENCE)
        assert epsilon <= most + 1e-4 or epsilon == math.inf


def test_honest_noise_is_never_refuted_and_every_other_mutant_is():
    """The bounds at alpha = 1 with 100,000 reports; power is that of `MUTANTS`."""
    for name, suspect in SUSPECTS.items():
        refuted = {alpha for alpha in ALPHAS if AUDITS[name, alpha, PEOPLE[-1]][0] > alpha}
        assert (1.0 in refuted) == ("audit" in suspect.caught_by)
        if "audit" not in suspect.caught_by:
            assert not refuted


RESCALED = ("half the noise", "2^d for 2^(d+1)", "wavelet c for 2c")
"""Mutants that only change the scale, which the formula for the loss reads."""


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_true_losses(alpha):
    for name, suspect in SUSPECTS.items():
        mechanism, people = suspect.build(alpha, H), suspect.records
        match name:
            case "noisy votes":
                votes = np.subtract(*[mechanism.encode([x], [y]) for x, y in people])
                assert np.abs(votes).sum() == SPENDS[name]
            case _ if suspect in REGISTRY or name in RESCALED:
                records = itertools.chain(*people) if mechanism.labelled else people
                formula = mechanism.privacy_loss(*records)
                # The lattice step of wavelets is paid for with a thousandth.
                rel = 1e-12 if mechanism.labelled else 2e-3
                assert formula / alpha == pytest.approx(SPENDS[name], rel=rel)
            case "rounding not paid for":
                (x, y), (x2, y2) = people
                signals = 2 * np.ceil(mechanism.encode([x, x2], [y, y2], half=2) / 2)
                assert np.abs(np.subtract(*signals)).sum() / mechanism.scale == pytest.approx(2 * alpha)
            case _:
                assert SPENDS.get(name, math.inf) >= 16


def test_the_mean_of_many_reports_spends_the_budget_of_all():
    """One entry at alpha = 1: the sum of 16 draws of scale 4 moves by 16, and loses up to 16 / 4, far out."""
    draws = np.arange(-2000, 2001)
    law = np.exp(-np.abs(draws) / 4.0)
    law /= law.sum()
    for _ in range(4):
        law = np.convolve(law, law, mode="same")
    loss = np.log(law[:-16] / law[16:])[2000:3500]
    assert (np.diff(loss) > 0).all() and 3.8 < loss[-1] < 4


@pytest.mark.parametrize("alpha", ALPHAS)
def test_attacks_betray_the_textbook_and_never_the_lattice(alpha):
    """Rates of precision within 6 standard deviations: 2e-9 a false alarm, and the outputs are seeded."""
    textbook, ours = attacked(RealLaplace, alpha), attacked(LatticeLaplace, alpha)
    exact = exposure(2 / alpha)
    assert abs(textbook.exposed.rate - exact) < 6 * math.sqrt(exact * (1 - exact) / OUTPUTS)
    assert 0.77 < textbook.excluded.rate < (0.86 if alpha <= 2 else 0.97)
    assert not ours.excluded.ruled_out.any() and not ours.exposed.ruled_out.any()


def test_bits_are_those_of_the_number():
    values = np.array([0.0, 1.0, -1.5, 2.0**-10, 3 * 2.0**-55, math.pi, 100.25, 2.0**-53, 0.1])
    places = 2.0 ** np.arange(HIGHEST_PLACE, LOWEST_PLACE - 1, -1)
    kinds = bits(values)
    ones = (kinds == ONE) | (kinds == TELLTALE)
    np.testing.assert_array_equal(ones @ places, np.abs(values))
    assert ((kinds == TELLTALE).any(axis=1) == (np.mod(values, 2.0**FINEST) != 0)).all()
    # A float has 53 places.
    assert (kinds[1] != INSIDE).sum() == HIGHEST_PLACE + 53


def test_orange_squares_and_diamonds_agree():
    for alpha, kind in itertools.product(ALPHAS, (RealLaplace, LatticeLaplace)):
        shown = attacked(kind, alpha)
        assert ((bits(shown.outputs) == TELLTALE).any(axis=1) == shown.exposed.ruled_out).all()


@pytest.mark.parametrize(("setting", "words"), [
    ({}, "10,000 reports refute the claim α = 1 of 'half the noise': it spends at least 1.1"),
    ({"n": 500}, "500 reports do not refute"),
    ({"mechanism": "one seed for everybody"}, "at least ∞"),
    ({"mechanism": "CubeLaplace", "n": 100_000}, "do not refute the claim α = 1 of 'CubeLaplace'"),
    ({"mechanism": "float Laplace"}, "float outputs 81% rule out the wrong input; of the lattice's, 0%"),
])
def test_conclusion_says_what_the_audit_proves(setting, words):
    assert words in laboratory(**setting).says


def test_readout_has_the_numbers():
    view = panel("laboratory")
    view.set(mechanism="2^d for 2^(d+1)", n=50_000, alpha=2.0)
    assert "true loss: 4.00;" in view.readout and "verdict: REFUTED" in view.readout
    assert "(simulated)" in view.readout and "errs with probability: 10⁻⁶" in view.readout
    view.set(mechanism="sometimes forgets")
    assert "true loss: not known" in view.readout


def test_confidence_is_shared_by_all_points_of_a_curve():
    assert len(PEOPLE) * (1 - CONFIDENCE) == pytest.approx(1e-6)


def noise(X, rng, columns=REPAIRED.K):
    """Fresh noise for every person of X."""
    return REPAIRED.noise.sample((len(X), columns), rng)


@pytest.mark.parametrize(("publish", "words"), [
    (lambda array, X, y, rng: array + 2 * noise(X, rng), "too much"),
    (lambda array, X, y, rng: array, r"spends 6\."),
    (lambda array, X, y, rng: array + noise(X, rng, 1), "entry 0 - entry"),
    (lambda array, X, y, rng: array + noise(X, rng) / 2, r"spends 1\."),
    (lambda array, X, y, rng: array + array.any(axis=1, keepdims=True) * noise(X, rng), r"\(0\.13, 0\)"),
    (lambda array, X, y, rng: (array + noise(X, rng))[1:], "finite numbers"),
    (lambda array, X, y, rng: 0 * array + noise(X, rng), "off by"),
    (lambda array, X, y, rng: array + noise(X, rng) if y.all() else [], "audit fails"),
])
def test_no_broken_repair_is_accepted(publish, words):
    """The bug itself, and other ones; the audits are seeded and their bounds far above alpha."""
    verdict = check("01.3", lambda X, y, rng: publish(REPAIRED.encode(X, y), X, y, rng))
    assert not verdict.right and re.search(words, verdict.text)
