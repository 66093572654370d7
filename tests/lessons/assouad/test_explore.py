"""Theorem 2.5 as a game: nobody beats the bound, and the panel tells the truth at every corner."""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from ldp_lib.estimation import CubeClassifier
from ldp_lib.lessons.assouad import explore
from ldp_lib.lessons.assouad.explore import COUNTS, CURVES, LOSSES, MOST, RUNGS, SIGNS, glance
from ldp_lib.lessons.figures import scoreboard
from ldp_lib.live import corners, kind, panel
from ldp_lib.risk import excess_risk
from ldp_lib.risk.hypercube import Bumps, wide_risk
from ldp_lib.risk.scores import cell_sign_probabilities, majority_sign_probabilities
from ldp_lib.stage import deck, figure, still
from ldp_lib.theory import theorem_bandwidth
from ldp_lib.theory.classification import checked_theta
from ldp_lib.theory.classification.game import (
    PRIVATE_PLAYS,
    Game,
    challenge,
    cube_risk,
    laplace_risk,
    margin_constant,
    one_bit_risk,
    one_bit_tv,
    public_risk,
    response_risk,
    two_point_law,
)
from ldp_lib.theory.classification.upper import sharp_bounds
from ldp_lib.theory.contraction import (
    dominating_pair, randomised_response, reports_total_variation, total_variation, with_budget,
)

ROUNDING = 1e-9

Assouad = kind("assouad")
SHOWN = [control.name for control in explore.everything.controls]
CORNERS = [{name: setting[name] for name in SHOWN} for setting in corners(Assouad)
           if setting["scene"] == "explore"
           # The choice overrules three sliders: one position of theirs is enough.
           if not setting["choose"] or (setting["q"], setting["cells"], setting["mass"]) == (1, 1 / 16, 0.0)]


def game_at(**setting):
    """The game that *explore* plays."""
    stands = {control.name: control.default for control in explore.everything.controls} | setting
    return explore.hypercube(**{name: stands[name] for name in SHOWN if name != "flip"})


@pytest.mark.parametrize("d", [1, 2])
def test_every_corner_is_computed_and_drawn(d):
    for setting in (setting for setting in CORNERS if setting["d"] == d):
        game, shown = game_at(**setting), explore.everything(**setting)
        signs, cell = explore.turned(game.m, setting["flip"])
        assert signs.shape == (game.m,) and 0 <= cell < game.m <= SIGNS.size
        numbers = dict(shown.numbers)
        gamma = min(setting["gamma"], game.d / game.beta)
        theta = game.law.theta(gamma)
        assert numbers["margin γ used"].partition(" ")[0] == f"{gamma:.3g}" and theta.L == 1
        assert theta.C0 <= margin_constant(gamma) * (1 + ROUNDING) and theta.mu >= 1 - ROUNDING
        assert (np.diff(explore.ratio_laws(game), prepend=0, append=1) >= -ROUNDING).all()
        ladder = explore.rungs(game)
        assert len(ladder) == len(RUNGS) and (np.diff(ladder) <= ROUNDING * game.coin).all()
        assert ladder[-1] >= 0 and 0 <= explore.chances(game.n, game.alpha, game.separation)["one bit"] <= 1
        # Every curve is at most the next, as its rung is.
        found = explore.chances(COUNTS, game.alpha, game.separation)
        curves = [found[name] for name in CURVES]
        assert all((lower <= higher + ROUNDING).all() for lower, higher in itertools.pairwise(curves))
        if setting["flip"]:
            assert [axes.key for axes in shown.picture.axes] == ["cube", "ratio", "chance", "ladder"]
        assert f"{game.n:,}" in shown.says
        assert ("the largest" in numbers["margin γ used"]) == (gamma < setting["gamma"])


@pytest.mark.parametrize("setting", [
    {}, {"d": 2, "q": 12, "flip": 3}, {"choose": True, "n": 10**8, "alpha": 4.0, "beta": 0.25, "gamma": 0.0},
    {"choose": True, "n": 10**8, "alpha": 4.0, "beta": 0.25, "d": 2},
    {"d": 2, "q": 1, "n": 100, "cells": 1 / 16}])
def test_every_renderer_draws_the_signs(setting):
    game, picture = game_at(**setting), explore.everything(**setting).picture
    signs, _ = explore.turned(game.m, setting.get("flip", 0))
    sent = deck.unpack(deck.pack({(0,): deck.State(picture, "what it says", ())}))[(0,)]["columns"]
    assert [axes["key"] for axes in sum(sent, [])] == [axes.key for axes in picture.axes]
    assert still.drawn(picture, Assouad.size).endswith("</svg>")
    figure.render(picture, "what it says", Assouad.size).canvas.draw()
    cube, law = picture.axes[0], game.law
    marks, shown = {mark.key: mark for mark in cube.marks}, min(law.q, MOST)
    assert cube.x.high == pytest.approx(shown / (2 * law.q))
    if law.d == 1:
        tops = marks["people"].arrays["y"].reshape(-1, 3)[:, 0]
        assert np.array_equal(tops, signs[:MOST])
    else:
        table = marks["signs"].arrays["values"].reshape(shown, shown)
        places = (law.centres * 2 * law.q).astype(int)
        for (across, up), sign in zip(places, signs, strict=True):
            assert max(across, up) >= shown or table[up, across] == (sign > 0)
        assert (table < 2).sum() == (places < shown).all(axis=1).sum()
    # The examined cell is in the picture, even where not all cells are.
    assert marks["cell"].arrays["x"].max() <= cube.x.high * (1 + 1e-6)
    assert marks["cell"].arrays["y"].max() <= cube.y.high * (1 + 1e-6)
    rungs, ladder = {mark.key: mark for mark in picture.axes[3].marks}, explore.rungs(game)
    assert rungs["rungs"].arrays["right"] == pytest.approx(ladder / game.coin, abs=1e-6)
    fall = rungs["fall"].arrays
    assert fall["right"] - fall["left"] == pytest.approx(
        max(-np.diff(ladder[1:])) / game.coin, abs=1e-6)


def test_addresses_stand_where_the_appendix_sends_the_reader():
    """The five moves of the appendix, as it prints them."""
    text = (Path(__file__).parents[3] / "notebooks/appendix/04_in_full.ipynb").read_text(encoding="utf-8")
    links = re.findall(r'(?<!link=\\")assouad/2\?scene=explore[\w&=.]*', text)
    places = [panel(link).values for link in links]
    assert len(places) == 6 and all(panel(link).remarks == [] for link in links)
    _, hider, by_hand, proof, symmetry, two = places
    assert (hider["choose"], hider["n"]) == (True, 100) and (by_hand["choose"], by_hand["q"]) == (False, 1)
    assert (proof["choose"], proof["alpha"]) == (True, 0.125) and symmetry["flip"] == 1 and two["d"] == 2


def test_law_of_the_ratio_by_enumeration():
    game = game_at(n=100, alpha=4.0, gamma=0.0, choose=False, q=1)
    tilt = game.separation * math.tanh(2.0)
    ones = np.arange(101)
    ratio = (2 * ones - 100) * math.log((1 + tilt) / (1 - tilt))
    laws = np.array([[math.comb(100, int(k)) * p**k * (1 - p) ** (100.0 - k) for k in ones]
                     for p in ((1 + tilt) / 2, (1 - tilt) / 2)])
    for losses, below in zip(LOSSES[::7], explore.ratio_laws(game).T[::7], strict=True):
        # At a jump either side is right.
        assert (below <= laws[:, ratio <= losses + 1e-9].sum(axis=1) + 1e-12).all()
        assert (below >= laws[:, ratio <= losses - 1e-9].sum(axis=1) - 1e-12).all()
    assert explore.chances(100, 4.0, game.separation)["one bit"] == pytest.approx(total_variation(*laws),
                                                                                  abs=1e-12)


@pytest.mark.parametrize("n", [100, 101, 10**4, 10**6])
@pytest.mark.parametrize("separation", [1e-4, 0.02])
def test_total_variation_of_bits_agrees_with_the_contour_integral(n, separation):
    tilt = separation * math.tanh(0.5)
    missed, _ = majority_sign_probabilities(n, 1.0, (1 + tilt) / 2)
    _, false = majority_sign_probabilities(n, 1.0, (1 - tilt) / 2)
    assert one_bit_tv(n, 1.0, separation) == pytest.approx(float(1 - missed - false), abs=1e-11)


GAMES = [
    Game.by_hand(n, alpha, beta, gamma, d, q, cells, mass)
    for n, alpha in itertools.product((100, 10**4, 10**6, 10**8), (0.125, 1.0, 4.0))
    for q, cells, mass, beta, gamma, d in (
        (1, 1.0, 1.0, 1.0, 1.0, 1), (3, 0.5, 0.0, 0.25, 0.0, 1), (6, 1.0, 1.0, 1.0, 0.5, 1),
        (64, 1.0, 0.5, 0.5, 0.5, 1),
        (2, 1.0, 1.0, 1.0, 0.0, 2), (4, 0.1, 0.0, 0.25, 1.0, 2), (8, 1.0, 1.0, 1.0, 0.0, 2))
]
CLASS_GAMES = [Game.best(n, alpha, beta, gamma, d) for n, alpha, beta, gamma, d in itertools.product(
    (100, 10**5, 10**8), (0.125, 1.0, 4.0), (0.25, 1.0), (0.0, 1.0), (1, 2))]


@pytest.mark.parametrize("game", GAMES + CLASS_GAMES, ids=str)
def test_no_private_play_beats_the_bound(game):
    bound = game.bound()
    risks = [play(game) for play in PRIVATE_PLAYS.values()]
    if game.m <= 4:
        risks += [cube_risk(game, h) for h in (0.5, 1 / (4 * game.q))]
    assert min(risks) >= bound * (1 - ROUNDING)


def games_of_the_corners(alpha, n):
    """The games at all corners of the sliders with these two; turning a sign changes no risk."""
    settings = (setting for setting in CORNERS[1:] if setting["flip"] == 0)
    return [(setting["gamma"], game_at(**setting)) for setting in settings
            if (setting["alpha"], setting["n"]) == (alpha, n)]


@pytest.mark.parametrize(("alpha", "n"), [*itertools.product((0.125, 4.0), (100, 10**8))])
def test_bounds_hold_for_every_mechanism_at_every_corner(alpha, n):
    """lower <= exact worst-case risk of every private mechanism; of every mechanism <= upper.

    Two need no lower bound: neither labels alone (`public_risk`) nor people who report in clear are private.
    The cubes play with h = 1 / (4q k), where `wide_risk` is exact for any m: their upper bounds have this h.
    """
    games = games_of_the_corners(alpha, n)
    assert len(games) == 2**3 * (1 + 2**3)
    for asked, game in games:
        gamma = min(asked, game.d / game.beta)
        theta, unit = game.law.theta(gamma), 1 / (4 * game.q)
        h = unit / np.array([1, 2, 5])
        cubes = wide_risk(n, alpha, np.array([1, 2, 5]),
                          Bumps(unit, game.m, game.w, game.law.height), game.d, 1e-9)
        known = checked_theta(game.beta, gamma, game.d, theta.L, theta.C0, theta.c0, theta.mu, theta.r0)
        limits = sharp_bounds(n, alpha, known, np.append(h, theorem_bandwidth(n, alpha, game.beta, game.d)))
        assert (cubes <= limits[:-1]).all() and (cubes >= game.bound() * (1 - ROUNDING)).all()
        private = [play(game) for play in PRIVATE_PLAYS.values()]
        plus, minus = (game.w * (1 + sign * game.law.height) / 2 for sign in (1, -1))
        in_clear = game.coin * float(majority_sign_probabilities(n, game.w, plus)[0]
                                     + majority_sign_probabilities(n, game.w, minus)[1])
        assert min(private) >= game.bound() * (1 - ROUNDING)
        assert max(*private, public_risk(game), in_clear) <= min(game.coin * (1 + ROUNDING), limits[-1])


@pytest.mark.parametrize(("alpha", "n"), [*itertools.product((0.125, 4.0), (100, 10**8))])
def test_upper_bound_holds_for_lattice_noise_at_every_corner(alpha, n):
    """The bounds are for real noise: the exact risk of the default mechanism, up to 3,000 cells, stays
    below."""
    for asked, game in games_of_the_corners(alpha, n):
        if (4 * game.q) ** game.d > 3000:
            continue
        h, gamma = 1 / (4 * game.q), min(asked, game.d / game.beta)
        theta = game.law.theta(gamma)
        known = checked_theta(game.beta, gamma, game.d, theta.L, theta.C0, theta.c0, theta.mu, theta.r0)
        rule = {noise: CubeClassifier(alpha, h, noise=noise) for noise in ("real", "lattice")}
        real, lattice = (excess_risk(rule[noise], game.law, n) for noise in ("real", "lattice"))
        assert lattice <= sharp_bounds(n, alpha, known, h)
        # The proof allows a factor 2; the two differ by much less.
        assert lattice <= 1.01 * real + 1e-300


def test_hypercubes_by_hand_prove_less_than_the_chosen_one():
    best = Game.best(10**6, 1.0, 1.0, 0.5, 1).bound()
    values = [Game.by_hand(10**6, 1.0, 1.0, 0.5, 1, q, cells, mass).bound()
              for q in range(1, 20) for cells in (0.5, 1.0) for mass in (0.0, 0.5, 1.0)]
    assert 0.9 * best < max(values) <= best * (1 + 1e-6)


def brute_total_variation(n, m1, m2):
    first, second = np.ones(1), np.ones(1)
    for _ in range(n):
        first, second = np.kron(first, m1), np.kron(second, m2)
    return total_variation(first, second)


@pytest.mark.parametrize("kinds", [2, 3, 4, 5])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_total_variation_of_reports_by_enumeration(kinds, n):
    m1, m2 = np.random.default_rng(kinds).dirichlet(np.ones(kinds), 2)
    assert reports_total_variation(n, m1, m2) == pytest.approx(brute_total_variation(n, m1, m2), abs=1e-13)


def test_total_variation_merges_what_says_the_same_and_refuses_what_is_too_much():
    m1, m2 = np.array([0.1, 0.2, 0.3, 0.4, 0.0]), np.array([0.05, 0.1, 0.35, 0.5, 0.0])
    assert reports_total_variation(3, m1, m2) == pytest.approx(brute_total_variation(3, m1, m2), abs=1e-13)
    assert reports_total_variation(10**6, m1, m1) == 0
    # The dominating pair has three kinds of reports.
    pair = dominating_pair(1.0, 0.01)
    game = Game(2000, 1.0, 1, 1, 0.04)
    assert reports_total_variation(2000, *pair) == pytest.approx(1 - game.bound() / game.coin, abs=1e-9)
    with pytest.raises(ValueError, match="lower n"):
        reports_total_variation(10**6, *np.random.default_rng(1).dirichlet(np.ones(4), 2))


def test_risks_are_those_of_the_best_analyst_who_counts():
    """With one sign the majority follows the likelihood: the plays must agree with the laws of reports."""
    game = Game(400, 1.5, 1, 1, 0.3)
    cell, label = randomised_response(1.5, 3)[[0, 1, 2, 2]], randomised_response(1.5, 2)
    public = np.array([[*label[0], 0, 0], [*label[1], 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5]])
    for risk, kernel in ((response_risk, cell), (public_risk, public)):
        tv = reports_total_variation(game.n, *(two_point_law(game, sign) @ kernel for sign in (1, -1)))
        assert risk(game) == pytest.approx(game.coin * (1 - tv), rel=1e-9)
    result = challenge(lambda inside, y: cell[y if inside else 2], game)
    assert result.risk == pytest.approx(response_risk(game), rel=1e-9)


def test_one_bit_speaks_about_every_cell():
    """Over all public signs s, the bit times s(k) has the stated law, whatever the other signs are."""
    game, truth = Game(1, 1.0, 3, 3, 0.2), math.e / (1 + math.e)
    for signs in itertools.product((1, -1), repeat=3):
        for k in range(3):
            chance = 0.0
            for s in itertools.product((1, -1), repeat=3):
                # From cell j the statement s_j (2Y - 1) is +1 with probability (1 + s_j sigma_j height) / 2.
                plus = [(1 + s[j] * signs[j] * game.law.height) / 2 for j in range(3)]
                bit = sum(game.w * (p * truth + (1 - p) * (1 - truth)) for p in plus) + (1 - 3 * game.w) / 2
                chance += (bit if s[k] == 1 else 1 - bit) / 8
            assert chance == pytest.approx((1 + signs[k] * game.separation * math.tanh(0.5)) / 2, abs=1e-14)


def test_signed_score_of_one_and_of_many_people():
    plus, minus, scale = 0.2, 0.1, 2.0

    def laplace_below(x):
        return 0.5 * math.exp(x / scale) if x < 0 else 1 - 0.5 * math.exp(-x / scale)

    one = plus * laplace_below(-0.5) + minus * laplace_below(0.5) + (1 - plus - minus) / 2
    below, above = cell_sign_probabilities(1, plus + minus, plus, scale)
    assert below == pytest.approx(one, rel=1e-10) and below + above == pytest.approx(1)
    rng, repeats, n = np.random.default_rng(3), 200_000, 300
    ones = rng.multinomial(n, [plus, minus, 1 - plus - minus], repeats)
    noise = rng.standard_gamma(n, repeats) - rng.standard_gamma(n, repeats)
    score = (ones[:, 0] - ones[:, 1]) / 2 + scale * noise
    below = cell_sign_probabilities(n, plus + minus, plus, scale)[0]
    # Five standard errors: false alarm below 1e-6.
    assert abs((score < 0).mean() - below) < 5 * math.sqrt(below * (1 - below) / repeats)
    game = Game(n, 1 / scale, 1, 1, 0.3)
    assert laplace_risk(game) < game.coin


@pytest.mark.parametrize("seed", range(40))
def test_no_finite_mechanism_beats_the_bound(seed):
    rng = np.random.default_rng(seed)
    alpha = (0.3, 1.0, 3.0)[seed % 3]
    kernel = with_budget(rng.dirichlet(np.full(3, 0.5), 4), alpha)
    duel = Game((1, 30, 1000)[seed // 3 % 3], alpha, 1, 1, 0.25)
    result = challenge(lambda inside, y: kernel[2 * (not inside) + y], duel)
    assert result.budget <= alpha * (1 + 1e-12) and result.risk >= result.bound * (1 - ROUNDING)
    assert f"{result.risk:.6f}" in repr(result)


def test_bad_challenges_are_told_what_is_wrong():
    duel = Game(100, 1.0, 1, 1, 0.25)
    with pytest.raises(ValueError, match="budget of the mechanism = inf"):
        challenge(lambda inside, y: [y, 1 - y], duel)
    with pytest.raises(ValueError, match="less telling"):
        challenge(lambda inside, y: [0.8, 0.2] if inside and y else [0.2, 0.8], duel)
    with pytest.raises(ValueError, match="sum to 1"):
        challenge(lambda inside, y: [0.5, 0.6], duel)
    with pytest.raises(ValueError, match="one sign"):
        challenge(lambda inside, y: [1.0], Game(100, 1.0, 2, 2, 0.1))
    with pytest.raises(ValueError, match="fewer cells"):
        cube_risk(Game(100, 1.0, 9, 9, 0.05), 0.1)


@pytest.mark.parametrize(("setting", "words"), [
    ({}, "no private rule has a worst-case excess risk below"),
    ({"choose": False, "q": 1, "n": 10**8, "alpha": 4.0}, "it proves nothing"),
])
def test_conclusion_says_what_is_proved(setting, words):
    assert words in explore.everything(**setting).says


def test_flipping_a_sign_turns_one_cell():
    game = game_at(d=2, choose=False, q=4)
    (base, _), (flipped, cell) = (explore.turned(game.m, flip) for flip in (0, 3))
    assert cell == 2 and np.flatnonzero(base != flipped).tolist() == [2]
    before, after = (explore.everything(d=2, choose=False, q=4, flip=flip).picture.axes[0].marks[0]
                     .arrays["values"] for flip in (0, 3))
    assert (before != after).sum() == 1, "and in the picture"
    few = game_at(choose=False, q=2, gamma=0.0)
    assert few.m == 2 and explore.turned(few.m, 3)[1] == 0


def test_still_pictures_state_the_bounds():
    assert Assouad().static(scene="explore", n=100).alt == explore.everything(n=100).says
    few = glance((100, 10_000))
    few.canvas.draw()
    assert len(few.axes) == 2 and f"{explore.rungs(game_at(n=100, choose=True))[2]:.2g}" in few.alt
    game = Game.best(10_000, 1.0, 1.0, 0.5, 1)
    scores = scoreboard([game])
    scores.canvas.draw()
    assert len(scores.axes) == 1
    assert f"one bit about all cells {one_bit_risk(game) / game.bound():.2f}" in scores.alt
