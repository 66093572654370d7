"""What panels say with comparatives: words, and the condition on the picture under which they are true.

`FIXED` has words of views, in the sentence below the picture and in the readout, which are the same wherever
they are said. `SENTENCES` and `AT_HOME` have words of scenes that have no fact of their own in
`tests/test_stories.py`, those of proofs, and of *explore*, whose sentence stands at every position. Before
sentences of other scenes panels say of which position they speak. A # stands for a number, which the
condition is given; `tests/test_walk.py` goes to all positions.
"""

import math
import re
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from ldp_lib.theory import people_bound

COMPARATIVE = re.compile(
    r"\b(?:more|fewer|less|least|most|better|best|worse|worst|hardly|nearly|above|below|beyond|outside|inside"
    r"|all|none|nobody|nothing|nowhere|never|always|every|everybody|everywhere|any|only|alone|enough|too"
    r"|twice|half|halves?|doubles?|same|cannot|impossible|exceed\w*|falls?|rises?|grows?|shrinks?|stays?"
    r"|(?:larg|small|tall|low|high|deep|narrow|wid|fin|long|short|likeli|loud|rar|sharp|simpl|cheap|loos|near"
    r"|full|farth)(?:er|est)|whatever|as (?:much|many)|(?<!a )(?<!said )(?<!or )no)\b", re.IGNORECASE)
"""Comparatives, superlatives, quantifiers and denials."""
NAMES = (
    "aged # and more", "all # =", "all answers =", "one label for all =", "all cells =",
    "times as many people =",
    "finest h", "everybody, ", "everybody's noise", "noise of everybody", "one bit from everybody",
    "no privacy =", "no privacy, p =", "only wavelets that see you", "best h, looked up", "same spacing =",
    "Everybody's noise", "With no mistake", "With half the noise", "With no noise on zeros",
    "'one seed for all surveys'", "'one seed for everybody'", "in all,", "in all =", "half-width",
    "people inside =", "over heavy halves",
)
"""Words that only name what a number is; whether it is right is not theirs to say."""
CHOSEN = ("what is wrong", "event")
"""Labels of readouts that tell of a mechanism, or of what an audit has found."""

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺·", "0123456789-+.")
NUMBER = re.compile(r"(?<!\w)[+−±×-]?(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
                    r"(?:·10[⁻⁰¹²³⁴-⁹]+|[⁻⁰¹²³⁴-⁹]+)?%?|∞")
"""As panels print one: 1,200, −0.5, ×2.74, 67%, 10⁶ and 1.78·10⁹."""


def value(words):
    """The number that is printed; shares of 100% as they stand.

    >>> [value(words) for words in ("×1,200", "−0.5", "67%", "10⁶", "1.5·10⁻³", "∞")]
    [1200.0, -0.5, 67.0, 1000000.0, 0.0015, inf]
    """
    words = words.strip("±×+%").replace("−", "-").replace(",", "")
    mantissa, _, exponent = words.partition("10") if re.search("[⁰-⁹⁻¹²³]", words) else (words, "", "")
    if words == "∞":
        return math.inf
    if not exponent:
        return float(mantissa)
    return float(mantissa.rstrip("·") or 1) * 10.0 ** int(exponent.translate(RAISED))


@cache
def masked(words):
    """`words` with # for its numbers."""
    return NUMBER.sub("#", words)


class Seen:
    """What is shown at a position: `seen["axes"]["mark"]` are its arrays."""

    def __init__(self, shown, at):
        self.shown, self.at, self.readout = shown, at, dict(shown.numbers)
        self.axes = {axes.key: {mark.key: mark.arrays for mark in axes.marks} for axes in shown.picture.axes}

    def __getitem__(self, key):
        return self.axes[key]

    def number(self, label, place=0):
        """A number of the readout."""
        return value(NUMBER.findall(self.readout[label])[place])

    def heights(self, axes, mark):
        """Signed heights of bars."""
        found = self[axes][mark]
        return np.where(found["high"] > 0, found["high"], found["low"])

    def pushes(self):
        """How far, and where to, the arrows of the needle push; the longest leave the picture."""
        found = [arrays["x1"] - arrays["x0"] for key, arrays in self["needle"].items() if key[:5] == "push "]
        return np.concatenate([np.zeros(1), *found])


def near(found, told, relative=0.006, most=0.0):
    """Whether what is told is what is found, as far as three digits tell."""
    return found == told or abs(found - told) <= relative * abs(told) + most


def ordered(*values):
    """Whether no value is larger than the next, as they are printed."""
    return all(low <= high for low, high in zip(values, values[1:]))


def slope(line):
    """Of a line whose axes are logarithmic."""
    return float(np.polyfit(np.log(line["x"].astype(float)), np.log(line["y"].astype(float)), 1)[0])


def costs(seen):
    """How many times the people it costs to see half the width: by the slopes of bar and noise."""
    found = seen["scales"]
    return [2 ** (2 * (slope(found["bar"]) - slope(found[noise])))
        for noise in ("noise", "open") if noise in found]


def least_at(line):
    """Where a line is lowest, and how low."""
    k = int(np.nanargmin(line["y"]))
    return float(line["x"][k]), float(line["y"][k])


def between(seen):
    """The distances between the curve and the sum, of 05."""
    return seen["curve"]["distance"]["high"] - seen["curve"]["distance"]["low"]


def above_half(powers, r):
    """The share of the sum of distances to the power r from those of more than half the largest."""
    return powers[powers > powers.max() / 2**r].sum() / powers.sum()


def up_to(line, end):
    """The heights of a line up to this place."""
    return line["y"][line["x"] <= end]


def below(seen, axes, low, high):
    """Whether a line never stands above another one, as far as they are drawn."""
    first, second = (seen[axes][key]["y"] for key in (low, high))
    both = np.isfinite(first) & np.isfinite(second)
    return bool((first[both] <= second[both] + 1e-4 * (1 + np.abs(second[both]))).all())


def within_walls(seen, low, high):
    """Whether a belief after a report, either one, is between these percentages."""
    found = seen["steps" if "steps" in seen.axes else "every prior"]
    return low / 100 - 6e-4 <= found["no"]["y"][0] and found["yes"]["y"][0] <= high / 100 + 6e-4


def longest(seen, told):
    """Whether the longest push is as long as is told."""
    if math.isinf(told):
        return "needle" not in seen.axes or np.abs(seen.pushes()).max() > 5
    return near(np.abs(seen.pushes()).max(), told, most=0.006)


def true_loss(seen):
    """Of a mechanism in the laboratory; ∞ where nobody knows it."""
    return math.inf if seen.readout["true loss"] == "not known" else seen.number("true loss")


def best_level(k):
    """Whether the linear risk is least at the level that the k-th number is."""
    return lambda seen, *numbers: least_at(seen["risk"]["total"])[0] == numbers[k]


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


def no_less(seen):
    """Whether a step of the proof makes nobody cost less."""
    found = seen["cost"]
    return bool((found["before"]["high"] <= found["after"]["y"] * (1 + 1e-4) + 1e-6).all())


def wasted(seen):
    """Decimal logarithms of the factors of people of all steps, from the first."""
    found = [seen["waste"][key] for key in ("before", "now") if key in seen["waste"]]
    low, left, right = (np.concatenate([each[side] for each in found]) for side in ("low", "left", "right"))
    return (right - left)[np.argsort(-low)]


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
    signal = seen.heights("die", "signal")
    return np.allclose(np.abs(signal), excess) and abs(signal.sum()) < 1e-6 and signal.size == faces


def in_every_direction(K, alpha):
    """What subset selection of the best number of faces tells in each direction."""
    shares = np.arange(1, K) / K
    spread = shares * (1 - shares) * math.expm1(alpha) ** 2 / (1 + shares * math.expm1(alpha)) ** 2
    return K * spread.max() / (K - 1)


class Said(NamedTuple):
    """Words of a view of a panel (of a scene, in `SENTENCES`), and when they are true.

    told(seen, *numbers) : is given what is shown and the numbers in the words.
    """

    panel: str
    view: str
    words: str
    told: object


def of(panel, **views):
    """`Said` of a panel, by its views: pairs of words and a condition."""
    return [Said(panel, view, *pair) for view, pairs in views.items() for pair in pairs]


FIXED = [
    *of("start", people=[
        ("# of # persons worked all year", lambda seen, yes, _: len(seen["people"]["yes"]["x"]) == yes),
        ("the square is the same for yes and no", lambda seen: {*seen.at} == {"place", "answered"}),
        ("yes = # of #", lambda seen, yes, people: len(seen["people"]["yes"]["x"]) == yes <= people),
    ], belief=[
        ("it can never leave # to #", within_walls),
        ("at most = #", lambda seen, most: within_walls(seen, 0, most) and most < 100),
        ("at least = #", lambda seen, least: within_walls(seen, least, 100) and least > 0),
    ], everything=[
        ("it can never leave # to #", within_walls),
        ("belief at most = #", lambda seen, most: within_walls(seen, 0, most) and most < 100),
    ]),
    *of("ldp_check", one_needle=[
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
    *of("laboratory", laboratory=[
        ("it spends at least #", lambda seen, least: least <= true_loss(seen) + 0.005),
        ("spends at least = #", lambda seen, least: least <= true_loss(seen) + 0.005),
        ("they prove only that it spends # or more", lambda seen, least: least <= seen.at["alpha"] + 0.005),
        ("curve errs with probability = # at most", lambda seen, most: most == 1e-6),
        ("what is wrong = nothing", lambda seen: seen.readout["verdict"] == "not refuted"
            and true_loss(seen) <= seen.at["alpha"] + 0.005),
    ]),
    *of("proof_ldp_check", one_number=[
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
    *of("consistency", bars_in_noise=[
        ("the tallest bar #", lambda seen, told: near(np.abs(seen.heights("tide", "signal")).max(), told)),
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
    *of("proof_consistency", chernoff=[
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
        ("thin cubes decide for # of the people of two densities and # of the people of a Cantor set; under "
         "no law for more than #", lambda seen, one, other, most: max(one, other) <= most),
        ("at most, whatever the law = #", lambda seen, most: near(
            100 * seen.at["thin"] * (1 + 2 * seen.at["h"]), most, most=0.051)),
    ], whole_chain=[
        ("The proof keeps #. With the factor # before it, it asks for # times as many people",
         lambda seen, kept, _, told: told >= 1 and kept <= seen["left"]["exact"]["high"][0]),
    ]),
    *of("upper_rate", who_adds_noise=[
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
    *of("proof_upper_rate", cost=[
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
    *of("assouad", cost_times_hidden=[
        ("hidden, any / one bit = # / #", lambda seen, any_, bit: any_ <= bit + 6e-4),
        ("largest area = #", lambda seen, largest: seen.number("area = bound") <= largest),
    ], your_bit=[
        ("This bit spends #, more than α = #: it is refused", lambda seen, spent, budget:
            seen.number("budget spent") > budget),
        ("the best analyst's risk is # times the bound", lambda seen, told: told >= 1),
    ], everything=[
        ("no private rule has a worst-case excess risk below #; one bit from everybody has # on this "
         "hypercube, # times as much", lambda seen, bound, own, told:
            bound <= own and near(own / bound, told, 0.02)),
        ("find out every sign of this hypercube: it proves nothing", lambda seen:
            seen["ladder"]["rungs"]["right"][2] < 1e-6),
        ("TV at most = #", lambda seen, most: seen.number("1 − overlap (TV), one bit") <= most + 1e-4),
        ("lower bound = #", lambda seen, bound: seen.number("as printed in the paper (2n)") <= bound),
    ]),
    *of("proof_assouad", all_signs=[
        ("The risk of the worst signs is #, of the average over all signs #", lambda seen, worst, mean:
            near(seen["signs"]["risks"]["high"].max(), worst) and mean <= worst),
        ("least for one bit: (m/#)Δ(# − TV) = #", lambda seen, _, __, least: least <= seen.number("average")),
        ("worst = #", lambda seen, worst: seen.number("average") <= worst),
    ], one_sign_at_a_time=[
        ("Every sign adds #, Δ times the chance of a wrong guess; together #", lambda seen, one, together:
            near(8 * one, together) and (np.abs(np.ptp(
                seen["sums"]["parts"]["high"] - seen["sums"]["parts"]["low"])) < 1e-7)),
        ("all eight = #", lambda seen, together: near(8 * seen.number("one sign"), together)),
    ], two_errors=[
        ("the two errors add up to #; the hills overlap by #", lambda seen, errors, hidden: errors >= hidden),
    ], pinskers_lid=[
        ("TV is #; Pinsker's lid is #, # times as much", lambda seen, tv, lid, told:
            tv <= lid and near(lid / tv, told, 0.012) and below(seen, "pinsker", "exact", "lid")),
    ], constants_of_one_report=[
        ("No report exceeds c = #; a short proof gives #, and the constant of the paper is #: # and # times "
         "as much", lambda seen, best, simple, printed, first, second: ordered(best, simple, printed)
            and near(simple / best, first, 0.012) and near(printed / best, second, 0.012)),
    ], lower_bounds=[
        ("Nobody has less risk than: best possible #", lambda seen, best: ordered(
            *np.concatenate([seen["ladder"][key]["right"] for key in ("best", "rungs")])[::-1])),
    ], whole_ledger=[
        ("# times", lambda seen, told: near(10 ** float(seen["slacks"]["slack"]["right"].max()), told)),
    ]),
    *of("elbow", a_curve=[
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
    *of("proof_elbow", noise_scales=[
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
    *of("bayes", a_moves=[
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
    *of("proof_bayes", one_record=[
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
    *of("beyond", her_report=[
        ("and every number gets noise of standard deviation #", lambda seen, told:
            near(float(seen["numbers"]["noise"]["high"][0]), told)),
    ], one_bit=[
        ("at most # in the others", lambda seen, most: near(
            np.sort(np.abs(seen.heights("decoded", "seen")))[-2], most, most=0.006)),
        ("in other cells, at most = #", lambda seen, most: near(
            np.sort(np.abs(seen.heights("decoded", "seen")))[-2], most, most=0.006)),
    ], three_levels=[
        ("all bars are # tall", lambda seen, told: all(
            near(height, told) for height in np.abs(seen.heights("levels", "signal bit")))),
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
    *of("proof_beyond", two_chances=[
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
    *of("second_question", a_die=[
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
        ("answered by the same reports", lambda seen: seen.number("simulated") == 20_000),
        ("simulated = all of #", lambda seen, dice:
            dice == 20_000 and seen.at["judge"] == "the same reports"),
    ], exponents=[
        ("the powers are no privacy #,", lambda seen, power:
            near(min(4 * seen.at["s"] / (4 * seen.at["s"] + 1), 0.5), power, most=0.0006)),
    ], everything=[
        ("fewer than # are proved too few", too_few_here), ("proved too few = below #", too_few_here),
    ]),
    *of("proof_second_question", one_answer=[
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
]

SENTENCES = [
    *of("ldp_check", explore=[
        ("Right: what any test can reach", lambda seen: (seen["tests"]["best"]["y"] <= np.minimum(
            math.exp(seen.at["alpha"]) * seen["tests"]["best"]["x"],
            1 - math.exp(-seen.at["alpha"]) * (1 - seen["tests"]["best"]["x"])) + 1e-4).all()),
        ("All controls. In the second half people send label times array: zeros, if it is #", lambda seen,
            zero:
            seen.at["half"] == 1 or seen.at["y"] or value(seen.readout["ones in yB"].split()[0]) == zero),
    ]),
    *of("consistency", explore=[
        ("all laws, all controls", lambda seen: {*seen.at} == {"problem", "alpha", "h", "n", "kappa"}),
        ("Dashes: the best rule", lambda seen: "best" in seen["fit"]),
    ]),
    *of("upper_rate", explore=[
        ("one n and all h on the left; all n", lambda seen: {"compromise", "people"} == {*seen.axes}),
    ]),
    *of("bayes", explore=[
        ("everybody", lambda seen: "one bit" in seen["risks"] and "local" in seen["risks"]),
        ("Dashes: the best", lambda seen: "best" not in seen["cells"] or seen["cells"]["best"]["x"].size > 0),
    ]),
    *of("beyond", explore=[
        ("the factor above the curves counts people", lambda seen: "n" in seen["risk"]),
    ]),
    *of("price", explore=[
        ("each way with its best cells", lambda seen: (np.diff([seen["price"][way]["left"].size for way in
            ("open", "curator", "one bit each", "cells", "cubes")]) >= 0).all()),
    ]),
    *of("proof_ldp_check", **{"one number": [
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
    *of("proof_consistency", **{"the bar": [
        ("Label # in the cube adds one half to the score T, label # takes one half", lambda seen, *_: all(
            np.nanmax(np.abs(seen["cube"][key]["y"])) == 0.5 for key in ("one", "zero label"))),
    ], "two lids": [
        ("Half of the people are n'", lambda seen: near(5 / 32 * seen.at["n"] / 2 * (
            seen.at["alpha"] ** 2 * seen.at["p"] * (seen.at["share"] - 0.5) / 2 ** (2 * seen.at["d"] + 4)
            ) ** 2, float(seen["lids"]["lid"]["high"][0]), 1e-5)),
        ("for the people the proof takes a simpler, larger number", lambda seen:
            seen["lids"]["lid"]["high"][0] > seen["lids"]["exact"]["high"][0]),
    ], "round": [
        ("The paper prints a simpler, smaller exponent", lambda seen:
            seen["rest"]["bar 3"]["high"][0] < seen["rest"]["bar 2"]["high"][0]),
    ], "wrong side": [
        ("the score must fall by the whole bar. The proof uses only half of the bar", lambda seen: near(
            2 * float(seen["tail"]["half"]["x"][0]), float(seen["tail"]["at exact"]["x"][0]), 1e-5)),
    ], "narrow cubes": [
        ("In narrow cubes g hardly changes: q/p comes near η, for any law", lambda seen:
            (np.diff(seen["distance"]["exact"]["y"]) > 0).all()),
    ], "thin cubes": [
        ("Thin cubes have a share of at most c h each. Whatever the law, thin cubes fit under the line "
         "together. Others hold more", lambda seen: all(
             float((sides["high"] * (sides["right"] - sides["left"]))[~np.isnan(sides["left"])].sum())
             <= float(((room["right"] - room["left"]) * room["high"])[0])
             for sides, room in ((law["thin"], law["room"]) for law in (seen["law 0"], seen["law 1"])))),
    ], "explore": [
        ("how many times as many people", lambda seen: near(
            10 ** float(wasted(seen).sum()), seen.number("in all, times as many people"))),
    ]}),
    *of("proof_upper_rate", **{"shells": [
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
    *of("proof_assouad", **{"average": [
        ("The worst signs cost at least the average over all signs, whatever the analyst does", lambda seen:
            seen["signs"]["risks"]["high"].max() >= seen["signs"]["average"]["y"][0] * (1 - 1e-6)),
    ], "one sign": [
        ("counts each sign alone", lambda seen: len(seen["sums"]["parts"]["high"]) == 8),
    ], "test": [
        ("The two errors never add up to less than the overlap", lambda seen:
            seen.number("both errors") >= seen.number("overlap = 1 − TV")),
    ], "contraction": [
        ("privacy keeps every person's chances within e to the α", lambda seen:
            (seen["strip"]["lids"]["right"] >= seen["strip"]["best"]["right"][0]).all()),
    ], "choose q": [
        ("Each line chooses its best q, now at γ = # instead of ½. Most is lost in the closed form",
            lambda seen, *_:
            bool(
            np.diff(np.concatenate([seen["ladder"][key]["right"]
                for key in ("best", "rungs")])).argmin() == 3)),
    ], "explore": [
        ("All lines of the ledger that may waste", lambda seen:
            seen["slacks"]["slack"]["right"].min() > -1e-6),
    ]}),
    *of("proof_elbow", **{"noise scale": [
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
    *of("proof_bayes", **{"one record": [
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
    *of("proof_beyond", **{"private": [
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
    *of("second_question", explore=[
        ("all controls", lambda seen: {*seen.at} == {"K", "alpha", "n", "delta", "rounds", "coins"}),
    ]),
    *of("proof_second_question", **{"one answer": [
        ("may be at most e to the α times as likely", lambda seen:
            near(float(seen["variance"]["ceiling"]["y"][0]), math.sinh(seen.at["alpha"] / 2) ** 2)),
    ], "directions": [
        ("people tell the same in every direction. Asked about one half, they tell more in that one", lambda
            seen: seen.number("one direction") > seen.number("every direction")),
    ], "even questions": [
        ("ask about all faces alike. Which half is heavy nobody knows", lambda seen:
            seen["power"]["most"]["y"].max() <= 1),
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
"""Of scenes without a fact: true at every position of the scene, and in *explore* also said there."""

AT_HOME = [
    *of("laboratory", **{"climb": [
        ("Half the noise", lambda seen: seen.at["mechanism"] == "half the noise"),
    ], "what the audit cannot see": [
        ("The audit passes float noise. Most of its outputs exclude the wrong input", lambda seen:
            seen.readout["verdict"] == "not refuted" and seen["shares"]["textbook"]["right"][0] > 0.5),
    ], "loud and quiet": [
        ("with less noise, more outputs have bits that x = # cannot have", lambda seen, _: near(
            float(seen["shares"]["textbook"]["right"][1]), float(seen["shares"]["exact"]["x"][0]),
                most=0.02)),
    ]}),
    *of("proof_upper_rate", **{"far shells": [
        ("where nobody can be. This wastes the most", lambda seen: wasted(seen).argmax() == 5),
    ], "choose h": [
        ("With # million people, cubes # times as wide halve the bound with exact chances", lambda seen, _,
            wide:
            near(least_at(seen["choice"]["sharp"])[0], wide, 0.02)
            and near(2 * least_at(seen["choice"]["sharp"])[1], seen.number("with exact chances"), 0.06)),
    ]}),
    *of("proof_elbow", **{"two elbows": [
        ("At s = # and r = #: where the lever tips the exponent bends, with privacy at a larger p, here "
         "further left", lambda seen, s, r: (s, r) == (seen.at["s"], seen.at["r"]) and
            seen["exponents"]["private elbow"]["x"][0] < seen["exponents"]["open elbow"]["x"][0]),
    ]}),
    *of("proof_beyond", **{"what is left": [
        ("hard for every private report, with a lower bound. One bit comes near it", lambda seen: below(
            seen, "left", "bit", "paper") and 1 <= seen["left"]["bit"]["y"].min()
            and seen["left"]["bit"]["y"].max() < 1.75),
    ]}),
]
"""True where the scene begins; elsewhere the panel says of which position they speak."""
