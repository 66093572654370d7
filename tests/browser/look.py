"""Screenshots of a notebook for people to look at, after running it and after moving its panels.

    python tests/browser/look.py NOTEBOOK OUTDIR [--theme dark] [--width 1920] [--scale 2]

Writes NAME.png, the whole notebook, and NAME-panel-K-MOVED.png, each panel with one control as far from its
first position as it goes and the others at theirs.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import harness


def look(notebook, outdir, *, theme="light", width=1280, scale=1.0):
    """Take the screenshots; return their paths and the notebook's errors."""
    paths = []

    def shoot(target, name, **keywords):
        paths.append(outdir / f"{notebook.stem}{name}.png")
        target.screenshot(path=paths[-1], **keywords)

    with tempfile.TemporaryDirectory() as home, harness.browser() as process:
        home = Path(home)
        shelf = home / "notebooks"
        shelf.mkdir()
        shutil.copy(notebook, shelf)
        (home / "data").symlink_to(harness.ROOT / "data")
        with (harness.server("lab", shelf, home, theme) as where,
              harness.new_page(process, width=width, scale=scale, theme=theme) as page):
            errors = harness.run(page, where, notebook.name)
            panels = harness.panels(page, harness.has_panel(notebook))
            # A window as tall as the notebook shows all of it, whatever scrolls inside.
            tall = page.evaluate("Math.max(...[...document.querySelectorAll('*')].map(n => n.scrollHeight))")
            page.set_viewport_size({"width": width, "height": min(tall + 200, 16000)})
            page.wait_for_timeout(1000)
            bottom = page.evaluate("""() => {
                for (const node of document.querySelectorAll("*")) node.scrollTop = 0;
                return Math.max(...[...document.querySelectorAll(".jp-Cell")].map(
                    cell => cell.getBoundingClientRect().bottom));
            }""")
            shoot(page, "", clip={"x": 0, "y": 0, "width": width, "height": min(bottom + 20, 16000)})
            page.set_viewport_size({"width": width, "height": 1000})
            for number, panel in enumerate(panels, 1):
                shoot(panel, f"-panel-{number}")
                for control in harness.controls(panel):
                    next(harness.move(control))
                    harness.at_rest(panel)
                    shoot(panel, f"-panel-{number}-{control.get_attribute('id').rpartition('-')[2]}")
                    panel.get_by_role("button", name="reset").click()
                    harness.at_rest(panel)
    return paths, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("outdir", type=Path)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--scale", type=float, default=1.0, help="device pixels per CSS pixel")
    options = vars(parser.parse_args())
    options["outdir"].mkdir(parents=True, exist_ok=True)
    paths, errors = look(**options)
    print(*paths, sep="\n")
    raise SystemExit("\n".join(errors) or None)


if __name__ == "__main__":
    main()
