"""Proofs can fail: whoever takes an assumption away turns the steps that use it red, and no others."""

import pytest

from ldp_lib.theory import LEDGERS

SABOTEURS = [(theorem, saboteur) for theorem, book in LEDGERS.items() for saboteur in book.saboteurs]
NAMES = [f"{theorem}: {saboteur.assumption}, {saboteur.change}" for theorem, saboteur in SABOTEURS]
FEWEST = 6
"""Counted steps of a theorem."""


def red(book):
    """The names of the steps that fail."""
    return {step.name for step in book.steps if not step.holds}


@pytest.mark.parametrize(("theorem", "saboteur"), SABOTEURS, ids=NAMES)
def test_saboteur_turns_its_own_steps_red(theorem, saboteur):
    book = LEDGERS[theorem](**saboteur.broken())
    users = {step.name for step in book.steps if saboteur.assumption in step.uses}
    assert red(book) and red(book) <= users, (red(book), users)


@pytest.mark.parametrize(("theorem", "saboteur"), SABOTEURS, ids=NAMES)
def test_twin_of_a_saboteur_keeps_the_assumption(theorem, saboteur):
    """It changes what the steps of its assumption are computed from, and nothing fails."""
    book, usual = LEDGERS[theorem](**saboteur.kept()), LEDGERS[theorem]()
    assert book.holds, red(book)
    users = [step for step in book.counted if saboteur.assumption in step.uses]
    assert any((step.left, step.subject) != (usual[step.name].left, usual[step.name].subject)
               for step in users)


@pytest.mark.parametrize("theorem", [theorem for theorem, book in LEDGERS.items() if book.saboteurs])
def test_every_counted_step_has_a_subject_and_a_saboteur_that_turns_it_red(theorem):
    book = LEDGERS[theorem]()
    assert len(book.counted) >= FEWEST
    assert all(step.subject and step.saboteurs for step in book.counted)
    reddened = set().union(*(red(LEDGERS[theorem](**saboteur.broken()))
                             for saboteur in LEDGERS[theorem].saboteurs))
    assert {step.name for step in book.counted} <= reddened
