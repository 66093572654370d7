"""The room of a talk: what the server takes, publishes and deletes, and the coin for several answers.

Telephones that are real browsers, and sixty that are not, are in tests/browser/test_predicting.py.
"""

import functools
import itertools
import json
import secrets

import mpmath
import numpy as np
import pytest
from test_live_pictures import ask_node

from ldp_lib.live import PANELS, panel
from ldp_lib.site.gathering import BUDGETS, LEAST, LONGEST_QUESTION, RefusedError
from ldp_lib.site.poll import Polls
from ldp_lib.site.room import ANSWERS, Rooms, estimated

KEY, QUESTION, CHOICES = "of the lecturers", "How many people?", ["twice", "4 times", "8 times"]


@pytest.fixture
def rooms(tmp_path):
    return Rooms(tmp_path / "gatherings.sqlite", KEY)


def token():
    return secrets.token_hex(16)


def posed(rooms, alpha=None):
    """A room whose first question is asked: its code and its key."""
    opened = rooms.begin(KEY, alpha)
    rooms.pose(**opened, question=QUESTION, answers=CHOICES)
    return opened["code"], opened["key"]


def kept(rooms):
    """Every byte in the folder of the rooms' file."""
    return b"".join(path.read_bytes() for path in rooms.path.parent.iterdir())


def test_the_course_of_a_talk(rooms):
    """A question, answers that change, the lock, the next question; what came too late changes nothing."""
    code, key = posed(rooms)
    phones = [token() for _ in range(7)]
    for phone, choice in zip(phones, itertools.cycle(range(3))):
        assert rooms.report(code, phone, 1, choice)
    assert not rooms.report(code, phones[0], 1, 2)
    seen = rooms.state(code)
    assert (seen["question"], seen["answers"], seen["n"], seen["locked"]) == (QUESTION, CHOICES, 7, False)
    assert "counts" not in seen and not any(phone in str(seen) for phone in phones)
    rooms.pose(code, key, QUESTION, CHOICES)  # a page that was loaded again
    assert rooms.state(code) == seen
    rooms.lock(code, key)
    with pytest.raises(RefusedError, match="not open any more"):
        rooms.report(code, token(), 1, 0)
    assert rooms.state(code)["counts"] == [2, 2, 3] and "shares" not in rooms.state(code)
    rooms.pose(code, key, "And then?", ["yes", "no"])
    seen = rooms.state(code)
    assert (seen["number"], seen["n"], seen["locked"], "counts" in seen) == (2, 0, False, False)
    for number in (1, 3):
        with pytest.raises(RefusedError, match="not open any more"):
            rooms.report(code, phones[0], number, 0)
    rooms.pose(code, key, "", [])
    assert rooms.state(code)["question"] == ""
    with pytest.raises(RefusedError, match="place of an answer"):
        rooms.report(code, phones[0], 3, 0)
    rooms.lock(code, key)
    assert not rooms.state(code)["locked"]


@pytest.mark.parametrize("alpha", BUDGETS)
def test_a_randomised_report_stays_and_shows_from_ten_on(rooms, alpha):
    code, key = posed(rooms, alpha)
    phones = [token() for _ in range(LEAST - 1)]
    for phone in phones:
        rooms.report(code, phone, 1, 0)
        assert not rooms.report(code, phone, 1, 1)
    rooms.lock(code, key)
    assert not {"counts", "shares"} & rooms.state(code).keys()
    rooms.pose(code, key, "Once more?", CHOICES)
    for phone in [*phones, token()]:
        rooms.report(code, phone, 2, 0)
        rooms.report(code, phone, 2, 1)  # comes too late
    assert "counts" not in rooms.state(code)
    rooms.lock(code, key)
    seen = rooms.state(code)
    assert seen["counts"] == [LEAST, 0, 0] and seen["alpha"] == alpha
    assert estimated([LEAST, 0, 0], alpha).items() <= seen.items()


def test_no_byte_of_what_was_sent_outlives_its_question_and_none_of_a_room_its_end(rooms):
    (code, key), (other, _), polls = posed(rooms), posed(rooms), Polls(rooms.path, KEY)
    poll = polls.begin(QUESTION, KEY)["code"]
    phones, others = [token() for _ in range(400)], [token() for _ in range(40)]
    for phone in phones:
        rooms.report(code, phone, 1, 1)
    for phone in others:
        rooms.report(other, phone, 1, 0)
    assert sum(phone.encode() in kept(rooms) for phone in phones) > 390
    rooms.pose(code, key, "The next one?", ["yes", "no"])
    assert not any(phone[at:at + 8].encode() in kept(rooms) for phone in phones for at in (0, 8, 16, 24))
    late = token()
    rooms.report(code, late, 2, 1)
    with pytest.raises(RefusedError, match="Only who opened the room"):
        rooms.end(code, "somebody")
    rooms.end(code, key)
    assert not any(part.encode() in kept(rooms) for part in (code, key, late, "The next one?"))
    with pytest.raises(RefusedError, match=f"no room {code}"):
        rooms.state(code)
    assert rooms.state(other)["n"] == 40 and polls.state(poll)["n"] == 0


def test_a_room_is_no_poll_and_a_poll_no_room(rooms):
    polls = Polls(rooms.path, KEY)
    (code, key), poll = posed(rooms), polls.begin(QUESTION, KEY)
    for act in (lambda: polls.state(code), lambda: polls.ask(code, key, 1.0), lambda: polls.end(code, key),
                lambda: rooms.state(poll["code"]), lambda: rooms.lock(**poll), lambda: rooms.end(**poll)):
        with pytest.raises(RefusedError, match="There is no"):
            act()


@pytest.mark.parametrize("question, answers, said", [
    (QUESTION, ["one"], "has 2, 3, 4 answers"), (QUESTION, list("abcde"), "has 2, 3, 4 answers"),
    (QUESTION, "ab", "has 2, 3, 4 answers"), (QUESTION, None, "has 2, 3, 4 answers"),
    (QUESTION, ["a", "a"], "the same"), (QUESTION, ["a", 1], "An answer has 1 to"),
    (QUESTION, ["a", "b\u200b"], "cannot be seen"), ("", ["a", "b"], "A question has 1 to"),
    (1, ["a", "b"], "A question has 1 to"),
])
def test_what_no_scene_asks_is_refused_and_changes_nothing(rooms, question, answers, said):
    code, key = posed(rooms)
    before = rooms.state(code)
    with pytest.raises(RefusedError, match=said):
        rooms.pose(code, key, question, answers)
    with pytest.raises(RefusedError, match="Only who opened"):
        rooms.pose(code, "somebody", QUESTION, ["a", "b"])
    with pytest.raises(RefusedError, match="Only who opened"):
        rooms.lock(code, "somebody")
    assert rooms.state(code) == before


@pytest.mark.parametrize("number, choice", [
    (True, 0), ("1", 0), (None, 0), (1, 3), (1, -1), (1, True), (1, 1.0), (1, "0"), (1, None), ([], 0)])
def test_what_no_telephone_sends_is_refused(rooms, number, choice):
    code, _ = posed(rooms)
    with pytest.raises(RefusedError):
        rooms.report(code, token(), number, choice)
    assert rooms.state(code)["n"] == 0


def test_only_lecturers_open_rooms_with_a_budget_on_offer(rooms):
    with pytest.raises(RefusedError, match="Only lecturers open rooms"):
        rooms.begin("of somebody", None)
    for alpha in (3, True, "1", 0):
        with pytest.raises(RefusedError, match="not on offer"):
            rooms.begin(KEY, alpha)


def test_the_lecturers_page_offers_these_budgets(repository):
    script = (repository / "ldp_lib" / "site" / "browser" / "room.js").read_text(encoding="utf-8")
    assert f"const ROOM_BUDGETS = [{', '.join(f'{alpha:g}' for alpha in BUDGETS)}];" in script


def test_telephones_have_coins_and_room_for_every_question_of_the_collection():
    """Each can be posed, as it stands."""
    asked = [scene for name in PANELS for scene in panel(name).scenes if getattr(scene, "ask", None)]
    assert len(asked) > 30
    for scene in asked:
        assert len(scene.ask.answers) in ANSWERS
        assert max(map(len, (scene.sentence, *scene.ask.answers))) <= LONGEST_QUESTION


@pytest.mark.parametrize("alpha", BUDGETS)
@pytest.mark.parametrize("k", ANSWERS)
def test_estimates_are_unbiased_and_their_noise_is_bounded(alpha, k):
    """By the law of one report, whose moments are those of n of them divided by n."""
    other = 1 / (np.exp(alpha) + k - 1)
    law = np.full((k, k), other) + np.eye(k) * (1 - k * other)  # from the chosen answer to the reported one
    assert np.allclose(law.sum(axis=1), 1) and np.allclose(law.diagonal() / other, np.exp(alpha))
    truth, n = np.random.default_rng(3).dirichlet(np.ones(k)), 10**6
    seen = estimated((n * truth @ law).tolist(), alpha)
    assert seen["shares"] == pytest.approx(truth)
    # The variance of an estimated share, by people: those who chose it, and all others.
    slope = law[0, 0] - other
    variances = (truth * law[0, 0] * (1 - law[0, 0]) + (1 - truth) * other * (1 - other)) / n / slope**2
    assert (variances <= seen["noise"]**2 * (1 + 1e-12)).all()
    assert seen["noise"] == pytest.approx(np.sqrt(law[0, 0] * (1 - law[0, 0]) / n) / slope)


@pytest.fixture
def phone(repository):
    """Ask the telephone's own module."""
    return functools.partial(ask_node, repository / "tests" / "browser" / "phone.mjs")


def test_the_telephones_words_keep_the_promise_to_its_last_bit(phone):
    """The chosen answer is at most e^alpha times as likely; one word less for the others would be more."""
    with mpmath.workdps(60):
        for alpha, others in phone("others", []):
            for k, other in zip(ANSWERS, map(int, others), strict=True):
                assert other == int(mpmath.ceil(mpmath.mpf(2)**64 / (mpmath.exp(alpha) + k - 1)))
                assert (2**64 - (k - 1) * other) / mpmath.mpf(other) <= mpmath.exp(alpha)


@pytest.mark.parametrize("k", ANSWERS)
def test_every_word_says_an_answer_and_as_many_say_each_other_one(phone, k):
    """At the borders between the answers that words say, for each answer that was chosen."""
    for alpha, others in phone("others", []):
        other = int(others[k - 2])
        borders = [(0, 1), (2**64 - 1, 0)]
        for turn in range(1, k):
            borders += [(turn * other - 1, turn), (turn * other, (turn + 1) % k)]
        asked = [{"choice": choice, "answers": k, "alpha": alpha, "drawn": [str(word)]}
                 for choice in range(k) for word, _ in borders]
        wanted = [(choice + turn) % k for choice in range(k) for _, turn in borders]
        assert phone("turned", asked) == wanted, json.dumps(borders)
