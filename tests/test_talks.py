"""A talk of one's own, from its file to its page, and the list of scenes that it is chosen from."""

import html
import importlib
import json
import re

import pytest

from ldp_lib.live import PANELS, panel
from ldp_lib.site.talk import PLACE, main, talk
from ldp_lib.stage.control import legal


@pytest.fixture
def site(tmp_path):
    """The folder of pages, as far as the command reads and writes it."""
    folder = tmp_path / "site"
    (folder / "_static" / "ldp").mkdir(parents=True)
    (folder / "talks.html").write_text(f"<h1>Talks</h1>\n{PLACE}\n<p>More.</p>", encoding="utf-8")
    return folder


def run(site, path):
    main([str(path), "--site", str(site)])


def test_all_wrong_lines_are_told_at_once_and_nothing_is_written(site, tmp_path, capsys):
    path = tmp_path / "mine.txt"
    path.write_text("# Mine\n2 prize Say.\n\n2 consistency?scene=half the budget Say.\n"
                    "3 price?scene=open Say.\n2.5 price Say.", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        run(site, path)
    first, second, third = str(ended.value).splitlines()
    assert re.match("mine.txt, line 2: .*'prize' is unknown; choose one of 'start'", first)
    assert re.match(r"mine.txt, line 4: .* a space is written \+; the scenes .*half\+the\+budget", second)
    assert re.match("mine.txt, line 6: .*whole minutes", third)
    path.write_text("# Mine\n\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="mine.txt has no stop"):
        run(site, path)
    assert [page.name for page in site.glob("*.html")] == ["talks.html"]


@pytest.mark.parametrize("missing", ["talk", "pages"])
def test_what_is_not_there_is_told(site, tmp_path, missing, capsys):
    path = tmp_path / "mine.txt"
    if missing == "pages":
        path.write_text("2 price Say.", encoding="utf-8")
        (site / "talks.html").unlink()
    with pytest.raises(SystemExit):
        run(site, path)
    assert ("make site" if missing == "pages" else "mine.txt") in capsys.readouterr().err


def test_the_page_has_the_talk_and_nothing_is_rebuilt(site, repository, capsys):
    path = repository / "docs" / "talks" / "45_minutes.txt"
    run(site, path)
    page = site / "talk_45_minutes.html"
    assert capsys.readouterr().out == f"Open {page}\n"
    text = page.read_text(encoding="utf-8")
    told = json.loads(html.unescape(re.search('data-talk="([^"]*)"', text)[1]))
    assert told == talk(path.read_text(encoding="utf-8"))
    assert text.startswith("<h1>Talks</h1>") and text.endswith("<p>More.</p>")
    assert not list((site / "_static" / "ldp").iterdir())


def test_a_state_that_no_page_has_is_told(site, tmp_path, capsys):
    """Several controls away from where a scene begins; the same, but for one of them, is stored."""
    shown = panel("elbow?scene=explore")
    ends = {control.name: control.values[-1] for control in shown.controls}
    far = "&".join(f"{name}={ends[name]}" for name in shown.shown("explore"))
    path = tmp_path / "mine.txt"
    path.write_text(f"1 elbow?scene=lever Say.\n1 elbow?scene=explore&{far} Say.", encoding="utf-8")
    assert not legal(shown, f"elbow?scene=explore&{far}", {})[1]
    run(site, path)
    told, opened = capsys.readouterr().out.splitlines()
    assert told.startswith("Stop 2, elbow?scene=explore&") and "make serve" in told
    assert opened == f"Open {site / 'talk_mine.html'}"


def test_a_lesson_of_ones_own_is_stored_beside_the_others(site, tmp_path, repository, monkeypatch, capsys):
    monkeypatch.chdir(repository)
    path = tmp_path / "mine.txt"
    path.write_text("5 examples/queues.py?scene=busy Nine wait.\n1 price Say.", encoding="utf-8")
    run(site, path)
    files = {file.name for file in (site / "_static" / "ldp").iterdir()}
    assert {"queues-1.js", "queues-1-0.js"} <= files and all(name.startswith("queues") for name in files)
    page = (site / "talk_mine.html").read_text(encoding="utf-8")
    assert '"address": "queues/1?scene=busy"' in html.unescape(page)


def test_every_scene_is_in_the_list_with_an_address_that_opens_it(repository, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "docs" / "site"))
    cards = importlib.import_module("scenes")
    for name in ("price", "second_question"):
        listed = cards._panel(name, tmp_path)
        assert f'<h2 id="of-{name}">' in listed
        links = [html.unescape(link) for link in re.findall('<code>([^<]*)</code>', listed)]
        shown = panel(name)
        assert [panel(link).values["scene"] for link in links] == [scene.name for scene in shown.scenes]
        assert all(panel(link).remarks == [] and not re.search("/[0-9]", link) for link in links)
        assert talk("\n".join(f"2 {link} Say." for link in links))["stops"]
        for number in range(len(links)):
            small = (tmp_path / f"{name}-{number}.svg").read_text(encoding="utf-8")
            assert small.count("<path") > 1, "its axes, and what is drawn there"
    # No story: its scenes are states.
    listed = re.findall('<code>([^<]*)</code>', cards._panel("laboratory", tmp_path))
    laboratory = panel("laboratory")
    assert [panel(html.unescape(link)).values for link in listed] == [*laboratory.starts().values()]
    monkeypatch.setattr(cards, "_panel", lambda name, folder: name)
    monkeypatch.setattr(cards.joblib, "Parallel", lambda _: lambda jobs: [act(*of) for act, of, _ in jobs])
    links, listed = cards.write_scenes(tmp_path).split("</nav>")
    assert listed.splitlines()[2:-1] == re.findall('<a href="#of-([^"]*)">', links) == list(PANELS)
