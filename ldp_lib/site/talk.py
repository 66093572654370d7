"""A talk from a text file: `python -m ldp_lib.site.talk my.txt`.

The file is checked, all of its lines, and its page written beside those of `make site`: nothing is rebuilt.
"""

import argparse
import functools
import html
import json
import urllib.parse
from pathlib import Path

from ldp_lib.live import PANELS, panel
from ldp_lib.site.stored import places, write_panel

PLACE = '<div class="ldp-talk"></div>'
"""Where a page holds a talk."""


def talk(text: str, name: str = "a talk") -> dict[str, object]:
    """A talk, from its file called `name`: the first comment is its title, each line a stop.

    A stop has minutes, an address, and what to say; a ValueError names all lines that have not.

    A stop whose address names no state is the `whole` panel: all of its scenes, one after the other. A line
    `5 break` is minutes of `rest` after the stop above it.

    Examples
    --------
    >>> talk("5 consistency?scene=sign  Signs are enough.")["stops"][0]["name"]
    'sign'
    """
    title, stops, _ = _parsed(text, name)
    return {"title": title, "stops": stops}


def _parsed(text, name):
    """Title and stops, and the addresses of these as they are written."""
    title, stops, links, wrong = "", [], [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            title = title or line.lstrip("# ")
        elif line.strip():
            minutes, link, say = [*line.split(maxsplit=2), "", ""][:3]
            if stops and minutes.isdecimal() and link == "break" and not say:
                stops[-1]["rest"] = int(minutes)
                continue
            try:
                stops.append(_stop(line, minutes, link, say))
                links.append(link)
            except ValueError as why:
                wrong.append(f"{name}, line {number}: {why}")
    if not (stops or wrong):
        wrong = [f"{name} has no stop, which {FORM}"]
    if wrong:
        raise ValueError("\n".join(wrong))
    return title, stops, links


FORM = ("must have whole minutes, an address and what to say, for example: "
        "2 consistency?scene=half+the+budget Signs are enough. A pause is 5 break, after a stop.")


def _stop(line, minutes, link, say):
    """A line of a talk."""
    if not say or not minutes.isdecimal():
        raise ValueError(f"{line!r:.60} {FORM}")
    shown = _opened(link)
    if shown.remarks:
        scenes = ", ".join(urllib.parse.quote_plus(scene.name) for scene in shown.scenes)
        raise ValueError(f"{link}: {' '.join(shown.remarks)} In an address a space is written +; the scenes "
                         f"of {shown.name} are {scenes}.")
    whole = "?" not in link
    return {"minutes": int(minutes), "address": shown.link, "whole": whole, "say": say,
            "name": shown.title if whole else shown.values.get("scene", shown.title)}


_opened = functools.cache(panel)
"""A talk looks twice at each of its addresses."""


@functools.cache
def _stored(name):
    """The positions of a panel that the pages have."""
    return {at for ahead in places(panel(name)).values() for at in ahead}


def page(path: Path, site: Path) -> tuple[Path, list[str]]:
    """Write the page of the talk in the file `path` into the built pages in `site`.

    Its name is that of the file with `talk_` before it. Returns it, and a remark for each stop whose state is
    not stored. Panels of one's own lessons are stored beside the others. A ValueError says what is wrong in
    the file.
    """
    title, stops, links = _parsed(path.read_text(encoding="utf-8"), path.name)
    text = (site / "talks.html").read_text(encoding="utf-8")
    remarks, own = [], {}
    for number, link in enumerate(links, start=1):
        shown = _opened(link)
        if shown.name not in PANELS:
            own.setdefault(link.partition("?")[0], []).append(link)
        elif shown.place not in _stored(shown.name):
            remarks.append(f"Stop {number}, {link}, is not stored: make serve computes it; without a server "
                           "the nearest state is shown that is stored.")
    for name, shown in own.items():
        write_panel(site / "_static" / "ldp", name, shown)
    made = site / f"talk_{path.stem}.html"
    told = html.escape(json.dumps({"title": title, "stops": stops}))
    place = PLACE.replace(">", f' data-talk="{told}">', 1)
    made.write_text(text.replace(PLACE, place), encoding="utf-8")
    return made, remarks


def main(arguments: list[str] | None = None) -> None:
    """Check a talk, and write its page."""
    parser = argparse.ArgumentParser(description="Check a talk, and write its page.")
    parser.add_argument("file", type=Path, help="a text file: a stop a line")
    parser.add_argument("--site", type=Path, default=Path("build/site"), help="the pages of make site")
    asked = parser.parse_args(arguments)
    elsewhere = "run make site first, or say by --site where its pages are"
    for path, cure in ((asked.file, "name a file"), (asked.site / "talks.html", elsewhere)):
        if not path.is_file():
            parser.error(f"there is no {path}; {cure}.")
    try:
        made, remarks = page(asked.file, asked.site)
    except ValueError as wrong:
        raise SystemExit(str(wrong)) from None
    print(*remarks, f"Open {made}", sep="\n")


if __name__ == "__main__":
    main()
