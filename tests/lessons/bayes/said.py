"""What the panels of notebook 06 say with comparatives, and when it is true: `tests/test_walk.py`."""

import numpy as np
from walk_facts import near, ordered, scenes, views, wasted


def risk_here(seen, rule):
    """The risk of a rule of notebook 06 with the people who are asked."""
    found = seen["risks"][rule]
    return float(found["y"][found["x"] == seen.at["n"]][0])


def people_around(seen):
    """How many people there are in the cell of the one who is alone, a list of one number."""
    found, place = seen["cells"]["people"], seen["cells"]["alone"]["x"][0]
    return found["high"][(found["left"] <= place) & (place <= found["right"])].tolist()


def lone(seen):
    """Whether the cell of the person who is alone is shown."""
    place = seen["cells"]["alone"]["x"][0]
    return bool((np.abs(seen["cells"]["shown"]["x"] - place) <= 0.125).any())


SAID = [
    *views("bayes", a_moves=[
        ("all changes add up to #", lambda seen, told: seen["length"]["this"]["right"].tolist() == [told]),
        ("Noise of scale # keeps the promise", lambda seen, scale: seen["length"]["this"]["right"][0] <= scale
            and seen.readout.get("scale 1: promise exceeded by", "0.000") == "0.000"),
        ("With noise of scale # the promise of ε = # is exceeded by a probability of δ = #",
         lambda seen, scale, _, delta: seen["length"]["this"]["right"][0] > scale and delta > 0),
        ("promise exceeded by = #", lambda seen, delta:
            (delta > 0) == (seen["length"]["this"]["right"][0] > 1)),
    ], law_that_hides=[
        ("a new law is made for every n", lambda seen: not seen.at["hold"]),
    ], cells_without_end=[
        ("one of them somebody who is alone", lambda seen: people_around(seen) == [1]),
        ("the cell of somebody who is alone is not among them", lambda seen: not lone(seen)),
        ("the cell of somebody who is alone is among them", lone),
        ("the lone person's cell shows = nothing", lambda seen: not lone(seen)),
        ("there is no gate", lambda seen: not seen.at["gated"] and "gate" not in seen["cells"]),
        ("gate = none: δ does nothing", lambda seen: not seen.at["gated"]),
    ], everything=[
        ("everybody is in one cell, half on either side of a border, and every rule on cells has excess "
         "risk # "
         "for every n", lambda seen, risk: all((seen["risks"][rule]["y"] == risk).all()
                                               for rule in ("central", "one bit", "local", "open"))),
        ("the exact excess risk is below # with a curator", lambda seen, most:
            risk_here(seen, "central") < most),
        ("curator = below #", lambda seen, most: risk_here(seen, "central") < most),
        ("below # without privacy", lambda seen, most: risk_here(seen, "open") < most),
        ("no privacy = below #", lambda seen, most: risk_here(seen, "open") < most),
        ("local reports need no δ", lambda seen: seen.at["model"] == "local"),
        ("none: no δ here", lambda seen: seen.at["model"] == "local"),
    ]),
    *views("proof_bayes", one_record=[
        ("by # in all, at most", lambda seen, most:
            (np.abs(seen["moves"]["moves"]["x"]) + np.abs(seen["moves"]["moves"]["y"])).max() == most),
        ("moves by at most = #", lambda seen, most:
            (np.abs(seen["moves"]["moves"]["x"]) + np.abs(seen["moves"]["moves"]["y"])).max() == most),
    ], plug_in=[
        ("The excess risk is #; twice the three errors add up to #", lambda seen, risk, bound: risk <= bound),
    ], three_parts=[
        ("noise #, at most #; sampling #, at most #; blur #, at most #", lambda seen, *found:
            all(ordered(*found[k:k + 2]) for k in (0, 2, 4))
            and (seen["three"]["exact"]["high"] <= seen["three"]["bound"]["high"] + 1e-7).all()),
    ], thin_cells=[
        ("A share of # of the people has at most # people in the cell; the proof allows #",
         lambda seen, share, k, allowed: share <= allowed and k == seen["crowding"]["k"]["x"][0]),
    ], full_cells_that_are_thin=[
        ("A full cell is thin with chance #; Chebyshev's inequality says #", lambda seen, exact, bound:
            exact <= bound),
    ], tends_to_zero=[
        ("From # to # people the bound falls from # to #, the exact risk from # to #",
         lambda seen, few, many, *found: found[0] > found[1] and found[2] > found[3]),
    ], whole_chain=[
        ("the exact excess risk is #, and the bound #: # times as much", lambda seen, exact, bound, told:
            exact <= bound and near(bound / exact, told, 0.012)),
    ]),
    *scenes("bayes", {"explore": [
        ("everybody", lambda seen: "one bit" in seen["risks"] and "local" in seen["risks"]),
        ("Dashes: the best", lambda seen: "best" not in seen["cells"] or seen["cells"]["best"]["x"].size > 0),
    ]}),
    *scenes("proof_bayes", {"one record": [
        ("With y − ½ one record moves two sums by at most # together", lambda seen, most:
            seen.at["added"] == "y" or seen.number("moves by at most") == most),
    ], "plug in": [
        ("A wrong label costs at most twice the error", lambda seen:
            seen.number("risk") <= seen.number("bound")),
    ], "three parts": [
        ("here only at walls, so #", lambda seen, blur: abs(seen["three"]["exact"]["high"][2] - blur) < 1e-9),
    ], "thin cells": [
        ("The proof gives up cells of at most k people", lambda seen:
            seen.number("in thin cells") <= seen.number("the proof allows")),
    ], "Chebyshev": [
        ("A full cell is hardly ever thin. Chebyshev's inequality does not know how rarely", lambda seen:
            seen["chebyshev"]["exact"]["y"][0] < seen["chebyshev"]["bound"]["y"][0] - 2),
    ], "tends to 0": [
        ("k grows slower than √n: noise and sampling vanish. Blur vanishes for every law: up to a small "
         "error, "
         "every truth is continuous", lambda seen: all(
            (np.diff(seen["tends"][key]["y"]) < 0).all() for key in ("exact", "bound"))),
    ], "explore": [
        ("A step's factor on paper is not its factor in people", lambda seen: (np.abs(
            np.diff(np.log10(seen["chain"]["chain"]["right"])) - wasted(seen)) > 0.04).all()),
    ]}),
]
