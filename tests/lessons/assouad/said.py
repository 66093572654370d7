"""What the panels of notebook 04 say with comparatives, and when it is true: `tests/test_walk.py`."""

import numpy as np
from walk_facts import below, near, ordered, scenes, views

SAID = [
    *views("assouad", cost_times_hidden=[
        ("hidden, any mechanism / one bit = # / #", lambda seen, any_, bit: any_ <= bit + 6e-4),
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
    *views("proof_assouad", all_signs=[
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
    *scenes("proof_assouad", {"average": [
        ("The worst signs cost at least the average over all signs, whatever the analyst does", lambda seen:
            seen["signs"]["risks"]["high"].max() >= seen["signs"]["average"]["y"][0] * (1 - 1e-6)),
    ], "one sign": [
        ("counts each sign alone", lambda seen: len(seen["sums"]["parts"]["high"]) == 8),
    ], "test": [
        ("The two errors never add up to less than the overlap", lambda seen:
            seen.number("both errors") >= seen.number("overlap = 1 − TV")),
    ], "contraction": [
        ("privacy keeps every person's chances within e to the α", lambda seen:
            (seen["constants"]["lids"]["right"] >= seen["constants"]["best"]["right"][0]).all()),
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
]
