"""What the panels of notebook 00 say with comparatives, and when it is true: `tests/test_walk.py`."""

from walk_facts import views


def within_walls(seen, low, high):
    """Whether a belief after a report, either one, is between these percentages."""
    found = seen["two beliefs" if "two beliefs" in seen.axes else "every prior"]
    return low / 100 - 6e-4 <= found["no"]["y"][0] and found["yes"]["y"][0] <= high / 100 + 6e-4


SAID = [
    *views("start", people=[
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
]
