"""Theorem 2.5 as a game: nobody beats the bound, and the panel tells the truth at every corner."""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.live import corners, panel
from ldp_lib.live.assouad import LOSSES, SIGNS, Assouad, glance
from ldp_lib.live.assouad_scene import CURVES, RUNGS, Scene
from ldp_lib.live.game import (
    PRIVATE_PLAYS,
    Game,
    SignedScore,
    challenge,
    cube_risk,
    laplace_risk,
    one_bit_tv,
    public_risk,
    reports_total_variation,
    response_risk,
    two_point_law,
)
from ldp_lib.live.stage import Stage
from ldp_lib.risk.contour import sign_probabilities
from ldp_lib.risk.scores import majority_sign_probabilities
from ldp_lib.theory import upper_bound
from ldp_lib.theory.contraction import dominating_pair, randomised_response, total_variation, with_budget

ROUNDING = 1e-9

CORNERS = [setting for setting in corners(Assouad)
           # The choice overrules three sliders: one position of theirs is enough.
           if not setting["choose"] or (setting["q"], setting["active"], setting["mass"]) == (1, 1 / 16, 1 / 20)]


@pytest.mark.parametrize("d", [1, 2])
def test_every_corner_is_computed_and_drawn(d):
    stage, view = Stage(Scene, Assouad.size), panel("assouad")
    for setting in (setting for setting in CORNERS if setting["d"] == d):
        result = view.compute(**setting)
        game = result.game
        assert result.signs.shape == (game.m,) and 0 <= result.cell < game.m <= SIGNS.size
        assert game.m * game.w <= 1 + ROUNDING and game.law.margin_constant(setting["gamma"]) <= 2 * (1 + ROUNDING)
        assert (np.diff(result.below) >= -ROUNDING).all() and (result.below >= 0).all() and (result.below <= 1).all()
        assert len(result.ladder) == len(RUNGS) and (np.diff(result.ladder) <= ROUNDING * game.coin).all()
        assert result.ladder[-1] >= 0 and 0 <= result.tv <= 1
        # Every curve is at most the next, as its rung is.
        curves = [result.curves[name] for name in CURVES]
        assert all((lower <= higher + ROUNDING).all() for lower, higher in itertools.pairwise(curves))
        stage.update(result)
        assert np.ptp(stage.draw()) > 0
        assert f"{game.n:,}" in view.conclude(result) and view.summarise(result)
    # Only a change of dimension needs another background.
    assert stage.captures == 1


def test_law_of_the_ratio_by_enumeration():
    result = Assouad.compute(n=100, alpha=4.0, beta=1.0, gamma=0.0, d=1, choose=False, q=1, active=1.0, mass=1.0)
    tilt = result.game.separation * math.tanh(2.0)
    ones = np.arange(101)
    ratio = (2 * ones - 100) * math.log((1 + tilt) / (1 - tilt))
    laws = np.array([[math.comb(100, int(k)) * p**k * (1 - p) ** (100.0 - k) for k in ones]
                     for p in ((1 + tilt) / 2, (1 - tilt) / 2)])
    for losses, below in zip(LOSSES[::7], result.below.T[::7], strict=True):
        # At a jump either side is right.
        assert (below <= laws[:, ratio <= losses + 1e-9].sum(axis=1) + 1e-12).all()
        assert (below >= laws[:, ratio <= losses - 1e-9].sum(axis=1) - 1e-12).all()
    assert result.tv == pytest.approx(total_variation(*laws), abs=1e-12)


@pytest.mark.parametrize("n", [100, 101, 10**4, 10**6])
@pytest.mark.parametrize("separation", [1e-4, 0.02])
def test_total_variation_of_bits_agrees_with_the_contour_integral(n, separation):
    tilt = separation * math.tanh(0.5)
    missed, _ = majority_sign_probabilities(n, 1.0, (1 + tilt) / 2)
    _, false = majority_sign_probabilities(n, 1.0, (1 - tilt) / 2)
    assert one_bit_tv(n, 1.0, separation) == pytest.approx(float(1 - missed - false), abs=1e-11)


GAMES = [
    Game(n, alpha, q, m, share * min(1.0, 2 * (0.25 * q**-beta / 2) ** gamma) / m, beta, d)
    for n, alpha in itertools.product((100, 10**4, 10**6, 10**8), (0.125, 1.0, 4.0))
    for q, m, share, beta, gamma, d in (
        (1, 1, 1.0, 1.0, 1.0, 1), (2, 2, 0.3, 0.25, 0.0, 1), (6, 4, 1.0, 1.0, 1.0, 1), (64, 64, 0.05, 0.5, 0.5, 1),
        (2, 4, 1.0, 1.0, 1.0, 2), (2, 3, 0.05, 0.25, 1.0, 2), (8, 64, 1.0, 1.0, 0.0, 2))
]
CLASS_GAMES = [Game.best(n, alpha, beta, gamma, d) for n, alpha, beta, gamma, d in itertools.product(
    (100, 10**5, 10**8), (0.125, 1.0, 4.0), (0.25, 1.0), (0.0, 1.0), (1, 2))]


@pytest.mark.parametrize("game", GAMES + CLASS_GAMES, ids=str)
def test_no_private_play_beats_the_bound(game):
    bound = game.bound()
    risks = [play(game) for play in PRIVATE_PLAYS.values()]
    if game.m <= 4:
        risks += [cube_risk(game, h) for h in ((0.5, 1 / (4 * game.q)) if game.n < 10**8 else (1 / (4 * game.q),))]
    assert min(risks) >= bound * (1 - ROUNDING)


@pytest.mark.parametrize(("beta", "gamma", "d"), [(1.0, 0.0, 1), (1.0, 1.0, 1), (0.25, 1.0, 1), (1.0, 1.0, 2), (0.5, 0.0, 2)])
@pytest.mark.parametrize("alpha", [0.125, 1.0, 4.0])
@pytest.mark.parametrize("n", [100, 10**8])
def test_upper_bound_is_above_every_play_against_the_hypercube(n, alpha, beta, gamma, d):
    game = Game.best(n, alpha, beta, gamma, d)
    theta = game.law.theta(gamma)
    upper = upper_bound(n, alpha, beta, gamma, d, **{name: getattr(theta, name) for name in ("L", "C0", "c0", "mu", "r0")})
    risks = [play(game) for play in PRIVATE_PLAYS.values()]
    assert max(risks) <= game.coin * (1 + ROUNDING) <= upper.value
    if game.m <= 4:
        assert game.bound() <= cube_risk(game, upper.h) <= upper.value
