"""The README tells the truth: its example, its commands, its links and its table."""

import doctest
import html
import re

import pytest

from ldp_lib.live import PANELS, panel


@pytest.fixture(scope="module")
def readme(repository):
    """Return the text of the README."""
    return (repository / "README.md").read_text(encoding="utf-8")


def test_the_examples_print_what_they_say(repository, readme):
    own = (repository / "docs" / "site" / "own_data.md").read_text(encoding="utf-8")
    for text, count in ((readme, 6), (own, 26)):
        example = doctest.DocTestParser().get_doctest(text, {}, "examples", "examples", 0)
        assert len(example.examples) == count
        assert doctest.DocTestRunner().run(example).failed == 0


def test_it_is_read_in_five_minutes(repository, readme):
    """Words besides code and tables; ARCHITECTURE in lines."""
    prose = re.sub(r"```.*?```", "", readme, flags=re.DOTALL)
    lines = [line for line in prose.splitlines() if not line.startswith(("|", "    "))]
    assert sum(len(line.split()) for line in lines) <= 900
    assert len((repository / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_commands_exist(repository, readme):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:`|^    )make ([\w-]+)", readme, re.MULTILINE))
    assert {"lab", "test"} <= named <= targets


def test_the_links_lead_somewhere(repository, readme):
    targets = re.findall(r"\]\(([^)\s]+)\)", readme)
    assert targets
    assert [target for target in targets if not (repository / target).exists()] == []


def test_the_table_lists_the_notebooks_that_exist(repository, readme):
    listed = re.findall(r"^\| \[(\w+)\]\(notebooks/\1\.ipynb\)", readme, re.MULTILINE)
    assert listed == [path.stem for path in sorted((repository / "notebooks").glob("[0-9]*.ipynb"))]


def test_every_address_that_is_printed_opens(repository, readme):
    """In the README and in notebooks: as it stands, with nothing to remark."""
    notebooks = sorted((repository / "notebooks").glob("*.ipynb"))
    texts = [readme, *(html.unescape(path.read_text(encoding="utf-8")) for path in notebooks)]
    found = {link for text in texts for link in re.findall(r"\b\w+/\d+\?[\w=&.+%-]+", text)}
    printed = {link for link in found if link.split("/")[0] in PANELS}
    assert "consistency/2?scene=explore&alpha=0.5" in printed
    for link in printed:
        live = panel(link)
        assert (live.link, live.remarks) == (link, [])
