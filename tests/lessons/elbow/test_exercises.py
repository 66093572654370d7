"""Exercises of notebooks 05 and 05b recognise every mistake of their tables; what they say of it is true."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from story_facts import moved

from ldp_lib.estimation import LinearWaveletDensity
from ldp_lib.lessons.elbow.exercises import (
    CASES, CROWD, ENOUGH, FEWEST, FIRST, MOST, NOISES, NORM, PEOPLE, REGULARITY, SCALES, SPIKE, WINDOW, _all,
    _error, _gate, _share, _spiky, _tried,
)
from ldp_lib.lessons.elbow.numbers import cutter
from ldp_lib.lessons.elbow.story import STORY
from ldp_lib.live import EXERCISES, check
from ldp_lib.nature import density
from ldp_lib.nature.surveys import flights
from ldp_lib.privacy import WaveletLaplace
from ldp_lib.risk import mise
from ldp_lib.theory.bumps import hidden_bumps
from ldp_lib.wavelets import wavelet_basis

DB2 = wavelet_basis("db2")
NAMES = ("05.1", "05.2", "05.6", "05.7", "05.8", "05.10", "05.11", "05.12", "05.13")


def right_scale(alpha, J, x):
    return 2 * math.sqrt(3) * 2 ** (J / 2) / alpha


def of_the_data(alpha, J, x):
    return 2 * np.abs(DB2.values(np.array(x), J, "phi")[1]).sum(axis=1).max() / alpha


def tip(s, r, g):
    return r * (2 * g + 1) / (2 * (s + g) + 1)


def gate(multiple):
    """A gate in multiples of the library's threshold, 1.18 sd sqrt(j), about."""
    return lambda coef, level, sd: np.abs(coef) > multiple * math.sqrt(2 * level * math.log(2)) * sd


def keep_all(coef, level, sd):
    return np.ones(coef.shape, bool)


def keep_none(coef, level, sd):
    return np.zeros(coef.shape, bool)


def from_people(coef, level, sd):
    return np.abs(coef) > math.sqrt(2 * 4 / 3 * level * math.log(2) / PEOPLE)


# What a student writes, and words that only its own feedback has.
MISTAKES = [
    ("05.1", 0.8, "without privacy"),
    ("05.2", 2, "the lever tips without privacy"),
    ("05.6", lambda alpha, J, x: right_scale(alpha, J, x) / 2, "You hid A"),
    ("05.6", lambda alpha, J, x: right_scale(alpha, 0, x), "height of a father"),
    ("05.6", lambda alpha, J, x: 2 * 3 * DB2.phi_max * 2 ** (J / 2) / alpha, "never all at the top"),
    ("05.6", of_the_data, "must not know where people are"),
    ("05.7", keep_all, "You opened every cell"),
    ("05.7", gate(0.25), "empty cells pass"),
    ("05.7", gate(0.5), "empty cells pass"),
    ("05.7", gate(4), "edges of the plateau"),
    ("05.7", lambda coef, level, sd: np.abs(coef) > 19.2 * sd, "seldom passes"),
    ("05.7", keep_none, "not even the spike"),
    ("05.7", from_people, "does not know privacy's noise"),
    ("05.7", lambda coef, level, sd: coef > 3 * sd, "absolute values"),
    ("05.7", lambda coef, level, sd: np.abs(coef) < 3 * sd, "You cut the spike"),
    ("05.8", ("db2", "scaling_only", 6, 10**9), "More people do not help"),
    ("05.8", ("db2", "common", 8, 10**8), "The fathers alone"),
    ("05.9", 2.37, "still blurred"), ("05.9", 4.22, "A smaller budget"),
    ("05.10", 10**6, "Two levels finer it is"), ("05.10", 3_160_000, "Two levels finer it is"),
    ("05.10", 4 * 10**6, "only halve the noise"), ("05.10", 10**7, "only halve the noise"),
    ("05.10", 16_100_000, "the next one"), ("05.10", 31_600_000, "Fewer people do"),
    ("05.11", 1.5, "one spike costs most without privacy, too"), ("05.11", 2.0, "At a smaller p"),
    ("05.11", 2.5, "many bumps cost most with privacy, too"), ("05.11", 3.0, "many bumps cost most with"),
    ("05.12", lambda s, r, g: r / (s + 1), "g = ½ alone"),
    ("05.12", lambda s, r, g: r / (2 * s + 1), "g = 0 alone"),
    ("05.12", lambda s, r, g: r * g / (g + s + 1 / 2), "√2 times taller"),
    ("05.13", lambda level: stats.norm.isf(2.0**-level), "one up and one down"),
    ("05.13", lambda level: math.sqrt(2 * level * math.log(2)), "fewer than one passes"),
    ("05.13", lambda level: 2.5, "more may pass"),
]
RIGHT = [(name, answer, "") for name, answers in {
    "05.1": [2 / 3], "05.2": [3], "05.9": [3.16],
    "05.6": [right_scale, lambda alpha, J, x: WaveletLaplace(alpha, "db2", J, "scaling_only").scale],
    "05.7": [gate(1), gate(1.25), lambda coef, level, sd: np.abs(coef) > 3 * sd],
    "05.10": [17_800_000], "05.11": [1.75],
    "05.12": [tip],
    "05.13": [lambda level: -stats.norm.ppf(0.5 / 2**level)],
    "05.8": [("haar", "scaling_only", 8, 5 * 10**6), ("haar", "scaling_only", 9, 7 * 10**6),
             ["db4", "scaling_only", 7, 6 * 10**6]],
}.items() for answer in answers]


def test_a_plan_with_too_many_people_is_told_so():
    assert "But 9,000,000 people can do it." in check("05.8", ("db2", "scaling_only", 8, 10**7)).text


def test_the_ends_of_what_is_expected_are_no_typical_mistakes():
    assert EXERCISES["05.9"].feedback(0.1) == EXERCISES["05.9"].feedback(9) == ""
    assert "The ends are not allowed" in check("05.9", 9).text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("answer", [0, "x", [], lambda: 1, lambda *a, **k: "no", ("db2", 1, 2, 3),
                                    ([], {}, 1, 2), ("db2", "common", 2.5, 10), ("db2", "common", 9, 0)])
def test_no_answer_raises(name, answer):
    assert not check(name, answer).right


def test_the_loss_that_is_told_is_exact():
    for case in CASES:
        mechanism = WaveletLaplace(case["alpha"], "db2", case["J"], "scaling_only", "exact", noise="real")
        worst = mechanism.worst_pair().loss * mechanism.scale / right_scale(**case)
        assert worst == pytest.approx(case["alpha"], rel=1e-3)
    half = check("05.6", MISTAKES[2][1]).text
    assert "tell two people by 2.00; the promise is 1" in half
    assert right_scale(1.0, 6, None) == pytest.approx(27.71, abs=5e-3)
    crude = check("05.6", MISTAKES[4][1]).text
    assert "only 0.42" in crude and "5.60 times the people" in crude


def test_errors_are_those_of_the_design():
    assert _error(gate(1)) == _error(_gate) == pytest.approx(0.000905, abs=2e-5)
    assert 0.7 < _error(_gate) / ENOUGH < 0.8 and _error(keep_all) == _error(_all)
    assert [_error(gate(multiple)) for multiple in (0.25, 0.5, 4)] == pytest.approx(
        [0.0026, 0.0019, 0.0018], abs=1e-4)
    linear = LinearWaveletDensity(1.0, "db2", SPIKE + 1, scales="common", noise="real")
    exact = mise(linear, _spiky(), PEOPLE).value / _spiky().l2_norm_squared
    assert _error(keep_all) == pytest.approx(exact, rel=0.06), "exact against simulated"
    rule = cutter(SPIKE)
    assert rule.first_level == FIRST and rule.levels == SPIKE + 1
    noise = rule.noise_variance(rule.mechanism(PEOPLE), PEOPLE)[-1] ** 0.5
    assert noise > 100 * math.sqrt(4 / 3 / PEOPLE), "privacy's noise against sampling"
    empty = 2**SPIKE + 2 + 2**5 + 2 + 2**4 + 2 + 2**3 + 2
    assert empty > 120


def test_the_share_is_that_of_a_simulation():
    """300 days with db2, J = 8: the mean within 5 standard errors, the spread within 5 of its own."""
    n, rng = len(flights()), np.random.default_rng(8)
    rule = LinearWaveletDensity(1.0, "db2", 8, scales="scaling_only", noise="real")
    mechanism = rule.mechanism(n)
    counted = mechanism.count(flights())
    shares = []
    for _ in range(300):
        x, values = rule.fit_aggregate(mechanism.add_noise(counted, rng=rng)).grid_pdf(depth=8)
        shares.append(values[(x >= WINDOW[0]) & (x < WINDOW[1])].sum() / len(x))
    bias, variance = _share("db2", "scaling_only", 8)
    f = density("departures")
    share = float(f.cdf(WINDOW[1]) - f.cdf(WINDOW[0]))
    spread = ((variance - share) / n) ** 0.5
    assert np.mean(shares) - share == pytest.approx(bias, abs=5 * spread / 300**0.5)
    assert np.std(shares) == pytest.approx(spread, rel=5 / 600**0.5)


def test_the_fewest_people_of_the_challenge():
    """The number that is told, over all wavelets, all mechanisms and all J."""
    fewest = {}
    for wavelet, scales, J in itertools.product(REGULARITY, SCALES, range(1, 12)):
        bias, variance = _share(wavelet, scales, J)
        if abs(bias) < 0.002:
            fewest[wavelet, scales, J] = math.ceil(variance / (0.002**2 - bias**2))
    best = min(fewest, key=fewest.get)
    assert best == ("sym4", "scaling_only", 7) and fewest[best] == FEWEST
    assert {scales for (_, scales, _), people in fewest.items() if people <= MOST} == {"scaling_only"}
    assert fewest["haar", "scaling_only", 8] < 5 * 10**6 < fewest["haar", "scaling_only", 9]
    assert EXERCISES["05.8"].score((*best, FEWEST)) == "4,648,417 people; the fewest are 4,648,417."
    assert check("05.8", (*best, FEWEST)).text.startswith("✓")
    assert check("05.8", (*best, FEWEST - 1)).text.startswith("✗")


def test_what_hides_on_two_levels_is_read_from_the_panel():
    def height(j, n):
        return float(moved(STORY, "loud levels", j=j, n=n).readout["hidden height"].split(",")[0])

    assert height(5, 10**6) == 0.35, "as the notebook says"
    low = [n for n in CROWD.values if height(7, n) <= 0.35]
    assert [n for n in CROWD.values if check("05.10", n).right] == low[:1] and low[0] >= 16 * 10**6


def test_where_privacy_decides_is_read_from_the_panel():
    """Both levers, at every p."""
    decides = []
    for p in NORM.values:
        read = moved(STORY, "lever", norm=p, open=True).readout
        private, usual = (read[f"{kind}: slope"][0] not in "−0" for kind in ("private", "not private"))
        decides += [p] * (private and not usual)
    assert [p for p in NORM.values if check("05.11", p).right] == [min(decides)] != decides


@pytest.mark.parametrize("case", NOISES, ids=str)
def test_the_lever_of_another_noise_tips_where_it_is_told(case):
    """Where hidden bumps cost as much at both ends."""
    tips = tip(**case)
    for p, rises in ((0.98 * tips, True), (1.02 * tips, False)):
        bumps = hidden_bumps(case["s"], p, case["r"], noise=1e-4, growth=case["g"], radius=12.0, levels=[5])
        assert (bumps.slope > 0) == rises


def test_one_empty_cell_passes_its_line():
    """Counted: 2^level normal numbers, 3 standard errors."""
    drawn = np.random.default_rng(13)
    for level in (3, 6, 9):
        line = stats.norm.isf(2.0**-level / 2)
        passing = (np.abs(drawn.standard_normal((20_000, 2**level))) > line).sum(axis=1)
        assert passing.mean() == pytest.approx(1, abs=3 / 20_000**0.5)
        assert line < math.sqrt(2 * level * math.log(2)), "the library's is a little higher"


def test_coefficients_of_the_spike_are_counted_in_their_noise():
    noise = math.sqrt(2 / PEOPLE) * WaveletLaplace(1.0, "db2", SPIKE + 1, noise="real").scale
    highest = np.abs(_spiky().coefficients(DB2, SPIKE, "psi")).max()
    assert np.abs(_tried(_gate).true).max() == pytest.approx(highest / noise)


@pytest.mark.parametrize("people", [CROWD.values[0], CROWD.values[-1]])
def test_every_position_of_the_slider_is_an_answer(people):
    assert "is expected" not in check("05.10", people).text
