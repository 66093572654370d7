"""The office: plans a survey, invites people, counts what collectors have taken, and learns.

    python examples/office.py plan survey.json --alpha 1 --h 0.125 --law sine --risk 0.05
    python examples/office.py letters survey.json 1000 http://127.0.0.1:8101 http://127.0.0.1:8102
    python examples/office.py count survey.json collector-1.sqlite reports-1.json
    python examples/office.py learn survey.json reports-1.json reports-2.json

Aggregate files of any origin merge, if they are of the same mechanism and of different people.
"""

import argparse
import csv
import json
import os
import secrets
import sqlite3
from functools import reduce
from pathlib import Path

from journal import TOKEN_BYTES, Journal
from survey import address, read_rule, rule_of

from ldp_lib.nature import PROBLEMS, problem
from ldp_lib.privacy import CellAggregate, message_bytes, sum_messages
from ldp_lib.privacy.registry import CELL_MECHANISMS
from ldp_lib.risk import excess_risk, people_needed


def plan(given):
    """Write the survey, and say how many people it takes if the law were the one that is assumed."""
    law = problem(given.law)
    survey = {"mechanism": given.mechanism, "alpha": given.alpha, "h": given.h, "d": law.d}
    asked = json.dumps(survey) + "\n"
    try:  # what cannot be is not written
        rule, mechanism = rule_of(survey)
        n = people_needed(rule, law, given.risk)
    except ValueError as wrong:
        raise SystemExit(f"No plan was written: {wrong}") from None
    if given.survey.exists() and given.survey.read_text(encoding="utf-8") != asked:
        raise SystemExit(f"{given.survey} holds another plan, and people may have letters for it. Take "
                         "another name; or delete it, if nobody was invited.")
    given.survey.write_text(asked, encoding="utf-8")
    print(f"{mechanism!r}: {message_bytes(mechanism)} bytes a person")
    if n is None:
        raise SystemExit(f"No number of people brings the excess risk on {given.law} to {given.risk:g}; "
                         "lower h.")
    accuracy = 1 - law.bayes_risk - excess_risk(rule, law, n)
    print(f"{n:,} people if the law is {given.law}: expected accuracy {accuracy:.4f}, exact; the best rule "
          f"has {1 - law.bayes_risk:.4f}")


def letters(given):
    """A token and a collector for each person, in turn; every collector knows only the hashes of its own."""
    _, mechanism = read_rule(given.survey)
    if given.people < 1:
        raise SystemExit(f"{given.people} letters are none; say for how many people, 1 or more.")
    urls = list(map(address, given.urls))
    told = given.folder / "letters.csv"
    journals = [given.folder / f"collector-{number + 1}.sqlite" for number in range(len(urls))]
    there = [path for path in (told, *journals) if path.exists()]
    if there:
        raise SystemExit(f"{there[0]} exists: its people have their letters. Take another folder.")
    tokens = [secrets.token_bytes(TOKEN_BYTES) for _ in range(given.people)]
    for number, path in enumerate(journals):
        journal = Journal(path, new=True)
        journal.hand_out(tokens[number::len(urls)])
        journal.close()
    with told.open("x", newline="", encoding="ascii") as file:
        csv.writer(file).writerows((urls[place % len(urls)], token.hex())
                                   for place, token in enumerate(tokens))
    print(f"{given.people:,} letters, for messages of {message_bytes(mechanism)} bytes to {mechanism!r}")


def count(given):
    """Sum what a collector has taken into an aggregate file."""
    _, mechanism = read_rule(given.survey)
    journal = Journal(given.journal)
    answered, asked = journal.answered()
    if not answered:
        raise SystemExit(f"None of {asked:,} people have answered yet; no file was written.")
    sum_messages(mechanism, journal.messages()).save(given.reports, origin=journal.name)
    print(f"{answered:,} of {asked:,} people have answered; their sums are in {given.reports}")
    try:
        journal.close()
    except sqlite3.OperationalError as error:
        why = ("is in use" if error.sqlite_errorcode == sqlite3.SQLITE_BUSY else
               f"could not be written anew ({error})")
        print(f"{given.journal} {why} and still tells in which order messages came; count again when its "
              "collector has ended and the disk has room.")


def learn(given):
    """Merge the files of all collectors, learn, and say how sure that is."""
    rule, mechanism = read_rule(given.survey)
    parts = [CellAggregate.load(path) for path in given.reports]
    contents = [Path(path).read_bytes() for path in given.reports]
    journals = [json.loads(content).get("origin") or content for content in contents]
    for place, path in enumerate(given.reports):
        if journals[place] in journals[:place]:
            other = given.reports[journals.index(journals[place])]
            raise SystemExit(f"{path} and {other} are of the same people, who would count twice. Name the "
                             "file that was counted last.")
    total = reduce(CellAggregate.merge, parts)
    rule.fit_aggregate(total, mechanism.d)
    lower, upper = mechanism.boxes()
    places = (lower + upper) / 2
    print(f"{total.people:,} people; E[(Y - 1/2); X in the cell], its 95% interval, and how sure "
          "it is that the class is the better one; then the cell, from its lower to its upper end")
    for cell, (score, (low, high), label, sure, *ends) in enumerate(zip(
            rule.decision_function(places), rule.interval(places), rule.predict(places),
            rule.label_confidence(places), lower, upper, strict=True)):
        where = " x ".join(f"{one:.3g}..{other:.3g}" for one, other in zip(*ends, strict=True))
        print(f"  cell {cell:4}  {score:+.5f}  [{low:+.5f}, {high:+.5f}]  class {label}  {sure:.4f}  {where}")


def main():
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    acts = parser.add_subparsers(required=True)
    for act in (plan, letters, count, learn):
        one = acts.add_parser(act.__name__, help=act.__doc__)
        one.set_defaults(act=act)
        one.add_argument("survey", type=Path, help="what is asked, see survey.py")
        if act is plan:
            one.add_argument("--mechanism", choices=CELL_MECHANISMS, default="one-bit")
            one.add_argument("--alpha", type=float, default=1.0, help="budget of a person, nats")
            one.add_argument("--h", type=float, default=0.125, help="side of the cells of [0, 1]^d")
            one.add_argument("--law", choices=PROBLEMS, default="sine", help="what people may be like")
            one.add_argument("--risk", type=float, default=0.05, help="excess risk aimed at")
        elif act is letters:
            one.add_argument("people", type=int, help="how many")
            one.add_argument("urls", nargs="+", help="addresses of the collectors")
            one.add_argument("--folder", type=Path, default=Path("."), help="where the files go")
        elif act is count:
            one.add_argument("journal", help="the collector's file")
            one.add_argument("reports", help="the aggregate file to write")
        else:
            one.add_argument("reports", nargs="+", help="aggregate files")
    given = parser.parse_args()
    os.umask(0o077)  # letters are credentials
    try:
        given.act(given)
    except FileNotFoundError as missing:
        raise SystemExit(f"There is no file {missing.filename}.") from None


if __name__ == "__main__":
    main()
