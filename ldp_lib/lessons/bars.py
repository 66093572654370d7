"""The one picture of the collection: bars (what the analyst wants to see) against the band of the noise.

The bar of a cube is E T, the mean of its score; the band is one standard deviation of what privacy adds.
"""

from ldp_lib.lessons.pictures import upright
from ldp_lib.risk.scores import noise_level
from ldp_lib.stage import Control
from ldp_lib.stage.picture import band, handle, rule

NOISE = Control("noise", "noise", "", range(24), 0, "{}", "another draw of everybody's noise", redraw=True)
"""Of all stories."""
ZERO = rule("zero", "truth", y=0, width=1)
"""The line that bars begin at."""


def noise_band(level, left, right, words):
    """The band from -level to level, called `words` in the key of its axes."""
    return band("noise", [left, right], -level, level, "noise", label=words)


def signal_bars(places, heights, width, *, seen=None):
    """Hollow bars of the true signal and, if given, solid ones of what the analyst sees instead.

    A bar that the axis cuts has no end in sight.
    """
    signal = upright("signal", places, heights, "truth", wide=width, hollow=True, label="true signal")
    if seen is None:
        return [signal]
    analyst = upright("seen", places, seen, "private", wide=0.55 * width, label="what the analyst sees")
    return [analyst, signal]


def band_handle(scale):
    """Drags n by the edge of the band: it stands at scale sqrt(5) n^(-1/2)."""
    return handle("n", along="y", factor=noise_level(scale, 1), power=-0.5)
