"""What the panels of notebook 07 say with comparatives, and when it is true: `tests/test_walk.py`."""

import math

import numpy as np
from walk_facts import at_home, below, near, ordered, scenes, views


def in_other_cells(seen):
    """The most that bits say of a cell that is not hers: the area of its square; a full one says 1/2."""
    sides = [seen["decoded"][key]["right"] - seen["decoded"][key]["left"] for key in ("plus", "minus")]
    return np.sort(np.maximum(*sides))[-2] ** 2 / (0.9 * 0.25) ** 2 / 2


SAID = [
    *views("beyond", her_report=[
        ("and every number gets noise of standard deviation #", lambda seen, told:
            near(float(seen["numbers"]["noise"]["high"][0]), told)),
    ], one_bit=[
        ("at most # in the others", lambda seen, most: near(in_other_cells(seen), most, most=0.006)),
        ("in other cells, at most = #", lambda seen, most: near(in_other_cells(seen), most, most=0.006)),
    ], three_levels=[
        ("all bars are # tall", lambda seen, told: all(
            near(height, told) for height in np.abs(seen.heights("signal bit", "levels")))),
    ], without_blocks=[
        ("as many people for the same level", lambda seen: seen.at["steps"] == 0),
        ("# times fewer people for the same level", lambda seen, told: told > 1 and seen.at["steps"] > 0),
        ("times fewer people = #", lambda seen, told: told >= 1),
    ], kinder_comparisons=[
        ("With cells as wide as cubes cells need # times fewer people at d = #, with cells half as wide #",
         lambda seen, wide, _, narrow: wide > narrow > 1),
        ("one bit needs # times fewer people on the law shown", lambda seen, told:
            told > 1 and near(np.nanmin(seen["gallery"]["factor"]["x"]), told, 0.05)),
        ("from # to # times fewer people on the laws shown", lambda seen, least, most:
            1 <= least <= most and np.nanmin(seen["gallery"]["factor"]["x"]) >= 1),
        ("from # times more to # times fewer people on the laws shown", lambda seen, more, fewer:
            near(1 / np.nanmin(seen["gallery"]["factor"]["x"]), more, 0.05)),
        ("least = #", lambda seen, least: least <= seen.number("most")),
        ("most = #", lambda seen, most: near(np.nanmax(seen["gallery"]["factor"]["x"]), most, 0.05)),
    ], learnt_width=[
        ("the best h on cells is right # of the time", lambda seen, told:
            near(seen.number("best h, looked up"), told)),
        ("all widths are more often right", lambda seen:
            seen.number("mean of 12 simulated fits") > seen.number("best h, looked up")),
        ("cells are more often right", lambda seen:
            seen.number("mean of 12 simulated fits") <= seen.number("best h, looked up")),
    ], public_pattern=[
        ("the privacy loss is at most #", lambda seen, most: not seen.at["own"]
            and np.ptp(seen["found"]["chance"]["high"]) == 0),
    ], everything=[
        ("# times as many", lambda seen, told: told >= 1),
        ("best #;", lambda seen, best: best <= min(map(seen.number, ("cells", "one bit", "majority")))),
        # It has the least noise of all; where its cells fit the law worse, the sentence says so.
        ("best = #", lambda seen, best: best <= min(map(seen.number, ("cells", "one bit"))) and (
            best <= seen.number("excess risk, exact: the paper's")
            or "in cells that fit this law worse" in seen.shown.says)),
    ]),
    *views("proof_beyond", two_chances=[
        ("Every pattern and bit has the probability # or #", lambda seen, flipped, kept:
            flipped < kept and near(flipped + kept, 0.25, 0.012)),
        ("The largest log ratio is #; the budget is #", lambda seen, loss, budget: loss <= budget),
        ("largest log ratio = #", lambda seen, loss: loss <= seen.number("α")),
    ], three_variances=[
        ("# for the paper's report, # for cells and # for one bit: # and # times as many",
         lambda seen, paper, cells, bit, first, second: near(paper / cells, first, 0.012)
            and near(paper / bit, second, 0.012) and min(first, second) >= 1),
    ], wrong_label=[
        ("A cell costs at most # noise levels; Cantelli's inequality says #: # times as many people",
         lambda seen, exact, lid, told: exact <= lid and near(seen["cost"]["exact"]["y"].max(), exact)
            and below(seen, "cost", "exact", "cantelli")),
        ("exact, at most = #", lambda seen, exact: near(seen["cost"]["exact"]["y"].max(), exact)),
    ], all_cells=[
        ("the exact risk is #; the bound adds # for the best labels and # for noise",
         lambda seen, exact, labels, noise: exact <= 1.006 * (labels + noise) and labels <= 1.006 * exact),
    ], what_is_left=[
        ("one bit has # to # times the lower bound, the paper's report # to # times",
         lambda seen, least, most, *paper: ordered(1, least, most) and ordered(1, *paper)),
        ("one bit / bound, at most = #", lambda seen, most: near(seen["left"]["bit"]["y"].max(), most)),
    ], everything=[
        ("one bit has # to # times the lower bound, the paper's report # to # times",
         lambda seen, least, most, *paper: ordered(1, least, most) and ordered(1, *paper)),
        ("one bit / bound, at most = #", lambda seen, most: near(seen["left"]["bit"]["y"].max(), most)),
    ]),
    *scenes("beyond", {"explore": [
        ("the factor above the curves counts people", lambda seen: "n" in seen["risk"]),
    ]}),
    *scenes("proof_beyond", {"private": [
        ("Any two people send any pattern and bit with chances that differ at most by the factor e to the α",
         lambda seen: near(float(np.divide(*seen["chances"]["chances"]["high"][::-1])),
                           math.exp(seen.at["alpha"]), 1e-4)),
    ], "unbiased": [
        ("Any other cell has her sign in half of the patterns, and the opposite sign in the other half",
         lambda seen: seen.at["own"] == seen.at["other"] or seen.number("mean, this cell") == 0),
    ], "variance": [
        ("more noise, half of the people for each question, two noisy means. Against cells, one bit "
         "saves only "
         "at small budgets", lambda seen: (seen.number("one bit") > seen.number("cells"))
            == (seen.at["alpha"] <= 2)),
    ], "wrong label": [
        ("it costs twice its bar, here m noise levels. However many people, on average at most "
         "one noise level",
         lambda seen: seen["cost"]["exact"]["y"].max() <= 1),
    ], "all cells": [
        ("All cells together cost at most their noise levels. Add what the best labels of the cells cost",
         lambda seen: seen["sum"]["exact"]["high"][0] <= seen["sum"]["noise"]["high"][0] * (1 + 1e-5)),
    ], "explore": [
        ("over their lower bound", lambda seen: min(
            seen["left"][key]["y"].min() for key in ("bit", "paper")) >= 1),
    ]}),
    *at_home("proof_beyond", {"what is left": [
        ("hard for every private report, with a lower bound. One bit comes near it", lambda seen: below(
            seen, "left", "bit", "paper") and 1 <= seen["left"]["bit"]["y"].min()
            and seen["left"]["bit"]["y"].max() < 1.75),
    ]}),
]
