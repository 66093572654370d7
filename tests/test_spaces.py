"""Metric spaces: packings are maximal, cells small, masses exact, dimensions honest."""

import math

import numpy as np
import pytest
from scipy.spatial import SphericalVoronoi
from scipy.stats import binom

from ldp_lib.nature import (
    SPACE_PROBLEMS, BinaryTree, CantorSet, Circle, GraphMetric, Interval, Line, Sphere, cantor_function,
    problem,
    space_problem,
)
from ldp_lib.nature.on_spaces import OnGraph, OnNumbers
from ldp_lib.nature.spaces import cantor_quantile, cell_integrals

RADII = [2.5, 1.0, 0.5, 1 / 3, 0.25, 0.1, 1 / 27]
BOUNDED = [Interval(), Circle(), CantorSet(), Sphere(), BinaryTree(4)]
ULP = 1e-12


def everywhere(space, n, rng):
    """n points of a space, among them those where coverings fail first."""
    if isinstance(space, Sphere):
        X = rng.standard_normal((n, 3))
        return X / np.linalg.norm(X, axis=1, keepdims=True)
    if isinstance(space, GraphMetric):
        return np.arange(len(space.paths), dtype=float)[:, None]
    X = np.concatenate([rng.random(n), np.arange(729) / 729])
    return (cantor_quantile(X) if isinstance(space, CantorSet) else X)[:, None]


@pytest.mark.parametrize("space", BOUNDED, ids=repr)
@pytest.mark.parametrize("r", RADII)
def test_packings_are_packings_and_maximal(space, r):
    r = max(r, 0.1) if isinstance(space, Sphere) else r
    centres = space.packing(r)
    X = everywhere(space, 5_000, np.random.default_rng(0))
    assert space.contains(centres).all() and space.contains(X).all()
    apart = space.distance(centres[:, None], centres)
    assert (apart[~np.eye(len(centres), dtype=bool)] > r).all()
    cells = space.voronoi(r)
    assert space.distance(X, cells.centres[cells.locate(X)]).max() <= r + ULP


@pytest.mark.parametrize("r", RADII)
def test_certificates_of_maximality(r):
    """No point of the whole space can be added: corners of cells on the sphere, gaps on the Cantor set."""
    centres = Sphere().packing(max(r, 0.15))
    if len(centres) > 3:
        corners = SphericalVoronoi(centres).vertices
        assert Sphere().distance(corners[:, None], centres).min(axis=1).max() <= max(r, 0.15) + 1e-8
    ends = CantorSet().packing(r)[:, 0]
    low, high = np.concatenate([[0.0], ends + r]), np.concatenate([ends - r, [1.0]])
    gaps = (high > low + ULP)
    # The set has no mass, hence no point, in the open gaps.
    assert (cantor_function(high[gaps] - ULP) <= cantor_function(low[gaps] + ULP)).all()
    for space in (Interval(), Circle()):
        centres = space.packing(r)[:, 0]
        assert len(centres) == 1 or (np.diff(centres) <= 2 * r + ULP).all()
        assert centres[0] <= r + ULP and 1 - centres[-1] <= r + ULP or isinstance(space, Circle)


def test_no_two_points_of_a_sphere_are_farther_than_opposite_ones():
    assert [len(Sphere().packing(r)) for r in (3.0, np.nextafter(math.pi, 0), math.pi, 4.0)] == [2, 2, 1, 1]


@pytest.mark.parametrize("space", [Interval(), Circle(), Sphere(), BinaryTree(3), CantorSet()], ids=repr)
def test_distances_are_metrics(space):
    X = everywhere(space, 40, np.random.default_rng(1))
    X = X[np.random.default_rng(2).permutation(len(X))[:40]]
    D = space.distance(X[:, None], X)
    assert np.allclose(D, D.T) and np.allclose(np.diag(D), 0) and D.max() <= space.diameter + ULP
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :] + 1e-9).all()
    assert (D[np.arange(len(X)), space.nearest(X, X[:7])] <= D[:, :7].min(axis=1) + 1e-15).all()


def test_seven_caps_cover_a_cap():
    """One in the middle, six around it at the best of some distances, for points all over the cap."""
    pole = np.array([0.0, 0.0, 1.0])
    X = everywhere(Sphere(), 4_000, np.random.default_rng(3))
    for rho in (0.01, 0.5, 1.0, 1.5, 2.0, 3.1):
        colatitude, turn = rho * np.sqrt(np.random.default_rng(4).random(len(X))), np.arctan2(X[:, 1],
                                                                                              X[:, 0])
        scaled = np.column_stack([np.sin(colatitude) * np.cos(turn), np.sin(colatitude) * np.sin(turn),
                                  np.cos(colatitude)])
        covered = False
        for place in np.linspace(0.5, 1.0, 30) * rho:
            ring = np.arange(6) * np.pi / 3
            caps = np.column_stack([np.sin(place) * np.cos(ring), np.sin(place) * np.sin(ring),
                                    np.full(6, np.cos(place))])
            gap = Sphere().distance(scaled[:, None], np.vstack([pole, caps])).min(axis=1).max()
            covered |= gap <= rho / 2 * (1 + 5e-3)
        assert covered, rho


def test_three_balls_cover_a_ball_of_the_cantor_set():
    left = cantor_quantile(np.arange(64) / 64)
    points = np.sort(np.concatenate([left, left + 3.0**-6]))
    most = 0
    for x in points:
        for rho in np.unique(np.abs(points - x).round(12)):
            if rho <= 1 / 9:
                continue
            ball, balls = points[np.abs(points - x) <= rho + ULP], 0
            while len(ball):
                centre = points[np.searchsorted(points, ball[0] + rho / 2 + ULP) - 1]
                ball, balls = ball[ball > centre + rho / 2 + ULP], balls + 1
            most = max(most, balls)
    assert most == 3 == round(2**CantorSet().doubling_dimension)


def test_doubling_dimension_of_graphs():
    path = GraphMetric([(k, k + 1) for k in range(20)], np.ones(20))
    star = GraphMetric([(0, k) for k in range(1, 17)], np.ones(16))
    assert 1 <= path.doubling_dimension <= 2 and star.doubling_dimension >= 4
    assert path.paths[0, 20] == 20 and star.diameter == 2


def test_sphere_integrals():
    for r in (3.5, 2.0, 1.5, 0.6, 0.3):
        centres = Sphere().packing(r)
        area, moment, height = cell_integrals(centres)
        assert area.sum() == pytest.approx(4 * np.pi, rel=1e-12)
        assert height.sum() == pytest.approx(2 * np.pi,
                                             rel=1e-12) and np.abs(moment.sum(axis=0)).max() < 1e-12
        if len(centres) > 3:
            assert area == pytest.approx(SphericalVoronoi(centres).calculate_areas(), rel=1e-9)


@pytest.mark.parametrize("name", SPACE_PROBLEMS)
def test_masses_agree_with_samples(name):
    """Exact binomial tests of every cell, all and ones, at level 1e-8 over a problem's cells."""
    law, n = space_problem(name), 200_000
    X, y = law.sample(n, rng=4)
    cells = law.space.voronoi(0.4)
    where = cells.locate(law.space.validate(X))
    if name == "heavy_tails":
        numbers = np.arange(-8, 9)
        masses = law.cell_masses(cells, numbers)
        where = np.where(np.abs(where) <= 8, where + 8, 17)
    else:
        masses = law.voronoi_masses(cells)
    size = len(masses.p)
    for share, weight in ((masses.p, np.ones(n)), (masses.q, y)):
        share, seen = np.clip(share, 0, 1), np.bincount(where, weight, minlength=size)[:size]
        tail = np.minimum(binom.cdf(seen, n, share), binom.sf(seen - 1, n, share))
        assert tail.min() > 1e-8 / (4 * size)
    assert law.bayes_risk == pytest.approx(0.5 - np.abs(law.eta(X) - 0.5).mean(), abs=0.01)


def test_the_line_has_cells_everywhere():
    cells = Line().voronoi(0.5)
    assert cells.locate(np.array([[-0.5], [0.49], [0.5], [1e300], [-1e300]])).tolist()[:3] == [0, 0, 1]
    with pytest.raises(ValueError, match="infinite"):
        Line().packing(0.1)


@pytest.mark.parametrize("build, named", [
    (lambda: Circle().validate([[1.0]]), "X has in row 0"),
    (lambda: CantorSet().validate([[0.25], [0.5]]), "in row 1"),
    (lambda: Sphere().validate([[1.0, 1.0, 0.0]]), "not a point"),
    (lambda: BinaryTree(2).validate([[7.0]]), "not a point"),
    (lambda: Interval().packing(0.0), "r = "), (lambda: Sphere().packing(0.001), "r = "),
    (lambda: GraphMetric([(0, 1), (2, 3)], [1.0, 1.0]), "unconnected"),
    (lambda: GraphMetric([(0, 1), (1, 0)], [1.0, 2.0]), "edges names an edge twice"),
    (lambda: GraphMetric([(0, np.inf)], [1.0]), "the vertex inf"),
    (lambda: GraphMetric(np.zeros((0, 2)), []), "m >= 1"),
    (lambda: GraphMetric([(0, 1)], [0.0]), "lengths"),
    (lambda: GraphMetric([0, 1], [1.0]), "edges"), (lambda: BinaryTree(0), "depth"),
    (lambda: space_problem("plane"), "name = "),
    (lambda: space_problem("sphere", frequency=1), "no parameter frequency"),
    (lambda: OnNumbers("x", Interval(), problem("sine", d=2)), "law = "),
    (lambda: OnGraph(BinaryTree(1), [1, 1], [0, 1, 1]), "weights"),
    (lambda: OnGraph(BinaryTree(1), [1, 1, 1], [0, 1.5, 1]), "eta_at must be probabilities"),
    (lambda: OnGraph(BinaryTree(1), [0, 0, 0], [0, 1, 1]), "weights have a finite sum > 0"),
    (lambda: OnGraph(Interval(), [1], [0]), "space = "),
])
def test_bad_arguments_are_named(build, named):
    with pytest.raises((ValueError, TypeError), match=named):
        build()
