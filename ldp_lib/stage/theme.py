"""How roles look: colour in light and dark, dash, marker and hatch. Colour is never alone.

A picture names roles ("private", "bound"), never colours; both renderers and the browser read this table. The
colours are those of seaborn's "colorblind" palette that reach a contrast of 3:1 on their background; a test
compares them with seaborn's own, which a live kernel need not load.
"""

from typing import NamedTuple

BLUE, GREEN, VERMILION, PINK, GREY = "#0173b2", "#029e73", "#d55e00", "#cc78bc", "#949494"
"""Of the palette: at least 3:1 on white."""
SKY, ORANGE, ROSE, MINT = "#56b4e9", "#de8f05", "#fbafe4", "#66c2a5"
"""The same hues for dark backgrounds, 7:1 and more: mint of seaborn's "Set2", the others of the palette."""

PAPER = {"light": "#ffffff", "dark": "#111111"}
INK = {"light": "#222222", "dark": "#e8e8e8"}
FAINT = {"light": "#e4e4e4", "dark": "#3a3a3a"}
"""Grid lines."""
QUIET = {"light": "#5c5c5c", "dark": "#b4b4b4"}
"""Words that stand back: tick words, units; 4.5:1 and more."""
PALE = {"light": 0.45, "dark": 0.62}
"""Opacity of bands, but for those of soft roles, which are pale already."""


class Role(NamedTuple):
    """How a role is drawn: `light` and `dark` colours, `dash` (lengths in line widths; () is solid),
    `marker` (a name of `MARKERS`), `hatch` ("" or a name of `HATCHES`) of its areas; `bare`: these are the
    hatch alone, in the role's colour, over what is there; `soft`: they are a ground, on which words and marks
    of other roles stand."""

    light: str
    dark: str
    dash: tuple = ()
    marker: str = "circle"
    hatch: str = ""
    bare: bool = False
    soft: bool = False


# A ground has 3:1 on paper, and a line 3:1 on it, only if that line has 9:1 on paper, which few have. So in
# light lines have it, 2.9; in dark grounds have it, but for that of nothing, which lines cross.
_SKY, _SAND, _ASH, _MOSS = ({"light": light, "dark": dark, "soft": True} for light, dark in (
    ("#cfe3f1", "#2f678f"), ("#f7dcc8", "#86562b"), ("#ececec", "#505050"), ("#cfeadf", "#226c59")))

ROLES = {
    "private": Role(BLUE, SKY),
    "open": Role(GREEN, MINT, (5, 2), "square", "dots"),
    "bound": Role(VERMILION, ORANGE, (5, 2, 1, 2), "triangle", "rising"),
    "other": Role(PINK, ROSE, (1, 1.5), "diamond", "falling"),
    "reference": Role(GREY, GREY, (3, 2), "down", ""),
    "best": Role(INK["light"], INK["dark"], (8, 3), "cross", ""),
    "truth": Role(INK["light"], INK["dark"]),
    "noise": Role(GREY, GREY, (), "circle", "falling"),
    "first": Role(BLUE, SKY),
    "second": Role(VERMILION, ORANGE, (4, 2), "triangle", "rising"),
    "zero": Role(**_SKY),
    "one": Role(**_SAND, marker="triangle", hatch="rising"),
    "one_plain": Role(**_SAND, marker="triangle", hatch="dots"),
    "wrong": Role("#5c5c5c", "#b4b4b4", (), "cross", "falling", bare=True),
    "nothing": Role(**_ASH),
    "forbidden": Role(**_SAND, marker="triangle", hatch="rising"),
    "promise": Role(**_SKY),
    "promise_open": Role(**_MOSS, marker="square", hatch="rising"),
}
"""Every role that a picture may name.

private, open: what private reports give, and what open data would. bound: what a theorem promises. best,
truth: the best rule, the true law. first, second: two people, or the labels 0 and 1 of people. zero, one:
areas in which a rule says 0 or 1; one_plain: where marks stand. wrong: where it should not.
forbidden: what a promise rules out.
"""

MARKERS = {"circle": "o", "square": "s", "triangle": "^", "down": "v", "diamond": "D", "cross": "x",
           "plus": "+", "minus": "_", "star": "*", "tick": "|"}
HATCHES = {"": "", "rising": "//", "falling": "\\\\", "dots": ".."}
"""What matplotlib calls them."""


def grey(share):
    """The colour of a share of ink, from 0 (paper) to 1."""
    return "#" + 3 * f"{round(255 - share * (255 - int(INK['light'][1:3], 16))):02x}"


def looks():
    """What the browser needs of every role beside its colours: dash, marker, hatch, bare, soft."""
    return {name: {"dash": list(role.dash), "marker": role.marker, "hatch": role.hatch, "bare": role.bare,
                   "soft": role.soft}
            for name, role in ROLES.items()}


def css():
    """CSS variables for the colours of roles, paper, grid lines and quiet words, and for how pale bands are:
    light, dark and in print."""
    def block(theme):
        plain = {"paper": PAPER, "faint": FAINT, "quiet": QUIET, "pale": PALE}
        colours = {name: shade[theme] for name, shade in plain.items()}
        colours |= {name: getattr(role, theme) for name, role in ROLES.items()}
        return " ".join(f"--ldp-{name}: {colour};" for name, colour in colours.items())

    return (f"\n.ldp-panel {{ {block('light')} }}\n"
            f"@media screen {{ .ldp-panel[data-theme=\"dark\"] {{ {block('dark')} }} }}\n")
