"""The story of notebook 05: each scene's fact is read off its picture's own arrays, as in `test_stories`."""

import math

import numpy as np
import pytest
from story_facts import Fact, moved

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.lessons.elbow import explore
from ldp_lib.lessons.elbow.story import (
    BASIS, PRIVATE_PEOPLE, GRID, HIDING, NORM, OPEN_PEOPLE, RADIUS, STORY, adversary, broken_report, bumpy,
    ceilings, fitting, noise_of, plateau, private_day, summed, tall,
)
from ldp_lib.lessons.elbow.numbers import ERRORS, FLOWN, MANY, cutter
from ldp_lib.live import kind, panel
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.risk import mise
from ldp_lib.theory import DenseFamily, density_elbows
from ldp_lib.theory.coefficients import norm_power


def slope(x, y):
    """Of a straight line in log2 y."""
    return float(np.diff(np.log2(y.astype(float)))[0] / np.diff(x.astype(float))[0])


def bumps(seen):
    """How many bumps the density has, and how high they are: each has one highest point."""
    off = np.abs(seen["hidden"]["density"]["y"].astype(float) - 4 / 3)
    off[np.abs(seen["hidden"]["density"]["x"] - 0.5) > 0.26] = 0.0
    high = off > 0.9 * off.max()
    return int(high[0]) + int((high[1:] & ~high[:-1]).sum()), float(off.max())


def the_curve(at):
    coarse, power = at(), at(r=5.0)
    off = np.abs(coarse["curve"]["curve"]["y"].astype(float) - coarse["curve"]["sum"]["y"])
    for seen, r in ((coarse, 1), (power, 5), (at(r=2.0), 2)):
        assert seen["loss"]["loss"]["high"] == pytest.approx(off**r, rel=1e-4, abs=1e-6)
        assert float(seen.readout["loss"]) == pytest.approx(float((off**r).mean()), rel=5e-3), "its area"
    between = coarse["curve"]["distance"]
    assert between["high"] - between["low"] == pytest.approx(off, abs=1e-6), "what is hatched"
    # In the picture a distance half as large has a 32nd of the height.
    half = int(np.abs(off - off.max() / 2).argmin())
    high = power["loss"]["loss"]["high"].astype(float)
    assert high.max() / high[half] == pytest.approx(32, rel=0.1)
    shares = [float(seen.readout["from more than half the largest"].rstrip("%")) for seen in (coarse, power)]
    assert shares[0] < 50 and shares[1] > 90, "the largest distances are nearly the whole loss"
    losses = [float(at(finest=finest, r=5.0).readout["loss"]) for finest in (1, 2, 3, 4)]
    assert losses == sorted(losses, reverse=True) and losses[-1] == 0, "the sum of all levels is the curve"


def her_numbers(at):
    seen = at()
    signal = seen.heights("signal", "report")
    assert signal[signal != 0] == pytest.approx([-0.167, 1.762, -0.291], abs=5e-4) and len(signal) == 6
    assert seen["wave"]["numbers"]["y"] == pytest.approx(signal[signal != 0])
    assert (seen["wave"]["numbers"]["x"] == np.float32(0.3)).all(), "7:12"
    assert seen.noise("report") == pytest.approx(math.sqrt(2) * 2 * 2.2320508 * 2, rel=1e-6)
    crowd, mean = seen["wave"]["people"], float(seen["wave"]["mean"]["y"][0])
    assert crowd["y"] == pytest.approx(BASIS.wavelet(crowd["x"], 2, 0), abs=1e-3) and len(crowd["x"]) == 144
    assert mean == pytest.approx(float(crowd["y"].mean()), abs=2e-3), "so few people show it"
    assert mean == pytest.approx(float(BASIS.wavelet(flights(), 2, 0).mean()), abs=1e-4), "everybody's"
    assert seen.readout["coefficient of wavelet 0"] == f"{mean:.3f}"
    assert (seen["report"]["report"]["y"] != at(noise=1)["report"]["report"]["y"]).all(), "zeros, too"
    finer = at(j=3)
    assert len(finer["wave"]["numbers"]["y"]) == 3 and len(finer.heights("signal", "report")) == 10
    assert finer.noise("report") / seen.noise("report") == pytest.approx(math.sqrt(2))


def loud(at):
    seen = at()
    for key in ("tallest", "noise"):
        y = seen["loud"][key]["y"].astype(float)
        assert y[1:] / y[:-1] == pytest.approx(math.sqrt(2), rel=1e-5), key
    heights = [bumps(at(j=j))[1] for j in (5, 6, 7, 8)]
    assert heights == pytest.approx([0.0622, 0.124, 0.249, 0.498], abs=6e-4), "twice as high on each level"


def hiding_place(at):
    norms = (3.0, 2.75, 2.5, 2.25, 2.0)
    scene = STORY.scene("hiding place")
    assert scene.ask.then == {"norm": norms[-1]} and not scene.play, "the answer shows one spike at once"
    found = {p: bumps(at(norm=p)) for p in (*norms, 1.75)}
    assert [count for count, _ in found.values()] == [21, 21, 21, 1, 1, 1], "never more"
    heights = [height for _, height in found.values()]
    assert heights == pytest.approx([0.249, 0.249, 0.249, 0.650, 0.919, 0.996], abs=6e-4)
    for p in found:
        seen = at(norm=p)
        roof, noise = seen["ceilings"], seen["hidden"]["noise"]
        assert found[p][1] <= float(noise["high"][0]) - 4 / 3 + 1e-6, "under the noise"
        j, height = (float(roof["ball"][side][0]) for side in "xy")
        lids = {key: 2 ** np.interp(j, roof[key]["x"], np.log2(roof[key]["y"].astype(float)))
                for key in ("noise", "many", "one")}
        lid = min(lids["noise"], lids["one" if found[p][0] == 1 else "many"])
        assert height == pytest.approx(found[p][1], rel=2e-2) and height <= lid * 1.001, "below its ceilings"
        assert height > 0.99 * lid, "and as high as they allow"
        for key, place in zip(("many", "one"), roof["ends"]["x"].astype(float)):
            gap = np.log(roof["noise"]["y"].astype(float) / roof[key]["y"])
            assert np.interp(0, gap, roof["noise"]["x"]) == pytest.approx(place, abs=2e-3), "where they meet"
    for p in (3.0, 2.0):  # number x height^5 x width, with what is drawn
        seen, (count, height) = at(norm=p), found[p]
        level = int(seen.readout["level"])
        cost = count * height**5 * 3 / 2**level
        costs = [float(seen.readout[kind]) for kind in ("many bumps cost", "one spike")]
        assert max(costs) == pytest.approx(cost, rel=1e-2) and costs.index(max(costs)) == (count == 1)
    assert costs[1] / costs[0] == pytest.approx(8.1, abs=0.05), "p = 2: 8 times as much"
    ratio = found[2.0][1] / found[3.0][1]
    assert ratio == pytest.approx(3.7, abs=0.05) and ratio**5 == pytest.approx(680, rel=0.02)
    high = adversary(3.0, 1.0, 5.0, False)
    assert high.one.height > 1.9 * high.many.height and high.one.loss < high.many.loss, "taller, and cheaper"
    one = [np.interp(9, roof["x"], roof["y"]) for roof in (at(norm=p)["ceilings"]["one"] for p in norms)]
    assert (np.diff(one) > 0).all(), "a smaller p lifts the ceiling"
    assert bumps(at(smooth=0.75)) != bumps(at(smooth=1.25)) != found[3.0], "s is seen"


def lever(at):
    private, usual = at(), at(open=True)
    assert bumps(private)[0] == 1 and bumps(usual)[0] == 21
    assert bumps(usual)[1] == pytest.approx(0.401, abs=6e-4)
    words = private["lever"]["one"]
    assert np.allclose(words["x"], private["lever"]["lever"]["x"][1]), "at the end of the lever"
    for p, r in ((3.0, 2.0), (3.0, 8.0), (1.5, 8.0)):
        marks = at(norm=p, r=r)["lever"]
        x, y = float(marks["one"]["x"][0]), float(marks["one"]["y"][0])
        assert 1 / 10 < y < 10, "inside, where the lever is not"
        on = np.interp(x, marks["lever"]["x"], np.log2(marks["lever"]["y"]))
        assert on == pytest.approx(math.log2(y), abs=1e-3)
    levers = [usual["lever"][key] for key in ("lever", "open lever")]
    assert [slope(each["x"], each["y"]) for each in levers] == pytest.approx([1, -0.5], abs=1e-3)
    assert "open lever" not in private["lever"], "not before the answer"
    tips = [usual.readout["it tips at p"], private.readout["tips at p"]]
    assert tips == ["1.67", "2.5"]
    elbows = density_elbows(1.0, 5.0)
    assert [float(tip) for tip in tips] == pytest.approx([elbows.nonprivate, elbows.private], abs=5e-3)
    for p, rises in ((1.5, True), (1.75, False)):
        ends = at(norm=p, open=True)["lever"]["open lever"]["y"]
        assert (ends[1] > ends[0]) == rises
    for p in NORM.values:
        for known, key, steep in ((False, "lever", 5 - 2 * p), (True, "open lever", (5 - 3 * p) / 2)):
            seen = at(norm=p, open=known)
            ends, ball = seen["lever"][key], seen["lever"]["ball"]
            assert slope(ends["x"], ends["y"]) == pytest.approx(steep, abs=1e-3)
            assert ball["y"][0] == pytest.approx(float(ends["y"].max()), rel=1e-5), "at the high end"
            assert (bumps(seen)[0] == 1) == (ball["x"][0] == ends["x"][1]), "which is what is drawn"
    eight = noise_of(8, PRIVATE_PEOPLE) / math.sqrt(4 / 3 / OPEN_PEOPLE)
    assert 0.8 < eight < 1.25, "both crowds see level 8 about as well"
    assert [bumps(at(r=r))[0] for r in (2.0, 3.0, 4.0, 5.0, 8.0)] == [21, 21, 1, 1, 1], "and r"
    assert bumps(at(r=8.0, norm=3.0))[0] == 1, "also where the class forbids tall spikes"


def keep_or_cut(at):
    def errors(**moves):
        seen = at(**moves)["errors"]
        return [float(seen[f"{key} here"]["y"][0]) for key in ("threshold", "best", "same")]

    few, many = at(), at(many=MANY[-1])
    assert np.abs(few["coefficients"]["tops"]["y"]).size == 0 and len(many["coefficients"]["tops"]["y"]) == 1
    threshold, best, same = errors()
    assert best < threshold < same, "a linear rule that does not look for the spike wins"
    threshold, best, same = errors(many=31_600_000_000)
    assert best / threshold == pytest.approx(1.77, abs=0.02) and same > 10 * threshold
    assert np.isfinite(few["errors"]["best"]["y"]).sum() == 1, "the rest is to be guessed"
    curves = many["errors"]
    wins = curves["threshold"]["y"] < curves["best"]["y"]
    assert list(wins) == [False] * 5 + [True] * 3, "from 1.78 10^10 people on"
    scales = [seen.readout["noise scale"] for seen in (few, many)]
    assert scales == ["338, coarse 28", "338, coarse 111"], "at least three times as noisy"
    threshold, best, same = errors(spike=6)
    assert same / threshold == pytest.approx(2.93, abs=0.05), "the better rule"
    assert threshold / best == pytest.approx(2.92, abs=0.05), "and the better report beats it"


def a_day(at):
    before, shown = at(), lambda **moves: at(seen=True, **moves)
    assert "best interval" not in before.readout and "private" not in before["day"], "not before the answer"
    cells = [shown(alpha=alpha).readout["best interval"] for alpha in (0.562, 1.0, 1.78, 4.22, 8.0)]
    assert cells == [f"{minutes} minutes" for minutes in ("180", "90", "45", "11.2", "11.2")]
    chosen = [shown().readout[f"{minutes} minutes"] for minutes in (90, 22, 6)]
    assert chosen == ["0.125", "0.259", "3.006"] and "22 minutes" not in before.readout
    tops = {}
    for alpha in (1.0, 8.0):
        rush = shown(alpha=alpha)["rush"]
        for key in ("flights", "private"):
            x, y = (rush[key][side] for side in "xy")
            tops[key, alpha] = float(y[np.abs(x - 7.9) < 0.12].max())
    assert tops["flights", 1.0] > 2.9 and tops["private", 1.0] < 1.9 < 2.2 < tops["private", 8.0]
    first, second = (shown(noise=noise)["day"]["private"]["y"] for noise in (0, 1))
    assert (first != second).all() and np.abs(first - second).max() < 1.5


def forget_the_second(at):
    def used(**moves):
        needle = at(**moves)["needle"]
        return {key: mark for key, mark in needle.items() if key.startswith("used")}

    def reach(**moves):
        return max([float(mark["right"].max()) for mark in used(**moves).values()], default=0.0)

    assert reach() == pytest.approx(1) and reach(mistake="forget B") == pytest.approx(2), "beyond the promise"
    for moves, each in (({}, 0.5), ({"mistake": "forget B"}, 1.0)):
        lengths = {key: float((mark["right"] - mark["left"]).sum()) for key, mark in used(**moves).items()}
        assert lengths == pytest.approx({"used A": each, "used B": each}), "half of it by either"
    none = at(mistake="only wavelets that see you")
    assert none.readout["budget used"] == "∞" and reach(mistake="only wavelets that see you") > 2
    assert np.isnan(none["numbers"]["numbers A"]["high"]).sum() > 10, "what is not sent is not there"
    assert reach(x2=0.3) == pytest.approx(WaveletLaplace(
        1.0, "db2", 4, "scaling_only", noise="real").privacy_loss(0.0, 0.3))
    assert "used A and B" in used(x2=0.0625), "what both send belongs to neither"


def everything(at):
    seen = at()
    assert {"estimates", "exponents", "levels", "risk"} == set(seen.axes)
    noise = seen["risk"]["noise"]["y"].astype(float)
    assert noise[1:] / noise[:-1] == pytest.approx(4, rel=1e-5) and len(noise) == 10
    assert seen["exponents"]["private elbow"]["x"].tolist() == pytest.approx([2.5 / 6])


FACTS = [
    Fact("elbow", "a curve", the_curve, {"finest": 3}),
    Fact("elbow", "a wavelet", her_numbers, {"j": 3}),
    Fact("elbow", "loud levels", loud, {"n": 10**6}),
    Fact("elbow", "hiding place", hiding_place, {"r": 3.0}),
    Fact("elbow", "lever", lever, {"smooth": 1.25}),
    Fact("elbow", "keep or cut", keep_or_cut, {"spike": 6}),
    Fact("elbow", "a day", a_day, {"alpha": 0.125}),
    Fact("elbow", "break it", forget_the_second, {"x2": 0.0}),
    Fact("elbow", "explore", everything, {"r": 2.0}),
]


def test_the_adversary_keeps_the_rules_of_the_class():
    """Not above one noise level, not beyond the ball, not negative; and what it costs."""
    for p in NORM.values:
        side = adversary(p, 1.0, 5.0, False)
        best = max(side.many, side.one, key=lambda bumps: bumps.loss)
        assert best == (side.level, side.bumps, side.height, side.loss[side.best])
        assert side.one.m == 1 and side.many.m == fitting(side.many.level)
        for k, j in enumerate(HIDING):
            m, gamma = int(side.m[k]), float(side.gamma[k])
            assert 1 <= m <= fitting(j) and gamma <= float(noise_of(j, PRIVATE_PEOPLE)) * (1 + 1e-12)
            norm = 2.0 ** (j * (1.5 - 1 / p)) * gamma * m ** (1 / p)
            assert norm <= RADIUS * (1 + 1e-9) and m in (1, fitting(j)), "all places, or one"
            assert m > 1 or gamma <= ceilings(j, p, 1.0)[1] * (1 + 1e-12)
            f = bumpy(int(j), m, gamma)
            assert f[(GRID > 0.25) & (GRID < 0.75)].min() >= -1e-9
            size = gamma * 2 ** (j / 2) * BASIS.psi_max
            assert np.abs(f - plateau()).max() == pytest.approx(size, rel=2e-2)
            # The loss in the lever's unit; on the grid, which sees psi at 2^(11 - j) points per unit.
            points = np.arange(3 * 2 ** (11 - j)) / 2 ** (11 - j)
            coarse = (np.abs(BASIS.psi(points)) ** 5).sum() / 2 ** (11 - j) / norm_power("db2", 5.0)
            mass = float((np.abs(f - plateau()) ** 5).sum()) / 2**11 / coarse
            assert mass / left_end(side) == pytest.approx(side.loss[k], rel=1e-6)


def left_end(side):
    """The loss at the left end of the private lever, with its own noise level, for r = 5."""
    j = float(side.ends[0])
    return 2**j / 6 * float(noise_of(j, PRIVATE_PEOPLE)) ** 5 * norm_power("db2", 5.0) * 2 ** (1.5 * j)


def test_a_level_more_is_its_coefficients_times_its_wavelets():
    """Coefficients are means over all flights, wavelets are integrated over the cells of the picture."""
    j, cells = 3, np.arange(2**explore.DRAWN + 1) / 2**explore.DRAWN
    added = np.zeros(2**explore.DRAWN)
    for k in BASIS.translates(j):
        wavelet = np.diff(BASIS.integral("psi", 2**j * cells - k)) * 2 ** (explore.DRAWN - j / 2)
        added += float(BASIS.wavelet(flights(), j, k).mean()) * wavelet
    assert summed(3) - summed(2) == pytest.approx(added, abs=2e-3)
    assert np.abs(added).max() > 0.3


def test_between_the_ends_as_many_bumps_are_as_the_class_allows():
    """At one noise level's height: m falls like 2^(j (1 - p (s + 1))), and m height^r width is the lever."""
    s, p, r = 1.0, 2.0, 5.0
    side = adversary(p, s, r, False)
    levels = np.linspace(*side.ends, 9)
    m = (ceilings(levels, p, s)[1] / noise_of(levels, PRIVATE_PEOPLE)) ** p
    assert (m[0], m[-1]) == pytest.approx((2 ** levels[0] / 6, 1), rel=1e-6)
    assert np.diff(np.log2(m)) / np.diff(levels) == pytest.approx(1 - p * (s + 1))
    costs = m * tall(levels, noise_of(levels, PRIVATE_PEOPLE)) ** r * 2.0**-levels
    assert costs / costs[0] == pytest.approx(2 ** ((r - p * (s + 1)) * (levels - levels[0])))
    assert costs[-1] / costs[0] == pytest.approx(side.lever[1])


def test_supports_are_counted_as_in_the_library():
    family = DenseFamily(10**6, 1.0, s=1.0, p=2, r=2, wavelet="db2", level=7)
    assert [fitting(j) for j in (7, 8)] == [family.m, family.at_level(8).m] == [21, 42]


def test_noise_of_a_level_is_private():
    """Twice S_psi 2^(j/2) is the largest distance of two people on a level: the noise scale at alpha = 1."""
    x = np.arange(2**12) / 2**12
    values = BASIS.values(x, 4)[1]
    assert np.abs(values).sum(axis=1).max() <= BASIS.S_psi * 4
    assert noise_of(4, 100) == pytest.approx(math.sqrt(2) * 2 * BASIS.S_psi * 4 / 10)


@pytest.mark.parametrize(("spike", "n"), [(6, MANY[0]), (9, MANY[0]), (9, MANY[5]), (9, MANY[6])])
def test_errors_of_rules_are_those_of_the_library(spike, n):
    """Rounded to three digits; the simulation with its seed."""
    f = density("spikes", s=1.25, p=1.0, amplitude=16.0, level=spike, wavelet="db2")
    square = f.l2_norm_squared
    rule = cutter(spike)
    exact = {(scales, J): mise(LinearWaveletDensity(1.0, "db2", J, scales=scales, noise="real"), f, n).value
             for scales in ("common", "scaling_only") for J in range(1, 13)}
    simulated = mise(rule, f, n, repeats=40, cells=12, rng=1)
    same, threshold, best, J = ERRORS[spike, n]
    assert exact["common", rule.levels] / square == pytest.approx(same, rel=6e-3)
    assert min(exact.values()) / square == pytest.approx(best, rel=6e-3)
    assert min(exact, key=exact.get) == ("scaling_only", J)
    assert simulated.value / square == pytest.approx(threshold, rel=6e-3)
    assert simulated.standard_error < 0.06 * simulated.value


def test_every_departure_is_in_the_private_day():
    assert len(flights()) == FLOWN


def test_noise_of_the_day_has_the_law_of_the_mechanism():
    """Of the fathers of level 4, over all draws: 24 of 18 numbers, so a standard error of 3.4%."""
    drawn = np.array([private_day(1.0, noise) for noise in range(24)])
    noise = (drawn - drawn.mean(axis=0)).var() * 24 / 23
    mechanism = WaveletLaplace(1.0, "db2", 4, "scaling_only", noise="real")
    # Away from the ends the squares of the fathers add up to 2^4 in the mean.
    assert noise == pytest.approx(mechanism.variance_by_level[0] / FLOWN * 2**4, rel=0.2)


@pytest.mark.parametrize("mistake", ["no mistake", "forget B", "only wavelets that see you"])
def test_a_budget_without_limit_is_explained(mistake):
    shown = broken_report(mistake=mistake, x=0.0, x2=0.25)
    needle = next(axes for axes in shown.picture.axes if axes.key == "needle")
    assert ("missing number" in needle.title) == (dict(shown.numbers)["budget used"] == "∞")
    assert ("missing number" in needle.title) == (mistake == "only wavelets that see you")


def test_the_panel_is_explore_where_no_scene_is_named():
    assert dict(STORY.show().numbers)["best J"] == "6"
    risk = STORY.show(J=10, n=5 * 10**10).picture.axes[3]
    here = next(mark.arrays for mark in risk.marks if mark.key == "here")
    assert here["x"] == [10] and here["y"] > 0
    assert panel("elbow").values["scene"] == "a curve"


def test_broken_moves_are_positions():
    for fact in FACTS:
        assert moved(kind("elbow"), fact.scene, **fact.broken).axes
