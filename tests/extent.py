"""How much is tested: what builds or kills waits for CI, and all rows of a grid for make test-all."""

import collections
import hashlib
import math
import os


def everything_runs():
    """Whether tests that are marked `ci` run, on all pages as users get them."""
    return os.environ.get("CI") == "true" or all_rows()


def all_rows():
    """Whether grids that are marked `share`, corners and random places are met whole."""
    return os.environ.get("LDP_FULL") == "1"


POINTS = int(os.environ.get("LEDGER_POINTS", 100 if all_rows() else 30))
"""Random places in the legal range of a ledger, besides its corners."""
DRAW = os.environ.get("LDP_DRAW", "")
"""What draws the rows of a grid: while working always the same, in CI the commit."""


def beyond_their_share(items, draw=DRAW):
    """Of tests that are marked `share(k)` those rows of their grids beyond one in k, which a hash draws."""
    grids = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("share"):
            grids[item.nodeid.partition("[")[0]].append(item)
    for rows in grids.values():
        rows.sort(key=lambda item: hashlib.sha256((draw + item.nodeid).encode()).digest())
        yield from rows[math.ceil(len(rows) / rows[0].get_closest_marker("share").args[0]):]
