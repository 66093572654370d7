"""Build the pages: `python docs/site/build.py FOLDER`, or `make site`; --sample is for tests.

Sphinx with myst-nb lays the executed notebooks out, with the looks of furo; numpydoc adds the reference.
They take notebooks, docstrings and plain text alike, are well kept, and fetch nothing when they build.
"""

import argparse
import ast
import base64
import hashlib
import html
import json
import re
import shutil
import tempfile
from pathlib import Path

from entrance import sources, write_cards, write_map
from scenes import write_scenes
from sphinx.cmd.build import build_main

from ldp_lib.live import EXERCISES
from ldp_lib.site.embed import write_shared
from ldp_lib.site.stored import write, write_exercises
from ldp_lib.site.talk import talk

ROOT = Path(__file__).resolve().parents[2]
BELOW = {"LECTURERS.md": ("talks", "scenes", "embed", "hosts", "poll", "deploy/README",
                         "tests/readings/readings", "tests/readings/quiz"),
         "own_data.md": ("practice",), "notebooks/05_wavelet_elbow.ipynb": ("05b_keep_or_cut",)}
"""Pages that stand below another one in the list of pages; files that are also read in the repository."""

MOST = 25e6
"""Bytes of all pages: a course keeps them beside its own, and a class loads them over one network."""
AT_A_KERNEL = re.compile(r"Replace `\.\.\.`.*?(?:beside this notebook|your stars)\.", re.DOTALL)
"""What notebooks say of their exercises."""
ON_A_PAGE = ("Numbers and choices are judged on this page, and a wrong answer gets a hint. The page holds "
             "the right answers, so it is for you alone, not for grades. What asks for code needs a kernel.")
INLINE = re.compile(r'src="data:image/(?P<kind>svg|png)(?:\+xml)?;base64,(?P<content>[^"]+)"')
"""The source of a picture that stands in an output."""


def shown():
    """The addresses at which pages show panels."""
    for path in [*sorted((ROOT / "notebooks").rglob("*.ipynb")), *(ROOT / "docs" / "site").glob("*.md")]:
        for link in re.findall(r'data-link=\\?"([^"\\]*)', path.read_text(encoding="utf-8")):
            yield html.unescape(link)


def fold(notebook):
    """Hide code that only opens a panel, or asks what the page itself judges, and say who judges there."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = AT_A_KERNEL.sub(ON_A_PAGE, source)
        if cell["cell_type"] == "code" and (only_opens(source) or only_asks(source)):
            cell["metadata"].setdefault("tags", []).append("hide-input")


def only_opens(source):
    """Does the code import names, if anything, and then show a panel?"""
    *before, last = ast.parse(source).body or [None]
    shows = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
    return (shows and getattr(last.value.func, "id", None) == "panel"
            and all(isinstance(line, (ast.Import, ast.ImportFrom)) for line in before))


def pictured(notebook):
    """The data of the outputs that hold pictures."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            shown = output.get("data", {})
            if INLINE.search("".join(shown.get("text/html", ""))):
                yield shown


def apart(notebook, folder, to):
    """Move pictures out of the outputs into `folder`, which pages know as `to`: they load late and once."""
    def moved(found):
        content = base64.b64decode(found["content"])
        path = folder / f"{hashlib.sha256(content).hexdigest()[:16]}.{found['kind']}"
        path.write_bytes(content)
        return f'loading="lazy" src="{to}/{path.name}"'

    for shown in pictured(notebook):
        shown["text/html"] = INLINE.sub(moved, "".join(shown["text/html"]))


def spoken(notebook):
    """Leave only the words of pictures: the page has those, and whoever fetches its notebook runs that."""
    for shown in pictured(notebook):
        del shown["text/html"]


def only_asks(source):
    """Is the code nothing but a place for the answer of an exercise that a page judges?"""
    found = re.fullmatch(r"""(?:from .*\n\n)?\w+ = \.\.\.\ncheck\("([^"]*)", \w+\)""", source)
    return found is not None and EXERCISES[found[1]].judged_in_pages


def put_below(path, text):
    """Add Markdown to the end of a page, which is a notebook or Markdown itself."""
    written = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        notebook = json.loads(written)
        notebook["cells"].append({"cell_type": "markdown", "id": "below", "metadata": {}, "source": text})
        written, text = json.dumps(notebook), ""
    path.write_text(written + text, encoding="utf-8")


def build(folder, url="", sample=False):
    """Write the pages into `folder`, which is replaced.

    `url` : where they will stand, which search engines and other sites want to be told. `sample` : only
    states along one control each.
    """
    with tempfile.TemporaryDirectory() as home:
        source = Path(home)
        shutil.copytree(ROOT / "docs" / "site", source, dirs_exist_ok=True)
        for beside in ("tests/readings", "deploy", "examples"):
            shutil.copytree(ROOT / beside, source / beside)
        lecturers = re.sub(r"\[([^]]*)\]\(docs/talks/(\w+)\.txt\)", r'<a href="talks.html#\2">\1</a>',
                           (ROOT / "LECTURERS.md").read_text(encoding="utf-8"))
        (source / "LECTURERS.md").write_text(lecturers, encoding="utf-8")
        for beside in ("notebooks", "_extra/notebooks"):  # to be read as pages, and to be fetched
            shutil.copytree(ROOT / "notebooks", source / beside,
                            ignore=shutil.ignore_patterns("*.py", "*.jsonl", "__pycache__", ".*"))
        (source / "_static" / "stills").mkdir(parents=True)
        for path in (source / "notebooks").rglob("*.ipynb"):  # a page needs no "Run the cell"
            text = re.sub(r"Run the cell(?:\. Then|;) (.)", lambda found: found[1].upper(),
                          path.read_text(encoding="utf-8"))
            notebook = json.loads(text)
            fold(notebook)
            up = "../" * (len(path.relative_to(source).parts) - 1)
            apart(notebook, source / "_static" / "stills", f"{up}_static/stills")
            path.write_text(json.dumps(notebook), encoding="utf-8")
        for path in (source / "_extra" / "notebooks").rglob("*.ipynb"):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            spoken(notebook)
            path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        for name, pages in BELOW.items():
            put_below(source / name, "\n".join(["", "```{toctree}", ":hidden:", "", *pages, "```", ""]))
        shutil.copytree(ROOT / "docs" / "films", source / "_static" / "films")
        for made in ("_static/map", "_static/cards", "_static/scenes", "_made"):
            (source / made).mkdir()
        cards = write_cards(ROOT / "notebooks", source / "_static" / "cards")
        (source / "_made" / "cards.json").write_text(json.dumps(cards), encoding="utf-8")
        made = {"map": write_map(ROOT / "notebooks", source / "_static" / "map"),
                "scenes": write_scenes(source / "_static" / "scenes"),
                "sources": sources(ROOT / "CITATION.cff")}
        for name, text in made.items():
            (source / "_made" / f"{name}.md").write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "CITATION.cff", source / "_extra")
        talks = {path.stem: talk(path.read_text(encoding="utf-8"), path.name)
                 for path in sorted((ROOT / "docs" / "talks").glob("*.txt"))}
        rows = write(source / "_static" / "ldp", talks=talks, links=shown(), sample=sample)
        write_exercises(source / "_static" / "ldp")
        write_shared(source / "_extra" / "embed")
        with tempfile.TemporaryDirectory() as built:
            known = ["-D", f"html_baseurl={url}", "-D", f"ogp_site_url={url}"] if url else []
            if build_main(["-q", "-W", "--keep-going", *known, str(source), built]):
                raise SystemExit("The pages were not built; what is wrong stands above.")
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(built, folder, ignore=shutil.ignore_patterns(".doctrees", ".buildinfo"))
    return rows


def weight(folder):
    """Bytes of all files in `folder`; a SystemExit if they are more than `MOST`."""
    found = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if found > MOST:
        raise SystemExit(f"{folder} has {found / 1e6:.1f} MB; it may have {MOST / 1e6:.0f} MB.")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build pages that move without Python.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", default="", help="where the pages will stand, with a / at its end")
    parser.add_argument("--sample", action="store_true", help="store only the states along each control")
    asked = parser.parse_args()
    print("panel, scenes, states, KiB")
    for name, scenes, states, size in build(**vars(asked)):
        print(f"{name:20} {scenes:3} {states:6,} {size / 1024:8.0f}")
    print(f"all files: {weight(asked.folder) / 1e6:.1f} MB")
