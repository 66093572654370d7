"""Pictures, words and proofs are what they were; who changes one on purpose runs `python -m tests.kept`."""

import numpy as np
import pytest

import kept
from ldp_lib.live import PANELS
from ldp_lib.stage.picture import Axes, line, linear, text

LINES = kept.KEPT.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", PANELS)
def test_pictures_and_words_are_what_they_were(name):
    assert sorted(kept.panels(name)) == [line for line in LINES if line.startswith(f"{name} |")]


def test_nothing_that_is_kept_fails():
    assert [line for line in LINES if " | fails: " in line] == []


def test_proofs_compute_what_they_did():
    assert list(kept.proofs()) == [line for line in LINES if line.startswith(("ledger ", "erratum "))]


def test_figures_of_notebooks_are_what_they_were():
    assert list(kept.figures_of_notebooks()) == [line for line in LINES if line.startswith("figure |")]


def test_exercises_ask_and_say_what_they_did():
    assert list(kept.exercises()) == [line for line in LINES if line.startswith("exercise ")]


def test_a_fingerprint_sees_what_a_reader_sees_and_no_last_bit():
    def one(high=1.0, width=2, dy=-12, words="here"):
        x = np.linspace(0, 1, 300)
        return kept.fingerprint(Axes("one", linear(0, 1), linear(0, high, 0.5), "title", marks=(
            line("curve", x, high * np.sin(7 * x), "truth", width=width), text("words", 0, 0, words, dy=dy))))

    assert len({one(), one(high=1.01), one(width=3), one(dy=12), one(words="there")}) == 5
    assert one() == one(high=1 + 1e-12)
