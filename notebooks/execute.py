"""Execute the notebooks in place and store only what is worth reading in a repository.

    python notebooks/execute.py              all notebooks, the appendix too
    python notebooks/execute.py 01_ldp_check one or several

Running it twice gives the same bytes.  A cell that fails, takes longer than
`CELL_SECONDS` or writes to stderr stops everything, and its notebook stays as it was.
"""

import argparse
import os
import pathlib
import re
import time

import nbformat
from nbclient import NotebookClient

FOLDER = pathlib.Path(__file__).resolve().parent
CELL_SECONDS = 120
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
LIVE = re.compile(r"ldp-still-[0-9a-f]{32}")
"""Where a live panel moves in: it is called by another name in every run, and dies with its kernel."""


def execute(notebook, folder):
    """Run all cells of `notebook` (changed in place) in a fresh kernel that works in `folder`."""
    NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name=KERNEL["name"],
        coalesce_streams=True,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    ).execute(env=os.environ | {"TQDM_DISABLE": "1"})  # a bar shows where a machine is slow
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr":
                raise RuntimeError(f"a cell wrote to stderr:\n{output.text}\nThe cell:\n{cell.source}")


def clean(notebook):
    """Drop from `notebook` (changed in place) what differs from run to run or from machine to machine."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET_VIEW, None)
            output.get("metadata", {}).pop(WIDGET_VIEW, None)
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = LIVE.sub("ldp-still-saved", output.data["text/html"])


def found():
    """Return {name: path} of all notebooks, the main road before its appendix."""
    paths = sorted(FOLDER.glob("[0-9]*.ipynb")) + sorted(FOLDER.glob("appendix/*.ipynb"))
    return {path.stem: path for path in paths}


def main(arguments=None):
    """Execute, clean and write; print the seconds that each notebook took."""
    known = found()
    if not known:
        raise SystemExit(f"there are no notebooks in {FOLDER}")
    parser = argparse.ArgumentParser(description="Execute notebooks in place and clean them.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(known)}; all if none is given")
    names = parser.parse_args(arguments).names or known
    for unknown in sorted(set(names) - set(known)):
        parser.error(f"there is no notebook {unknown}; choose from {', '.join(known)}")
    for name in names:
        path = known[name]
        notebook = nbformat.read(path, as_version=4)
        start = time.perf_counter()
        try:
            execute(notebook, path.parent)
        except Exception as error:
            error.add_note(f"while executing {path.name}; the file was left as it was")
            raise
        seconds = time.perf_counter() - start
        clean(notebook)
        nbformat.write(notebook, path)
        print(f"{name:<28}{seconds:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
