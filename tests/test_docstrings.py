"""Public docstrings have the sections of numpydoc: every parameter, what is returned, sources with DOI."""

import importlib
import inspect
import re
import subprocess
import sys

import pytest

ROOMS = ("nature", "privacy", "privacy.audit", "estimation", "risk", "theory")
SECTION = r"^{}\n-+$"


def callables(room):
    """(name, object) of the functions of a room, and of its classes that users build themselves."""
    module = importlib.import_module(f"ldp_lib.{room}")
    for name in module.__all__:
        thing = getattr(module, name)
        ours = inspect.isclass(thing) and not issubclass(thing, tuple | Exception)
        if inspect.isfunction(thing) or ours and not inspect.isabstract(thing):
            yield name, thing


def section(text, title):
    """The text of a section, up to the next one; or None."""
    start = re.search(SECTION.format(title), text, re.MULTILINE)
    if not start:
        return None
    end = re.search(r"^[A-Z][A-Za-z ]+\n-+$", text[start.end():], re.MULTILINE)
    return text[start.end():][: end.start() if end else None]


def exported():
    """Every name that a reader finds a page for."""
    return {name for room in ROOMS for name in importlib.import_module(f"ldp_lib.{room}").__all__}


def complaints(thing):
    text = inspect.getdoc(thing) or ""
    for other in re.findall(r"[Aa]s in\s+`(?:\w+\.)*(\w+)", text):
        if other[0].isupper() and other not in exported():
            yield f"as in {other}, which is private"
    names = [name for name in inspect.signature(thing).parameters if name not in ("args", "kwargs")]
    parameters = section(text, "Parameters")
    if names and parameters is None:
        yield "no section Parameters"
    said = set(re.findall(r"\w+", " ".join(
        re.findall(r"^((?:\w+, )*\w+) :", parameters or "", re.MULTILINE)))) if parameters else set(names)
    missing = [name for name in names if name not in said]
    if missing:
        yield f"Parameters lacks {', '.join(missing)}"
    returns = inspect.isfunction(thing) and inspect.signature(thing).return_annotation not in (None, "None")
    if returns and section(text, "Returns") is None:
        yield "no section Returns"
    body = text[: text.find("References\n---")] if "References\n---" in text else text
    cites = re.search(r"\((?:[A-Z][^()]*, )?(?:19|20)\d\d\b|\b(?:19|20)\d\d\)|\[\d\]_", body)
    references = section(text, "References")
    if cites and references is None:
        yield "cites, and has no section References"
    for entry in (references or "").split(".. [")[1:]:
        if "doi:10." not in entry:
            yield f"a reference without DOI: .. [{entry[:60]!r}"


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_of_public_names_have_their_sections(room):
    assert {name: list(complaints(thing)) for name, thing in callables(room) if list(complaints(thing))} == {}


def test_every_public_name_has_a_page(repository, tmp_path):
    """In the reference that Sphinx makes of `docs/site/library.md`."""
    site = repository / "docs" / "site"
    subprocess.run([sys.executable, "-m", "sphinx.ext.autosummary.generate", "--imported-members",
                    "--respect-module-all", "--templates", site / "_templates", "--output-dir", tmp_path,
                    site / "library.md"], check=True, capture_output=True)
    for room in (*ROOMS, "live"):
        names = importlib.import_module(f"ldp_lib.{room}").__all__
        pages = {name: tmp_path / f"ldp_lib.{room}.{name}.rst" for name in names}
        assert [f"{room}.{name}" for name, page in pages.items() if not page.exists()] == []


@pytest.mark.parametrize("room", (*ROOMS, "live"))
def test_every_public_name_has_an_example(room):
    """`tests/test_architecture.py` runs them."""
    module = importlib.import_module(f"ldp_lib.{room}")
    things = {name: getattr(module, name) for name in module.__all__}
    assert [name for name, thing in things.items()
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and ">>> " not in thing.__doc__] == []
