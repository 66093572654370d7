"""Thin cubes hold few people together, whatever the law: by counting people, in the ledger and drawn."""

import numpy as np
import pytest

from ldp_lib.lessons.consistency.ledger import LAWS, QUARTERS, THIN, Line
from ldp_lib.lessons.consistency.proof import (
    CDFS, LINE, RAMP, STORY, WIDTHS, continuous, shares, thin_cubes,
)
from ldp_lib.privacy import CubeLaplace
from ldp_lib.theory import ledger


def decided_by_thin_cubes(X, weights, h, c):
    """P(the cube that decides for X holds c h^d at most), of a law on the rows of X, by the arrays they send.

    The rule reads the cube around the nearest grid point.
    """
    d = X.shape[1]
    mechanism = CubeLaplace(1.0, h, d)
    arrays = mechanism.encode(X, np.ones(len(X), int), half=1)
    side = round(arrays.shape[1] ** (1 / d))
    decides = np.ravel_multi_index(np.rint(X / h).astype(int).T, (side,) * d)
    assert (arrays[np.arange(len(X)), decides] == 1).all(), "everybody is in the cube that decides for her"
    return weights[(weights @ arrays)[decides] <= c * h**d].sum()


def laws(d, rng):
    """Places and weights of laws without a density: even, clustered, on few places, of unequal weights."""
    for places in (rng.random((300, d)), rng.random((300, d)) ** 6, np.round(rng.random((300, d)), 1)):
        for power in (0, 3, 30):
            weights = rng.random(len(places)) ** power
            yield places, weights / weights.sum()


@pytest.mark.parametrize("d, h", [(1, 0.2), (1, 0.05), (1, 0.013), (2, 0.25), (2, 0.11), (3, 0.3)])
def test_thin_cubes_hold_few_people(d, h):
    """At most c h^d in each of (1/h + 2)^d, whatever the law: a certainty, and no false alarm."""
    found = {}
    for X, weights in laws(d, np.random.default_rng(3)):
        for c in (0.001, 0.01, 0.1, 0.5):
            share = decided_by_thin_cubes(X, weights, h, c)
            assert share <= c * (1 + 2 * h) ** d
            found[c] = max(found.get(c, 0), share)
    assert found[0.5] > 0.01, "some of these laws have people in thin cubes"


def test_a_law_can_fill_half_of_the_room():
    """Of every other cube as many people as a thin one holds, in its middle, and all others in one place."""
    h, c = 0.02, 0.5
    X = np.append(np.arange(0, 0.97, 2 * h), 0.99)[:, None]
    weights = np.full(len(X), c * h * (1 - 1e-9))
    weights[-1] = 1 - weights[:-1].sum()
    assert 0.45 * c < decided_by_thin_cubes(X, weights, h, c) <= c * (1 + 2 * h)


def test_people_on_a_longer_line_do_not_fit():
    """The room is that of cubes on [0, 1]: ten times as many thin cubes hold everybody."""
    h, c = 0.2, 0.5
    ends = np.arange(0, 51) * h
    cube = (np.clip(ends + h, 0, 10) - np.clip(ends - h, 0, 10)) / 10
    assert (cube <= c * h).all() and c * (1 + 2 * h) < 1
    spread = Line("spread", lambda x: x / 10, (0.0, 5.0, 10.0), (0.8, 0.2))
    assert not ledger("2.2", law=spread, h=h)["thin cubes"].holds


@pytest.mark.parametrize("name", CDFS)
@pytest.mark.parametrize("h", WIDTHS)
def test_shares_are_those_of_the_ledger(name, h):
    cube, cell = shares(CDFS[name], h)
    book = ledger("2.2", law=Line(name, CDFS[name], **QUARTERS), h=h)
    assert cell[cube <= THIN * h].sum() == pytest.approx(book["thin cubes"].left, abs=1e-12)
    assert book["thin cubes"].right == pytest.approx(THIN * (1 + 2 * h))
    assert cell.sum() == pytest.approx(1) and (cell <= cube).all()


@pytest.mark.parametrize("h", WIDTHS)
@pytest.mark.parametrize("thin", LINE.values)
def test_thin_bars_fit_under_the_line(h, thin):
    shown = thin_cubes(h=h, thin=thin)
    for axes, cdf in zip(shown.picture.axes, CDFS.values(), strict=True):
        marks = {mark.key: mark.arrays for mark in axes.marks}
        here = {key: ~np.isnan(marks[key]["left"]) for key in ("thin", "others")}
        assert (here["thin"] != here["others"]).all(), "every cube is one of the two"
        assert (marks["thin"]["high"][here["thin"]] <= thin).all()
        assert (marks["others"]["high"][here["others"]] > thin).all()
        room, low = marks["room"], marks["thin"]
        area = float((room["right"] - room["left"])[0] * room["high"][0])
        assert area == pytest.approx(thin * (1 + h), rel=1e-5)
        thin_area = float(np.nansum((low["right"] - low["left"])[here["thin"]] * low["high"][here["thin"]]))
        cube, cell = shares(cdf, h)
        assert cell[here["thin"]].sum() <= thin_area + 1e-6 <= area + 2e-6
        drawn = np.where(here["thin"], low["high"], marks["others"]["high"])
        assert drawn == pytest.approx(cube / h, rel=1e-5)


def test_the_scene_of_thin_cubes_opens_where_both_laws_have_some():
    shown = STORY.show(**STORY.starts()["thin cubes"])
    _, *both = (float(share.removesuffix("%")) for _, share in shown.numbers)
    assert len(both) == len(CDFS) and min(both) > 1
    assert all(len(axes.title) < 50 for axes in shown.picture.axes), "one line on a laptop"


def test_no_density_has_a_spike_that_grows_and_two_densities_have_none():
    tallest = {name: [float(shares(cdf, h).cube.max() / h) for h in WIDTHS] for name, cdf in CDFS.items()}
    assert max(tallest["two densities"]) == pytest.approx(3.6)
    assert tallest["a Cantor set and its gaps"][0] > 2 * tallest["a Cantor set and its gaps"][3] > 7


def test_the_function_that_is_drawn_is_continuous_and_near_eta():
    law, x = LAWS["uniform"], np.linspace(0, 1, 2001)
    g = continuous(law, x)
    eta = np.array(law.eta)[np.minimum((4 * x).astype(int), 3)]
    far = np.abs(x[:, None] - law.edges[1:-1]).min(axis=1) > RAMP / 2
    assert (g[far] == eta[far]).all()
    assert np.abs(np.diff(g) / np.diff(x)).max() == pytest.approx(np.abs(np.diff(law.eta)).max() / RAMP)
