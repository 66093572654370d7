"""A poll of the room: what the server takes and keeps, the interval's law, and the telephone's coin in Node.

Telephones that are real browsers are in tests/browser/test_poll.py.
"""

import asyncio
import contextlib
import functools
import http.client
import io
import itertools
import json
import random
import secrets
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import segno
import tornado.httpserver
import tornado.netutil
from scipy import stats
from test_live_pictures import ask_node

from ldp_lib.privacy.exact import ResponseCoin
from ldp_lib.site import gathering, poll, serve
from ldp_lib.site.gathering import BUDGETS, RefusedError
from ldp_lib.site.poll import COINS, Polls, interval

QUESTION, KEY = "Did you have breakfast today?", "of the lecturers"


@pytest.fixture
def polls(tmp_path):
    return Polls(tmp_path / "polls.sqlite", KEY)


def token():
    return secrets.token_hex(16)


def asked(polls, alpha=1.0, question=QUESTION):
    """A poll that is asked; its code and its key."""
    opened = polls.begin(question, KEY)
    polls.ask(**opened, alpha=alpha)
    return opened["code"], opened["key"]


def kept(polls):
    """Every byte in the folder of the polls' file."""
    return b"".join(path.read_bytes() for path in polls.path.parent.iterdir())


def test_the_course_of_a_poll(polls):
    opened = polls.begin(f"  {QUESTION} \n", KEY)
    code, phones = opened["code"], [token() for _ in range(10)]
    for phone in phones:
        polls.vote(code, phone, 1.0)
    polls.vote(code, phones[0], 4.0)
    seen = polls.state(code)
    assert seen["votes"] == [0, 9, 0, 1] and seen["alpha"] is None
    assert QUESTION not in str(seen) and "threshold" not in seen
    with pytest.raises(RefusedError, match="not asked with alpha = 1"):
        polls.report(code, phones[0], 1.0, 1)
    polls.ask(**opened, alpha=1.0)
    with pytest.raises(RefusedError, match="vote on alpha is over"):
        polls.vote(code, phones[0], 2.0)
    seen, p = polls.state(code), COINS[1.0].probability
    assert (seen["question"], seen["alpha"], seen["n"], "low" in seen) == (QUESTION, 1.0, 0, False)
    phones = [token() for _ in range(60)]
    for number, phone in enumerate(phones):
        polls.report(code, phone, 1.0, number % 2)
        polls.report(code, phone, 1.0, 1 - number % 2)  # comes too late
    seen = polls.state(code)
    assert (seen["n"], seen["counted"], (seen["low"], seen["high"])) == (60, 60, interval(30, 60, p))
    assert seen["estimate"] == pytest.approx((0.5 - 1 + p) / (2 * p - 1))
    assert not any(phone in str(seen) for phone in phones)


@pytest.mark.parametrize("alpha", BUDGETS)
@pytest.mark.parametrize("yes", [0, 1, 0.5])
def test_a_sum_is_of_ten_and_of_five_more_and_its_interval_is_inside(polls, alpha, yes):
    """Between the steps everybody's page is the same, whatever the last reports are: nobody's report shows.
    An estimate that says "from 100% to 100%", or that is of fewer than ten, never shows."""
    code, _ = asked(polls, alpha)
    ones, shown, before = 0, [], None
    for n in range(1, 61):
        one = n % 2 if yes == 0.5 else yes
        ones += one
        polls.report(code, token(), alpha, one)
        seen = polls.state(code)
        assert seen.pop("n") == n and "yes" not in seen
        assert seen["counted"] == (n - n % 5 if n >= 10 else 0)
        if n % 5 and n > 10:
            assert seen == before
        elif n % 5 == 0 and n >= 10:
            low, high = interval(ones, n, COINS[alpha].probability)
            inside = 0 < low and high < 1
            assert (seen.get("low"), seen.get("high")) == ((low, high) if inside else (None, None))
            assert ("estimate" in seen) == inside
            shown.append(inside)
        before = seen
    assert any(shown) == (yes == 0.5 and alpha > 0.5)


def test_a_clock_that_jumps_deletes_nothing(polls, monkeypatch):
    code, _ = asked(polls)
    monkeypatch.setattr(gathering.time, "time", lambda: 1e12)
    polls.begin("What else?", KEY)
    assert polls.state(code)["question"] == QUESTION


def test_alpha_is_fixed_when_the_question_is_asked(polls):
    code, key = asked(polls)
    polls.ask(code, key, 1.0)  # a second click
    with pytest.raises(RefusedError, match="asked with alpha = 1, which stays"):
        polls.ask(code, key, 4.0)
    with pytest.raises(RefusedError, match="not asked with alpha = 4"):
        polls.report(code, token(), 4.0, 1)
    assert polls.state(code)["alpha"] == 1.0 and polls.state(code)["n"] == 0


def test_the_end_leaves_no_byte_of_a_poll_and_all_of_another(polls):
    """So many tokens fill pages of their own, and a few lie across the border of two."""
    (code, key), (other, _) = asked(polls), asked(polls, question="What else?")
    phones, others = [token() for _ in range(400)], [token() for _ in range(40)]
    for phone in phones:
        polls.report(code, phone, 1.0, 1)
    for phone in others:
        polls.report(other, phone, 1.0, 0)
    before = kept(polls)
    assert all(part.encode() in before for part in (QUESTION, code, key))
    assert sum(phone.encode() in before for phone in phones) > 390
    with pytest.raises(RefusedError, match="Only who opened"):
        polls.end(code, "somebody")
    polls.end(code, key)
    after = kept(polls)
    assert not any(part.encode() in after for part in (QUESTION, code, key))
    assert not any(phone[at:at + 8].encode() in after for phone in phones for at in (0, 8, 16, 24))
    assert polls.state(other)["n"] == 40
    with pytest.raises(RefusedError, match="no poll"):
        polls.state(code)


@pytest.mark.parametrize("people", [10, 60, 300])
def test_the_file_does_not_say_in_which_order_telephones_came(tmp_path, monkeypatch, people):
    """The same votes and reports in three orders, beside another poll: the same bytes.

    The file keeps what was published, the sums of the first ten and of five more; here all say the same.
    """
    phones = [token() for _ in range(people)]
    votes, files = dict(zip(phones, itertools.cycle(BUDGETS))), set()
    for order in (phones, phones[::-1], random.Random(1).sample(phones, people)):
        digits = random.Random(2)
        monkeypatch.setattr(gathering.secrets, "choice", digits.choice)
        monkeypatch.setattr(gathering.secrets, "token_urlsafe", lambda size: digits.randbytes(size).hex())
        monkeypatch.setattr(gathering.time, "monotonic", lambda: 1.0)
        polls = Polls(tmp_path / f"{order[0]}.sqlite", KEY)
        opened, (other, _) = polls.begin(QUESTION, KEY), asked(polls, question="What else?")
        for phone in order:
            polls.vote(opened["code"], phone, votes[phone])
        polls.ask(**opened, alpha=1.0)
        for count, phone in enumerate(order):
            polls.report(other, f"{count:032x}", 1.0, 0)
            polls.report(opened["code"], phone, 1.0, 1)
        files.add(polls.path.read_bytes())
    assert len(files) == 1


def test_a_forgotten_poll_is_deleted(polls, monkeypatch):
    code, _ = asked(polls)
    now = gathering.time.monotonic()
    monkeypatch.setattr(gathering.time, "monotonic", lambda: now + gathering.OLDEST + 1)
    with pytest.raises(RefusedError, match="no poll"):
        polls.state(code)
    polls.begin("What else?", KEY)
    assert QUESTION.encode() not in kept(polls)


def test_a_poll_takes_so_many_telephones_and_a_server_so_many_polls(polls, monkeypatch):
    monkeypatch.setattr(gathering, "MOST_PEOPLE", 3)
    monkeypatch.setattr(gathering, "MOST", 2)
    code, _ = asked(polls)
    phones = [token() for _ in range(3)]
    for phone in phones * 2:
        polls.report(code, phone, 1.0, 1)
    with pytest.raises(RefusedError, match="takes 3 telephones"):
        polls.report(code, token(), 1.0, 1)
    polls.begin("What else?", KEY)
    with pytest.raises(RefusedError, match="2 polls already"):
        polls.begin("One more?", KEY)


def test_many_at_once_lose_nothing(tmp_path):
    """Each thread has its own connections to the file, as each process has; many reports come twice."""
    path = tmp_path / "polls.sqlite"
    with ThreadPoolExecutor(4) as pool:
        every = list(pool.map(lambda _: Polls(path, KEY), range(4)))
        code, _ = asked(every[0])
        phones = [token() for _ in range(60)]
        parts = (phones[:30], phones[15:45], phones[30:], phones)
        sent = [(polls, phone) for polls, part in zip(every, parts) for phone in part]
        random.Random(1).shuffle(sent)
        list(pool.map(lambda one: one[0].report(code, one[1], 1.0, 1), sent))
    assert [polls.state(code)["n"] for polls in every] == [60] * 4


@pytest.fixture
def site(tmp_path, repository):
    """A request to a server on this machine: method, path, body and headers -> status, headers, text."""
    folder = tmp_path / "site"
    (folder / "_static" / "ldp").mkdir(parents=True)
    page = repository / "ldp_lib" / "site" / "browser" / "phone.html"
    shutil.copy(page, folder / "_static" / "ldp")
    loop, sockets = asyncio.new_event_loop(), tornado.netutil.bind_sockets(0, "127.0.0.1")
    port = sockets[0].getsockname()[1]

    async def start():
        server = tornado.httpserver.HTTPServer(serve.application(folder, tmp_path / "polls.sqlite", KEY),
                                               max_body_size=4096)
        server.add_sockets(sockets)
        return server

    def ask(method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as line:
            line.request(method, path, body, headers)
            answer = line.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()

    ask.port = port
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(start(), loop).result(20)
    yield ask

    async def stop():
        server.stop()
        await server.close_all_connections()

    asyncio.run_coroutine_threadsafe(stop(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def post(site, path, told, **headers):
    """POST as a poll's page does; `told` is JSON, or what will be."""
    body = told if isinstance(told, str | bytes) else json.dumps(told)
    return site("POST", path, body, **{"Content_Type": "application/json"} | headers)


TOKEN = "0123456789abcdef" * 2
VOTE, REPORT = f'"token": "{TOKEN}", "alpha": ', f'"token": "{TOKEN}", "alpha": 1, "yes": '


@pytest.mark.parametrize("act, body", [
    *[("vote", f"{{{VOTE}{alpha}}}") for alpha in (
        "NaN", "Infinity", "-Infinity", "1e400", "true", '"1"', "[1]", "{}", "null", "3", "9" * 400, "-1")],
    *[("report", f"{{{REPORT}{yes}}}") for yes in (
        "true", "false", "1.0", "2", "-1", "NaN", '"1"', "[1]", "null", "9" * 400)],
    *[("report", f'{{"token": {name}, "alpha": 1, "yes": 1}}') for name in (
        '["0123456789abcdef"]', '""', '"short"', f'"{TOKEN}0"', f'"{TOKEN}\\n"', '"\\ud800"', "1", "null",
        f'"{"é" * 32}"', f'"{TOKEN.upper()}"')],
    ("report", f'{{{REPORT}1, "answer": 1}}'), ("report", f'{{"token": "{TOKEN}", "yes": 1}}'),
    ("report", f'{{"token": "{TOKEN}", "alpha": true, "yes": 1}}'),
    *[(act, body) for act in ("vote", "report", "ask", "end") for body in (
        "", "[]", "1", "null", '"key"', "{}", "{", "[" * 4000, '{"a":' * 800, b"\xff\xfe", "9" * 4000)],
    *[("end", f'{{"key": {key}}}') for key in ('"\\ud800"', "[]", "null", "1", '"é"', "true")],
    ("ask", '{"key": "", "alpha": 1}'),
])
def test_what_no_page_sends_is_refused_in_a_sentence_and_changes_nothing(site, act, body):
    opened = json.loads(post(site, "/poll/begin", {"question": QUESTION, "key": KEY})[2])
    path = f"/poll/{opened['code']}"
    if act == "report":
        assert post(site, f"{path}/ask", {"key": opened["key"], "alpha": 1})[0] == 200
    before = site("GET", path)[2]
    status, _, said = post(site, f"{path}/{act}", body)
    assert status in (400, 403) and json.loads(said)["error"].endswith(".")
    assert site("GET", path)[2] == before


@pytest.mark.parametrize("question", [
    "", " \n ", "x" * 201, 1, None, ["q"], True, {"q": 1}, "in\u200bvisible", "\ud800", "a\u202eb", "bell\x07"
])
def test_a_question_is_a_line_that_can_be_seen(site, question):
    status, _, said = post(site, "/poll/begin", {"question": question, "key": KEY})
    assert status == 400 and "question" in json.loads(said)["error"].lower()


def test_a_question_is_the_same_in_other_whitespace_and_other_codes_of_its_letters(polls):
    """So that it finds the report that a telephone keeps."""
    spelled = [polls.state(asked(polls, question=question)[0])["question"] for question in (
        "Vérité ou rien?", " Ve\u0301rite\u0301\tou\u00a0 rien?\n", "Vérité ou rien\uff1f")]
    assert set(spelled) == {"Vérité ou rien?"}


def test_pages_of_other_origins_can_post_nothing(site):
    """Without leave a browser sends them forms and plain texts only, and leave is not given."""
    told = {"question": QUESTION, "key": KEY}
    assert post(site, "/poll/begin", told)[0] == 200
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert post(site, "/poll/begin", told, Content_Type=kind)[0] == 400
    wish = {"Access_Control_Request_Method": "POST", "Access_Control_Request_Headers": "content-type"}
    status, headers, _ = site("OPTIONS", "/poll/begin", Origin="http://evil.test", **wish)
    assert status == 405 and not any(name.startswith("Access-Control") for name in headers)


@pytest.mark.parametrize("key", ["", "of somebody", KEY + "x", None, 1, [], "\ud800"])
def test_who_does_not_know_the_lecturers_key_opens_no_poll(site, key):
    """A stranger's polls took all fifty places in a second."""
    status, _, said = post(site, "/poll/begin", {"question": QUESTION, "key": key})
    assert status == 403 and "Only lecturers open polls" in json.loads(said)["error"]


@pytest.fixture
def no_seconds(monkeypatch):
    """A machine so fast that no new telephone is let in while a test asks."""
    monkeypatch.setattr(gathering, "ANEW", 0.0)


def test_one_address_does_not_fill_a_poll(no_seconds, site):
    """Whoever makes tokens is told to wait; another address still reports."""
    opened = json.loads(post(site, "/poll/begin", {"question": QUESTION, "key": KEY})[2])
    path, told = f"/poll/{opened['code']}/vote", {"alpha": 1}
    statuses = [post(site, path, told | {"token": token()})[0] for _ in range(gathering.AT_ONCE + 40)]
    assert statuses == [200] * gathering.AT_ONCE + [429] * 40
    with contextlib.closing(http.client.HTTPConnection(
            "127.0.0.1", site.port, timeout=20, source_address=("127.0.0.2", 0))) as line:
        line.request("POST", path, json.dumps(told | {"token": token()}),
                     {"Content-Type": "application/json"})
        assert line.getresponse().status == 200


def test_a_neighbour_uses_up_nothing_of_the_rooms(no_seconds, site):
    """What is refused, sent again or a vote takes no place of a report, and no poll that of another."""
    begun = [json.loads(post(site, "/poll/begin", {"question": QUESTION, "key": KEY})[2]) for _ in range(2)]
    path, other = (f"/poll/{opened['code']}" for opened in begun)
    assert post(site, f"{path}/ask", {"key": begun[0]["key"], "alpha": 1})[0] == 200
    same, report = token(), {"alpha": 1, "yes": 1}
    assert post(site, f"{path}/report", report | {"token": same})[0] == 200
    for _ in range(gathering.AT_ONCE // 2):
        assert post(site, "/poll/BCDFGH/report", report | {"token": token()})[0] == 404
        assert post(site, f"{path}/vote", {"alpha": 1, "token": token()})[0] == 409
        assert post(site, f"{path}/report", report | {"token": "short"})[0] == 400
        assert post(site, f"{path}/report", report | {"token": same})[0] == 200
    for _ in range(gathering.AT_ONCE + 1):
        last = post(site, f"{other}/vote", {"alpha": 1, "token": token()})[0]
    assert last == 429
    assert [post(site, f"{path}/report", report | {"token": token()})[0]
            for _ in range(gathering.AT_ONCE - 1)] == [200] * (gathering.AT_ONCE - 1)


@pytest.mark.parametrize("path, words", [
    ("/poll/BCDFGH", "each must wait"), ("/poll/BCDFGH/qr.svg", "Too Many Requests"),
    ("/state/nowhere/1", f"each network address gets {serve.RATE} a second")])
def test_who_asks_without_end_waits_and_nothing_is_looked_up(path, words, monkeypatch, request):
    """Nothing is given back here: in the seconds of a slow machine more would be let through."""
    monkeypatch.setattr(serve, "Visitors", lambda *_, made=serve.Visitors: made(0, 5))
    site = request.getfixturevalue("site")
    answers = [site("GET", path) for _ in range(7)]
    assert [status == 429 for status, *_ in answers] == [False] * 5 + [True] * 2
    assert all(words in text for _, _, text in answers[5:])


def test_one_address_gets_so_many_states_at_once(monkeypatch, site):
    """On a clock that stands still: in the seconds of a slow machine more would be given back."""
    monkeypatch.setattr(serve, "time", SimpleNamespace(monotonic=lambda: 100.0))
    answers = [site("GET", "/state/nowhere/1") for _ in range(serve.BURST + 2)]
    assert [status for status, *_ in answers] == [404] * serve.BURST + [429] * 2
    assert answers[-1][2] == f"Too many states at once: each network address gets {serve.RATE} a second."


def test_a_body_is_short(site):
    with contextlib.suppress(ConnectionError):  # the server need not read it to its end
        assert post(site, "/poll/begin", {"question": "x" * 5000, "key": KEY})[0] in (400, 413)
    assert post(site, "/poll/begin", {"question": "x", "key": KEY})[0] == 200


@pytest.mark.parametrize("host", ["192.168.1.20:8000", "room.example", "[fe80::1]:8000"])
def test_the_qr_code_is_the_address_that_the_browser_uses(site, host):
    status, headers, picture = site("GET", "/poll/BCDFGH/qr.svg", Host=host)
    wanted = io.BytesIO()
    code = segno.make(f"http://{host}/p/BCDFGH", error="m")
    code.save(wanted, kind="svg", scale=8, border=4, light="white")
    assert (status, headers["Content-Type"], headers["Cache-Control"]) == (200, "image/svg+xml", "no-store")
    assert picture == wanted.getvalue().decode()


@pytest.mark.parametrize("host", ["evil.test/x?", "a b", "<svg>", "user@evil.test", "x" * 300, "é.test"])
def test_no_other_address_becomes_a_qr_code(site, host):
    assert site("GET", "/poll/BCDFGH/qr.svg", Host=host.encode("latin-1"))[0] == 400


def test_the_telephones_page_may_speak_to_this_server_only(site):
    status, headers, text = site("GET", "/p/BCDFGH")
    assert status == 200 and "phone.js" in text
    policy = dict(part.split(maxsplit=1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["connect-src"] == policy["script-src"] == "'self'"
    closed = ("default-src", "frame-ancestors", "base-uri", "form-action")
    assert [policy[name] for name in closed] == ["'none'"] * 4
    for path in ("/p/BCDFGH", "/poll/BCDFGH", "/poll/BCDFGH/qr.svg", "/state/nowhere/1"):
        headers = site("GET", path)[1]
        assert (headers["Referrer-Policy"], headers["X-Content-Type-Options"]) == ("no-referrer", "nosniff")
    assert site("GET", "/poll/BCDFGH")[1]["Cache-Control"] == "no-store"
    assert site("GET", "/p/bcdfgh")[2] == text  # as a telephone may write it
    for code in ("BCDFG", "AAAAAA", "BCDFGHJ"):  # mistyped: the page says so
        assert site("GET", f"/p/{code}")[2] == text and site("GET", f"/poll/{code}")[0] == 404
    assert site("GET", "/p/BCDFGH/more")[0] == 404


# The interval.

def exact_law(ones, n, p):
    """P(k yes reports), k = 0, ..., n, when `ones` people of n have a yes, in Fractions: person by person."""
    law = [Fraction(1)]
    for person in range(n):
        says_yes = p if person < ones else 1 - p
        law = [(law[k] if k < len(law) else 0) * (1 - says_yes) + (law[k - 1] if k else 0) * says_yes
               for k in range(len(law) + 1)]
    return law


@pytest.mark.parametrize("alpha", BUDGETS)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 25])
def test_the_interval_is_exact(n, alpha):
    """Against its definition, in whole numbers: both tails move one way, bisection finds what a scan finds,
    and no share of a room of n is missed with more than 5%."""
    p, most = COINS[alpha].probability, Fraction(poll.MISS) / 2
    laws = [exact_law(ones, n, Fraction(p)) for ones in range(n + 1)]
    covered = [Fraction(0)] * (n + 1)
    for yes in range(n + 1):
        more, fewer = [sum(law[yes:]) for law in laws], [sum(law[:yes + 1]) for law in laws]
        assert more == sorted(more) and fewer == sorted(fewer, reverse=True)
        low = next((ones for ones in range(n + 1) if more[ones] > most), n)
        high = next((ones for ones in reversed(range(n + 1)) if fewer[ones] > most), 0)
        assert low <= high and interval(yes, n, p) == (low / n, high / n)
        for ones in range(low, high + 1):
            covered[ones] += laws[ones][yes]
    assert min(covered) >= 1 - Fraction(poll.MISS)


@pytest.mark.parametrize("yes", [760, 999, 1240])
def test_the_interval_of_the_largest_room(yes):
    """Its ends are in, the shares beside them are out, by laws of another making: two binomial ones."""
    n, p = gathering.MOST_PEOPLE, COINS[0.5].probability

    def tails(ones):
        law = np.convolve(stats.binom.pmf(range(ones + 1), ones, p),
                          stats.binom.pmf(range(n - ones + 1), n - ones, 1 - p))
        return law[yes:].sum(), law[:yes + 1].sum()

    low, high = (round(n * end) for end in interval(yes, n, p))
    assert tails(low)[0] > poll.MISS / 2 and tails(high)[1] > poll.MISS / 2
    assert low == 0 or tails(low - 1)[0] <= poll.MISS / 2
    assert high == n or tails(high + 1)[1] <= poll.MISS / 2
    assert interval(0, n, p) == (0, 0) and interval(n, n, p) == (1, 1)  # hardly any room says so


def test_the_interval_covers_in_simulated_rooms():
    """3000 rooms for each budget and share: more misses than the 1 - 10^-7 quantile of the binomial law with
    5% come with probability below 10^-7 each, below 2 10^-6 in all."""
    rooms, n, source = 3000, 60, np.random.default_rng(18)
    for alpha, share in itertools.product(BUDGETS, (0.0, 0.1, 0.5, 0.85)):
        coin, answers = COINS[alpha], np.arange(n) < round(share * n)
        reports = coin.toss(rooms * n, source).reshape(rooms, n) == answers
        found = np.array([interval(int(yes), n, coin.probability) for yes in reports.sum(axis=1)])
        missed = np.sum((found[:, 0] > round(share * n) / n) | (found[:, 1] < round(share * n) / n))
        assert missed <= stats.binom.isf(1e-7, rooms, poll.MISS), (alpha, share)


def test_an_interval_is_computed_once():
    interval.cache_clear()
    for _ in range(3):
        interval(1000, 2000, 0.75)
    assert interval.cache_info().misses == 1


@pytest.mark.parametrize("alpha", BUDGETS)
@pytest.mark.parametrize("n", [10, 25])
def test_what_a_room_will_see_is_told_beforehand(n, alpha):
    """By the definition, over all numbers of yes reports, with a law in Fractions."""
    p = COINS[alpha].probability
    law = [float(part) for part in exact_law(round(poll.SHARE * n), n, Fraction(p))]
    ends = [interval(yes, n, p) for yes in range(n + 1)]
    pairs = sorted((high - low, part) for (low, high), part in zip(ends, law))
    below = itertools.accumulate(part for _, part in pairs)
    median = next(width for (width, _), part in zip(pairs, below) if part >= 0.5)
    shown = sum(part for (low, high), part in zip(ends, law) if 0 < low and high < 1)
    assert poll.prospect(n, alpha) == pytest.approx((median, shown), abs=1e-7)


def test_the_lecturers_table_is_computed(repository):
    """Telephones against budget: width in points, and the probability that anything shows."""
    page = (repository / "LECTURERS.md").read_text(encoding="utf-8")
    rows = [[f"{100 * width:.0f} ({shown:.0%})" for width, shown in (poll.prospect(n, a) for a in BUDGETS)]
            for n in poll.ROOMS]
    for n, cells in zip(poll.ROOMS, rows):
        assert f"| {n} | {' | '.join(cells)} |" in page


# The telephone's coin.

@pytest.fixture
def phone(repository):
    """Ask the telephone's own module."""
    return functools.partial(ask_node, repository / "tests" / "browser" / "phone.mjs")


class Given:
    """A source of given bytes."""

    def __init__(self, given):
        self.given = given

    def bytes(self, count):
        assert count == len(self.given)
        return self.given


def test_the_telephone_has_the_librarys_coins_and_takes_no_other(phone):
    """Whatever a server says: only the four words in its script decide when it lies."""
    assert sorted(map(tuple, phone("thresholds", []))) == [
        (alpha, str(coin.threshold)) for alpha, coin in COINS.items()]


@pytest.mark.parametrize("alpha", [*BUDGETS, 20.0, 100.0])
def test_the_telephone_tosses_as_the_library_does(phone, alpha):
    """The same bytes are the same toss: at the threshold, at its words one by one, and at random."""
    coin, rng = ResponseCoin(alpha, 1, 1), random.Random(7)
    assert (alpha in BUDGETS) == (coin.bits == 64)
    top = (1 << coin.bits) - 1
    numbers = [0, 1, coin.threshold - 1, coin.threshold, coin.threshold + 1, top - 1, top]
    numbers += [coin.threshold ^ 1 << bit for bit in range(coin.bits)]
    numbers += [int.from_bytes(number.to_bytes(coin.bits // 8, "big"), "little") for number in numbers]
    numbers += [rng.randrange(top + 1) for _ in range(2000)]
    words = [[number >> start & (2**64 - 1) for start in reversed(range(0, coin.bits, 64))]
             for number in numbers]
    heads = phone("toss", [{"drawn": [str(word) for word in row], "threshold": str(coin.threshold)}
                           for row in words])
    wanted = coin.toss(len(words), Given(np.array(words, "<u8").tobytes()))
    assert heads == wanted.tolist() == [number < coin.threshold for number in numbers]


def test_the_law_of_the_telephones_coin(phone):
    """Of 2^8 words that are equally probable, as many are heads as the threshold says."""
    thresholds = range(257)
    assert phone("law", [{"count": 256, "threshold": str(t)} for t in thresholds]) == list(thresholds)


def test_a_report_is_the_answer_or_the_other_one_and_nothing_else_differs(phone):
    coin = COINS[1.0]
    tosses = {True: (0, coin.threshold - 1), False: (coin.threshold, 2**64 - 1)}
    cases = [(yes, heads, word) for yes in (True, False) for heads, words in tosses.items() for word in words]
    found = phone("reports", [{"yes": yes, "alpha": 1.0, "drawn": [str(word)]} for yes, _, word in cases])
    name = bytes(range(16)).hex()
    for (yes, heads, _), said in zip(cases, found, strict=True):
        assert said["report"] == {"token": name, "alpha": 1, "yes": int(yes == heads)}
        assert list(said["report"]) == ["token", "alpha", "yes"]
        assert said["asked"] == [[1, 64], [16, 8]]


@pytest.mark.parametrize("question", ["\u3164", "\u2800\u2800", "Is this seen?\u200b", "\u115fyes"])
def test_a_question_that_nobody_can_see_is_refused(polls, question):
    with pytest.raises(RefusedError, match="cannot be seen"):
        polls.begin(question, KEY)
