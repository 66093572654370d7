"""The contract of the notebooks: skeleton, small code cells, committed outputs, alt text, exercises.

The contract is a list of functions that yield complaints about a notebook.
Each is tried on the committed notebooks and on a specimen: the sound specimen
draws no complaint, every damaged one draws the complaint that it should.
"""

import ast
import copy
import html
import importlib.util
import io
import re
import tokenize
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
FILES = sorted(FOLDER.glob("[0-9]*.ipynb"))
START = "00_start_here.ipynb"
LESSONS = [path for path in FILES if path.name != START]

SECTIONS = ["The theorem", "Notation", "Predict", "At a glance", "Move", "Break it", "The proof, executed",
            "Check yourself", "Exercises", "Recap"]
NETWORK = {"requests", "urllib", "http", "httpx", "socket", "subprocess", "pip", "ftplib"}
LONGEST_FUNCTION = 6
LONGEST_PANEL_CELL = 10
LARGEST_FILE = 1_500_000  # bytes


def execute_module():
    """Return notebooks/execute.py as a module."""
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


execute = execute_module()


def code(cells):
    """Return the code cells among `cells`."""
    return [cell for cell in cells if cell.cell_type == "code"]


def prose(cells):
    """Return the text of the markdown cells among `cells`."""
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def headings(cell, level):
    """Return the headings of one level in a markdown cell, fenced code left out."""
    if cell.cell_type != "markdown":
        return []
    text = re.sub(r"^```.*?^```", "", cell.source, flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^{'#' * level} (.+?)\s*$", text, re.MULTILINE)


def split(cells, level):
    """Return [(heading, cells)] of the parts that a heading of `level` begins; "" is what stands before."""
    parts = [("", [])]
    for cell in cells:
        found = headings(cell, level)
        if found:
            parts.append((found[0], []))
        parts[-1][1].append(cell)
    return parts


def images(cells):
    """Yield the text alternative of every picture among the outputs, None where a reader would find none."""
    for cell in code(cells):
        for output in cell.outputs:
            for kind, data in output.get("data", {}).items():
                if kind.startswith("image/"):
                    yield None  # readers drop the words of a bare image
                elif kind == "text/html":
                    for tag in re.findall(r"<img\b[^>]*>", data):
                        found = re.search(r'\balt="([^"]*)"', tag)
                        yield found and html.unescape(found[1])


def table_rows(text):
    """Return the rows of the tables in `text`, each a list of cells."""
    rows = re.findall(r"^\|(.*)\|\s*$", text, re.MULTILINE)
    return [[entry.strip() for entry in row.split("|")] for row in rows]


def numbered(text):
    """Return how many items the numbered lists in `text` have."""
    return len(re.findall(r"^\d+\. ", text, re.MULTILINE))


def opening(notebook):
    """Title, minutes, what you will be able to say."""
    first = notebook.cells[0]
    titles = [title for cell in notebook.cells for title in headings(cell, 1)]
    if len(titles) != 1 or headings(first, 1) != titles:
        yield f"the first cell must hold the only title; the titles are {titles}"
    for words in ("minutes", "Afterwards you can say"):
        if words not in first.source:
            yield f"the first cell does not say {words!r}"


def skeleton(notebook):
    """The ten sections, in order."""
    found = [heading for cell in notebook.cells for heading in headings(cell, 2)]
    if found != SECTIONS:
        yield f"the sections are {found}"
    if any(len(headings(cell, 2)) > 1 for cell in notebook.cells):
        yield "a cell holds two sections"


def content(notebook):
    """What each section must hold."""
    sections = dict(split(notebook.cells, 2))
    missing = [name for name in SECTIONS if name not in sections]
    if missing:
        yield f"sections are missing: {missing}"
        return
    text = {name: prose(cells) for name, cells in sections.items()}
    source = {name: "\n".join(cell.source for cell in code(cells)) for name, cells in sections.items()}
    theorem = text["The theorem"]
    if numbered(theorem) == 0 or not re.search(r"(?:19|20)\d\d", theorem) or "Theorem" not in theorem:
        yield "The theorem: numbered assumptions, or the source with its year, are missing"
    if ["Symbol", "Argument", "Range", "Meaning"] not in table_rows(text["Notation"]):
        yield "Notation: the table | Symbol | Argument | Range | Meaning | is missing"
    if "?" not in text["Predict"] or code(sections["Predict"]):
        yield "Predict: a question without code is needed"
    glance = sections["At a glance"]
    if not list(images(glance)) or glance[-1].cell_type != "markdown":
        yield "At a glance: a static figure with a caption below it is needed"
    panels = [cell for cell in code(sections["Move"]) if re.search(r"\bpanel\(", cell.source)]
    if len(panels) != 1 or not list(images(panels)):
        yield "Move: one cell that shows a panel, with its picture, is needed"
    if any(len(cell.source.splitlines()) > LONGEST_PANEL_CELL for cell in panels):
        yield f"Move: the cell of the panel has more than {LONGEST_PANEL_CELL} lines"
    if not 3 <= numbered(text["Move"]) <= 5:
        yield f"Move: {numbered(text['Move'])} numbered scenarios; three to five are needed"
    if not source["Break it"]:
        yield "Break it: nothing is broken"
    if not re.search(r"\bledger\(", source["The proof, executed"]):
        yield "The proof, executed: no ledger"
    if not any(output.output_type in ("stream", "execute_result") for cell in code(sections["Check yourself"])
               for output in cell.outputs):
        yield "Check yourself: no number is printed"
    recap = text["Recap"]
    if len(re.findall(r"^(?:\d+\.|[-*]) ", recap, re.MULTILINE)) != 5 or "read on" not in recap.lower():
        yield "Recap: five lines, and where to read on, are needed"


def exercises(notebook):
    """Three to six exercises, each with an instant check and a hidden solution."""
    parts = split(dict(split(notebook.cells, 2)).get("Exercises", []), 3)[1:]
    names = [name for name, _ in parts]
    in_order = all(re.match(rf"Exercise {i}\b", name) for i, name in enumerate(names, start=1))
    if not (3 <= len(parts) <= 6 and in_order):
        yield f"Exercises: '### Exercise 1 ...', three to six of them, are needed; found {names}"
    for name, cells in parts:
        if not any(re.search(r"\bcheck\w*\(", cell.source) for cell in code(cells)):
            yield f"{name}: no check"
        hidden = r"<details>\s*<summary>[^<]*Solution[^<]*</summary>.+</details>"
        if not re.search(hidden, prose(cells), re.DOTALL):
            yield f"{name}: no hidden solution"


def small_cells(notebook):
    """Python only, no helpers, no network, no paths of a machine, no code in comments."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:  # also what %magic and !shell are
            yield f"cell {number} is not Python: {error.msg}"
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION:
                    yield f"cell {number}: {node.name} has more than {LONGEST_FUNCTION} lines"
            elif isinstance(node, ast.ClassDef):
                yield f"cell {number}: class {node.name} belongs into the library"
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = [alias.name for alias in node.names]
                modules += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
                if NETWORK & {module.partition(".")[0] for module in modules}:
                    yield f"cell {number} imports {modules}"
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if re.match(r"/\w|~|[A-Za-z]:\\|https?://", node.value):
                    yield f"cell {number} names {node.value!r}"
        for text in filter(is_code, comments(cell.source)):
            yield f"cell {number} has code in a comment: {text}"


def comments(source):
    """Yield the text of the comments of a cell."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("#").strip()


def is_code(text):
    """Would the comment do something if it were not one?  Words and bare names do nothing."""
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return False
    idle = (ast.Name, ast.Constant, ast.Attribute, ast.Tuple, ast.BinOp, ast.Compare)
    return any(not (isinstance(node, ast.Expr) and isinstance(node.value, idle))
               and not isinstance(node, ast.AnnAssign) for node in statements)


def outputs(notebook):
    """Outputs are committed, in order, clean, compared by the tests, and without surprises."""
    if any(cell.execution_count != count for count, cell in enumerate(code(notebook.cells), start=1)):
        yield "the cells were not run once, in order; run `make notebooks`"
    cleaned = copy.deepcopy(notebook)
    execute.clean(cleaned)
    if cleaned != notebook:
        yield "widget state, other kernels than python3 or times are stored; run `make notebooks`"
    for number, cell in enumerate(notebook.cells):
        if any("nbval" in words.lower() for words in (cell.source, *cell.metadata.get("tags", ()))):
            yield f"cell {number} hides its output from the comparison"
        for output in cell.get("outputs", ()):
            if output.output_type == "error" or output.get("name") == "stderr":
                yield f"cell {number} has an error or a warning"
            text = output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
            if re.search(r"\b0x[0-9a-f]{6,}", text):
                yield f"cell {number} prints a memory address"
    for alt in images(notebook.cells):
        if len((alt or "").split()) < 5:
            yield f"a picture's alt text states no conclusion: {alt!r}"


def local_links(notebook):
    """Links to files of this folder lead somewhere."""
    for target in re.findall(r"\]\(([^)#\s]+)", prose(notebook.cells)):
        if "://" not in target and not (FOLDER / target).exists():
            yield f"the link to {target} leads nowhere"


EVERYWHERE = [small_cells, outputs, local_links]
IN_LESSONS = [opening, skeleton, content, exercises]


def complaints(notebook, rules):
    """Return all complaints of `rules` about `notebook`."""
    return [f"{rule.__name__}: {complaint}" for rule in rules for complaint in rule(notebook)]


def test_the_collection_is_complete():
    assert [path.name[:2] for path in FILES] == [f"{number:02}" for number in range(len(FILES))]
    assert {START, "01_ldp_check.ipynb", "02_universal_consistency.ipynb"} <= {path.name for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_notebook_keeps_the_common_rules(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) >= (4, 5)  # since then cells have lasting ids
    assert path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"
    assert path.stat().st_size <= LARGEST_FILE
    assert not complaints(notebook, EVERYWHERE)


@pytest.mark.parametrize("path", LESSONS, ids=[path.stem for path in LESSONS])
def test_every_lesson_keeps_the_skeleton(path):
    assert not complaints(nbformat.read(path, as_version=4), IN_LESSONS)


def test_the_map_names_the_notebooks_that_exist():
    cells = nbformat.read(FOLDER / START, as_version=4).cells
    assert len(headings(cells[0], 1)) == 1
    rows = [line for line in prose(cells).splitlines() if line.startswith("|")]
    named = re.findall(r"\]\((\d\d_\w+\.ipynb)\)", "\n".join(rows))
    assert named == [path.name for path in LESSONS]


def specimen():
    """Return a sound notebook, as short as the contract allows."""
    shown = '<img alt="The risk falls as n grows." src="data:image/png;base64,iVBORw0KGgo=">'
    picture = new_output("display_data", {"text/html": shown, "text/plain": "Risk falls with n."})

    def printed(text):
        return new_output("stream", text=text)

    sections = {
        "The theorem": [new_markdown_cell("1. X is bounded.\n\nTheorem 2.1 (Berrett & Butucea 2019).")],
        "Notation": [new_markdown_cell("| Symbol | Argument | Range | Meaning |\n|---|---|---|---|")],
        "Predict": [new_markdown_cell("What happens when alpha is halved?")],
        "At a glance": [new_code_cell("figure", outputs=[picture]), new_markdown_cell("Figure 1. It falls.")],
        "Move": [new_code_cell("view = panel('ldp_check')\nview", outputs=[picture]),
                 new_markdown_cell("1. Halve alpha.\n2. Double n.\n3. Both.")],
        "Break it": [new_code_cell("print(1)", outputs=[printed("1\n")])],
        "The proof, executed": [new_code_cell("print(ledger('2.1'))", outputs=[printed("holds\n")])],
        "Check yourself": [new_code_cell("print(0.5)  # exact", outputs=[printed("0.5\n")])],
        "Exercises": [cell for i in (1, 2, 3) for cell in (
            new_markdown_cell(f"### Exercise {i}: a number"),
            new_code_cell(f"answer = None\ncheck({i}, answer)", outputs=[printed("not yet\n")]),
            new_markdown_cell("<details><summary>Solution</summary>\n\n`answer = 1`\n\n</details>"),
        )],
        "Recap": [new_markdown_cell("1. a\n2. b\n3. c\n4. d\n5. e\n\nRead on: the paper.")],
    }
    cells = [new_markdown_cell("# A lesson\n\n20 minutes. Afterwards you can say why.")]
    for name, members in sections.items():
        cells += [new_markdown_cell(f"## {name}"), *members]
    notebook = copy.deepcopy(new_notebook(cells=cells))  # outputs that are shared above become separate
    for count, cell in enumerate(code(notebook.cells), start=1):
        cell.execution_count = count
    execute.clean(notebook)
    return notebook


def section(notebook, name):
    """Return the cells of one section."""
    return dict(split(notebook.cells, 2))[name]


def drop(name):
    """Return a damage: remove the cells below the heading of section `name`."""
    def damage(notebook):
        gone = [cell.id for cell in section(notebook, name)[1:]]
        notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
        for count, cell in enumerate(code(notebook.cells), start=1):
            cell.execution_count = count
    return damage


def replace(name, old, new):
    """Return a damage: replace text in all cells of section `name` ("" is what stands before the first)."""
    def damage(notebook):
        for cell in section(notebook, name):
            cell.source = cell.source.replace(old, new)
    return damage


def in_code(source):
    """Return a damage: write `source` into a code cell."""
    def damage(notebook):
        code(section(notebook, "Break it"))[0].source = source
    return damage


def in_output(change):
    """Return a damage: apply `change` to the picture of the panel."""
    def damage(notebook):
        change(code(section(notebook, "Move"))[0].outputs[0])
    return damage


def test_a_sound_notebook_draws_no_complaint():
    nbformat.validate(specimen())
    assert complaints(specimen(), EVERYWHERE + IN_LESSONS) == []


@pytest.mark.parametrize(("damage", "complaint"), [
    (replace("", "minutes", "hours"), "opening: .*'minutes'"),
    (replace("", "Afterwards you can say", "Then"), "opening: .*Afterwards"),
    (replace("", "# A lesson", "A lesson"), "opening: .*only title"),
    (replace("Recap", "## Recap", "# Recap"), "opening: .*only title"),
    (replace("Predict", "## Predict", "## Guess"), "skeleton: "),
    (replace("Move", "## Move", "### Move"), "skeleton: "),
    (lambda notebook: notebook.cells.reverse(), "skeleton: "),
    *((drop(name), f"(content|exercises): {name}") for name in SECTIONS),
    (replace("Move", "view = ", "view\n" * 10 + "view = "), "more than 10 lines"),
    (replace("Move", "3. Both.", ""), "2 numbered scenarios"),
    (replace("Move", "3. Both.", "3. Both.\n4. a\n5. b\n6. c"), "6 numbered scenarios"),
    (replace("Recap", "5. e", ""), "content: Recap"),
    (replace("Exercises", "### Exercise 3", "Exercise 3"), "three to six"),
    (replace("Exercises", "check(2, answer)", "2"), "Exercise 2.*no check"),
    (replace("Exercises", "</details>", ""), "no hidden solution"),
    (in_code("%pip install x"), "not Python"),
    (in_code("!ls"), "not Python"),
    (in_code("import urllib.request"), "urllib"),
    (in_code("from http import client"), "http"),
    (in_code("open('/data/x.csv')"), "names '/data"),
    (in_code("address = 'https://example.org'"), "names 'https"),
    (in_code("def f():\n" + "    a = 1\n" * 6), "more than 6 lines"),
    (in_code("class A:\n    b = 1"), "belongs into the library"),
    (in_code("a = 1\n# b = 2"), "code in a comment: b = 2"),
    (in_code("# print(a)"), "code in a comment"),
    (in_code("# NBVAL_IGNORE_OUTPUT\na = 1"), "hides its output"),
    (lambda notebook: code(notebook.cells)[1].metadata.update(tags=["nbval-skip"]), "hides its output"),
    (lambda notebook: code(notebook.cells)[1].update(execution_count=None), "not run once"),
    (lambda notebook: code(notebook.cells)[1].update(execution_count=7), "not run once"),
    (lambda notebook: notebook.cells[-1].metadata.update(execution={"shell.execute_reply": ""}), "stored"),
    (lambda notebook: notebook.metadata.update(widgets={}), "stored"),
    (lambda notebook: notebook.metadata.kernelspec.update(name="conda"), "stored"),
    (in_output(lambda picture: picture.data.update({execute.WIDGET_VIEW: {}})), "stored"),
    (in_output(lambda picture: picture.data.update({"text/html": '<img src="data:image/png;base64,">'})),
     "alt text"),
    (in_output(lambda picture: picture.data.update({"text/html": '<img alt="figure" src="">'})), "alt text"),
    (in_output(lambda picture: picture.data.update({"image/png": "iVBORw0KGgo="})), "alt text"),
    (in_output(lambda picture: picture.data.update({"text/plain": "<A at 0x7f3c5e7d>"})), "memory address"),
    (in_output(lambda picture: picture.update(output_type="stream", name="stderr")), "error or a warning"),
    (replace("Recap", "the paper", "[this](99_absent.ipynb)"), "leads nowhere"),
])
def test_a_damaged_notebook_draws_its_complaint(damage, complaint):
    notebook = specimen()
    damage(notebook)
    found = complaints(notebook, EVERYWHERE + IN_LESSONS)
    assert any(re.search(complaint, text) for text in found), found


@pytest.mark.parametrize("text", ["halve alpha", "exact", "n / 2", "alpha > 0", "units: nats", "why, what"])
def test_words_are_no_code(text):
    assert not is_code(text)
