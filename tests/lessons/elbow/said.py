"""What the panels of notebook 05 say with comparatives, and when it is true: `tests/test_walk.py`."""

import math

import numpy as np
from walk_facts import at_home, least_at, near, ordered, scenes, views


def between(seen):
    """The distances between the curve and the sum, of 05."""
    return seen["curve"]["distance"]["high"] - seen["curve"]["distance"]["low"]


def above_half(powers, r):
    """The share of the sum of distances to the power r from those of more than half the largest."""
    return powers[powers > powers.max() / 2**r].sum() / powers.sum()


def best_level(k):
    """Whether the linear risk is least at the level that the k-th number is."""
    return lambda seen, *numbers: least_at(seen["risk"]["total"])[0] == numbers[k]


SAID = [
    *views("elbow", a_curve=[
        ("the area between the sum and the curve is #, the largest distance #", lambda seen, area, most:
            near(float(between(seen).mean()), area, most=1e-6)
            and near(float(between(seen).max()), most, most=5e-3)),
        ("largest distance = #", lambda seen, most: near(float(between(seen).max()), most, most=5e-3)),
        ("# of it from distances of more than half the largest", lambda seen, told:
            told == seen.number("from more than half the largest")),
        ("from more than half the largest = #", lambda seen, told: near(
            100 * above_half(seen["loss"]["loss"]["high"].astype(float), seen.at["r"]), told, most=0.06)),
    ], one_person=[
        ("Person A sends all # numbers", lambda seen, told: len(seen["report"]["report"]["x"]) == told),
        ("is the mean of everybody's values, #", lambda seen, told:
            near(float(seen["wave"]["mean"]["y"][0]), told, most=5e-4)),
    ], loud_levels=[
        ("hides, more than a density has room for", lambda seen: seen["hidden"]["density"]["y"].min() < 0),
        ("tallest value = #", lambda seen, told: near(float(seen["loud"]["top"]["y"][0]), told)),
        (", more than a density has room for", lambda seen: seen["hidden"]["density"]["y"].min() < 0),
    ], hiding_place=[
        ("Bumps at all places meet the noise at level #, one spike at level #", lambda seen, many, one:
            many < one and near(float(seen["ceilings"]["ends"]["x"][0]), many)),
    ], keep_or_cut=[
        ("the linear rule that keeps all #, the threshold #, the best linear rule of whole levels "
         "(db2), on coarse reports #", lambda seen, every, threshold, best: best <= every and near(
             float(seen["errors"]["best here"]["y"][0]), best)),
        ("linear, all = #", lambda seen, every: near(float(seen["errors"]["same here"]["y"][0]), every)),
    ], a_day=[
        ("intervals of # minutes are best", lambda seen, best: all(
            seen.number("error") <= seen.number(label) + 1e-3
                for label in seen.readout if label[-7:] == "minutes")),
        ("best interval = # minutes", lambda seen, best:
            near(1440 / best, 2 ** round(math.log2(1440 / best)), 0.01)),
    ], broken_report=[
        ("no mistake: to tell A", lambda seen: seen.number("budget used") <= seen.number("promised")),
    ], everything=[
        ("of J = # to #, # would be best", best_level(2)),
        ("best J = #", best_level(0)),
        ("on this draw the linear estimate is the better one", lambda seen:
            seen.number("this draw: linear") <= seen.number("threshold")),
        ("on this draw the threshold estimate is the better one", lambda seen:
            seen.number("threshold") <= seen.number("this draw: linear")),
    ]),
    *views("proof_elbow", noise_scales=[
        ("the proof's constants give #, the sums of wavelets #, the exact worst pair #; the fathers "
         "alone need #", lambda seen, *found: ordered(*found[::-1])),
    ], two_variances=[
        ("the noise is # times as large as what people add, on level # # times", lambda seen, first, _, last:
            near(*(float(seen["parts"][key]["y"][0]) * factor
                for key, factor in (("noise", 1), ("people", first))))
            and near(*(float(seen["parts"][key]["y"][-1]) * factor
                       for key, factor in (("noise", 1), ("people", last))))),
    ], many_bumps=[
        ("no private rule has an error below # on all # densities", lambda seen, bound, densities:
            bound > 0 and near(2 ** seen.number("bumps"), densities)),
        ("no rule is below = #", lambda seen, bound: bound > 0),
    ], one_report=[
        ("A private yes or no tells # nats, no private report more than #; the proof uses #",
         lambda seen, *found: ordered(*found)),
    ], one_of_many=[
        ("all reports tell # nats", lambda seen, told: near(float(seen["search"]["here"]["y"][0]), told)),
    ], ceiling=[
        ("The noise level meets the ceiling for all places at level #, for one spike at level #",
         lambda seen, many, one: many < one),
    ], lever=[
        ("tips at p = = #", lambda seen, p: p >= 1),
        ("none: p is # or more", lambda seen, least: seen.at["r"] / (seen.at["smooth"] + 1) < least),
    ], two_elbows=[
        ("The private exponent bends at p = #", lambda seen, p: p >= 1
            and near(1 / float(seen["exponents"]["private elbow"]["x"][0]), p)),
        ("the one without privacy at p = #", lambda seen, p: p >= 1
            and near(1 / float(seen["exponents"]["open elbow"]["x"][0]), p)),
        ("The private exponent bends nowhere", lambda seen: not seen["exponents"]["private elbow"]["x"].size),
        ("the one without privacy nowhere", lambda seen: not seen["exponents"]["open elbow"]["x"].size),
        ("private elbow, p = = none", lambda seen: not seen["exponents"]["private elbow"]["x"].size),
        ("no privacy, p = = none", lambda seen: not seen["exponents"]["open elbow"]["x"].size),
    ], all_lines=[
        ("no private rule has an error below #", lambda seen, bound: bound > 0),
    ]),
    *scenes("proof_elbow", {"noise scale": [
        ("The proof adds up the tops of all wavelets. Nobody is at all tops, and two people differ "
         "by less than twice the sum",
         lambda seen: ordered(*seen["scales"]["detail scales"]["right"][::-1])),
    ], "variance": [
        ("The people's part is at most B/n on every level, the part of privacy doubles", lambda seen:
            np.ptp(seen["parts"]["people"]["y"]) == 0 and np.allclose(
                seen["parts"]["noise"]["y"][1:] / seen["parts"]["noise"]["y"][:-1], 2, rtol=1e-4)),
    ], "one report": [
        ("No private report tells more about one sign than the middle bar. A private yes or no tells nearly "
         "as much", lambda seen:
            0 < float(seen["told"]["lids"]["right"][0] - seen["told"]["bit"]["right"][0]) < 0.4),
    ], "lever": [
        ("as many bumps, one noise level high, as the class allows", lambda seen: abs(
            np.diff(np.log2(seen["lever"]["lever"]["y"].astype(float)))[0]
            / np.diff(seen["lever"]["lever"]["x"].astype(float))[0]
            - (seen.at["r"] - seen.at["norm"] * (seen.at["smooth"] + 1))) < 1e-3),
    ], "ceiling": [
        ("lower at all m places than for one spike", lambda seen:
            (seen["ceiling"]["many"]["y"] < seen["ceiling"]["one"]["y"]).all()),
    ], "explore": [
        ("All lines of both propositions", lambda seen: seen["lines"]["slack"]["right"].min() >= -1e-6),
    ]}),
    *at_home("proof_elbow", {"two elbows": [
        ("Where the lever tips, the theorem's exponent bends, here divided by r: with privacy at a larger p, "
         "further left", lambda seen:
            seen["exponents"]["private elbow"]["x"][0] < seen["exponents"]["open elbow"]["x"][0]),
    ]}),
]
