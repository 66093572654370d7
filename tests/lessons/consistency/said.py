"""What the panels of notebook 02 say with comparatives, and when it is true: `tests/test_walk.py`."""

import numpy as np
from walk_facts import below, near, scenes, views

SAID = [
    *views("consistency", bars_in_noise=[
        ("the tallest bar #", lambda seen, told: near(np.abs(seen.heights("signal", "bars")).max(), told)),
        ("The rule is right # of the time, the best rule #", lambda seen, right, best: right <= best),
        ("best rule = #", lambda seen, best: seen.number("with this noise") <= best),
    ], share_of_a_cube=[
        ("holds # of people who are spread evenly. If all in the cube have label #", lambda seen, share, _:
            near(2 * float(seen["scales"]["here"]["y"][0]), share / 100, most=0.0005)),
        ("bar and noise against h, if all in the cube have label #", lambda seen, _:
            seen["scales"]["bar"]["y"][-1] == 0.5),
    ], shrinking_cubes=[
        ("the tallest bar is # times the noise level", lambda seen, told:
            near(float(seen["race"]["tallest"]["y"][-1] / seen["race"]["noise"]["y"][-1]), told)),
        ("the fullest cube holds # people", lambda seen, held: held <= 1.01 * seen.number("at n")),
        ("people in the fullest cube = #", lambda seen, held: held <= 1.01 * seen.number("at n")),
        ("tallest bar / noise = #", lambda seen, told:
            near(float(seen["race"]["tallest"]["y"][-1] / seen["race"]["noise"]["y"][-1]), told)),
    ], everything=[
        ("the private rule is right # of the time; the best rule #, the majority label #",
         lambda seen, right, best, majority: right <= best and majority <= best),
        ("is consistent for every law", lambda seen: seen["promise"]["kappa"]["x"][0]
            < seen["promise"]["consistent"]["right"][0]),
        ("is promised only without privacy", lambda seen: seen["promise"]["kappa"]["x"][0]
            >= seen["promise"]["consistent"]["right"][0]),
        ("no theorem promises consistency", lambda seen: seen["promise"]["kappa"]["x"][0]
            >= seen["promise"]["only without privacy"]["right"][0]),
    ]),
    *views("proof_consistency", chernoff=[
        ("The score misses its mean by # or more with probability #; the exponential lid says #",
         lambda seen, _, exact, lid: exact <= lid and below(seen, "tail", "exact", "lid")),
    ], two_lids=[
        ("The lid on the people is # times too high", lambda seen, told: told >= 1 and
            (seen["lids"]["lid"]["high"] >= seen["lids"]["exact"]["high"] * (1 - 1e-5)).all()),
    ], rounded=[
        ("The exponent that is left is #, the printed one #: # times as many people for the same promise",
         lambda seen, left, printed, told: near(left / printed, told, 0.012) and told >= 1),
    ], half_bar=[
        ("The label is wrong if the score falls by the whole bar #, with probability #. The proof stops at "
         "half the bar and says #", lambda seen, bar, exact, said:
            exact <= said and near(2 * float(seen["tail"]["half"]["x"][0]), bar)),
    ], thin_cubes=[
        ("A cube is thin if the cube's share is at most # h", lambda seen, most: all(
            np.nanmax(np.append(law["thin"]["high"][~np.isnan(law["thin"]["left"])], 0)) <= most
            < np.nanmin(law["others"]["high"][~np.isnan(law["others"]["left"])])
            for law in (seen["law 0"], seen["law 1"]))),
        ("thin cubes decide for # of the people of two densities and # of the people of a Cantor set and its "
         "gaps; under no law for more than #", lambda seen, one, other, most: max(one, other) <= most),
        ("at most, whatever the law = #", lambda seen, most: near(
            100 * seen.at["thin"] * (1 + 2 * seen.at["h"]), most, most=0.051)),
    ], whole_chain=[
        ("The proof keeps #. With the factor # before it, it asks for # times as many people",
         lambda seen, kept, _, told: told >= 1 and kept <= seen["left"]["exact"]["high"][0]),
    ]),
    *scenes("consistency", {"explore": [
        ("all laws, all controls", lambda seen: {*seen.at} == {"problem", "alpha", "h", "n", "kappa"}),
        ("Dashes: the best rule", lambda seen: "best" in seen["fit"]),
    ]}),
    *scenes("proof_consistency", {"the bar": [
        ("Label # in the cube adds one half to the score T, label # takes one half", lambda seen, *_: all(
            np.nanmax(np.abs(seen["cube"][key]["y"])) == 0.5 for key in ("one", "zero label"))),
    ], "Chernoff": [
        ("Any slope λ gives a lid", lambda seen: below(seen, "tail", "exact", "lid")),
    ], "two lids": [
        ("a mean over n' people, half of all, and noise of scale b. People get a simpler bound; noise stays "
         "exact", lambda seen: near(5 / 32 * seen.at["n"] / 2 * (
            seen.at["alpha"] ** 2 * seen.at["p"] * (seen.at["share"] - 0.5) / 2 ** (2 * seen.at["d"] + 4)
            ) ** 2, float(seen["lids"]["lid"]["high"][0]), 1e-5)
            and seen["lids"]["lid"]["high"][0] > seen["lids"]["exact"]["high"][0]
            and seen["lids"]["lid"]["high"][1] == seen["lids"]["exact"]["high"][1]),
    ], "round": [
        ("the larger, the rarer the miss. A simple number, with d features, bounds it from below",
         lambda seen: seen["rest"]["bar 3"]["high"][0] < seen["rest"]["bar 2"]["high"][0]),
    ], "wrong side": [
        ("A label is wrong only if T falls by the whole bar: at most as often as T misses by half the bar",
         lambda seen: near(2 * float(seen["tail"]["half"]["x"][0]),
                           float(seen["tail"]["at exact"]["x"][0]), 1e-5)
            and seen["tail"]["at exact"]["y"][0] <= np.interp(
                seen["tail"]["half"]["x"][0], seen["tail"]["exact"]["x"], seen["tail"]["exact"]["y"])),
    ], "narrow cubes": [
        ("For any law some continuous g is near η, the chance of label #. In narrow cubes g hardly changes, "
         "so q/p comes near η", lambda seen, _:
            (np.diff(seen["distance"]["exact"]["y"]) > 0).all()),
    ], "thin cubes": [
        ("Thin cubes have a share of at most c h each. Whatever the law, thin cubes fit under the line "
         "together. Others hold more", lambda seen: all(
             float((sides["high"] * (sides["right"] - sides["left"]))[~np.isnan(sides["left"])].sum())
             <= float(((room["right"] - room["left"]) * room["high"])[0])
             for sides, room in ((law["thin"], law["room"]) for law in (seen["law 0"], seen["law 1"])))),
    ], "explore": [
        ("the exponent grows with n' α² h²ᵈ", lambda seen: near(
            seen.at["n"] / 2 * (seen.at["alpha"] * seen.at["p"] * (seen.at["share"] - 0.5) / 2) ** 2
            / 2 ** (2 * seen.at["d"] + 6), float(seen["left"]["steps"]["high"][-1]), 1e-5)),
    ]}),
]
