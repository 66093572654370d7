"""`make notebooks`: what is stored is the same in every run, and trouble is never stored."""

import importlib.util

import nbformat
import processor
import pytest
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from ldp_lib.risk import simulated


@pytest.fixture
def execute(repository, tmp_path, monkeypatch):
    """Return notebooks/execute.py as a module that works in an empty folder."""
    spec = importlib.util.spec_from_file_location("execute", repository / "notebooks" / "execute.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    return module


def store(folder, *sources):
    """Write a notebook of code cells with a foreign kernel and widget state; return its path."""
    cells = [new_markdown_cell("# Title"), *map(new_code_cell, sources)]
    path = folder / "01_lesson.ipynb"
    notebook = new_notebook(cells=cells, metadata={"kernelspec": {"name": "conda-root", "display_name": ""}})
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    nbformat.write(notebook, path)
    return path


def test_how_long_something_took_is_not_stored(execute, tmp_path, monkeypatch):
    """Not in the notebook, and nbval with its plugin asks for the same."""
    patient = "import time\nfrom ldp_lib.risk import simulated\nsimulated.PATIENCE = 0.05\n"
    path = store(tmp_path, patient + "for _ in simulated.progress_bar(None, range(4)): time.sleep(0.05)")
    execute.main([])
    assert nbformat.read(path, as_version=4).cells[1].outputs == []
    monkeypatch.setenv("TQDM_DISABLE", "")
    processor.pytest_configure()
    assert simulated.progress_bar(None, range(4)).disable and not simulated.progress_bar(True, ()).disable


def test_two_runs_store_the_same_bytes_without_widgets(execute, tmp_path, capsys):
    path = store(
        tmp_path,
        "import ipywidgets, matplotlib.figure, io\nprint(1)\nprint(2)",
        "from IPython.display import display\n"
        "view = ipywidgets.IntSlider()\n"
        "display({**view._repr_mimebundle_(), 'image/png': 'iVBORw0KGgo='}, raw=True)",
        "view",
        "import uuid\nfrom IPython.display import HTML\n"
        "HTML(f'<div class=\"ldp-still ldp-still-{uuid.uuid4().hex}\"></div>')",
    )
    execute.main([])
    first = path.read_bytes()
    execute.main(["01_lesson"])
    assert path.read_bytes() == first
    assert b"widget-view" not in first and b"widget-state" not in first and b"iopub" not in first
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.cells[1].outputs == [{"output_type": "stream", "name": "stdout", "text": "1\n2\n"}]
    assert set(notebook.cells[2].outputs[0].data) == {"image/png", "text/plain"}
    assert [cell.execution_count for cell in notebook.cells[1:]] == [1, 2, 3, 4]
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["01_lesson", "01_lesson"]


@pytest.mark.share(2)
@pytest.mark.parametrize(("source", "error"), [
    ("1 / 0", CellExecutionError),
    ("import sys; print('careful', file=sys.stderr)", RuntimeError),
    ("import warnings; warnings.warn('careful')", RuntimeError),
    ("import time; time.sleep(60)", CellTimeoutError),
])
def test_trouble_stops_and_leaves_the_file_alone(execute, tmp_path, monkeypatch, source, error):
    monkeypatch.setattr(execute, "CELL_SECONDS", 5)
    path = store(tmp_path, "print(1)", source)
    before = path.read_bytes()
    with pytest.raises(error) as caught:
        execute.main([])
    assert "01_lesson.ipynb" in caught.value.__notes__[0]
    assert path.read_bytes() == before


def test_an_appendix_is_found_by_its_name_and_works_in_its_folder(execute, tmp_path, capsys):
    (tmp_path / "appendix").mkdir()
    main = store(tmp_path, "print(1)")
    path = store(tmp_path / "appendix", "import os; print(os.path.basename(os.getcwd()))")
    path = path.rename(path.with_name("errata.ipynb"))
    execute.main(["errata"])
    (output,) = nbformat.read(path, as_version=4).cells[1].outputs
    assert output.text == "appendix\n"
    assert nbformat.read(main, as_version=4).cells[1].outputs == []
    execute.main([])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "errata", "01_lesson", "errata"]


def test_unknown_and_absent_notebooks_are_refused(execute, tmp_path, capsys):
    with pytest.raises(SystemExit, match="no notebooks"):
        execute.main([])
    store(tmp_path)
    with pytest.raises(SystemExit):
        execute.main(["01_leson"])
    assert "there is no notebook 01_leson; choose from 01_lesson" in capsys.readouterr().err
