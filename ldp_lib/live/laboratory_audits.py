"""The audits that the laboratory shows, run beforehand: 2,420 of them take a minute or two.

    python -m ldp_lib.live.laboratory_audits

runs them and writes `laboratory_audits.csv`. Every line of it is one call, which anybody can repeat:
`epsilon_lower_bound(build(alpha, H), *records, n=n, confidence=CONFIDENCE, rng=SEED)`.
"""

import csv
import functools
from pathlib import Path

from ldp_lib.privacy.audit import EpsilonBound, epsilon_lower_bound
from ldp_lib.privacy.mutants import MUTANTS
from ldp_lib.privacy.registry import REGISTRY

FILE = Path(__file__).with_suffix(".csv")
SUSPECTS = {mutant.name: mutant for mutant in (*REGISTRY, *MUTANTS)}
"""Honest and broken mechanisms, by name."""
ALPHAS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
PEOPLE = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
"""Reports of each person and half. Each n is an audit of its own."""
H, SEED = 0.3, 1
"""The seed is common to all audits, so that pictures of neighbours look alike."""
FAILURE = 1e-6
CONFIDENCE = 1 - FAILURE / len(PEOPLE)
"""Of one audit: whoever watches all n and stops where she likes errs with probability FAILURE at most."""


def run(name, alpha, n):
    """The `EpsilonBound` of one audit of the suspect called `name`."""
    suspect = SUSPECTS[name]
    return epsilon_lower_bound(suspect.build(alpha, H), *suspect.records, n=n, confidence=CONFIDENCE,
                               rng=SEED)


@functools.cache
def audits():
    """All bounds, {(name, alpha, n): EpsilonBound}, from the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {(row["mechanism"], float(row["alpha"]), int(row["n"])):
                EpsilonBound(float(row["epsilon"]), 1 - CONFIDENCE, row["event"])
                for row in csv.DictReader(file)}


def main():
    """Run everything and write the file."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["mechanism", "alpha", "n", "epsilon", "event"])
        for name in SUSPECTS:
            for alpha in ALPHAS:
                for n in PEOPLE:
                    bound = run(name, alpha, n)
                    writer.writerow([name, alpha, n, f"{bound.epsilon:.4f}", bound.event])


if __name__ == "__main__":
    main()
