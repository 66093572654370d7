"""What everybody who takes part knows: the survey, a public file such as

    {"mechanism": "one-bit", "alpha": 1.0, "h": 0.125, "d": 1}

`mechanism` is a name that `CellClassifier(mechanism=...)` knows. People are files of comma-separated numbers:
a line a person, d features in [0, 1] and then the label, 0 or 1.
"""

import csv
import json
from pathlib import Path

import numpy as np

from ldp_lib.estimation import CellClassifier


def read_rule(path):
    """The rule that will be learnt, and what people with so many features run."""
    asked = json.loads(Path(path).read_text(encoding="utf-8"))
    rule = CellClassifier(asked["alpha"], asked["h"], mechanism=asked["mechanism"])
    return rule, rule.build_mechanism(asked["d"])


def read_people(path):
    """Features (n, d) and labels (n,) of the people in a file."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    try:
        rows = np.array(lines, dtype=float)
    except ValueError:
        rows = None
    # Outside the handler: the first error would show what a person has answered.
    if rows is None or rows.ndim != 2 or rows.shape[1] < 2:
        raise SystemExit(f"{path} must hold numbers alone, d features and a label on every line.")
    return rows[:, :-1], rows[:, -1]
