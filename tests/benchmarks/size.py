"""Lines of code, characters and modules of what the wheel carries: the support library, and each lesson.

Docstrings (those of attributes, too), comments and blank lines are not counted; a string of several lines
that is a value is code, with the blank lines in it. Characters are counted beside them, because lines can be
made denser.
"""

import ast
import io
import re
import tokenize
from pathlib import Path
from typing import NamedTuple

from .measure import Row

TITLE = "Lines of code in the wheel (docstrings, comments and blank lines not counted)"
PACKAGE = Path(__file__).resolve().parents[2] / "ldp_lib"
"""All code of the wheel; its data are tables."""
MOST_LINES, MOST_MODULES = 9_700, 85
"""Of Python outside of the lessons: what a small library may have."""
MOST_OF_LESSONS = 9_800
"""Lines of Python of all lessons together."""

LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
          tokenize.ENDMARKER}
"""Tokens that do not make a line a line of code."""
STRINGS = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])*'"
BLOCK = r"/\*.*?\*/"
COMMENTS_AND_STRINGS = {
    ".js": re.compile("|".join((*STRINGS, r"`(?:\\.|[^`\\])*`", BLOCK, r"//[^\n]*")), re.DOTALL),
    ".css": re.compile("|".join((*STRINGS, BLOCK)), re.DOTALL),
}
"""Strings are found so that what looks like a comment in one is none. Not parsed are regular expressions with
backquotes in them, and templates inside templates."""


class Size(NamedTuple):
    """Lines of code, and all characters, of so many files."""

    lines: int
    characters: int
    files: int


def python_lines(source):
    """The number of lines of code in a Python source."""
    docstrings = [
        ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        inside = any(start <= token.start and token.end <= end for start, end in docstrings)
        if token.type not in LAYOUT and not inside:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


def browser_lines(source, kind):
    """The number of lines of code in a source of the browser, `kind` ".js" or ".css"."""

    def kept(match):
        text = match.group()
        # In a string blank lines are code.
        return "\n" * text.count("\n") if text.startswith("/") else text.replace("\n", '"\n"')

    uncommented = COMMENTS_AND_STRINGS[kind].sub(kept, source)
    return sum(bool(line.strip()) for line in uncommented.splitlines())


def lines_of(path):
    """The number of lines of code in a .py, .js or .css file."""
    source = path.read_text(encoding="utf-8")
    return python_lines(source) if path.suffix == ".py" else browser_lines(source, path.suffix)


def sizes(package, suffix):
    """{place: Size} of the files with this suffix.

    A place is a folder of the package, or one of its lessons ("lessons/elbow"); "" is the package, and
    "lessons" what several of them show.
    """
    found = {}
    for path in sorted(package.rglob(f"*{suffix}")):
        folders = path.relative_to(package).parts[:-1]
        place = "/".join(folders[:2] if folders[:1] == ("lessons",) else folders[:1])
        lines, characters, files = found.get(place, (0, 0, 0))
        text = path.read_text(encoding="utf-8")
        found[place] = Size(lines + lines_of(path), characters + len(text), files + 1)
    return found


def total(found):
    """The `Size` of all places."""
    return Size(*map(sum, zip(*found.values())))


def rows():
    """Yield one `Row` for each place: of the support library, then of the lessons; each with its goals."""
    python = sizes(PACKAGE, ".py")
    lessons = {place: size for place, size in python.items() if place.startswith("lessons")}
    support = {place: size for place, size in python.items() if place not in lessons}
    for title, found, most, modules in (("support library", support, MOST_LINES, MOST_MODULES),
                                        ("lessons", lessons, MOST_OF_LESSONS, None)):
        for place, size in found.items():
            yield Row(f"  ldp_lib/{place}", f"{size.lines:,} lines",
                      f"{size.characters:,} characters, {size.files} modules")
        size = total(found)
        yield Row(f"{title}: lines of Python", f"{size.lines:,} lines",
                  f"{size.characters:,} characters", f"at most {most:,}", size.lines <= most)
        if modules:
            yield Row(f"{title}: modules", f"{size.files} modules", "", f"at most {modules}",
                      size.files <= modules)
    for name, suffix in (("JavaScript", ".js"), ("style sheets", ".css")):
        size = total(sizes(PACKAGE, suffix))
        yield Row(f"{name} in all", f"{size.lines:,} lines",
                  f"{size.characters:,} characters, {size.files} files")
