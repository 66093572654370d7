"""What the panels of notebook 01 say with comparatives, and when it is true: `tests/test_walk.py`."""

import math

import numpy as np
from walk_facts import at_home, below, near, scenes, value, views


def longest(seen, told):
    """Whether the longest push is as long as is told."""
    if math.isinf(told):
        return "needle" not in seen.axes or np.abs(seen.pushes()).max() > 5
    return near(np.abs(seen.pushes()).max(), told, most=0.006)


def true_loss(seen):
    """Of a mechanism in the laboratory; ∞ where nobody knows it."""
    return math.inf if seen.readout["true loss"] == "not known" else seen.number("true loss")


SAID = [
    *views("ldp_check", one_needle=[
        ("the longest push is # α", longest),
        ("can go as far as # α", lambda seen, reach: abs(seen.pushes().sum()) <= reach + 1e-6),
        ("times likelier from A = #", lambda seen, odds:
            near(math.exp(seen.pushes().sum()), odds, most=0.006)),
    ], shared_cubes=[
        ("the longest push is # α", longest),
        ("can go as far as # α", lambda seen, reach: abs(seen.pushes().sum()) <= reach + 1e-6),
    ], twenty_bets=[
        ("nobody has bet yet", lambda seen: not seen.at["shown"] and "lost" not in seen["bets"]),
        ("The best bettor wins # of these # bets, and # on average; if all needles stood at a wall it would "
         "be #", lambda seen, won, bets, mean, wall:
            won == bets - np.isfinite(seen["bets"]["lost"]["x"]).sum() and mean <= wall),
        ("always at a wall = # = #", lambda seen, wall, _: wall >= seen.number("on average")),
    ], many_needles=[
        ("best bettor wins # of the time", lambda seen, wins: 50 <= wins <= 73.1),
        ("best bettor wins = #", lambda seen, wins: 50 <= wins <= 73.1),
    ], cubes_of_features=[
        ("best bettor wins # of the time", lambda seen, wins: 50 <= wins <= 73.1),
        ("best bettor wins = #", lambda seen, wins: 50 <= wins <= 73.1),
    ], mistakes=[
        ("the longest push is # α and the needle ends at # α, inside the walls", lambda seen, push, ends:
            longest(seen, push) and abs(seen.pushes().sum()) <= 1 + 1e-6),
        ("the longest push is # α and the needle ends at # α, outside the walls", lambda seen, push, ends:
            longest(seen, push) and abs(seen.pushes().sum()) > 1),
        ("# numbers prove that B did not send them: no wall holds", lambda seen, count:
            count >= 1 and longest(seen, math.inf)),
        ("longest push = #", longest),
        ("inside this time = #", lambda seen, ends: abs(ends) <= 1),
    ], everything=[
        ("arrays differ in = # of at most #", lambda seen, differ, most: differ <= most),
        ("best test's advantage = #", lambda seen, told:
            near(float((seen["tests"]["best"]["y"] - seen["tests"]["best"]["x"]).max()), told, most=0.003)),
        ("both arrays are the same, and no report can tell who sent it", lambda seen:
            seen.number("arrays differ in") == seen.number("best test's advantage") == 0),
    ]),
    *views("laboratory", laboratory=[
        ("it spends at least #", lambda seen, least: least <= true_loss(seen) + 0.005),
        ("spends at least = #", lambda seen, least: least <= true_loss(seen) + 0.005),
        ("they prove only that it spends # or more", lambda seen, least: least <= seen.at["alpha"] + 0.005),
        ("curve errs with probability = # at most", lambda seen, most: most == 1e-6),
        ("what is wrong = nothing", lambda seen: seen.readout["verdict"] == "not refuted"
            and true_loss(seen) <= seen.at["alpha"] + 0.005),
    ]),
    *views("proof_ldp_check", one_number=[
        ("Whatever number was sent, it pushes the judge by at most #; the wall is #", lambda seen, most, wall:
            np.abs(seen["push"]["push"]["y"]).max() <= 1.006 * most and most <= wall),
        ("largest push = #", lambda seen, most: near(float(seen["push"]["push"]["y"].max()), most)),
    ], add_up=[
        ("More than # is impossible", lambda seen, most:
            abs(seen.pushes().sum()) * seen.at["alpha"] <= 1.006 * most),
        ("at most = # α", lambda seen, most: abs(seen.pushes().sum()) <= 1.006 * most),
    ], count=[
        ("A and B differ in at most # numbers; the noise is made for #", lambda seen, most, made:
            seen["count"]["differ"]["y"].max() == most <= made),
        ("differ at most = #", lambda seen, most: seen["count"]["differ"]["y"].max() == most),
    ], where_the_needle_ends=[
        ("The needle never leaves the walls: it ends at # at most, the wall is #", lambda seen, most, wall:
            most <= wall and np.abs(seen["law"]["law"]["right"]).max() <= seen["law"]["wall"]["x"].max()),
        ("farthest = #", lambda seen, most: most <= seen.number("the wall α")),
    ], any_set=[
        ("No set of reports is more than # times as likely for A as for B", lambda seen, most:
            (seen["sets"]["best"]["y"] <= 1.006 * most * seen["sets"]["best"]["x"] + 1e-6).all()
            and below(seen, "sets", "best", "wall")),
        ("largest ratio = #", lambda seen, most: most <= seen.number("allowed: e to the α")),
    ], every_line=[
        ("No two people use more than # of the budget α = #", lambda seen, used, budget: used <= budget
            and seen["used"]["used"]["right"].max() <= 1 + 1e-6),
    ]),
    *scenes("ldp_check", {"explore": [
        ("Right: what any test can reach", lambda seen: (seen["tests"]["best"]["y"] <= np.minimum(
            math.exp(seen.at["alpha"]) * seen["tests"]["best"]["x"],
            1 - math.exp(-seen.at["alpha"]) * (1 - seen["tests"]["best"]["x"])) + 1e-4).all()),
        ("All controls. In the second half people send label times array: zeros, if it is #", lambda seen,
            zero:
            seen.at["half"] == 1 or seen.at["y"] or value(seen.readout["ones in yB"].split()[0]) == zero),
    ]}),
    *scenes("proof_ldp_check", {"one number": [
        ("Below # and above # the laws are parallel: the push stays the same", lambda seen, *_: all(
            np.ptp(seen["push"]["push"]["y"][here]) < 1e-5 for here in (
                seen["push"]["push"]["x"] <= 0, seen["push"]["push"]["x"] >= 1))),
    ], "add up": [
        ("Every number has its own noise, so the pushes add up", lambda seen:
            near(float(seen["needle"]["needle"]["x"][0]), float(seen.pushes().sum()), most=1e-5)),
    ], "count": [
        ("A is in two cubes at most, and so is B. At most four numbers differ: fewer, if they share a cube",
         lambda seen: seen["count"]["differ"]["y"].max() <= 4 and seen["count"]["differ"]["y"].min() < 4),
    ], "the wall": [
        ("At most four pushes, each at most α/#: the needle never leaves the walls", lambda seen, _:
            seen.number("farthest") <= seen.number("the wall α")),
    ], "any set": [
        ("What holds for every report holds for every set", lambda seen: below(seen, "sets", "best", "wall")),
    ], "explore": [
        ("Every line of the proof", lambda seen: len(seen["used"]["used"]["right"]) == 6),
        ("With one feature and h = # at most three numbers differ: less noise would be enough",
            lambda seen, h:
            (seen.at["d"], seen.at["h"]) != (1, h) or seen.number("numbers that differ") == 3),
    ]}),
    *at_home("laboratory", {"climb": [
        ("Half the noise", lambda seen: seen.at["mechanism"] == "half the noise"),
    ], "what the audit cannot see": [
        ("The audit passes float noise. Most of its outputs exclude the wrong input", lambda seen:
            seen.readout["verdict"] == "not refuted" and seen["shares"]["textbook"]["right"][0] > 0.5),
    ], "loud and quiet": [
        ("with less noise, more outputs have bits that x = # cannot have", lambda seen, _: near(
            float(seen["shares"]["textbook"]["right"][1]), float(seen["shares"]["exact"]["x"][0]),
                most=0.02)),
    ]}),
]
