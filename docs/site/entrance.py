"""What the first page shows of the collection: the map of notebook 00 as cards, and whom to cite."""

import html
import json
import re
from pathlib import Path

import yaml

from ldp_lib.live import panel
from ldp_lib.stage.control import split
from ldp_lib.stage.picture import Axes, Picture
from ldp_lib.stage.still import drawn

PICTURES = {"ldp_check": ("law", "pile"), "consistency": ("more people", "bars"),
            "upper_rate": ("cross", "scales"), "assouad": ("rectangle", "rectangle"),
            "elbow": ("hiding place", "ceilings"), "bayes": ("gate", "cells"),
            "beyond": ("blocks", "blocks")}
"""Panel -> scene and axes that stand for it; another panel has the first of its first scene."""
SIZE = (2.4, 1.5)
"""Inches of a small picture."""
ROW = re.compile(r"^\| (.+?) \| (.+?) \| \[(.+?)\]\((\w+)\.ipynb\) \|$", re.MULTILINE)


def small(name: str, label: str = "") -> str:
    """The SVG file of a small picture of the panel called `name`: where its scene ends, without words.

    label : the scene; else the one that stands for the panel.
    """
    shown = panel(name)
    scenes = {scene.name: scene for scene in shown.scenes}
    chosen, key = PICTURES.get(name, (shown.scenes[0].name, None))
    if label not in ("", chosen):
        chosen, key = label, None
    scene = scenes[chosen]
    end = (scene.ask.then if scene.ask else {}) | ({scene.play[0]: scene.play[1][-1]} if scene.play else {})
    state = shown._state(shown._place(shown.starts()[chosen] | end))
    axes = next(axes for axes in state.picture.axes if key in (axes.key, None))
    return drawn(Picture(((_bare(axes),),)), SIZE)


def _bare(axes: Axes) -> Axes:
    marks = tuple(mark._replace(label="") for mark in axes.marks if mark.kind != "text")
    x, y = (scale._replace(ticks=(), words=()) for scale in (axes.x, axes.y))
    return axes._replace(x=x, y=y, title="", xlabel="", ylabel="", marks=marks)


def write_map(notebooks: Path, folder: Path) -> str:
    """Markdown: a card for each row of the map in notebook 00, its small picture in `folder`."""
    cards = []
    for question, answer, title, name in ROW.findall(_text(notebooks / "00_start_here.ipynb", "markdown")):
        notebook = notebooks / f"{name}.ipynb"
        minutes = re.search(r"^\d+ minutes", _text(notebook, "markdown"), re.MULTILINE)[0]
        shown = split(re.search(r'\bpanel\("([^"]+)"', _text(notebook, "code"))[1])[0]
        (folder / f"{name}.svg").write_text(small(shown), encoding="utf-8")
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
