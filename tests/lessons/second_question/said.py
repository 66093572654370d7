"""What the panels of notebook 08 say with comparatives, and when it is true: `tests/test_walk.py`."""

import math

import numpy as np
from scipy.stats import binom, hypergeom
from walk_facts import near, scenes, views

from ldp_lib.theory import people_bound


def too_few(K, alpha, delta):
    """How many people are proved too few for any protocol: level 5%, power 80%; in closed form."""
    kappa = -math.log1p(-delta**2) / (2 * delta**2)
    asked = 0.05 * math.log(0.05 / 0.8) + 0.95 * math.log(0.95 / 0.2)
    return math.ceil(asked * (K - 1) / (kappa * math.sinh(alpha / 2) ** 2 * delta**2))


def too_few_here(seen, told):
    """`too_few` at this position, in three digits or all."""
    return near(too_few(seen.at["K"], seen.at["alpha"], seen.at["delta"]), told)


def half_and_half(seen, excess, _, faces):
    """Whether so many faces are too heavy by the excess, or too light by it, and both equally often."""
    signal = seen.heights("signal", "die")
    return np.allclose(np.abs(signal), excess) and abs(signal.sum()) < 1e-6 and signal.size == faces


def shared_faces(seen):
    """Whether the bars are the chances of all numbers of faces that two random halves share."""
    half = seen.at["faces"] // 2
    chances = hypergeom.pmf(np.arange(half + 1), 2 * half, half, half)
    return np.allclose(seen.heights("agree", "agree"), chances, atol=1e-6)


def in_every_direction(K, alpha):
    """What subset selection of the best number of faces tells in each direction."""
    shares = np.arange(1, K) / K
    spread = shares * (1 - shares) * math.expm1(alpha) ** 2 / (1 + shares * math.expm1(alpha)) ** 2
    return K * spread.max() / (K - 1)


SAID = [
    *views("second_question", a_die=[
        ("Heavy faces have # times #/# too much, light ones as much too little", half_and_half),
    ], two_rows=[
        ("has at most the information # in each direction that it tells of", lambda seen, most: near(most, {
            1: seen.at["K"] / (seen.at["K"] - 1) * math.sinh(0.5) ** 2,
            2: seen.at["K"] * math.tanh(0.5) ** 2}[seen.at["rounds"]])),
    ], people_against_faces=[
        ("Fewer than # are proved too few for one round that asks about all directions alike, fewer than # "
         "for all protocols", lambda seen, even, every: too_few_here(seen, every)
            and near(people_bound(seen.at["K"], seen.at["alpha"], seen.at["delta"], protocol="even"), even)),
        ("proved too few = below #", too_few_here),
    ], who_judges=[
        ("Nobody tells more than α = #", lambda seen, alpha:
            alpha == (2 if seen.at["judge"] == "the same people again" else 1)),
        ("answered by the same people again", lambda seen: "2" in seen.readout["a person tells"]),
        ("answered by the same reports", lambda seen: seen.readout["fair dice called unfair"] == "all"),
        ("fair dice called unfair = all", lambda seen: seen.at["judge"] == "the same reports"),
    ], exponents=[
        ("the powers are no privacy #,", lambda seen, power:
            near(min(4 * seen.at["s"] / (4 * seen.at["s"] + 1), 0.5), power, most=0.0006)),
    ], everything=[
        ("fewer than # are proved too few", too_few_here), ("proved too few = below #", too_few_here),
    ]),
    *views("proof_second_question", one_answer=[
        ("With # faces an answer says most if it favours # of them", lambda seen, faces, best:
            seen["variance"]["faces"]["y"].max() - seen["variance"]["faces"]["y"][int(best) - 1] < 1e-6),
    ], directions=[
        ("A question about a half tells # in one, # times as much", lambda seen, one, times:
            near(seen.at["faces"] * math.tanh(seen.at["alpha"] / 2) ** 2, one)
            and near(one / in_every_direction(seen.at["faces"], seen.at["alpha"]), times, 0.012)),
        ("times as much = × #", lambda seen, times:
            near(seen.number("one direction") / seen.number("every direction"), times, 0.012)),
        ("every direction = #", lambda seen, told:
            near(in_every_direction(seen.at["faces"], seen.at["alpha"]), told)),
    ], fixed_questions=[
        ("With fewer than # people even questions about # faces cannot reach a power of # at level #", lambda
            seen, people, faces, power, level: (power, level, faces) == (0.8, 0.05, seen.at["faces"])
            and near(people_bound(faces, seen.at["alpha"], seen.at["delta"], protocol="even"), people)),
    ], any_protocol=[
        ("With fewer than # people no questions about # faces reach a power of # at level #, whatever they "
         "depend on", lambda seen, people, faces, power, level: (power, level) == (0.8, 0.05)
            and near(too_few(faces, seen.at["alpha"], seen.at["delta"]), people)),
        ("any protocol needs = #", lambda seen, people:
            near(too_few(seen.at["faces"], seen.at["alpha"], seen.at["delta"]), people)),
    ], other_people=[
        ("in # of all surveys", lambda seen, share: share <= 5 and near(100 * binom.sf(
            seen.number("called unfair from") - 1, seen.at["asked"],
            0.5 + math.tanh(seen.at["alpha"] / 2) * (seen.at["suspects"] / 16 - 0.5)), share, most=0.06)),
    ], no_face_takes_away=[
        ("The suspects hold # of all people more than their fair share", lambda seen, gain: gain >= 0
            and near(100 * seen.at["delta"] * (seen.number("faces judged right") / seen.at["faces"] - 0.5),
                     gain, most=6 * seen.at["delta"] / seen.at["faces"] + 0.006)),
    ], everything=[
        ("With # faces no protocol gets by with fewer than #", lambda seen, faces, people:
            near(too_few(faces, seen.at["alpha"], seen.at["delta"]), people)),
        ("any protocol needs = #", lambda seen, people:
            near(too_few(256, seen.at["alpha"], seen.at["delta"]), people)),
        ("From # faces on even questions need more than the limit of two rounds", lambda seen, faces:
            seen.number("even questions need") > seen.number("two rounds, 256 faces")
            and faces in seen["people"]["even"]["x"]),
    ]),
    *scenes("second_question", {"explore": [
        ("all controls", lambda seen: {*seen.at} == {"K", "alpha", "n", "delta", "rounds", "coins"}),
    ]}),
    *scenes("proof_second_question", {"one answer": [
        ("may be at most e to the α times as likely for a share w of all faces. Which w tells most", lambda
            seen:
            near(float(seen["variance"]["ceiling"]["y"][0]), math.sinh(seen.at["alpha"] / 2) ** 2)),
    ], "directions": [
        ("in all directions together, f′Mf in direction f. Asked about one half, people tell more there",
         lambda seen: seen.number("one direction") > seen.number("every direction")),
    ], "even questions": [
        ("ask about all faces alike. Two random halves share H faces. This limits χ²", lambda seen:
            seen["power"]["most"]["y"].max() <= 1 and shared_faces(seen)),
    ], "any protocol": [
        ("may depend on all answers before. If the die is fair, these say nothing about the heavy half",
         lambda seen: "whatever they depend on" in seen.shown.says),
    ], "the gain": [
        ("Heavy faces are suspect more often, light ones less often. Both bring too many yes; no face takes "
         "away", lambda seen: (seen["suspect"]["heavy"]["y"] >= seen["suspect"]["fair"]["y"] - 1e-6).all()
            and (seen["suspect"]["light"]["y"] <= seen["suspect"]["fair"]["y"] + 1e-6).all()
            and (seen.heights("added", "added") >= 0).all()),
    ]}),
]
