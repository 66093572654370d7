"""How the pages are built: `make site` lays the notebooks beside this file and runs Sphinx."""

import re

project = "What privacy costs"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx-mathjax-offline"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = project
html_static_path = ["_static"]
html_css_files = ["ldp/panels.css"]
html_js_files = [("ldp/panels.js", {"defer": "defer"})]
html_extra_path = ["_extra"]  # the notebooks beside their pages
exclude_patterns = ["_extra"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# Notebooks are shown as they were executed, formulas by a script beside the pages.
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "dollarmath"]
# A formula between two lines of a paragraph is displayed, as in Jupyter.
myst_dmath_double_inline = True

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
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


def room(formula):
    """The span of a formula, which says about how many letters it will have."""
    letters = re.sub(r"\\[A-Za-z]+|&\w+;", "x", re.sub(r"\\tfrac|[{}^_\s]", "", formula[2]))
    return f'{formula[1]} style="--letters: {len(letters)}">\\({formula[2]}\\)</span>'


def mend(app, page, template, context, doctree):
    """What screen readers miss in the theme and in tables of notebooks, and what would jump."""
    for part in ("furo_navigation_tree", "body"):
        found = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", context.get(part, ""))
        found = re.sub(r'(<span class="math[^">]*")>\\\((.*?)\\\)</span>', room, found, flags=re.DOTALL)
        context[part] = found.replace('class="caption" role="heading"', 'class="caption"')


def setup(app):
    """The first before numpydoc, which makes tables; the second after the theme."""
    app.connect("autodoc-process-docstring", plain, priority=400)
    app.connect("html-page-context", mend, priority=900)
