"""The walk: what is said at every position that a hand can reach is true there.

It goes through all scenes of all panels, where a scene begins and where its answer leads: every control over
its grid, and every two of them to their corners. `said` in the twin of a lesson has what is said there with
comparatives, and when it is true.
"""

from extent import all_rows
import itertools
import re
from functools import cache
from typing import NamedTuple

import pytest
from lessons import test_price
from story_facts import Seen, twins
from test_stories import FACTS
from walk_facts import CHOSEN, COMPARATIVE, NAMES, NUMBER, Said, masked, value

from ldp_lib import stage
from ldp_lib.lessons import LESSONS
from ldp_lib.live import PANELS, kind
from ldp_lib.stage import Control, Shown, View

BROKEN = re.compile(r"\bnan\b|\binf\b|\bNone\b|(?<![\w.,·])[-−]0(?:\.0*)?%?(?![\d.,])"
                    r"|(?:at most|at least|never leave) (?:= )?[<>]"
                    r"|(?<![\w.,·])(?<!= )1 (?:noisy )?"
                    r"(?:bumps|cells|features|numbers|patterns|people|reports)\b")
"""What no reader shall see: no number, a zero with a sign, a bound that is none, one of several."""


FULL = all_rows()

SAID = [each for twin in (*twins("said"), test_price) for each in twin.SAID]
OF_VIEWS = [each for each in SAID if each.kind == "view"]
OF_SCENES = [each for each in SAID if each.kind != "view"]


class Place(NamedTuple):
    """A position, and what is shown there."""

    panel: str
    scene: str
    view: View
    at: dict
    shown: Shown

    @property
    def group(self):
        """Of places that differ by sliders only."""
        choices = tuple((name, position) for name, position in self.at.items()
                        if isinstance(position, (str, bool)))
        return self.panel, self.view.show.__name__, choices

    def said(self):
        """The sentence and the readout."""
        return [self.shown.says, *(f"{label} = {text}" for label, text in self.shown.numbers)]


def ends(control):
    """Where a control can stand at a corner."""
    return control.values if control.kind == "choice" else (control.values[0], control.values[-1])


def moves(controls):
    """Every control over its grid, every two of them at their corners: control -> position."""
    yield {}
    for control in controls:
        yield from ({control.name: position} for position in control.values)
    for one, other in itertools.combinations(controls, 2):
        yield from ({one.name: first, other.name: second} for first in ends(one) for second in ends(other))


def everywhere(controls):
    """Every two controls over their grids."""
    for one, other in itertools.combinations(controls, 2):
        yield from ({one.name: first, other.name: second} for first in one.values for second in other.values)


def begins(panel, scene):
    """Where a scene begins, and where its answer leads."""
    start = panel.starts()[scene.name]
    return [start, start | dict(scene.ask.then)] if scene.ask else [start]


def walked(name, found):
    """The places of a panel, in which controls are moved as `found` says."""
    panel, seen = kind(name), set()
    reach = {scene.name: (*shown, *scene.drags) for scene, (_, shown) in zip(panel.scenes, panel.reach())}
    for scene in panel.scenes:
        names = [control.name for control in scene.view.controls]
        free = {*reach.get(scene.name, names), *scene.play[:1]}
        controls = [control for control in scene.view.controls if control.name in free]
        for start, moved in itertools.product(begins(panel, scene), found(controls)):
            at = {control: (start | moved)[control] for control in names}
            if (scene.name, *at.values()) not in seen:
                seen.add((scene.name, *at.values()))
                yield Place(name, scene.name, scene.view, at, scene.view(**at))


@cache
def walk(name):
    """The places of a panel."""
    return list(walked(name, moves))


def spans(words, text):
    """Where the words stand in a masked text."""
    return [match.span() for match in re.finditer(re.escape(words), text)] if words in text else []


def numbers_in(text, start, end):
    """The numbers that stand in this part of the masked `text`."""
    first = masked(text)[:start].count("#")
    return [value(found) for found in NUMBER.findall(text)[first:first + masked(text)[start:end].count("#")]]


def false(place, entries):
    """What is said at a place and is not true there."""
    seen = Seen(place.shown, place.at)
    names = place.panel, place.view.show.__name__
    here = [entry for entry in entries if entry[:2] == names]
    titles = [axes.title for axes in place.shown.picture.axes]
    return [(place.scene, place.at, entry.words, text) for text in (*place.said(), *titles) for entry in here
            for start, end in spans(entry.words, masked(text))
            if not entry.told(seen, *numbers_in(text, start, end))]


@cache
def named(label):
    """A number that a sentence calls `label`."""
    return re.compile(rf"(?<!\w)(?<![\d⁰¹²³⁴-⁹] ){re.escape(label)}(?: is| of| =)? ({NUMBER.pattern})")


def contradictions(place):
    """Numbers of the readout that the sentence calls by the same name, and none as the readout has it."""
    found = []
    for label, text in place.shown.numbers:
        told = [match[1] for match in named(label).finditer(place.shown.says)]
        read = NUMBER.search(text)
        if told and read and "×" not in text and not any(agree(each, read[0]) for each in told):
            found.append((place.scene, place.at, label, told, text))
    return found


def agree(one, other):
    """Whether two printed numbers can be the same, each to its own digits; one may be a percentage."""
    ends = []
    for words, beside in ((one, other), (other, one)):
        digits = re.search(r"\.(\d+)", words)
        unit = 100 if "%" in beside and "%" not in words else 1
        ends.append((unit * value(words), unit * 0.5 * 10.0 ** -(len(digits[1]) if digits else 0)))
    (first, half), (second, rest) = ends
    return first == second or abs(first - second) <= half + rest


def clauses(text):
    """Parts of a masked text, (start, end)."""
    ends = [0, *(match.end() for match in re.finditer(r"[.;:,?](?:\s|$)", text)), len(text)]
    return list(zip(ends, ends[1:]))


def unexplained(places, entries):
    """Comparatives that are said at all positions of the sliders, and have no condition."""
    groups = {}
    for place in places:
        texts = frozenset(masked(text) for text in place.said() if not text.startswith(CHOSEN))
        groups.setdefault(place.group, set()).add(texts)
    found = set()
    for (panel, view, _), said in groups.items():
        known = [*NAMES, *(entry.words for entry in entries if (entry.panel, entry.where) == (panel, view))]
        always = set.intersection(*({text[start:end].rstrip(" .;:,?") for text in texts
                                     for start, end in clauses(text)} for texts in said))
        for text in frozenset().union(*said):
            explained = [span for words in known for span in spans(words, text)]
            for (start, end), match in itertools.product(clauses(text), COMPARATIVE.finditer(text)):
                if (start <= match.start() < end and text[start:end].rstrip(" .;:,?") in always
                        and not any(low <= match.start() and match.end() <= high for low, high in explained)):
                    found.add((panel, view, match[0], text[start:end].strip()))
    return sorted(found)


def check(places):
    """At all of these places numbers are numbers, the sentence agrees with the readout, and both are true."""
    for place in places:
        for words in (*place.said(), *(axes.title for axes in place.shown.picture.axes)):
            assert words.startswith(CHOSEN) or not BROKEN.search(words), (place.scene, place.at, words)
        assert not contradictions(place)
        assert not false(place, OF_VIEWS)


@pytest.mark.parametrize("name", PANELS)
def test_what_is_said_is_true_wherever_a_hand_can_lead(name):
    check(walk(name))


# All of them take two minutes, and make test-all takes these.
@pytest.mark.ci
@pytest.mark.parametrize("name", PANELS if FULL else ("upper_rate", "proof_elbow"))
def test_what_is_said_is_true_wherever_two_hands_can_lead(name):
    check(walked(name, everywhere))


@pytest.mark.parametrize("name", PANELS)
def test_every_comparative_has_a_condition(name):
    assert unexplained(walk(name), OF_VIEWS) == []


def test_what_a_scene_says_is_true():
    for entry in OF_SCENES:
        scene = next(scene for scene in kind(entry.panel).scenes if scene.name == entry.where)
        (span,) = spans(entry.words, masked(scene.sentence))
        numbers = numbers_in(scene.sentence, *span)
        places = [place for place in walk(entry.panel) if place.scene == entry.where]
        for place in places[:1] if entry.kind == "home" else places:
            assert entry.told(Seen(place.shown, place.at), *numbers), (entry.words, place.at)


@pytest.mark.parametrize("name", PANELS)
def test_every_sentence_with_a_comparative_has_a_fact(name):
    facts = {(fact.story, fact.scene) for fact in FACTS if fact.scene != "explore"}
    for scene in kind(name).scenes:
        text = masked(scene.sentence)
        explained = [span for entry in OF_SCENES if entry[:2] == (name, scene.name)
                     for span in spans(entry.words, text)]
        for match in COMPARATIVE.finditer(text) if (name, scene.name) not in facts else ():
            assert any(low <= match.start() and match.end() <= high for low, high in explained), (
                f"{scene.name}: {match[0]!r} has no condition in `said` of its lesson: {scene.sentence}")


def test_all_words_of_the_list_are_said():
    """A condition of what nobody says any more checks nothing."""
    said = {(place.panel, place.view.show.__name__, masked(text)) for name in PANELS for place in walk(name)
            for text in (*place.said(), *(axes.title for axes in place.shown.picture.axes))}
    assert [entry[:3] for entry in OF_VIEWS if not any(
        (panel, view) == entry[:2] and entry.words in text for panel, view, text in said)] == []


def test_conditions_stand_in_the_twin_of_their_lesson():
    assert {each.panel for each in test_price.SAID} == {"price"}
    for lesson, twin in zip(LESSONS, twins("said"), strict=True):
        assert {each.panel for each in twin.SAID} <= set(lesson.PANELS), twin.__name__


LOAD = Control("load", "load", "", (1, 2, 3), 1)


def queue(says, numbers=()):
    """The places of a view with one slider, which says this of it."""
    @stage.view(LOAD)
    def waiting(load):
        return Shown((), says(load), list(numbers))

    return [Place("queue", "wait", waiting, {"load": load}, waiting(load=load)) for load in LOAD.values]


def test_a_false_sentence_turns_the_walk_red():
    longer = Said("queue", "waiting", "# people wait, more than one", lambda seen, people: people > 1, "view")
    found = [at for place in queue("{} people wait, more than one.".format)
             for _, at, *_ in false(place, [longer])]
    assert found == [{"load": 1}]


def test_a_comparative_without_a_condition_turns_the_walk_red():
    fixed = queue("{} people wait; always more than yesterday.".format)
    words = [("always", "always more than yesterday."), ("more", "always more than yesterday.")]
    assert [found[2:] for found in unexplained(fixed, [])] == words
    known = Said("queue", "waiting", "always more than yesterday", lambda seen: True, "view")
    assert unexplained(fixed, [known]) == []
    # What a condition of the view chooses varies along the slider, and explains itself.
    varied = queue(lambda load: f"{load} wait, {'more' if load > 1 else 'no more'} than one.")
    assert unexplained(varied, []) == []


@pytest.mark.parametrize("says, read, differs", [
    ("The risk is 0.25.", "0.25", False), ("The risk is 0.25.", "25.0%", False),
    ("The risk is 0.25.", "0.2514", False), ("The risk is 1,200.", "1.2·10³", False),
    ("The risk is 0.25.", "0.26", True), ("The risk is 0.25.", "25.6%", True),
])
def test_a_sentence_that_differs_from_its_readout_turns_the_walk_red(says, read, differs):
    place = queue(lambda load: says, [("risk", read)])[0]
    assert bool(contradictions(place)) == differs


@pytest.mark.parametrize("words, wrong", [
    ("nan people", True), ("∞", False), ("at -0.0", True), ("−0%", True), ("-0.5", False), ("n^-0.25", False),
    ("at most = > 99.9%", True), ("1 features", True), ("0.1 people", False), ("α = 1 cells", False),
    ("None of them", True), ("infinite", False), ("inf", True), ("10⁻⁴", False),
])
def test_what_is_no_number_is_seen(words, wrong):
    assert bool(BROKEN.search(words)) == wrong
