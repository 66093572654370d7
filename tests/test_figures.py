"""What seaborn draws in notebooks, with its words, and the table of the slides' experiment."""

import base64
import io
import itertools
import re

import numpy as np
import pandas
import pytest
import seaborn
from matplotlib import pyplot
from PIL import Image

from ldp_lib.risk.simulated import slides_experiment
from ldp_lib.stage.figure import shown

ALPHAS, REPEATS = (0.5, 8.0), 3
RULES = ["private", "no privacy", "best", "majority label"]


@pytest.fixture(scope="module")
def fits():
    return pandas.DataFrame(slides_experiment(ALPHAS, n=2_000, repeats=REPEATS, rng=1))


def test_the_slides_table_has_every_fit_and_the_levels_beside_it(fits):
    assert list(fits) == ["cloud", "rule", "alpha", "accuracy"]
    rows = fits.groupby(["cloud", "rule", "alpha"]).size()
    assert {key: rows[key] for key in rows.index} == {
        (cloud, rule, alpha): REPEATS if rule in RULES[:2] else 1
        for cloud in ("moons", "circles") for rule in RULES for alpha in ALPHAS}
    for rule in RULES[1:]:  # they know no alpha
        low, high = (fits.accuracy[(fits.rule == rule) & (fits.alpha == alpha)].tolist() for alpha in ALPHAS)
        assert low == high
    private = fits.accuracy[fits.rule == "private"]
    assert private.nunique() == len(private)


def test_the_slides_levels_are_in_order(fits):
    """Without privacy 2,000 people come nearer to the best rule than at any alpha; a coin has a half."""
    mean = fits.pivot_table("accuracy", "cloud", ["rule", "alpha"])
    assert (np.abs(mean["majority label"] - 0.5) < 0.01).all(axis=None)
    levels = [mean["private", 0.5], mean["private", 8.0], mean["no privacy", 8.0], mean["best", 8.0]]
    assert all((low < high).all() for low, high in itertools.pairwise(levels))


def test_the_slides_table_depends_on_the_seed_alone(fits):
    def again(rng):
        return pandas.DataFrame(slides_experiment(ALPHAS, n=2_000, repeats=REPEATS, rng=rng))

    assert again(1).equals(fits) and not again(2).equals(fits)


def test_the_slides_have_one_width_unless_another_is_asked_for():
    usual, asked = (slides_experiment((1.0,), n=500, repeats=2, rng=1, **h) for h in ({}, {"h": 0.15}))
    assert usual == asked


@pytest.mark.parametrize("draw", [
    lambda fits: seaborn.lineplot(fits, x="alpha", y="accuracy", hue="rule", errorbar=("ci", 99), seed=0),
    lambda fits: seaborn.histplot(fits, x="accuracy"),
    lambda fits: seaborn.relplot(fits, x="alpha", y="accuracy", col="cloud", kind="line", seed=0),
    lambda fits: seaborn.displot(fits, x="accuracy", row="rule"),
], ids=["lineplot", "histplot", "relplot", "displot"])
def test_what_seaborn_drew_is_shown_once_with_its_words(fits, draw):
    figures = pyplot.get_fignums()
    drawn = draw(fits)
    assert len(pyplot.get_fignums()) == len(figures) + 1
    bundle = shown(drawn, 'More budget, "more" accuracy.')._repr_mimebundle_()
    assert pyplot.get_fignums() == figures  # what is open, a notebook shows at the end of its cell
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == 'More budget, "more" accuracy.'
    alt, width, content = re.fullmatch(r'<img alt="([^"]*)" width="(\d+)" .*base64,([^"]+)">',
                                       bundle["text/html"]).groups()
    assert alt == "More budget, &quot;more&quot; accuracy."
    picture = Image.open(io.BytesIO(base64.b64decode(content)))
    assert picture.width == pytest.approx(1.5 * int(width), abs=2)
    assert len(set(picture.convert("L").tobytes())) > 2  # ink on paper
