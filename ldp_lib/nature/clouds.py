"""The point clouds of scikit-learn: thin moons and circles blurred by Gaussian noise.

They are the data of the seminar's experiment.  Box masses have no closed form here (the problems
"moons" and "circles" are the versions that do), but eta is a one-dimensional integral along the
two arcs, so that the Bayes rule can be drawn beside what a cloud teaches.
"""

from typing import NamedTuple

import numpy as np

from ldp_lib._arguments import choice, generator, points, real, require_memory, whole
from ldp_lib.nature.rings import drawn_near


class Arc(NamedTuple):
    """The circle about `centre` of the given `radius`, from angle `start` to angle `stop`."""

    centre: tuple[float, float]
    radius: float
    start: float
    stop: float


class Cloud(NamedTuple):
    """The arcs of classes 0 and 1, and the rectangle `lower`, `upper` that becomes [0, 1]^2."""

    arcs: tuple[Arc, Arc]
    lower: tuple[float, float]
    upper: tuple[float, float]


# The rectangles are public, so that scaling tells nothing about anybody; they reach five standard
# deviations of the default noise, 0.2, beyond the arcs.
CLOUDS = {
    "moons": Cloud(
        arcs=(Arc((0.0, 0.0), 1.0, 0.0, np.pi), Arc((1.0, 0.5), 1.0, np.pi, 2.0 * np.pi)),
        lower=(-2.0, -1.5),
        upper=(3.0, 2.0),
    ),
    "circles": Cloud(
        arcs=(Arc((0.0, 0.0), 1.0, 0.0, 2.0 * np.pi), Arc((0.0, 0.0), 0.5, 0.0, 2.0 * np.pi)),
        lower=(-2.0, -2.0),
        upper=(2.0, 2.0),
    ),
}


def point_cloud(name, n, *, noise=0.2, rng):
    """n points of scikit-learn's `make_moons` or `make_circles(factor=0.5)`, rescaled: `(X, y)`.

    `name` is "moons" or "circles"; `noise` in [0, 1] is the standard deviation in scikit-learn's
    units; n >= 2.  `X` has shape (n, 2), `y` shape (n,).  The rescaling does not depend on the data:
    a point lands outside [0, 1]^2 with probability below 1e-6 at noise 0.2, and stays there, since
    the mechanisms accept people outside the domain.
    """
    # Imported here because only the clouds need scikit-learn's data sets, which are slow to load.
    from sklearn.datasets import make_circles, make_moons

    cloud = CLOUDS[choice("name", name, CLOUDS)]
    n = whole("n", n, least=2)
    require_memory(f"A cloud of n = {n} points", 64 * n, "Draw several smaller clouds.")
    noise = real("noise", noise, least=0.0, most=1.0)
    seed = int(generator(rng).integers(2**32))
    if name == "moons":
        X, y = make_moons(n, noise=noise, random_state=seed)
    else:
        X, y = make_circles(n, noise=noise, factor=0.5, random_state=seed)
    lower, upper = np.array(cloud.lower), np.array(cloud.upper)
    return (X - lower) / (upper - lower), y.astype(np.int64)


def point_cloud_eta(name, X, *, noise=0.2):
    """P(Y = 1 | X = x) under the law of `point_cloud`, shape (n, 2) -> (n,); `noise` in [0.05, 1].

    The density of a class is the average over its arc of the Gaussian density about the arc's
    points; scikit-learn spaces the angles evenly where this law draws them uniformly.
    """
    cloud = CLOUDS[choice("name", name, CLOUDS)]
    X = drawn_near(points("X", X, 2))
    noise = real("noise", noise, least=0.05, most=1.0)
    framed = np.array(cloud.lower) + X * (np.array(cloud.upper) - cloud.lower)
    zero, one = (_log_density(arc, framed, noise) for arc in cloud.arcs)
    return np.exp(one - np.logaddexp(zero, one))


def _log_density(arc, X, noise):
    """Log of the class density up to a constant, by Gauss-Legendre quadrature over the angle.

    In logarithms because far from both arcs the densities underflow and their ratio does not.
    """
    # Six nodes a standard deviation of arc length resolve a Gaussian to rounding error.
    length = arc.radius * (arc.stop - arc.start)
    nodes, weights = np.polynomial.legendre.leggauss(16 + int(6.0 * length / noise))
    angles = arc.start + (arc.stop - arc.start) * (nodes + 1.0) / 2.0
    total = np.full(len(X), -np.inf)
    for angle, weight in zip(angles, weights):
        source = np.array(arc.centre) + arc.radius * np.array([np.cos(angle), np.sin(angle)])
        total = np.logaddexp(total, np.log(weight) - ((X - source) ** 2).sum(axis=1) / (2.0 * noise**2))
    return total
