"""The contract of the notebooks: skeleton, small code cells, committed outputs, alt text, exercises.

The contract is a list of functions that yield complaints about a notebook.
Each is tried on the committed notebooks and on a specimen: the sound specimen
draws no complaint, every damaged one draws the complaint that it should.
A story has a panel first, few words between two actions, and every symbol said
in words. An appendix keeps what all notebooks keep, and has more exercises.
"""

import ast
import copy
import functools
import html
import importlib
import importlib.util
import io
import itertools
import re
import tokenize
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ldp_lib.live import PANELS

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
FILES = sorted(FOLDER.glob("[0-9]*.ipynb"))
APPENDIX = sorted(FOLDER.glob("appendix/*.ipynb"))
START = "00_start_here.ipynb"
STORIES = [path for path in FILES if path.name != START]
IN_FULL = [path for path in APPENDIX if re.fullmatch(r"0[1-8]_in_full", path.stem)]
NUMBER = r"\d\d[b-z]?"
"""Of a notebook; 05b is the second half of 05."""

STORY_SECTIONS = ["Break it", "The theorem", "The proof, one step at a time", "Check yourself",
                  "Challenge and exercises", "Recap"]
GLOSSARY = ["symbol", "said as", "meaning"]
GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
         "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"}
NETWORK = {"requests", "urllib", "http", "httpx", "socket", "subprocess", "pip", "ftplib"}
LONGEST_FUNCTION = 6
LARGEST_FILE = 1_500_000  # bytes
MOST_WORDS_BEFORE_PANEL, MOST_WORDS_BETWEEN, MOST_WORDS_OF_THEOREM = 120, 90, 60
LONGEST_SENTENCE, MEAN_SENTENCE = 25, 15  # words
LONGEST_STORY_CELL = 12  # lines
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FACES = re.compile(r"ldp_lib\.(live|wavelets|stage\.(fold|figure)|lessons\.(figures|\w+\.numbers)"
                   r"|(nature|privacy|estimation|risk|theory)(\.\w+)*)")
"""What notebooks import from; and from *explore* its glance."""
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
MATHS = re.compile(r"\$\$.+?\$\$|\$[^$]+\$", re.DOTALL)
HIDDEN = re.compile(r"<details>\s*<summary>[^<]*Solution[^<]*</summary>.+?</details>", re.DOTALL)


def execute_module():
    """Return notebooks/execute.py as a module."""
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


execute = execute_module()


def number(path):
    """Return the number of a notebook, such as "05" or "05b"."""
    return re.match(f"({NUMBER})_", path.name)[1]


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
    return re.findall(rf"^{'#' * level} (.+?)\s*$", FENCE.sub("", cell.source), re.MULTILINE)


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


def stated(theorem):
    """Has the statement of a theorem numbered assumptions and a source with its year?"""
    return numbered(theorem) and re.search(r"(?:19|20)\d\d", theorem) and "Theorem" in theorem


def endings(sections):
    """What *Check yourself* and *Recap* must hold."""
    if not any(output.output_type in ("stream", "execute_result") for cell in code(sections["Check yourself"])
               for output in cell.outputs):
        yield "Check yourself: no number is printed"
    recap = prose(sections["Recap"])
    if len(re.findall(r"^(?:\d+\.|[-*]) ", recap, re.MULTILINE)) != 5 or "read on" not in recap.lower():
        yield "Recap: five lines, and where to read on, are needed"


def exercises(notebook):
    """Three to six exercises, each with an instant check and a hidden solution."""
    parts = split(dict(split(notebook.cells, 2)).get("Exercises", []), 3)[1:]
    names = [name for name, _ in parts]
    if not (3 <= len(parts) <= 6 and in_order(names)):
        yield f"Exercises: '### Exercise 1 ...', three to six of them, are needed; found {names}"
    yield from judged(parts)


def in_order(names):
    """Are the headings those of exercises 1, 2, ...?"""
    return all(re.match(rf"Exercise {i}\b", name) for i, name in enumerate(names, start=1))


def judged(parts):
    """An exercise, a heading with its cells, has an instant check and a hidden solution."""
    for name, cells in parts:
        if not any(re.search(r"\bcheck\w*\(", cell.source) for cell in code(cells)):
            yield f"{name}: no check"
        if not HIDDEN.search(prose(cells)):
            yield f"{name}: no hidden solution"


def apart(cells):
    """Return `cells` with a cell of its own for each section and exercise; in stories, cells may hold two."""
    found = []
    for cell in cells:
        if cell.cell_type == "code":
            found.append(cell)
            continue
        unfenced = FENCE.sub(lambda fence: " " * len(fence[0]), cell.source)
        cuts = [0, *(heading.start() for heading in re.finditer(r"^#{2,3} ", unfenced, re.MULTILINE)), None]
        found += [new_markdown_cell(cell.source[start:end]) for start, end in itertools.pairwise(cuts)]
    return found


def in_view(text):
    """Return markdown as it is read: without folds, formulas and markup; code in a line is one word."""
    text = FOLD.sub("", FENCE.sub("", text))
    text = MATHS.sub("", re.sub(r"`[^`]*`", "code", text))
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<[^>]+>|[*|]|^#+ |^\s*(?:\d+\.|-) |\|?-{3,}", " ", text, flags=re.MULTILINE)


def words(text):
    """Return the words of markdown that are in view."""
    return [word for word in in_view(text).split() if re.search(r"\w", word)]


def sentences(text):
    """Return how many words each sentence in view has; headings and tables are none."""
    text = re.sub(r"^(?:#+ |\|).*$", "\n", FENCE.sub("", FOLD.sub("", text)), flags=re.MULTILINE)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:\d+\.|[-*]) )", text)
    # An initial, as in T. Berrett, ends nothing.
    pieces = [piece for block in blocks
              for piece in re.split(r"(?<=[.!?])(?<!\b[A-Z]\.)[\"”)]*\s+", " ".join(in_view(block).split()))]
    return [len(words(piece)) for piece in pieces if words(piece)]


def symbols(text):
    """Return the letters, Greek and others, in the formulas of `text`; words in formulas are none."""
    found = set()
    for formula in MATHS.findall(re.sub(r"`[^`]*`", "", FENCE.sub("", text))):
        formula = re.sub(r"\\(?:text\w*|mathrm|operatorname)\{[^}]*\}", " ", formula)
        for command, letter in re.findall(r"\\([A-Za-z]+)|([^\W\d_])", formula):
            name = letter or command.removeprefix("var")
            if letter or name.lower() in GREEK:
                found.add(name)
    return found


def story_skeleton(notebook):
    """The panel comes first, then six sections."""
    found = [heading for cell in apart(notebook.cells) for heading in headings(cell, 2)]
    if found != STORY_SECTIONS:
        yield f"the sections are {found}"
    before = prose(itertools.takewhile(lambda cell: not shows_panel(cell), notebook.cells))
    if not any(map(shows_panel, split(apart(notebook.cells), 2)[0][1])):
        yield "the first section must show a panel"
    elif len(words(before)) > MOST_WORDS_BEFORE_PANEL:
        yield f"{len(words(before))} words before the panel; at most {MOST_WORDS_BEFORE_PANEL} are allowed"


def shows_panel(cell):
    """Is it a cell that shows a panel?"""
    return cell.cell_type == "code" and re.search(r"\bpanel\(", cell.source)


def story_words(notebook):
    """Few words between two actions, and short sentences."""
    stretch, last = [], None
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            stretch += words(cell.source)
            continue
        if last is not None and len(stretch) > MOST_WORDS_BETWEEN:
            yield f"{len(stretch)} words between cells {last} and {number}; {MOST_WORDS_BETWEEN} are allowed"
        stretch, last = [], number
    lengths = [(length, number) for number, cell in enumerate(notebook.cells) if cell.cell_type == "markdown"
               for length in sentences(cell.source)]
    for length, number in lengths:
        if length > LONGEST_SENTENCE:
            yield f"a sentence of {length} words in cell {number}; {LONGEST_SENTENCE} are allowed"
    mean = sum(length for length, _ in lengths) / max(len(lengths), 1)
    if mean > MEAN_SENTENCE:
        yield f"a sentence has {mean:.1f} words on average; {MEAN_SENTENCE} are allowed"


def story_symbols(notebook):
    """A fold says in words every symbol that a formula uses."""
    said, complete = set(), False
    for fold in FOLD.findall(prose(notebook.cells)):
        rows = table_rows(fold)
        heads = [k for k, row in enumerate(rows) if list(map(str.lower, row)) == GLOSSARY]
        for row in rows[heads[0] + 2:] if heads else ():
            complete = True
            if re.search(r"[^\W\d_]", in_view(row[1])):
                said |= symbols(row[0])
    if not complete:
        yield f"no fold has the table | {' | '.join(GLOSSARY)} |"
    elif missing := sorted(symbols(prose(notebook.cells)) - said):
        yield f"symbols that the table does not say in words: {', '.join(missing)}"


def glossary(notebook):
    """Symbol -> how it is said, from the tables in folds."""
    found = {}
    for fold in FOLD.findall(prose(notebook.cells)):
        rows = table_rows(fold)
        for k, head in enumerate(rows):
            if list(map(str.lower, head)) == GLOSSARY:
                found |= {symbol: in_view(row[1]) for row in rows[k + 2:] for symbol in symbols(row[0])}
    return found


@functools.cache
def labels(link):
    """The words beside the controls of a panel."""
    module, _, kind = PANELS.get(link, ":").partition(":")
    controls = getattr(importlib.import_module(module), kind).controls if module else ()
    return " ".join(control.label for control in controls) + " "


def story_first_use(notebook):
    """A symbol in view is said in words before, or beside its first use: in the text, or at a control."""
    said, heard, used = glossary(notebook), "", set()
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            for link in re.findall(r"""\bpanel\(["'](\w+)""", cell.source):
                heard += labels(link)
            continue
        heard += in_view(cell.source).lower() + " "
        for symbol in sorted(symbols(FOLD.sub("", FENCE.sub("", cell.source))) - used):
            used.add(symbol)
            names = [name.strip().lower() for name in said.get(symbol, "").split(",") if name.strip()]
            if names and not any(name in heard for name in names):
                yield f"cell {number} uses {symbol} before {' or '.join(names)} is said"


def story_content(notebook):
    """What each section of a story must hold."""
    sections = dict(split(apart(notebook.cells), 2))
    missing = [name for name in STORY_SECTIONS if name not in sections]
    if missing:
        yield f"sections are missing: {missing}"
        return
    for name in ("Break it", "The proof, one step at a time"):
        if not list(images(filter(shows_panel, sections[name]))):
            yield f"{name}: a panel, with its picture, is needed"
    theorem = prose(sections["The theorem"])
    length = len(words(re.sub(r"^## .*", "", theorem)))
    if not 0 < length <= MOST_WORDS_OF_THEOREM:
        yield f"The theorem: {length} words outside its fold; 1 to {MOST_WORDS_OF_THEOREM} are allowed"
    if not any(map(stated, FOLD.findall(theorem))):
        yield "The theorem: no fold has numbered assumptions and the source with its year"
    proof = sections["The proof, one step at a time"]
    places = [cell.source for cell in code(proof)[-1:]] + FOLD.findall(prose(proof))
    if not any(re.search(r"\bledger\(", place) for place in places):
        yield "The proof, one step at a time: no ledger in its last cell or in a fold"
    yield from endings(sections)


def story_exercises(notebook):
    """Two exercises or more, and the student writes a function in two of them."""
    parts = split(dict(split(apart(notebook.cells), 2)).get("Challenge and exercises", []), 3)[1:]
    names = [name for name, _ in parts]
    if not in_order(names):
        yield f"Challenge and exercises: '### Exercise 1: ...' and so on are needed; found {names}"
    solutions = ["\n".join(HIDDEN.findall(prose(cells))) for _, cells in parts]
    written = sum(bool(re.search(r"^def ", solution, re.MULTILINE)) for solution in solutions)
    if written < 2:
        yield f"Challenge and exercises: a function is the answer of {written}; two are needed"
    yield from judged(parts)


def story_numbers(notebook):
    """A number that somebody computed, to four decimals, is printed by the cell above the words."""
    printed = ""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            printed = str(cell.outputs)
            continue
        for found in re.findall(r"(?<![\w.])\d+\.\d{4,}", FOLD.sub("", cell.source)):
            if found not in printed:
                yield f"cell {number} says {found}, which the cell above does not print"


def story_code(notebook):
    """Short cells, and no slips of the papers: these have a notebook of their own."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and len(cell.source.splitlines()) > LONGEST_STORY_CELL:
            yield f"cell {number} has more than {LONGEST_STORY_CELL} lines"
        if cell.cell_type == "code" and re.search(r"\berrata\(", cell.source):
            yield f"cell {number} lists errata; they stand in appendix/errata.ipynb"


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


def imports(notebook):
    """Screens come from one face and mathematics from the rooms, in cells and in printed solutions."""
    for number, cell in enumerate(notebook.cells):
        for module, names in re.findall(r"(?:from|import) (ldp_lib[\w.]*)(?: import (.+))?", cell.source):
            glance = re.fullmatch(r"ldp_lib\.lessons\.\w+\.explore", module) and names == "glance"
            if not (glance or FACES.fullmatch(module)) or re.search(r"\b_", names):
                yield f"cell {number} reaches into {module}"


def everywhere(folder):
    """Return the rules for all notebooks of a folder."""
    def local_links(notebook):
        """Links to files lead somewhere."""
        for target in re.findall(r"\]\(([^)#\s]+)", prose(notebook.cells)):
            if "://" not in target and not (folder / target).exists():
                yield f"the link to {target} leads nowhere"

    return [small_cells, outputs, imports, local_links]


EVERYWHERE = everywhere(FOLDER)
IN_STORIES = [opening, story_skeleton, story_words, story_symbols, story_first_use, story_content,
              story_exercises, story_numbers, story_code]


def complaints(notebook, rules):
    """Return all complaints of `rules` about `notebook`."""
    return [f"{rule.__name__}: {complaint}" for rule in rules for complaint in rule(notebook)]


def test_the_collection_is_complete():
    """Numbers without a gap; a half comes after its first one."""
    numbers = list(map(number, FILES))
    wholes = [known for known in numbers if known.isdecimal()]
    assert numbers == sorted(numbers) and wholes == [f"{place:02}" for place in range(len(wholes))]
    assert [known for known in numbers if known not in wholes] == ["05b"]
    assert {START, "01_ldp_check.ipynb", "02_universal_consistency.ipynb"} <= {path.name for path in FILES}


@pytest.mark.parametrize("path", FILES + APPENDIX, ids=lambda path: path.stem)
def test_every_notebook_keeps_the_common_rules(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) >= (4, 5)  # since then cells have lasting ids
    assert path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"
    assert path.stat().st_size <= LARGEST_FILE
    assert not complaints(notebook, everywhere(path.parent))


@pytest.mark.parametrize("path", IN_FULL, ids=lambda path: path.stem)
def test_what_a_story_leaves_out_stands_in_its_appendix(path):
    assert not complaints(nbformat.read(path, as_version=4), [exercises])


def test_every_story_has_its_appendix():
    """Of the halves of a notebook both."""
    assert [path.stem[:2] for path in IN_FULL] == list(dict.fromkeys(path.stem[:2] for path in STORIES))


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_every_story_is_told_in_few_plain_words(path):
    assert not complaints(nbformat.read(path, as_version=4), IN_STORIES)


def test_the_prologue_is_short():
    notebook = nbformat.read(FOLDER / START, as_version=4)
    assert not complaints(notebook, [opening, story_words, story_symbols, story_first_use, story_code])


def test_the_appendix_can_be_found():
    """By a reader of the README; and `make notebooks` knows a notebook by its name."""
    names = [path.stem for path in FILES + APPENDIX]
    assert len(set(names)) == len(names)
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"\]\(notebooks/appendix/(\w+)\.ipynb\)", readme)
    assert found == [path.stem for path in APPENDIX] != []


def test_the_map_names_the_notebooks_that_exist():
    cells = nbformat.read(FOLDER / START, as_version=4).cells
    assert len(headings(cells[0], 1)) == 1
    rows = [line for line in prose(cells).splitlines() if line.startswith("|")]
    named = re.findall(rf"\[([^]]+)\]\(({NUMBER}_\w+\.ipynb)\)", "\n".join(rows))
    titles = {path.name: headings(nbformat.read(path, as_version=4).cells[0], 1)[0] for path in STORIES}
    assert named == [(title, name) for name, title in titles.items()]


IMAGE = '<img alt="The risk falls as n grows." src="data:image/png;base64,iVBORw0KGgo=">'


def picture():
    """Return an output with a picture and its words."""
    return new_output("display_data", {"text/html": IMAGE, "text/plain": "Risk falls with n."})


def printed(text):
    """Return an output that is a printed text."""
    return new_output("stream", text=text)


def as_executed(cells):
    """Return the notebook of these cells as `make notebooks` leaves it."""
    notebook = new_notebook(cells=cells)
    for count, cell in enumerate(code(cells), start=1):
        cell.execution_count = count
    execute.clean(notebook)
    return notebook


def specimen():
    """Return a sound appendix, as short as the contract allows."""
    sections = {
        "Move": [new_code_cell("view = panel('ldp_check')\nview", outputs=[picture()]),
                 new_markdown_cell("1. Halve alpha.\n2. Double n.\n3. Both.")],
        "Break it": [new_code_cell("print(1)", outputs=[printed("1\n")])],
        "Check yourself": [new_code_cell("print(0.5)  # exact", outputs=[printed("0.5\n")])],
        "Exercises": [cell for i in (1, 2, 3) for cell in (
            new_markdown_cell(f"### Exercise {i}: a number"),
            new_code_cell(f"answer = None\ncheck({i}, answer)", outputs=[printed("not yet\n")]),
            new_markdown_cell("<details><summary>Solution</summary>\n\n`answer = 1`\n\n</details>"),
        )],
        "Recap": [new_markdown_cell("1. a\n2. b\n3. c\n4. d\n5. e\n\nRead on: the paper.")],
    }
    cells = [new_markdown_cell("# In full\n\n20 minutes. Afterwards you can say why.")]
    for name, members in sections.items():
        cells += [new_markdown_cell(f"## {name}"), *members]
    return as_executed(cells)


STATEMENT = r"""Then the rule learns **every law**: $n h^{2d} \to \infty$.

<details><summary>Full statement</summary>

1. $n$ people report through the mechanism with the bandwidth $h$.
2. $E\,T = P(\text{cube})$.

**Theorem 2.2.** The risk tends to 0. *T. Berrett and C. Butucea (2019).*

| Symbol | said as | meaning |
|---|---|---|
| $n$ | people | people in all |
| $h$ | bandwidth | half the width of a cube |
| $d$ | dimensions | their number |
| $E$, $P$ | mean, probability | of what follows |
| $T$ | score | of a place |
| $\kappa$ | kappa | exponent of the schedule |

</details>"""


def told():
    """Return a sound story, as short as the contract allows."""
    solution = "```python\ndef answer(n):\n    return n\n```"
    solution = f"<details><summary>Solution</summary>\n\n{solution}\n\n</details>"
    return as_executed([
        new_markdown_cell("# A story\n\n20 minutes. Afterwards you can say why."),
        new_code_cell("panel('consistency')", outputs=[picture()]),
        new_markdown_cell("## Break it\n\nMove kappa, $\\kappa$, past a half. Add dimensions."),
        new_code_cell("panel('consistency/2?scene=too+fast')", outputs=[picture()]),
        new_markdown_cell(f"## The theorem\n\n{STATEMENT}"),
        new_markdown_cell("## The proof, one step at a time\n\nOne step after the other."),
        new_code_cell("panel('proof')", outputs=[picture()]),
        new_code_cell("print(ledger('2.2'))", outputs=[printed("holds\n")]),
        new_markdown_cell("## Check yourself\n\nSay the number first."),
        new_code_cell("print(0.5)", outputs=[printed("0.5\n")]),
        new_markdown_cell("## Challenge and exercises\n\nReplace `...` and run."),
        *(cell for i in (1, 2) for cell in (
            new_markdown_cell(f"### Exercise {i}: a function"),
            new_code_cell(f"answer = ...\ncheck({i}, answer)", outputs=[printed("not yet\n")]),
            new_markdown_cell(solution))),
        new_markdown_cell("## Recap\n\n1. a\n2. b\n3. c\n4. d\n5. e\n\nRead on: the paper."),
    ])


def section(notebook, name):
    """Return the cells of one section."""
    return dict(split(notebook.cells, 2))[name]


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
    assert complaints(specimen(), EVERYWHERE + [opening, exercises]) == []


@pytest.mark.parametrize(("damage", "complaint"), [
    (replace("", "minutes", "hours"), "opening: .*'minutes'"),
    (replace("", "Afterwards you can say", "Then"), "opening: .*Afterwards"),
    (replace("", "# In full", "In full"), "opening: .*only title"),
    (replace("Recap", "## Recap", "# Recap"), "opening: .*only title"),
    (replace("Exercises", "## Exercises", "## More"), "three to six"),
    (replace("Exercises", "### Exercise 3", "Exercise 3"), "three to six"),
    (replace("Exercises", "check(2, answer)", "2"), "Exercise 2.*no check"),
    (replace("Exercises", "</details>", ""), "no hidden solution"),
    (in_code("%pip install x"), "not Python"),
    (in_code("!ls"), "not Python"),
    (in_code("import urllib.request"), "urllib"),
    (in_code("from http import client"), "http"),
    (in_code("from ldp_lib.lessons.elbow.story import wave"), "reaches into ldp_lib.lessons.elbow.story"),
    (in_code("from ldp_lib.lessons.elbow.explore import glance, fit"), "reaches into"),
    (in_code("import ldp_lib.stage.deck"), "reaches into"),
    (in_code("from ldp_lib.risk.scores import _product"), "reaches into ldp_lib.risk.scores"),
    (replace("Exercises", "answer = 1", "from ldp_lib.lessons.bars import NOISE"), "reaches into"),
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
    found = complaints(notebook, EVERYWHERE + [opening, exercises])
    assert any(re.search(complaint, text) for text in found), found


def merged(notebook):
    """Make one cell of markdown cells that follow each other."""
    cells = []
    for cell in notebook.cells:
        if cells and cell.cell_type == cells[-1].cell_type == "markdown":
            cells[-1].source += f"\n\n{cell.source}"
        else:
            cells.append(cell)
    notebook.cells = cells


@pytest.mark.parametrize("change", [
    lambda notebook: None,
    merged,
    replace("The theorem", "Then the rule", "Word " * 24 + "end. Then the rule"),
    replace("The theorem", "<details>", "Some words. " * 27 + "\n\n<details>"),
    replace("The theorem", "1. ", "1. " + "In a fold nobody counts words, " * 20),
    replace("", "why.", "why. " + "Some words. " * 55),
    replace("Check yourself", "Say the number", "Word " * 24 + "end. Say the number"),
    replace("Check yourself", "Say the number", "J.-Y. A. Audibert says the number"),
    replace("Break it", "Move", "See [what the last scene says](01_ldp_check.ipynb) in `a . b`. Move"),
])
def test_a_sound_story_draws_no_complaint(change):
    notebook = told()
    nbformat.validate(notebook)
    change(notebook)
    assert complaints(notebook, EVERYWHERE + IN_STORIES) == []


def empty(name):
    """Return a damage: remove the code cells of section `name`."""
    def damage(notebook):
        gone = [cell.id for cell in code(section(notebook, name))]
        notebook.cells = [cell for cell in notebook.cells if cell.id not in gone]
    return damage


@pytest.mark.parametrize(("damage", "complaint"), [
    (replace("", "minutes", "hours"), "opening: .*'minutes'"),
    (replace("", "Afterwards you can say", "Then"), "opening: .*Afterwards"),
    (replace("Break it", "## Break it", "## Predict"), "story_skeleton: the sections"),
    (replace("Check yourself", "## Check", "### Check"), "story_skeleton: the sections"),
    (lambda notebook: notebook.cells.insert(1, notebook.cells.pop(2)), "first section must show a panel"),
    (replace("", "panel(", "scene("), "first section must show a panel"),
    (replace("", "why.", "why. " + "Some words. " * 58), "125 words before the panel"),
    (replace("Break it", "Move", "Some words. " * 45 + "Move"), "99 words between cells 1 and 3"),
    (replace("The theorem", "Then", "Some words. " * 40 + "Then"), "100 words between cells 3 and 6"),
    (replace("Break it", "Move", "Word " * 22 + "move"), "sentence of 27 words in cell 2"),
    (replace("Recap", "Read on", ("Word " * 24 + "end. ") * 40 + "Read on"), "words on average"),
    (replace("Break it", r"$\kappa$", r"$\beta$"), "not say in words: beta$"),
    (replace("Break it", "kappa, ", ""), "cell 2 uses kappa before kappa is said"),
    (replace("Break it", " Add dimensions.", ""), "uses d before dimensions is said"),
    (replace("Break it", r"$\kappa$", "$$a + h$$"), "not say in words: a$"),
    (replace("Break it", r"$\kappa$", r"$\kappa\mathrm{cube}_j$"), "not say in words: j$"),
    (replace("Break it", r"$\kappa$", "$κ$"), "not say in words: κ$"),
    (replace("The theorem", "| people |", "| $n$ |"), "not say in words: n$"),
    (replace("The theorem", "| $T$ | score | of a place |\n", ""), "not say in words: T$"),
    (replace("The theorem", "said as", "Argument"), "no fold has the table"),
    (replace("The theorem", "<details>", "<div>"), "no fold has the table"),
    (empty("Break it"), "story_content: Break it"),
    (empty("The proof, one step at a time"), "story_content: The proof.*a panel"),
    (lambda notebook: section(notebook, "Break it")[1].update(outputs=[]), "story_content: Break it"),
    (replace("The proof, one step at a time", "ledger(", "list("), "no ledger"),
    (lambda notebook: section(notebook, "Check yourself")[1].update(outputs=[]), "no number is printed"),
    (replace("The theorem", "Then", "Some words. " * 28 + "Then"), "The theorem: 62 words"),
    (replace("The theorem", "Then the rule learns **every law**", ""), "The theorem: 0 words"),
    (replace("The theorem", "(2019)", ""), "no fold has numbered assumptions"),
    (replace("The theorem", ". $", " $"), "no fold has numbered"),
    (replace("Recap", "5. e", ""), "story_content: Recap"),
    (replace("Recap", "Read on", "See"), "story_content: Recap"),
    (replace("Challenge and exercises", "### Exercise 2", "### Exercise 3"), "Exercise 1: ...' and so on"),
    (replace("Challenge and exercises", "### Exercise 2: a function", ""), "the answer of 1; two"),
    (replace("Challenge and exercises", "check(2, answer)", "2"), "Exercise 2.*no check"),
    (replace("Challenge and exercises", "Solution", "Answer"), "Exercise 1.*no hidden solution"),
    (replace("Challenge and exercises", "def answer(n):", "answer = "), "the answer of 0; two"),
    (replace("Check yourself", "print", "\n" * 12 + "print"), "more than 12 lines"),
    (replace("Check yourself", "print(0.5)", "print(errata())"), "lists errata"),
    (replace("Check yourself", "Say the number", "Say 0.0021"), "story_numbers: cell .* says 0.0021"),
])
def test_a_damaged_story_draws_its_complaint(damage, complaint):
    notebook = told()
    damage(notebook)
    found = complaints(notebook, EVERYWHERE + IN_STORIES)
    assert any(re.search(complaint, text) for text in found), found


@pytest.mark.parametrize(("text", "lengths"), [
    ("T. Berrett and C. Butucea say so. Do they? Yes!", [7, 2, 1]),
    ("# A heading is none\n\n1. One\n2. and two\n\n| a | table |\n\nOver\ntwo lines", [1, 2, 3]),
    ("See `a. b. c` and [these *three* words](there.ipynb).\n\n<details>Not. This.</details>", [6]),
    (r"The *bar* $T_n. x$ falls." "\n\n```python\na. b\n```", [3]),
])
def test_sentences_are_counted_as_they_are_read(text, lengths):
    assert sentences(text) == lengths


@pytest.mark.parametrize(("text", "found"), [
    (r"$\alpha_j \le \tfrac12 \varepsilon$ and $$E\,T(x)$$", {"alpha", "j", "epsilon", "E", "T", "x"}),
    (r"a word, `$c$`, $\text{area} \to \Gamma$" "\n```\n$d$\n```", {"Gamma"}),
    (r"$\min(h, 1) \lVert x' \rVert$, $\mathrm{P}_0$", {"h", "x"}),
])
def test_symbols_are_the_letters_of_formulas(text, found):
    assert symbols(text) == found


@pytest.mark.parametrize(("target", "sound"), [("errata.ipynb", True), ("01_ldp_check.ipynb", False),
                                               ("../01_ldp_check.ipynb", True)])
def test_links_begin_in_the_folder_of_their_notebook(target, sound):
    notebook = as_executed([new_markdown_cell(f"[this]({target})")])
    assert (complaints(notebook, everywhere(FOLDER / "appendix")) == []) == sound


@pytest.mark.parametrize("text", ["halve alpha", "exact", "n / 2", "alpha > 0", "units: nats", "why, what"])
def test_words_are_no_code(text):
    assert not is_code(text)
