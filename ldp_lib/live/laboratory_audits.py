"""The audits that the laboratory shows, run beforehand: all of them take a minute or two.

    python data/build.py laboratory_audits

runs them and writes the table `laboratory_audits.csv.gz`, which stands beside the surveys. Every line of it
is one call, which anybody can repeat: `run(name, alpha, n)`.
"""

import csv
import functools

from ldp_lib.nature.surveys import read_table
from ldp_lib.privacy.audit import EpsilonBound, epsilon_lower_bound
from ldp_lib.privacy.mutants import MUTANTS
from ldp_lib.privacy.registry import REGISTRY

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
    """All bounds, {(name, alpha, n): EpsilonBound}, from the table."""
    rows = csv.reader(read_table("laboratory_audits.csv.gz").decode("ascii").splitlines()[1:])
    return {(name, float(alpha), int(n)): EpsilonBound(float(epsilon), 1 - CONFIDENCE, event)
            for name, alpha, n, epsilon, event in rows}
