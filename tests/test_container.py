"""The steps of the Containerfile, run as a script in an empty folder; no container is built."""

from extent import all_rows
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest

FULL = all_rows()


def steps(repository):
    """(instruction, rest) of each line."""
    text = (repository / "Containerfile").read_text(encoding="utf-8")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line and not line.startswith("#")]


def test_its_steps_are_known_and_what_they_copy_is_kept(repository):
    kept = subprocess.run(["git", "ls-files"], cwd=repository, capture_output=True, text=True).stdout
    kinds = [kind for kind, _ in steps(repository)]
    assert kinds[0] == "FROM" and kinds[-1] == "CMD" and kinds.count("RUN") >= 2
    assert set(kinds) == {"FROM", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "CMD"}
    for kind, rest in steps(repository):
        for source in rest.split()[:-1] if kind == "COPY" else ():
            assert re.search(rf"^{re.escape(source)}(/|$)", kept, re.MULTILINE), source


def test_what_pages_are_made_from_is_copied(repository):
    """Also where the pages are not built: what the program that builds them names, and is here."""
    copied = {source for kind, rest in steps(repository) if kind == "COPY" for source in rest.split()[:-1]}
    program = ast.parse((repository / "docs" / "site" / "build.py").read_text(encoding="utf-8"))
    words = {node.value for node in ast.walk(program) if isinstance(node, ast.Constant)
             and isinstance(node.value, str) and re.fullmatch(r"[\w./]*\w", node.value)}
    named = {word for word in words if (repository / word).exists()}
    missing = {word for word in named if not any(f"{word}/".startswith(f"{source}/") for source in copied)}
    assert {"notebooks", "LECTURERS.md"} <= named and not missing


@pytest.mark.ci
def test_its_steps_run_in_an_empty_folder(repository, tmp_path):
    """In full they install and build a few states; otherwise the last one serves, from what is installed."""
    place = tmp_path / "place"
    place.mkdir()
    python = sys.executable
    for kind, rest in steps(repository):
        if kind == "COPY":
            *sources, goal = rest.split()
            for source in sources:
                if (repository / source).is_dir():
                    shutil.copytree(repository / source, place / goal)
                else:
                    shutil.copy(repository / source, place / goal)
        elif kind == "RUN" and FULL:
            if python == sys.executable:  # as in the image, nothing is installed yet
                subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
                python = str(tmp_path / "venv" / "bin" / "python")
            path = os.pathsep.join([os.path.dirname(python), os.environ["PATH"]])
            few = rest.replace("docs/site/build.py", "docs/site/build.py --sample")
            settings = {"PATH": path, "PIP_COMPILE": "0"}  # Python compiles what is imported: a third of all
            subprocess.run(["sh", "-c", few], cwd=place, env=os.environ | settings, check=True)
    if not FULL:
        (place / "build" / "site").mkdir(parents=True)
        (place / "build" / "site" / "index.html").write_text("pages", encoding="utf-8")
    command = [{"python": python, "0.0.0.0": "127.0.0.1", "8000": "0"}.get(word, word)
               for word in json.loads(steps(repository)[-1][1])]
    environment = os.environ | {"PYTHONPATH": str(place)}
    with subprocess.Popen(command, cwd=place, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            with urllib.request.urlopen(f"{address}/state/price/1?goal=0.6", timeout=60) as answer:
                assert len(answer.read()) > 200
        finally:
            server.terminate()
