"""A panel as a page of its own, without chrome, that other people's pages hold in a frame.

    python -m ldp_lib.site.embed "elbow?scene=lever" lever.html     one file: send it, open it from a disk

The built site has such pages too, `embed/elbow.html#scene=lever`, which share its scripts. Both tell the page
around them how high they are; what `panel("elbow").embed()` prints listens. A frame keeps styles and names of
two pages apart, in either direction.
"""

import argparse
import html
import tempfile
from pathlib import Path

from ldp_lib.live import PANELS, panel
from ldp_lib.site.stored import write
from ldp_lib.stage.widget import LivePanel

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta name="description" content="{title}. A picture that moves, about what privacy costs in statistics.">
<link rel="icon" href="data:,">
{style}
</head>
<body class="ldp-embed">
<main><article><h1 class="ldp-spoken">{title}</h1>{still}</article></main>
{scripts}
</body>
</html>
"""


def shared(shown: LivePanel) -> str:
    """The page of a panel that takes scripts and style sheet from the site's folder `_static/ldp`.

    Examples
    --------
    >>> 'src="../_static/ldp/panels.js"' in shared(panel("price"))
    True
    """
    return _page(shown, '<link rel="stylesheet" href="../_static/ldp/panels.css">',
                 '<script defer src="../_static/ldp/panels.js"></script>')


def alone(link: str, sample: bool = False) -> str:
    """The page of a panel at an address, which asks for no other file.

    Parameters
    ----------
    link : str
        An address, as `panel` takes it, or the path of a lesson of one's own; a ValueError where it names
        nothing.
    sample : bool
        Only the states along each control, as `ldp_lib.site.stored.places` has it.

    Returns
    -------
    str
        HTML with styles, scripts and all stored states of the panel; 0.2 to 5 MB.
    """
    shown = panel(link)
    if shown.remarks:
        raise ValueError(f"{link}: {' '.join(shown.remarks)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, [link.partition("?")[0]], links=[link], sample=sample)
        style = f"<style>\n{(folder / 'panels.css').read_text(encoding='utf-8')}</style>"
        scripts = [folder / "panels.js", *sorted(folder.glob(f"{shown.name}-*.js"))]
        inside = (path.read_text(encoding="utf-8").replace("</", r"<\/") for path in scripts)
        return _page(shown, style, "\n".join(f"<script>\n{script}</script>" for script in inside))


def _page(shown, style, scripts):
    # It stays until the panel comes, and where no script runs.
    still = shown._still(shown._state(shown.place), shown.title)
    still = f'<div class="ldp-still" data-link="{html.escape(shown.link)}">{still}</div>'
    return PAGE.format(title=html.escape(shown.title), style=style, still=still, scripts=scripts)


def write_shared(folder: Path) -> None:
    """Write the page of each panel into `folder`, which stands beside `_static`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PANELS:
        (folder / f"{name}.html").write_text(shared(panel(name)), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write one panel as one file that works anywhere.")
    parser.add_argument("address", help='for example "elbow?scene=lever", or my/lesson.py')
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    if asked.file.exists():
        raise SystemExit(f"{asked.file} exists: choose another name, or remove it.")
    try:
        text = alone(asked.address)
    except ValueError as wrong:
        raise SystemExit(str(wrong)) from None
    asked.file.write_text(text, encoding="utf-8")
    print(f"{asked.file}: {len(text.encode()) / 2**20:.1f} MiB")
