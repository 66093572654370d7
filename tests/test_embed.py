"""A panel in somebody else's page: a frame that is printed, and pages without chrome."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ldp_lib.live import PANELS, panel
from ldp_lib.site import embed

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "embedding"


class Asked(HTMLParser):
    """The addresses that a page asks for by itself."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href", "srcset", "data")]


def test_a_frame_asks_for_the_state_that_is_shown(capsys):
    shown = panel("elbow?scene=lever")
    shown.embed()
    assert 'src="embed/elbow.html#scene=lever"' in capsys.readouterr().out
    shown.embed("https://example.org/privacy/")
    printed = capsys.readouterr().out
    assert 'src="https://example.org/privacy/embed/elbow.html#scene=lever"' in printed
    assert "{{" not in printed and printed.count("{") == printed.count("}")


@pytest.mark.parametrize("name", ["blog.html", "course.md", "slides.html", "slides.qmd"])
def test_examples_have_what_is_printed(name, capsys):
    text = (FOLDER / name).read_text(encoding="utf-8")
    links = re.findall(r"https://example.org/privacy/embed/(\w+)[.]html#([^\s\"]+)", text)
    assert links
    for link in links:
        shown = panel("?".join(link))
        assert not shown.remarks
        shown.embed("https://example.org/privacy/")
        frame, script = capsys.readouterr().out.split("<script>")
        assert name == "course.md" or frame.splitlines()[0] in text
        assert name != "blog.html" or script in text


@pytest.mark.parametrize("name", PANELS)
def test_a_page_in_a_frame_is_one_panel_and_shares_scripts(name):
    text = embed.shared(panel(name))
    asked = {address for address in Asked(text).found if not address.startswith("data:")}
    assert asked == {"../_static/ldp/panels.css", "../_static/ldp/panels.js"}
    assert re.findall(r'data-link="([^"/]+)/', text) == [name] and len(text) < 400_000


def test_a_page_that_is_alone_asks_for_nothing():
    text = embed.alone("price", sample=True)
    assert {address for address in Asked(text).found if not address.startswith("data:")} == set()
    assert 'ldpPanel("price-' in text and 'ldpDeck("price-' in text
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    assert "--ldp-" in style and not re.search(r"@import|url\((?![\"']?(?:data:|#))", style)


def test_an_address_that_names_nothing_is_refused():
    with pytest.raises(ValueError, match="nowhere"):
        embed.alone("elbow?scene=nowhere")
