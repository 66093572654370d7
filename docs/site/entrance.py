"""What is shown of the collection: the map of notebook 00 on the first page, cards of pages, whom to cite."""

import html
import json
import re
from pathlib import Path
from urllib.parse import parse_qsl

import yaml

from ldp_lib.live import panel
from ldp_lib.stage.control import split
from ldp_lib.stage.figure import render
from ldp_lib.stage.picture import Axes, Picture, handless
from ldp_lib.stage.still import drawn

PICTURES = {"ldp_check": ("law", "pile"), "consistency": ("more people", "bars"),
            "upper_rate": ("cross", "scales"), "assouad": ("rectangle", "rectangle"),
            "elbow": ("hiding place", "ceilings"), "bayes": ("gate", "cells"),
            "beyond": ("blocks", "blocks")}
"""Panel -> scene and axes that stand for it; another panel has the first of its first scene.

A notebook that opens another scene has that one's first."""
SIZE = (2.4, 1.5)
"""Inches of a small picture."""
CARD, CARD_DPI = (20 / 3, 3.5), 180
"""Inches of the card that other sites show of a page, and pixels per inch: 1200 x 630 with letters of 25."""
ROW = re.compile(r"^\| (.+?) \| (.+?) \| \[(.+?)\]\((\w+)\.ipynb\) \|$", re.MULTILINE)


def small(name: str, label: str = "") -> str:
    """The SVG file of a small picture of the panel called `name`, without words; arguments as in `chosen`."""
    axes, _ = chosen(name, label)
    return drawn(Picture(((_bare(axes),),)), SIZE)


def chosen(name: str, label: str = "") -> tuple[Axes, str]:
    """The axes that stand for the panel called `name`, where its scene ends; and what that says.

    label : the scene; else the one that stands for the panel.
    """
    shown = panel(name)
    scenes = {scene.name: scene for scene in shown.scenes}
    first, key = PICTURES.get(name, (shown.scenes[0].name, None))
    if label not in ("", first):
        first, key = label, None
    scene = scenes[first]
    end = (scene.ask.then if scene.ask else {}) | ({scene.play[0]: scene.play[1][-1]} if scene.play else {})
    state = shown._state(shown._place(shown.starts()[scene.name] | end))
    return next(axes for axes in state.picture.axes if key in (axes.key, None)), state.alt


def _bare(axes: Axes) -> Axes:
    marks = tuple(mark._replace(label="") for mark in axes.marks if mark.kind != "text")
    x, y = (scale._replace(ticks=(), words=()) for scale in (axes.x, axes.y))
    return axes._replace(x=x, y=y, title="", xlabel="", ylabel="", marks=marks)


def _rows(notebooks):
    """The map in notebook 00: what is asked and answered, title and name of a notebook, panel and scene."""
    for *words, name in ROW.findall(_text(notebooks / "00_start_here.ipynb", "markdown")):
        opened = re.search(r'\bpanel\("([^"]+)"', _text(notebooks / f"{name}.ipynb", "code"))[1]
        shown, _, query = split(opened)
        yield *words, name, shown, dict(parse_qsl(query)).get("scene", "")


def write_cards(notebooks: Path, folder: Path) -> dict[str, dict[str, str]]:
    """A picture of each notebook for other sites, in `folder`: page -> `about`, `image`, its words `alt`."""
    cards = {}
    for question, answer, _, name, *shown in _rows(notebooks):
        axes, alt = chosen(*shown)
        render(handless(Picture(((axes,),))), alt, CARD).savefig(folder / f"{name}.png", dpi=CARD_DPI)
        cards[f"notebooks/{name}"] = {"about": f"{question} {answer}", "alt": alt,
                                      "image": f"_static/{folder.name}/{name}.png"}
    return cards


def write_map(notebooks: Path, folder: Path) -> str:
    """Markdown: an entry for each row of the map in notebook 00, its small picture in `folder`."""
    cards = []
    for question, answer, title, name, *shown in _rows(notebooks):
        text = _text(notebooks / f"{name}.ipynb", "markdown")
        minutes = re.search(r"^\d+ minutes", text, re.MULTILINE)[0]
        (folder / f"{name}.svg").write_text(small(*shown), encoding="utf-8")
        picture = f'<img src="_static/{folder.name}/{name}.svg" alt="" width="240" height="150">'
        cards.append(f'<li><a href="notebooks/{name}.html">{picture}{html.escape(title)}</a>'
                     f'<p>{html.escape(f"{question} {answer}")} {minutes}.</p></li>')
    return f'<ul class="ldp-map">{"".join(cards)}</ul>\n'


def _text(notebook, kind):
    """The text of the cells of one kind, "markdown" or "code"."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)


def sources(citation: Path) -> str:
    """Markdown: papers, authors, version and licence, as CITATION.cff says them."""
    said = yaml.safe_load(citation.read_text(encoding="utf-8"))
    papers = "\n".join(f"- {_people(paper['authors'])}, *{paper['title']}* ({paper['year']}), "
                       f"{paper['identifiers'][0]['value']}." for paper in said["references"])
    names = ", ".join(author["name"] for author in said["authors"])
    return (f"{papers}\n\n**To cite this collection:** {names}, *{said['title']}*, "
            f"version {said['version']}, {said['license']} licence; and the paper whose theorem you use. "
            f'The entry for programs is <a href="{citation.name}">{citation.name}</a>.\n')


def _people(authors):
    names = [f"{author['given-names'][0]}. {author['family-names']}" for author in authors]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
