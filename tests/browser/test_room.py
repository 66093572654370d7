"""A poll of the room: a real server of two processes, a lecturer and telephones that are browsers, offline.

The page's address has no TLS and is not this machine's own name, as in a lecture hall, so that browsers give
it no secure context. There are 12 telephones, whose coins are put in; with LDP_FULL=1 there are 100 with
coins of their browser's own.
"""

from extent import all_rows
import contextlib
import io
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

import harness
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect
from scipy import stats

from ldp_lib.check import chromium
from ldp_lib.site.poll import COINS, interval
from ldp_lib.site.stored import write

FULL = all_rows()
PHONES, AT_ONCE = (100 if FULL else 12), 6
HOST = "room.test"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Poll</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="_static/ldp/panels.css"><link rel="icon" href="data:,">
<main><h1>The room is the data</h1><div class="ldp-poll"><p>Polls need the server.</p></div></main>
<script defer src="_static/ldp/panels.js"></script></html>"""

# Words for the coin, bytes for a name: what `crypto` would give.
INJECT = """
const own = crypto.getRandomValues.bind(crypto), name = %s;
crypto.getRandomValues = (array) => array instanceof BigUint64Array ? array.fill(%s)
    : name === null ? own(array) : array.fill(name);"""
COIN = {True: "0n", False: "2n ** 64n - 1n"}
"""Heads, which is the truth, and tails."""


class Room:
    """A server of pages in a folder, its own folder for polls and rooms, and a browser for all who come."""

    def __init__(self, process, folder, home):
        self.process, self.home = process, home
        home.mkdir()
        self.server = subprocess.Popen(
            [sys.executable, "-m", "ldp_lib.site.serve", str(folder), "--port=0",
             "--processes=2"], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": str(harness.ROOT), "TMPDIR": str(home)})
        self.port = int(self.server.stdout.readline().rpartition(":")[2])
        self.key = self.server.stdout.readline().strip().rpartition("#key=")[2]
        self.origin = f"http://{HOST}:{self.port}"

    def stop(self):
        """Stop the server; its processes end, and close what it writes to."""
        self.server.terminate()
        assert self.server.communicate(timeout=30) == ("", None)

    def workers(self):
        """The numbers of the server's two processes, once there are two."""
        def found():
            listed = subprocess.run(["pgrep", "-P", str(self.server.pid)], capture_output=True, text=True)
            return {int(line) for line in listed.stdout.split()}
        return until(found, lambda workers: len(workers) == 2)

    def call(self, path, told=None, kind="poll"):
        """What the server says, asked without a browser."""
        body = None if told is None else json.dumps(told).encode()
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/{kind}/{path}", body,
                                       {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return json.loads(answer.read())

    def asked(self, question, alpha=1.0):
        """A poll that is asked, without a lecturer's page."""
        opened = self.call("begin", {"question": question, "key": self.key})
        self.call(f"{opened['code']}/ask", {"key": opened["key"], "alpha": alpha})
        return opened

    def kept(self):
        """Every byte that the server keeps of polls."""
        return b"".join(path.read_bytes() for path in self.home.rglob("*") if path.is_file())

    @contextlib.contextmanager
    def somebody(self, coin=None, name=None, **looks):
        """A browser's context of its own, and the list of requests that leave it."""
        context = self.process.new_context(**{"viewport": {"width": 390, "height": 844}} | looks)
        context.set_default_timeout(1e3 * harness.FRAME_SECONDS)
        if coin is not None:
            context.add_init_script(INJECT % (json.dumps(name), COIN[coin]))
        left = []
        context.on("request", lambda request: left.append(request))
        try:
            yield context, left
        finally:
            context.close()

    def join(self, context, code, short="p"):
        """A page of `context` on the telephones' address."""
        page = context.new_page()
        page.goto(f"{self.origin}/{short}/{code}")
        return page


def until(found, right):
    """Ask `found` until the answer is `right`; return it."""
    deadline = time.monotonic() + harness.START_SECONDS
    while not right(answer := found()):
        assert time.monotonic() < deadline, answer
        time.sleep(0.1)
    return answer


def bodies(left, act="report"):
    """The texts that were posted."""
    return [request.post_data for request in left if request.method == "POST" and request.url.endswith(act)]


def tap(page, answer):
    """Answer; return what the report says, which shows on a second tap only."""
    page.get_by_role("button", name=answer, exact=True).click()
    expect(page.get_by_role("heading", name="Your report is sent")).to_be_visible()
    said = page.get_by_text("Your report says")
    expect(said).to_be_hidden()
    page.get_by_text("What does it say?").click()
    return said.inner_text()


@pytest.fixture(scope="module")
def room(browser, tmp_path_factory):
    folder = tmp_path_factory.mktemp("room")
    write(folder / "site" / "_static" / "ldp", names=())
    (folder / "site" / "index.html").write_text(PAGE, encoding="utf-8")
    with held(browser, folder / "site", folder / "home") as room:
        yield room


@contextlib.contextmanager
def held(browser, pages, home):
    """A `Room` with these pages, and a browser of its own, which finds the server by a name."""
    rules = f"MAP {HOST} 127.0.0.1, EXCLUDE 127.0.0.1, MAP * ~NOTFOUND"
    process = browser.browser_type.launch(executable_path=chromium(), args=[
        *harness.ARGUMENTS, f"--host-resolver-rules={rules}"])
    room = Room(process, pages, home)
    try:
        yield room
    finally:
        process.close()
        room.stop()
    assert not list(home.iterdir()), "a server that ends takes its polls with it"


def test_a_room_is_asked(room):
    """From the lecturer's click to the end of the poll. In the full run, whose telephones toss their coins,
    the number of true reports is refused with probability below 10^-6."""
    question = "Is <b onclick=alert(1)>this</b> & \"that\" true of you?"
    rng, alpha = np.random.default_rng(8), 2.0 if FULL else 4.0
    truths, truth = rng.random(PHONES) < 0.3, COINS[alpha].probability
    coins = [None if FULL else bool(k % 4) for k in range(PHONES)]
    with contextlib.ExitStack() as stack:
        lectern, _ = stack.enter_context(room.somebody(viewport={"width": 1280, "height": 900}))
        lecturer = lectern.new_page()
        lecturer.goto(f"{room.origin}/#key={room.key}")
        harness.check_accessible(lecturer)
        assert room.key not in lecturer.url, "a projector shows it"
        lecturer.get_by_label("question").fill(question)
        lecturer.get_by_role("button", name="open a poll").click()
        address = lecturer.locator(".ldp-poll-join p").inner_text()
        code = address.removeprefix(f"{HOST}:{room.port}/p/")
        assert re.fullmatch("[A-Z]{6}", code)
        expect(lecturer.get_by_text(question)).to_have_count(0)
        reports, names = [], set()
        for start in range(0, PHONES, AT_ONCE):
            with contextlib.ExitStack() as batch:
                phones = []
                for k in range(start, min(start + AT_ONCE, PHONES)):
                    theme = "dark" if k % 2 else "light"
                    context, left = batch.enter_context(room.somebody(coins[k], color_scheme=theme))
                    phones.append((k, room.join(context, code), left))
                if start == 0:
                    vote(lecturer, phones, alpha)
                    expect(lecturer.get_by_role("heading", name=question)).to_be_visible()
                    lecturer.close()
                    lecturer = lectern.new_page()
                    lecturer.goto(room.origin)
                    expect(lecturer.get_by_text("fewer than 10 reports")).to_be_visible()
                for k, page, left in phones:
                    if k < 2:
                        expect(page.get_by_role("heading", name=question)).to_be_visible()
                        harness.check_accessible(page)
                    reports.append(answered(page, left, alpha, question, truths[k]))
                    names.add(json.loads(bodies(left)[0])["token"])
                    names.update(json.loads(body)["token"] for body in bodies(left, "vote"))
                    if k < 2:
                        harness.check_accessible(page)
                if start == 0:
                    before = room.workers()
                    os.kill(min(before), signal.SIGKILL)
                    until(room.workers, lambda now: now != before)
        expect(lecturer.get_by_text(f"Reports: {PHONES}.")).to_be_visible()
        counted = PHONES - PHONES % 5
        low, high = interval(sum(reports[:counted]), counted, truth)
        estimate = (np.mean(reports[:counted]) - 1 + truth) / (2 * truth - 1)
        assert 0 < low and high < 1
        said = (f"with 95%: from {low:.1%} to {high:.1%} yes" if high - low > 0.2 else
                f"{estimate:.1%} yes; with 95%: from {low:.1%} to {high:.1%}")
        expect(lecturer.get_by_role("img", name=said)).to_be_visible()
        harness.check_accessible(lecturer)
        honest = int(np.sum(np.array(reports) == truths))
        if FULL:
            assert stats.binomtest(honest, PHONES, truth).pvalue > 1e-6
        else:
            assert reports == [int(one == coin) for one, coin in zip(truths, coins)]
        assert len(names) == PHONES + AT_ONCE, "no name comes twice, and that of a vote is another"
        halves = [(name[:16], name[16:]) for name in names]  # a page of the base may end within one of them
        kept = room.kept()
        assert question.encode() in kept and code.encode() in kept
        assert all(any(half.encode() in kept for half in name) for name in halves)
        late, _ = stack.enter_context(room.somebody())
        page = room.join(late, code)
        expect(page.get_by_role("heading", name=question)).to_be_visible()
        lecturer.get_by_role("button", name="end the poll").click()
        expect(page.get_by_role("heading", name="This poll has ended")).to_be_visible()
        harness.check_accessible(page)
        expect(lecturer.locator("p[role=status]")).to_have_text("The poll has ended and is deleted.")
        kept = room.kept()
        assert not any(part.encode() in kept for part in (question, code, *itertools.chain(*halves)))
        for _ in range(2):  # the picture stays
            expect(lecturer.get_by_role("img", name=said)).to_be_visible()
            harness.check_accessible(lecturer)
            lecturer.reload()
        lecturer.get_by_role("button", name="another poll").click()
        expect(lecturer.get_by_label("question")).to_be_visible()


def vote(lecturer, phones, alpha):
    """All telephones vote for `alpha`, the first one after a change of its mind; the lecturer asks."""
    for k, page, _ in phones:
        if k < 2:  # one is light, one is dark
            harness.check_accessible(page)
        for wish in (1, int(alpha)) if k == 0 else (int(alpha),):
            button = page.get_by_role("button", name=f"α = {wish}:")
            button.click()
            expect(button).to_have_attribute("aria-pressed", "true")
    harness.check_accessible(lecturer)
    lecturer.get_by_role("button", name=f"ask with α = {alpha:g} (votes: {len(phones)})").click()


def answered(page, left, alpha, question, yes):
    """Answer as is true; check what left the telephone, and return its report."""
    heading = page.get_by_role("heading", name=question)
    expect(heading).to_be_visible()
    assert not page.evaluate("isSecureContext")
    words = page.locator("main").inner_text()
    assert f"comes from {HOST}:{page.evaluate('location.port')}. Whoever serves it" in words
    assert "unencrypted" in words and "your browser's cryptographic generator" in words
    assert words.index(f"α = {alpha:g}") < words.index(question)
    said = tap(page, "yes" if yes else "no")
    posted, = bodies(left)
    told = json.loads(posted)
    assert list(told) == ["token", "alpha", "yes"] and told["alpha"] == alpha
    assert re.fullmatch("[0-9a-f]{32}", told["token"]) and told["yes"] in (0, 1)
    assert said == f"Your report says {'yes' if told['yes'] else 'no'}."
    return told["yes"]


TAPPED = """yes => {
    const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === yes);
    button.focus();
    button.click();
    return [document.body.innerHTML, document.activeElement === document.body];
}"""
KEPT = """async () => {
    const answer = request => new Promise(done => { request.onsuccess = () => done(request.result); });
    const base = await answer(indexedDB.open("ldp-poll"));
    const all = (name, what) => answer(base.transaction(name).objectStore(name)[what]());
    const found = { questions: await all("reports", "getAllKeys"), reports: await all("reports", "getAll"),
                    votes: await all("votes", "getAll"), elsewhere: [
                        (await indexedDB.databases()).length, { ...localStorage }, { ...sessionStorage },
                        document.cookie, location.href, window.name, history.length, history.state] };
    base.close();
    return found;
}"""


def test_the_traffic_knows_the_report_and_nothing_else(room):
    """Somebody says yes and her coin tells the truth, another one says no and his coin lies: the reports are
    equal, and so is every byte that leaves, and when, the page, what the browser keeps, history and focus."""
    question = "Which of the two?"
    code, seen = room.asked(question)["code"], []
    for yes, heads in [(True, True), (False, False), (True, False), (False, True)]:
        with room.somebody(heads, name=7) as (context, left):
            context.clock.install(time=0)
            context.clock.pause_at(1000)
            page = room.join(context, code)
            page.get_by_role("button", name="yes", exact=True).wait_for()
            before = len(left)
            at_once = page.evaluate(TAPPED, "yes" if yes else "no")
            kept = until(lambda: page.evaluate(KEPT), lambda kept: kept["reports"])
            assert len(left) == before, "nothing leaves with the tap"
            context.clock.run_for(1500)
            expect(page.get_by_role("heading", name="Your report is sent")).to_be_visible()
            report = {"token": "07" * 16, "alpha": 1, "yes": int(yes == heads)}
            answered = {"code": code, "alpha": 1}
            assert kept["reports"] == [answered | {"report": report}] and at_once[1]
            # What has arrived is forgotten: a later reader of the browser learns that it took part.
            assert page.evaluate(KEPT) == kept | {"reports": [answered]}
            assert kept["questions"] == [question] and kept["votes"] == []
            assert kept["elsewhere"][:4] == [1, {}, {}, ""]
            traffic = [(request.method, request.url, request.post_data or "", request.all_headers())
                       for request in left]
            assert [row[0] for row in traffic[before:]] == ["GET", "POST"]
            seen.append((traffic, at_once, kept, page.content()))
    assert seen[0] == seen[1] and seen[2] == seen[3]
    for one, other in zip(seen[0][0], seen[2][0], strict=True):
        assert one[:2] == other[:2] and len(one[2]) == len(other[2]) and one[3] == other[3]
        assert one[1].startswith(f"{room.origin}/")
    assert room.call(code)["n"] == 1  # of four telephones that call themselves the same


def test_a_telephone_keeps_its_one_report(room):
    """Reload, back, a second tab, no connection: one report. A second poll, whoever opened it: nothing."""
    question = "Once and for all?"
    first, again, other = room.asked(question), room.asked(f" {question} "), room.asked(question, alpha=2.0)
    with room.somebody() as (context, left):
        page = room.join(context, first["code"])
        yes, trying = page.get_by_role("button", name="yes", exact=True), page.get_by_text("goes on trying")
        yes.wait_for()
        context.set_offline(True)
        expect(trying).to_be_visible()
        context.set_offline(False)
        expect(trying).to_have_count(0)
        context.set_offline(True)
        expect(trying).to_be_visible()
        yes.click()
        expect(page.get_by_role("heading", name="Waiting")).to_be_visible()
        context.set_offline(False)
        said = page.get_by_role("heading", name="Your report is sent")
        expect(said).to_be_visible()
        page.reload()
        expect(said).to_be_visible()
        page.goto(f"{room.origin}/index.html")
        page.go_back()
        expect(said).to_be_visible()
        second = room.join(context, first["code"].lower())
        expect(second.get_by_role("heading", name="Your report is sent")).to_be_visible()
        expect(second.get_by_text("What does it say?")).to_have_count(0)
        expect(page.get_by_text("has answered here: 1. Their α together: 1.")).to_be_visible()
        sent = bodies(left)
        assert 1 <= len(sent) <= 2 and len(set(sent)) == 1, "the one without a connection may be in the list"
        for later in (again, other):
            page.goto(f"{room.origin}/p/{later['code']}")
            expect(page.get_by_text("so nothing is sent")).to_be_visible()
            expect(page.get_by_role("button")).to_have_count(0)
            harness.check_accessible(page)
        assert bodies(left) == sent
        room.call(f"{first['code']}/end", {"key": first["key"]})
        expect(second.get_by_role("heading", name="This poll has ended")).to_be_visible()
        page.goto(f"{room.origin}/p/{again['code']}")
        expect(page.get_by_text("so nothing is sent")).to_be_visible()
        assert bodies(left) == sent
        spelled = room.asked("Once, and for all?")
        page.goto(f"{room.origin}/p/{spelled['code']}")
        expect(page.get_by_text("also if one question comes in several spellings")).to_be_visible()
        tap(page, "no")
        page.reload()
        expect(page.get_by_text("has answered here: 2. Their α together: 2.")).to_be_visible()
    assert [room.call(poll["code"])["n"] for poll in (again, other, spelled)] == [0, 0, 1]


def test_what_was_not_sent_when_a_poll_ended_is_forgotten(room):
    opened = room.asked("Too late?")
    with room.somebody() as (context, _):
        page = room.join(context, opened["code"])
        page.get_by_role("button", name="yes", exact=True).wait_for()
        context.set_offline(True)
        page.get_by_role("button", name="yes", exact=True).click()
        expect(page.get_by_role("heading", name="Waiting")).to_be_visible()
        room.call(f"{opened['code']}/end", {"key": opened["key"]})
        context.set_offline(False)
        expect(page.get_by_role("heading", name="This poll has ended")).to_be_visible()
        assert page.evaluate(KEPT)["reports"] == [{"code": opened["code"], "alpha": 1}]


def test_an_address_of_no_poll_is_not_called_an_ended_one(room):
    with room.somebody() as (context, _):
        page = room.join(context, "BCDFGH")
        expect(page.get_by_role("heading", name="There is no poll BCDFGH")).to_be_visible()
        for typed in ("hwmhvx", "HWMHVO", "HWMHV", "HWMHVXX", "%E2%98%83"):
            page.goto(f"{room.origin}/p/{typed}")
            expect(page.get_by_role("heading", name="There is no poll")).to_be_visible()
            expect(page.get_by_text("compare it with the screen, letter by letter")).to_be_visible()


def test_without_javascript_the_page_says_what_it_lacks(room):
    with room.somebody(java_script_enabled=False) as (context, _):
        expect(room.join(context, "BCDFGH").get_by_text("This page needs JavaScript")).to_be_visible()


def test_the_screen_is_large_and_can_be_black(room):
    """At the smallest size of a projector nothing has to be scrolled, and letters are of 24 px and more."""
    with room.somebody(viewport={"width": 1280, "height": 720}) as (context, _):
        page = context.new_page()
        page.goto(f"{room.origin}/#key={room.key}")
        page.get_by_role("heading", name="The room is the data").click()
        page.keyboard.press("b")
        assert shades(page) == {0}
        page.keyboard.type("Not black?")
        page.keyboard.press("Enter")
        for button in ("ask with α = 4", "end the poll"):
            expect(page.get_by_role("button", name=button)).to_be_in_viewport(ratio=1)
            assert page.evaluate(FITS)
            if button.startswith("ask"):
                assert letters(page.get_by_role("cell", name="22 points").first) >= 24
                assert page.get_by_role("cell", name="probably nothing").count() == 7
                assert page.get_by_role("cell", name="22 points").count() == 2
                page.get_by_role("button", name=button).click()
                expect(page.get_by_role("heading", name="Not black?")).to_be_visible()
                expect(page.get_by_text("who holds a yes as likely as not believes it")).to_be_visible()
        for words in ("Reports: 0.", "by 55 at most"):
            assert letters(page.get_by_text(words)) >= 24
        assert len(shades(page)) > 1
        page.keyboard.press("b")
        assert shades(page) == {0}
        page.keyboard.press("Escape")
        assert len(shades(page)) > 1
        page.get_by_role("button", name="end the poll").click()
        page.get_by_role("button", name="another poll").click()


def test_the_key_is_taken_where_the_page_is_already(room):
    """And leaves the address at once; a long question leaves room for what ends the poll."""
    with room.somebody(viewport={"width": 1280, "height": 720}) as (context, _):
        page = context.new_page()
        page.goto(room.origin)
        page.get_by_role("button", name="open a poll").click()
        expect(page.get_by_text("Only lecturers open polls")).to_be_visible()
        page.evaluate("key => { location.hash = `key=${key}`; }", room.key)
        expect(page.get_by_text("Only lecturers open polls")).to_be_hidden()
        assert "key" not in page.url
        page.get_by_label("question").fill("Is this long? " * 14)
        page.get_by_role("button", name="open a poll").click()
        page.get_by_role("button", name="ask with α = 1").click()
        expect(page.get_by_role("heading", name="Is this long?")).to_be_visible()
        expect(page.get_by_role("button", name="end the poll")).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.querySelector('.ldp-poll').scrollWidth") <= 390
        page.get_by_role("button", name="end the poll").click()


FITS = """() => {
    const { scrollHeight, clientHeight } = document.querySelector(".ldp-poll");
    return scrollHeight <= clientHeight;
}"""


def letters(place):
    """Height of the letters of a node, px."""
    return place.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")


def shades(page):
    """The greys of the screen."""
    return {shade for _, shade in Image.open(io.BytesIO(page.screenshot())).convert("L").getcolors()}


def test_two_tabs_at_once_send_one_report(room):
    """Both tabs are clicked in the same millisecond, one on yes, one on no; three times."""
    with room.somebody() as (context, left):
        for attempt in range(3):
            code = room.asked(f"Attempt {attempt}?")["code"]
            tabs = [room.join(context, code) for _ in range(2)]
            for tab in tabs:
                tab.get_by_role("button", name="yes", exact=True).wait_for()
            moment = time.time() * 1e3 + 200
            for number, tab in enumerate(tabs):
                tab.evaluate("""([number, moment]) => {
                    const button = document.querySelectorAll("button")[number];
                    const busy = () => { while (Date.now() < moment); button.click(); };
                    setTimeout(busy, moment - Date.now() - 20);
                }""", [number, moment])
            for tab in tabs:
                expect(tab.get_by_role("heading", name="Your report")).to_be_visible()
            sent = bodies(left, f"{code}/report")
            assert len(set(sent)) == 1, sent
            assert room.call(code)["n"] == 1
            for tab in tabs:
                tab.close()


GATES = """
const open = IDBFactory.prototype.open;
window.gates = [];
IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given);
    if (window.gated) Object.defineProperty(request, "onsuccess", {
        set: (go) => { request.addEventListener("success", (event) => { gates.push(() => go(event)); }); },
    });
    return request;
};"""
"""Each time that a tab goes to what it keeps and could go on, it waits for the test."""


def test_a_tab_that_is_stopped_on_its_way_sends_no_report_of_its_own(room):
    """The first tab is stopped each time before it reads or writes what is kept; the second one answers, and
    sends, when the first has been there once. What was kept first is what is sent."""
    code = room.asked("Who is faster?")["code"]
    with room.somebody() as (context, left):
        context.clock.install(time=0)
        context.clock.pause_at(1000)
        context.add_init_script(GATES)
        slow, quick = (room.join(context, code) for _ in range(2))
        for tab in (slow, quick):
            tab.get_by_role("button", name="yes", exact=True).wait_for()
        slow.evaluate("window.gated = true")
        slow.get_by_role("button", name="yes", exact=True).click()
        through = "gates.splice(0).forEach((go) => go()), gates.length"
        until(lambda: slow.evaluate("gates.length"), lambda stopped: stopped == 1)
        slow.evaluate(through)
        quick.get_by_role("button", name="no", exact=True).click()
        until(lambda: quick.evaluate(KEPT)["reports"], bool)
        context.clock.run_for(1500)
        expect(quick.get_by_role("heading", name="Your report")).to_be_visible()
        slow.evaluate("window.gated = false")
        slow.evaluate(through)
        context.clock.resume()
        expect(slow.get_by_role("heading", name="Your report")).to_be_visible()
        sent = bodies(left)
        assert len(sent) == 1, sent


def test_without_a_place_to_keep_a_report_none_is_made(room):
    code = room.asked("Who keeps nothing?")["code"]
    with room.somebody() as (context, left):
        context.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
        page = room.join(context, code)
        expect(page.get_by_role("heading", name="No report can be made here")).to_be_visible()
        expect(page.get_by_text("in another browser")).to_be_visible()
        expect(page.get_by_text("goes on trying")).to_have_count(0)
        expect(page.get_by_role("button")).to_have_count(0)
        assert bodies(left) == []


def test_a_lecturer_at_localhost_is_told_what_to_do(room):
    with room.somebody() as (context, _):
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{room.port}/")
        expect(page.get_by_text("Telephones cannot come to 127.0.0.1")).to_be_visible()
        harness.check_accessible(page)
        page.goto(room.origin)
        expect(page.get_by_role("button", name="open a poll")).to_be_visible()
        expect(page.get_by_text("Telephones cannot come")).to_have_count(0)
