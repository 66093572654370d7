"""How much is tested: everything where CI is true and by make test-all, while working a fixed part of it."""

import collections
import hashlib
import math
import os


def everything_runs():
    """Whether tests that are marked `ci` run, and all rows of those that are marked `share`."""
    return os.environ.get("CI") == "true" or os.environ.get("LDP_FULL") == "1"


POINTS = int(os.environ.get("LEDGER_POINTS", 100 if everything_runs() else 30))
"""Random places in the legal range of a ledger, besides its corners."""


def beyond_their_share(items):
    """Of tests that are marked `share(k)` those rows of their grids beyond one in k, which a hash draws."""
    grids = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("share"):
            grids[item.nodeid.partition("[")[0]].append(item)
    for rows in grids.values():
        rows.sort(key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
        yield from rows[math.ceil(len(rows) / rows[0].get_closest_marker("share").args[0]):]
