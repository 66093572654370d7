"""What a right answer teaches besides: each number there, computed here by a road of its own."""

import math
import re

import numpy as np
import pytest
from scipy import stats

from ldp_lib.lessons.assouad.numbers import CELLS, rectangles
from ldp_lib.lessons.assouad.story import BEST_BIT
from ldp_lib.lessons.elbow.story import best_interval
from ldp_lib.lessons.upper_rate.explore import MULTIPLE
from ldp_lib.live import EXERCISES
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit
from ldp_lib.privacy.central import stability_threshold
from ldp_lib.risk.hypercube import both_sides
from ldp_lib.risk.scores import noise_level
from ldp_lib.theory import density_elbows, theorem_bandwidth
from ldp_lib.theory.classification.game import Game

NUMBER = re.compile(r"\d+\.\d+%?|\d(?:\d|,(?=\d))+%?|\d+%")
"""What is measured: a number of one digit is counted, or stands in a formula."""


def lie(alpha):
    return 1 / (1 + math.exp(alpha))


def worst(multiple, n=10**8):
    """The exact risk of the worst hypercube at so many times the theorem's h; infinite if none fits."""
    risk, = np.maximum(*both_sides(n, 1.0, np.array([multiple * theorem_bandwidth(n, 1.0, 1.0, 1)]), 1.0, 1.0,
                                   1, C0=4.0))
    return risk if risk > 0 else math.inf


def too_deep(n=10**8):
    """The noise level at the theorem's h over the bar h^2 for which that h is made."""
    h = theorem_bandwidth(n, 1.0, 1.0, 1)
    return noise_level(CubeLaplace(1.0, h, 1, noise="real").scale, n) / h**2


def hidden():
    """How well the game of 04.4 hides each sign, where it proves most."""
    games = [Game(10**6, 1.0, q, q, 1 / (2 * q)) for q in range(1, 61)]
    best = max(games, key=Game.bound)
    return best.bound() / best.coin


def seen_with(d):
    """People with whom the bar of a bump of h = 0.05, |x| <= h in the maximum norm, meets its noise."""
    r = (np.arange(10**6) + 0.5) * 0.05 / 10**6
    bar = (d * 2**d * r ** (d - 1) * (0.05 - r)).mean() * 0.05
    return (noise_level(CubeLaplace(1.0, 0.05, d, noise="real").scale, 1) / bar) ** 2


def areas(protect):
    return np.multiply(*rectangles(10**6, 1.0, protect))


def gate(delta):
    return stability_threshold(1.0, delta, noise="real")


def of_blocks():
    """Cells over one bit, one bit's people, cubes over cells: people whose bar has the noise's height."""
    height = 0.4 / math.pi**2
    scales = HadamardBit(1.0, 0.5, 2).scale, CellLaplace(1.0, 0.5, 2, noise="real").scale * math.sqrt(2)
    cubes = CubeLaplace(1.0, 0.25, 2, noise="real").scale * math.sqrt(5)
    bit, cells, paper = (2 * math.ceil((scale / height) ** 2 / 2) for scale in (*scales, cubes))
    return f"{cells / bit:.1f}", f"{bit}", f"{paper / cells:.0f}"


TAUGHT = {
    "00.1": lambda: [f"{lie(1):.1%}", f"{lie(2):.1%}"],
    "00.2": lambda: [f"{1 - 2 * lie(1):.2f}", f"{1 / (1 - 2 * lie(1)):.2f}"],
    "00.4": lambda: [f"{math.e / 4:.2f}", f"{math.e / (4 + math.e):.1%}", f"{math.log(4):.3f}"],
    "02.8": lambda: ["24", "60"],
    "02.10": lambda: ["24", "60"],
    "03.1": lambda: [f"{2**4:d}", f"{2 / 5}", f"{2 ** (5 / 2):.1f}"],
    "03.3": lambda: [f"{2 ** (2 * 1 + 2 * 1):d}"],
    "03.4": lambda: [f"{too_deep():.1f}"],
    "03.7": lambda: [f"{2 ** (2 + 4):d}", f"{2 ** (2 + 2):d}"],
    "03.8": lambda: [f"{worst(1.0) / min(map(worst, MULTIPLE.values)):.1f}"],
    "03.9": lambda: [f"{seen_with(2) / 1e9:.1f}", f"{seen_with(1) / 1e6:.1f}"],
    "04.1": lambda: [f"{math.tanh(0.5):.0%}"],
    "04.4": lambda: [f"{hidden():.0%}"],
    "04.6": lambda: [f"{BEST_BIT}"],
    "04.9": lambda: [f"{CELLS[areas('only y').argmax()]}",
                     f"{areas('x and y').max() / areas('only y').max():.1f}"],
    "04.10": lambda: [f"{100 ** (-3 / 8):.0%}"],
    "05.9": lambda: [f"{1440 / 2 ** best_interval(1.0)[0]:.0f}"],
    "05.11": lambda: [f"{elbow:.3g}" for elbow in density_elbows(1.0, 5.0)],
    "05.13": lambda: [f"{stats.norm.isf(2.0**-level / 2):.1f}" for level in (3, 9)],
    "06.2": lambda: [f"{gate(1e-6) - gate(2e-6):.1f}"],
    "06.3": lambda: ["10", f"{gate(1e-6) - gate(1e-5):.1f}"],
    "06.10": lambda: [f"{gate(1e-12) - gate(1e-2):.0f}"],
    "07.6": lambda: [f"{lie(1):.1%}"],
    "07.7": lambda: [f"{1 / math.tanh(0.5):.2f}", f"{1 / math.tanh(1):.2f}"],
    "07.9": of_blocks,
}
NAMES = {"07.6": ["00"]}
"""Of notebooks."""


@pytest.mark.parametrize("name", EXERCISES)
def test_every_number_that_is_taught_is_computed(name):
    said = NUMBER.findall(EXERCISES[name].more)
    assert sorted(said) == sorted([*TAUGHT.get(name, list)(), *NAMES.get(name, [])])
