"""Nothing that is said, drawn or judged hangs on a number's last bit: see `tests/jitter/sitecustomize.py`.

In CI one seed, a few positions and the notebooks that sat on ties before; with LDP_FULL=1 every notebook,
and three seeds at more positions.
"""

from extent import all_rows
import os
import pickle
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jitter.compare import differences
from nbclient import NotebookClient
from processor import differing

HERE = Path(__file__).parent
FULL = all_rows()
SEEDS = (1, 2, 3) if FULL else (1,)
POSITIONS = 12 if FULL else 3
NOTEBOOKS = sorted((HERE.parent / "notebooks").glob("**/[0-9e]*.ipynb"))
ONCE_ON_A_TIE = "04_assouad", "06b_spaces"
SOME = [path for path in NOTEBOOKS if FULL or path.stem.startswith(ONCE_ON_A_TIE)]
TWINS = sorted(HERE.glob("lessons/*/test_exercises.py"))
JUDGES = [HERE / "test_mistakes.py", *TWINS] if FULL else [path for path in TWINS if path.match("bayes/*")]
SECONDS = 600
"""Of one cell: a moved function takes its time."""


def environment(seed):
    """Of a process whose functions are moved by this seed; 0 moves none."""
    paths = [str(HERE / "jitter"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"LDP_JITTER": str(seed), "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                         "TQDM_DISABLE": "1"}


def run(seed, *words):
    done = subprocess.run([sys.executable, *map(str, words)], env=environment(seed), cwd=HERE.parent,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


MOVED = """
import math, numpy as np, scipy.special
x = np.linspace(0.1, 3, 1001)
print([value.hex() for value in (
    *np.exp(x).tolist(), *(x**1.7).tolist(), x.sum(), x @ x, *scipy.special.erf(x).tolist(),
    *(math.sin(t) for t in x), np.exp(0.0), np.float64(2.0)**-3, math.hypot(3, 4), np.log(1.0))])
"""


def test_the_jitter_moves_last_bits_and_nothing_else():
    """The check of the check: most results move, by one last bit, and those with few digits do not."""
    plain, moved, again = (eval(run(seed, "-c", MOVED)) for seed in (0, 1, 1))
    assert moved == again, "a seed is repeated"
    pairs = [(float.fromhex(a), float.fromhex(b)) for a, b in zip(plain, moved)]
    assert sum(a != b for a, b in pairs) > len(pairs) / 2
    assert all(abs(a - b) <= 1e-15 * abs(a) for a, b in pairs[:1001])
    assert pairs[1001 * 2] != pairs[1001 * 2][::-1], "a sum in another order"
    assert [b for _, b in pairs[-4:]] == [1.0, 0.125, 5.0, 0.0]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return snapshot(0, tmp_path_factory.mktemp("plain"))


def snapshot(seed, folder):
    file = folder / f"{seed}.pickle"
    run(seed, HERE / "jitter" / "snapshot.py", file, "--positions", POSITIONS)
    return pickle.loads(file.read_bytes())


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS)
def test_panels_say_and_mechanisms_draw_the_same(seed, plain, tmp_path):
    moved = snapshot(seed, tmp_path)
    found = [row for name in plain for row in differences(plain[name], moved[name], name == "mechanisms")]
    assert not found, "\n".join(f"{where}\n  {one!s:.300}\n  {other!s:.300}"
                                for where, one, other in found[:20])


@pytest.mark.ci
@pytest.mark.parametrize("seed", SEEDS[:1])
def test_exercises_judge_the_same(seed):
    run(seed, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(HERE / name for name in JUDGES))


def printed(path, seed):
    """The outputs of a notebook's cells."""
    notebook = nbformat.read(path, as_version=4)
    manager = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", coalesce_streams=True,
                             resources={"metadata": {"path": str(path.parent)}})
    manager.execute(env=environment(seed))
    return [cell.get("outputs", []) for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.ci
@pytest.mark.share(2)
@pytest.mark.parametrize("seed", SEEDS[:1])
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_notebooks_print_the_same(path, seed):
    stored = [cell.get("outputs", []) for cell in nbformat.read(path, as_version=4).cells
              if cell.cell_type == "code"]
    found = [pair for cells in zip(stored, printed(path, seed), strict=True) for pair in differing(*cells)]
    assert not found, "\n".join(found)
