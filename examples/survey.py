"""What everybody who takes part knows: the survey, a public file such as

    {"mechanism": "one-bit", "alpha": 1.0, "h": 0.125, "d": 1}

`mechanism` is a name that `CellClassifier(mechanism=...)` knows. People are files of comma-separated numbers:
a line a person, d features in [0, 1] and then the label, 0 or 1.
"""

import csv
import json
import urllib.parse
from pathlib import Path

import numpy as np

from ldp_lib.estimation import CellClassifier


def read_rule(path):
    """The rule that will be learnt, and what people with so many features run."""
    try:
        return rule_of(json.loads(Path(path).read_text(encoding="utf-8")))
    except (KeyError, TypeError, ValueError) as wrong:
        raise SystemExit(f"{path} is no survey, which names mechanism, alpha, h and d: {wrong}") from None


def rule_of(asked):
    """The same from the survey itself, a dict."""
    rule = CellClassifier(asked["alpha"], asked["h"], mechanism=asked["mechanism"])
    return rule, rule.build_mechanism(asked["d"])


def address(url):
    """The address of a collector, if it is one; anything else would be sent in clear, or elsewhere."""
    place = urllib.parse.urlsplit(url)
    if place.scheme not in ("http", "https") or not place.hostname or place.path.strip("/") or place.query:
        raise SystemExit(f"{url!r:.80} is no address of a collector; write http:// or https://, the host and "
                         "its port, such as https://collector.example:8101.")
    return url


def read_people(path):
    """Features (n, d) and labels (n,) of the people in a file."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = np.array(list(csv.reader(file)), dtype=float)
    except ValueError:  # also where it is no text
        rows = None
    # Outside the handler: the first error would show what a person has answered.
    if rows is None or rows.ndim != 2 or rows.shape[1] < 2:
        raise SystemExit(f"{path} must hold numbers alone, d features and a label on every line.")
    return rows[:, :-1], rows[:, -1]
