"""What the panels of notebook 03 say with comparatives, and when it is true: `tests/test_walk.py`."""

import math

import numpy as np
from walk_facts import at_home, least_at, near, ordered, scenes, views, wasted


def slope(line):
    """Of a line whose axes are logarithmic."""
    return float(np.polyfit(np.log(line["x"].astype(float)), np.log(line["y"].astype(float)), 1)[0])


def costs(seen):
    """How many times the people it costs to see half the width: by the slopes of bar and noise."""
    found = seen["scales"]
    return [2 ** (2 * (slope(found["bar"]) - slope(found[noise])))
        for noise in ("noise", "open") if noise in found]


def up_to(line, end):
    """The heights of a line up to this place."""
    return line["y"][line["x"] <= end]


def no_less(seen):
    """Whether a step of the proof makes nobody cost less."""
    found = seen["cost"]
    return bool((found["before"]["high"] <= found["after"]["y"] * (1 + 1e-4) + 1e-6).all())


SAID = [
    *views("upper_rate", who_adds_noise=[
        ("All of them send noise: # from inside, # from outside, together #, whatever h is",
         lambda seen, near_, rest, whole: near(math.hypot(near_, rest), whole) and whole == 67.9),
    ], finest_bump=[
        ("half of it costs = # × people", lambda seen, told: near(costs(seen)[0], told)),
        ("half costs = # × people", lambda seen, told: near(costs(seen)[1], told)),
    ], best_bandwidth=[
        ("of the slider # times would be best", lambda seen, told:
            near(least_at(seen["compromise"]["worst"])[0], told)),
        ("least = # at #×", lambda seen, risk, at: near(least_at(seen["compromise"]["worst"])[1], risk)
            and near(least_at(seen["compromise"]["worst"])[0], at)),
        ("too narrow", lambda seen: least_at(seen["compromise"]["worst"])[0] > 1),
        ("too wide", lambda seen: least_at(seen["compromise"]["worst"])[0] < 1),
        ("the best of these", lambda seen: least_at(seen["compromise"]["worst"])[0] == 1),
    ], growing_budget=[
        ("falls from # at α = # to # at α = #", lambda seen, first, _, last, at:
            first > last and (np.diff(up_to(seen["budget"]["risk"], at)) < 0).all()),
        ("The excess risk is least at α = #, #, and # at α = #", lambda seen, at, least, last, _:
            near(least_at(seen["budget"]["risk"])[1], least, 0.02) and least <= last),
        ("least = #", lambda seen, least: near(least_at(seen["budget"]["risk"])[1], least, 0.02)),
    ], everything=[
        ("of the slider # times would be best", lambda seen, told:
            near(least_at(seen["compromise"]["worst"])[0], told)),
        ("least, over h = # at #×", lambda seen, risk, at:
            near(least_at(seen["compromise"]["worst"])[1], risk)),
        ("lower bound = #", lambda seen, lower: lower <= seen.number("sharper bound")),
        ("sharper bound = #", lambda seen, sharper: sharper <= seen.number("printed bound")),
    ]),
    *views("proof_upper_rate", cost=[
        ("grows from # to #", lambda seen, before, after: before < after),
        ("stays at #, to three digits", lambda seen, at: seen.number("times as many people") == 1),
    ], far_shells=[
        ("Shells that can have people add #; all shells #. The largest is shell #",
         lambda seen, inside, every, largest: inside <= every and largest == np.concatenate(
             [seen["far"][key]["high"] for key in ("inside", "beyond")]).argmax()),
    ], choice=[
        ("In this range the printed bound is least at # times the theorem's h: #. With exact chances the "
         "least is #, at # times", lambda seen, printed, most, least, sharp: least <= most
            and near(least_at(seen["choice"]["printed"])[0], printed, 0.03)
            and near(least_at(seen["choice"]["sharp"])[0], sharp, 0.03)),
    ], ladder=[
        ("printed #, exact tail #, best h #, thin shells #, exact #, lower #", lambda seen, *found:
            ordered(*found[::-1])),
        ("best upper bound = #", lambda seen, best: best >= seen.number("exact")),
        ("lower bound = #", lambda seen, lower: lower <= seen.number("exact")),
    ], whole_chain=[
        ("The exact risk is #, the printed bound #: # times as many people", lambda seen, exact, printed,
            told:
            exact <= printed and told >= 1),
    ]),
    *scenes("upper_rate", {"explore": [
        ("one n and all h on the left; all n", lambda seen: {"compromise", "people"} == {*seen.axes}),
    ]}),
    *scenes("proof_upper_rate", {"shells": [
        ("how far η is from one half. Shell # is the nearest", lambda seen, _: 0.5 in np.concatenate(
            [*seen["shells"]["shell 0"].values()][:2]).round(6)),
    ], "give up shell 0": [
        ("it counts every label there as wrong", lambda seen: no_less(seen)),
    ], "round up": [
        ("A mistake in a shell now costs as much as the most expensive mistake there", lambda seen:
            no_less(seen)),
    ], "tail lid": [
        ("Outside shell # mistakes are rare. The proof takes a lid", lambda seen, _: no_less(seen)),
    ], "low bar": [
        ("The proof takes the lowest bar that the class allows", lambda seen: no_less(seen)),
    ], "crowd": [
        ("The proof takes as many as the class allows", lambda seen: (
            seen["crowd"]["after"]["high"] >= seen["crowd"]["before"]["high"] * (1 - 1e-5)).all()),
    ], "ladder": [
        ("The printed bound says nothing. Better counting helps. A gap stays", lambda seen:
            seen["ladder"]["bounds"]["right"][0] > 0 and ordered(
                *np.concatenate([seen["ladder"][key]["right"]
                    for key in ("bounds", "exact", "lower")])[::-1])),
    ]}),
    *at_home("proof_upper_rate", {"far shells": [
        ("where nobody can be. This wastes the most", lambda seen: wasted(seen).argmax() == 5),
    ], "choose h": [
        ("With # million people, cubes # times as wide halve the bound with exact chances", lambda seen, _,
            wide:
            near(least_at(seen["choice"]["sharp"])[0], wide, 0.02)
            and near(2 * least_at(seen["choice"]["sharp"])[1], seen.number("with exact chances"), 0.06)),
    ]}),
]
