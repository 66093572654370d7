"""Proofs can fail: whoever takes an assumption away turns the steps that use it red, and no others."""

import functools

import pytest

import kept
from ldp_lib.theory import LEDGERS

SABOTEURS = [(theorem, saboteur) for theorem, book in LEDGERS.items() for saboteur in book.saboteurs]
NAMES = [f"{theorem}: {saboteur.assumption}, {saboteur.change}" for theorem, saboteur in SABOTEURS]
FEWEST = 6
"""Counted steps of a theorem."""


def red(book):
    """The names of the steps that fail."""
    return {step.name for step in book.steps if not step.holds}


@functools.cache
def broken(theorem, saboteur):
    """The ledger of a theorem after its saboteur: five tests look at it."""
    return LEDGERS[theorem](**saboteur.broken())


@functools.cache
def twin(theorem, saboteur):
    """The ledger of a theorem after the twin of its saboteur."""
    return LEDGERS[theorem](**saboteur.kept())


@pytest.mark.parametrize(("theorem", "saboteur"), SABOTEURS, ids=NAMES)
def test_saboteur_turns_its_own_steps_red(theorem, saboteur):
    book = broken(theorem, saboteur)
    users = {step.name for step in book.steps if saboteur.assumption in step.uses}
    assert red(book) and red(book) <= users, (red(book), users)


SLACK = 67
"""Pairs of a counted step and an assumption of its proof that no saboteur turns red: the line has slack."""


def test_every_assumption_reaches_the_steps_that_name_it():
    """Its saboteurs change what a step is computed from; few steps stay true by their slack all the same."""
    still, unmoved = 0, []
    for theorem, make in LEDGERS.items():
        after = [(saboteur.assumption, broken(theorem, saboteur)) for saboteur in make.saboteurs]
        for step, assumption in [(each, name) for each in make().counted for name in each.uses]:
            books = [book[step.name] for name, book in after if name == assumption]
            still += bool(books) and all(other.holds for other in books)
            if not any((other.left, other.right) != (step.left, step.right) for other in books):
                unmoved.append((theorem, step.name, assumption))
    assert unmoved == [] and still <= SLACK


@pytest.mark.parametrize(("theorem", "saboteur"), SABOTEURS, ids=NAMES)
def test_twin_of_a_saboteur_keeps_the_assumption(theorem, saboteur):
    """It changes what the steps of its assumption are computed from, and nothing fails."""
    book, usual = twin(theorem, saboteur), LEDGERS[theorem]()
    assert book.holds, red(book)
    users = [step for step in book.counted if saboteur.assumption in step.uses]
    assert any((step.left, step.subject) != (usual[step.name].left, usual[step.name].subject)
               for step in users)


@pytest.mark.parametrize("theorem", LEDGERS)
def test_saboteurs_and_twins_damage_what_they_did(theorem):
    found = [kept.sabotaged(theorem, saboteur, broken(theorem, saboteur), twin(theorem, saboteur))
             for saboteur in LEDGERS[theorem].saboteurs]
    lines = kept.KEPT.read_text(encoding="utf-8").splitlines()
    assert found == [line for line in lines if line.startswith(f"saboteur {theorem} |")]


@pytest.mark.parametrize("theorem", LEDGERS)
def test_a_step_that_follows_from_another_one_says_no_more(theorem):
    """It never fails alone, and does not count."""
    book = LEDGERS[theorem]()
    for step in book.steps:
        assert not step.follows or (book[step.follows].kind == "counted" and step not in book.counted)
    for saboteur in LEDGERS[theorem].saboteurs:
        after = broken(theorem, saboteur)
        assert all(step.holds or not after[step.follows].holds for step in after.steps if step.follows)


def test_known_repeats_do_not_count():
    for theorem, names in {"2.5": ("contraction, 4", "Assouad", "average TV"), "bayes-2.4": ("alone or not",),
                           "bayes-A.14": ("alone", "second histogram")}.items():
        book = LEDGERS[theorem]()
        assert {book[name].kind for name in names} == {"follows"}
        assert f"{len(book.counted)} counted, {len(names)} that follow" in str(book)


@pytest.mark.parametrize(("theorem", "name", "certain"), [
    ("2.4", "whole", 1.0), ("bayes-3.2", "whole", 1.0), ("bayes-A.12", "whole", 1.0),
    ("bayes-A.15", "whole", 1.0),
    ("bayes-4.3", "whole", 2.0), ("wavelet-4.1", "(4.1), risk", 1.33), ("wavelet-4.1", "(4.3)", 1.33)])
def test_a_bound_above_what_is_certain_says_that_it_promises_nothing(theorem, name, certain):
    book = LEDGERS[theorem]()
    step = book[name]
    assert step.certain == pytest.approx(certain, rel=0.1) and step.right > step.certain and not step.promises
    line, = (line for line in str(book).splitlines() if line.strip().startswith(f"{name} "))
    assert "promises nothing" in line and str(book).count("promises nothing") >= 1


def test_a_bound_that_promises_something_is_silent():
    """With many more people the sum of the bounds of Theorem 3.2 is below 1."""
    book = LEDGERS["bayes-3.2"](n=10**10)
    assert book["whole"].right < 1 and "promises nothing" not in str(book)


@pytest.mark.parametrize("theorem", [theorem for theorem, book in LEDGERS.items() if book.saboteurs])
def test_every_counted_step_has_a_subject_and_a_saboteur_that_turns_it_red(theorem):
    book = LEDGERS[theorem]()
    assert len(book.counted) >= FEWEST
    assert all(step.subject and step.saboteurs for step in book.counted)
    reddened = set().union(*(red(broken(theorem, saboteur)) for saboteur in LEDGERS[theorem].saboteurs))
    assert {step.name for step in book.counted} <= reddened
