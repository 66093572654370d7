"""The one picture of the collection: bars (what the analyst wants to see) against the band of the noise.

The bar of a cube is E T, the mean of its score; the band is one standard deviation of what privacy adds.
"""


import numpy as np

from ldp_lib.risk.scores import noise_level
from ldp_lib.stage import Control
from ldp_lib.stage.picture import band, bars, handle

NOISE = Control("noise", "noise", "", range(24), 0, "{}", "another draw of everybody's noise", redraw=True)
"""Of all stories."""


def noise_band(level, left, right, words):
    """The band from -level to level, called `words` in the key of its axes."""
    return band("noise", [left, right], -level, level, "noise", label=words)


def signal_bars(places, heights, width, *, seen=None):
    """Hollow bars of the true signal and, if given, solid ones of what the analyst sees instead.

    A bar that the axis cuts has no end in sight.
    """
    places, half = np.asarray(places, float), width / 2
    zero = np.zeros(len(places))
    marks = []
    if seen is not None:
        marks.append(bars("seen", places - half * 0.55, places + half * 0.55, np.minimum(zero, seen),
                          np.maximum(zero, seen), "private", label="what the analyst sees"))
    marks.append(bars("signal", places - half, places + half, np.minimum(zero, heights),
                      np.maximum(zero, heights), "truth", hollow=True, label="true signal"))
    return marks


def band_handle(scale):
    """Drags n by the edge of the band: it stands at scale sqrt(5) n^(-1/2)."""
    return handle("n", along="y", factor=noise_level(scale, 1), power=-0.5)
