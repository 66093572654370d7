"""The room of a talk predicts: a lecturer's page, telephones that are browsers, and 60 or 300 that are not.

The server has two processes and no TLS, as in a lecture hall.
"""

from extent import all_rows
import contextlib
import http.client
import json
import random
import re
import secrets
import threading
import time

import harness
import pytest
from playwright.sync_api import expect
from test_room import COIN, INJECT, bodies, held

from ldp_lib.live import PANELS, panel
from ldp_lib.site.room import estimated

FULL = all_rows()
GOAL = 0.5
"""Seconds at p95 from the lecturer's press to the room's bars."""
ASKS = {f"{name}?scene={scene.name.replace(' ', '+')}": scene
        for name in PANELS for scene in panel(name).scenes if getattr(scene, "ask", None)}
"""Address -> scene of all that ask."""


@pytest.fixture(scope="module")
def room(browser, site, tmp_path_factory):
    expect.set_options(timeout=1e3 * harness.FRAME_SECONDS)
    with held(browser, site, tmp_path_factory.mktemp("predicting") / "home") as room:
        yield room


@contextlib.contextmanager
def talk(room, name, way="not private", size=(1280, 720), **looks):
    """The lecturer's page, at the first stop of a talk, with an open room; its code."""
    size = dict(zip(("width", "height"), size))
    with room.somebody(viewport=size, reduced_motion="reduce", **looks) as (context, _):
        page = context.new_page()
        page.goto(f"{room.origin}/talks.html#key={room.key}")
        expect(page.get_by_role("link", name=re.compile("^25 minutes|^Noise")).first).to_be_visible()
        assert room.key not in page.url, "a projector shows it"
        if name == "own":
            lines = "\n".join(f"1 {address} Say." for address in ASKS)
            page.evaluate("text => sessionStorage.setItem('ldp-own-talk', text)", lines)
        page.goto(f"{room.origin}/talks.html#{name}")
        # Until then the bar moves, also between the two halves of a click.
        expect(page.locator(".ldp-talking")).to_be_visible()
        page.get_by_role("button", name="the room", exact=True).click()
        page.get_by_role("button", name=re.compile(f"open a room (that is )?{way}")).click()
        said = page.locator(".ldp-poll-join p").inner_text()
        harness.check_accessible(page, ".ldp-room-door")
        page.get_by_role("button", name="close").click()
        yield page, said.rpartition("/")[2]


def test_a_door_that_is_opened_before_the_first_stop_has_come_stays_above_it(room):
    with room.somebody(viewport={"width": 1280, "height": 720}, reduced_motion="reduce") as (context, _):
        page, late = context.new_page(), []
        page.route("**/consistency-2-4.js*", lambda route: late.append(route))
        with page.expect_request("**/consistency-2-4.js*"):
            page.goto(f"{room.origin}/talks.html#25_minutes/5", wait_until="commit")
        page.get_by_role("button", name="the room", exact=True).click()
        page.keyboard.press("Tab")
        assert len(late) == 1 and not page.locator(".ldp-panel").count()
        late[0].continue_()
        expect(page.locator(".ldp-talking")).to_be_visible()
        door = page.locator(".ldp-room-door")
        assert door.evaluate("door => door.matches(':modal')"), "above all"
        expect(page.get_by_role("button", name="open a room with α = 0.5")).to_be_focused()
        inside = door.bounding_box()
        assert inside["y"] > 0 and inside["y"] + inside["height"] < 720
        page.get_by_role("button", name="close").click()
        expect(door).to_be_hidden()
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile("#25_minutes/6"))
        assert not door.evaluate("door => door.open"), "a door that is closed stays closed"


def tokens(left):
    """Of what was posted: the tokens."""
    return [json.loads(body)["token"] for body in bodies(left)]


def test_telephones_join_once_and_answer_what_scenes_ask(room):
    """Three telephones: one changes its mind, one is cut off from the network and comes back. The page of
    the lecturer is loaded again in the middle. When it turns nothing is left of what was sent."""
    scene = ASKS["consistency?scene=half+the+budget"]
    first, second = list(scene.ask.answers)[:2]
    with contextlib.ExitStack() as stack:
        page, code = stack.enter_context(talk(room, "25_minutes/5", size=(1920, 1080)))
        guests = [stack.enter_context(room.somebody(color_scheme=theme))
                  for theme in ("light", "dark", "light")]
        phones = [room.join(context, code, "r") for context, _ in guests]
        for phone in phones:
            expect(phone.get_by_role("heading", name=scene.sentence)).to_be_visible()
            expect(phone.get_by_text("This is not private")).to_be_visible()
            harness.check_accessible(phone)
        phones[0].get_by_role("button", name=second).click()
        phones[0].get_by_role("button", name=first).click()
        expect(phones[0].get_by_role("button", name=first)).to_have_attribute("aria-pressed", "true")
        guests[2][0].set_offline(True)
        trying, button = phones[2].get_by_text("goes on trying"), phones[2].get_by_role("button", name=first)
        place = button.bounding_box()
        expect(trying).to_have_text("The server does not answer. This page goes on trying; nothing is lost.")
        assert button.bounding_box() == place, "what is tapped stays where it is"
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(trying).to_have_text("The server does not answer. This page goes on trying.")
        phones[1].get_by_role("button", name=second).click()
        expect(page.get_by_text("2 answers")).to_be_visible()
        assert page.locator(".ldp-room .bar").count() == 0, "nobody sees what others say before the lock"
        page.reload()
        expect(page.get_by_text("2 answers")).to_be_visible()
        guests[2][0].set_offline(False)
        expect(page.get_by_text("3 answers")).to_be_visible()
        expect(trying).to_have_count(0)
        harness.check_accessible(page, ".ldp-panel")
        before = page.locator(".ldp-figure").bounding_box()
        page.get_by_role("button", name="lock the room's answers").click()
        bars = page.get_by_role("group", name="the room's answer").get_by_role("button")
        expect(bars.nth(0)).to_have_attribute("aria-label", f"your answer: {first}, the room: 67%")
        expect(bars.nth(1)).to_have_attribute("aria-label", f"your answer: {second}, the room: 33%")
        expect(bars.nth(0)).to_be_focused()
        assert page.locator(".ldp-figure").bounding_box() == before, "bars come without a jump"
        # Whose share it is stands between the words and the share, for who hears it.
        harness.check_accessible(page, ".ldp-panel", rules={harness.LABEL_IN_NAME: {"enabled": False}})
        for phone in phones:
            expect(phone.get_by_text("The room is locked. Look at the screen.")).to_be_visible()
        sent = [token for _, left in guests for token in tokens(left)]
        assert len(set(sent)) == 3 and all(token.encode() in room.kept() for token in sent)
        page.keyboard.press("Enter")
        expect(page.locator(".ldp-sentence")).to_contain_text("The room said")
        expect(bars.nth(0)).to_be_disabled()
        assert scene.ask.right not in (first, second)
        expect(page.locator(".ldp-room-count")).to_have_text("67% said this, 0% were right")
        page.set_viewport_size({"width": 1280, "height": 720})
        expect(bars).to_have_count(0)  # the picture needs the room
        assert page.locator(".ldp-bar").bounding_box()["height"] < 70, "the bar stays one line"
        page.set_viewport_size({"width": 1920, "height": 1080})
        page.keyboard.press("PageUp")
        for phone in phones:
            expect(phone.get_by_role("heading", name="You are in")).to_be_visible()
        assert not any(token.encode() in room.kept() for token in sent)
        page.keyboard.press("PageDown")
        expect(bars.nth(0)).to_contain_text("67%")
        page.get_by_role("button", name="the room", exact=True).click()
        page.get_by_role("button", name="end the room").click()
        expect(page.get_by_text("The room has ended and is deleted.")).to_be_visible()
        for phone in phones:
            expect(phone.get_by_role("heading", name="This room has ended")).to_be_visible()
            harness.check_accessible(phone)
        assert not any(part.encode() in room.kept() for part in (code, scene.sentence, *sent))


def test_a_randomised_answer_is_one_forever_and_its_bars_have_noise(room):
    """What leaves a telephone is the report, its coin put in; nine more come without a browser."""
    scene = ASKS["consistency?scene=half+the+budget"]
    answers = list(scene.ask.answers)
    with contextlib.ExitStack() as stack:
        page, code = stack.enter_context(talk(room, "25_minutes/5", "with α = 1"))
        context, left = stack.enter_context(room.somebody())
        context.add_init_script(INJECT % (json.dumps(None), COIN[True]))  # the word 0 says the next answer
        phone = room.join(context, code, "r")
        expect(phone.get_by_text("each other one with")).to_be_visible()
        phone.get_by_role("button", name=answers[0]).click()
        expect(phone.get_by_role("heading", name="Your report is sent")).to_be_visible()
        posted, = bodies(left)
        assert json.loads(posted)["choice"] == 1
        phone.get_by_text("What does it say?").click()
        expect(phone.get_by_text(f"Your report says {answers[1]}.")).to_be_visible()
        expect(phone.get_by_text("answered here: 1. Their α together: 1.")).to_be_visible()
        harness.check_accessible(phone)
        page.get_by_role("button", name="lock the room's answers").click()
        expect(page.get_by_text("nothing is shown of fewer than 10")).to_be_visible()
        held = []  # one look at the server, during which a hand turns away and back
        page.route(f"**/room/{code}", lambda route: route.continue_() if held else held.append(route))
        with page.expect_request(f"**/room/{code}"):
            pass
        page.keyboard.press("PageUp")
        expect(page.get_by_role("group", name="the room's answer")).to_be_hidden()
        page.keyboard.press("PageDown")
        expect(page.get_by_role("group", name="the room's answer")).to_be_visible()
        held[0].continue_()
        expect(page.get_by_text("0 answers")).to_be_visible()
        expect(phone.get_by_text("You have answered this question with α = 1, before")).to_be_visible()
        number = room.call(code, kind="room")["number"]
        for choice in (0, 0, 0, 0, 0, 1, 1, 1, 2, 2):
            told = {"token": secrets.token_hex(16), "number": number, "choice": choice}
            room.call(f"{code}/report", told, "room")
        expect(page.get_by_text("10 answers")).to_be_visible()
        page.get_by_role("button", name="lock the room's answers").click()
        seen = estimated([5, 3, 2, 0][:len(answers)], 1.0)
        expect(page.get_by_text(f"noise up to ±{100 * seen['noise']:.0f} points")).to_be_visible()
        bars = page.get_by_role("group", name="the room's answer").get_by_role("button")
        assert bars.locator(".noise").count() == len(answers)
        for words, share, bar in zip(answers, seen["shares"], bars.all()):
            assert re.fullmatch(f"your answer: {re.escape(words)}, the room: {share:.0%}",
                                bar.get_attribute("aria-label"))
        page.get_by_role("button", name="the room", exact=True).click()
        page.get_by_role("button", name="end the room").click()


def test_a_talk_goes_on_without_its_room(room):
    """The network is cut: it is said, answers are pressed as ever, and stops turn."""
    with talk(room, "25_minutes/5") as (page, _):
        expect(page.get_by_text("0 answers")).to_be_visible()
        harness.until(page, "ldpRests()")
        page.context.set_offline(True)
        expect(page.get_by_text("The room's server does not answer")).to_be_visible()
        page.get_by_role("group", name="the room's answer").get_by_role("button").first.click()
        expect(page.locator(".ldp-sentence")).to_contain_text("The room said")
        page.context.set_offline(False)
        expect(page.get_by_text("0 answers")).to_be_visible()
        page.get_by_role("button", name="the room", exact=True).click()
        page.get_by_role("button", name="end the room").click()


class Telephone(threading.Thread):
    """One that looks as often as the page does, and answers each question once."""

    def __init__(self, room, code, seed, over):
        super().__init__()
        self.room, self.code, self.rng, self.over = room, code, random.Random(seed), over
        self.network = threading.Event()
        self.network.set()
        self.sent, self.lost, self.heard = {}, 0, []

    def run(self):
        self.over.wait(1.5 * self.rng.random())
        while not self.over.is_set():
            self.network.wait()
            began = time.monotonic()
            try:
                seen = self.room.call(self.code, kind="room")
                if (seen["question"] and not seen["locked"] and seen["number"] not in self.sent
                        and self.network.is_set()):
                    token, choice = secrets.token_hex(16), self.rng.randrange(len(seen["answers"]))
                    told = {"token": token, "number": seen["number"], "choice": choice}
                    self.room.call(f"{self.code}/report", told, "room")
                    self.sent[seen["number"]] = token
            except (OSError, http.client.HTTPException):
                self.lost += 1
            self.heard.append(time.monotonic() - began)
            self.over.wait(1.5)


BARS = """() => new Promise((resolve) => {
    const began = performance.now();
    const done = () => resolve((performance.now() - began) / 1000);
    const seen = () => requestAnimationFrame(document.querySelector(".ldp-room .bar") ? done : seen);
    document.querySelector("[aria-label=\\"lock the room's answers\\"]").click();
    seen();
})"""
"""Seconds from the lecturer's press to bars on the screen."""


@pytest.mark.ci  # a minute of load
def test_telephones_see_twenty_questions(room, people=300 if FULL else 60, questions=20):
    """Every answer counts, bars come within half a second at p95, the end leaves nothing. The network of one
    telephone is dead for a while, and that of the lecturer; her page is loaded again once."""
    over = threading.Event()
    with talk(room, "own") as (page, code):
        phones = [Telephone(room, code, seed, over) for seed in range(people)]
        try:
            for phone in phones:
                phone.start()
            took = []
            for number in range(questions):
                if number == questions // 4:
                    expect(page.get_by_text(f"{people - 1} answers", exact=True)).to_be_visible()
                    page.context.set_offline(True)
                    expect(page.get_by_text("The room's server does not answer")).to_be_visible()
                    phones[0].network.set()
                    page.context.set_offline(False)
                expect(page.get_by_text(f"{people} answers", exact=True)).to_be_visible()
                if number == questions // 4 - 1:
                    phones[0].network.clear()
                if number == questions // 2:
                    page.reload()
                    expect(page.get_by_text(f"{people} answers", exact=True)).to_be_visible()
                took.append(page.evaluate(BARS))
                shares = page.locator(".ldp-room b").all_inner_texts()
                assert abs(sum(int(share.removesuffix("%")) for share in shares) - 100) <= 2
                page.get_by_role("group", name="the room's answer").get_by_role("button").first.click()
                page.keyboard.press("PageDown")
            expect(page).to_have_url(re.compile(f"#own/{questions + 1}$"))
            page.get_by_role("button", name="the room", exact=True).click()
            page.get_by_role("button", name="end the room").click()
            expect(page.get_by_text("The room has ended and is deleted.")).to_be_visible()
        finally:
            over.set()
            for phone in phones:
                phone.network.set()
                phone.join()
        kept = room.kept()
        assert not any(token.encode() in kept for phone in phones for token in phone.sent.values())
        assert all(len(phone.sent) >= questions for phone in phones)
    heard, took = sorted(spent for phone in phones for spent in phone.heard), sorted(took)
    late, look = (times[int(0.95 * len(times))] for times in (took, heard))
    print(f"{people} telephones: bars at p95 {late:.3f} s, a look {look:.3f} s")
    assert late < GOAL
