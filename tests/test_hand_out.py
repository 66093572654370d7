"""What a lecturer hands out: the notebooks without their solutions, and nothing else missing."""

import importlib.util
import re

import nbformat
import pytest


@pytest.fixture(scope="module")
def hand_out():
    """notebooks/hand_out.py as a module."""
    from test_notebooks_contract import FOLDER

    spec = importlib.util.spec_from_file_location("hand_out", FOLDER / "hand_out.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_copies_have_no_solution_and_everything_else(hand_out, tmp_path, capsys):
    hand_out.main([str(tmp_path / "class")])
    dropped = sum(int(count) for count in re.findall(r"(\d+) solutions", capsys.readouterr().out))
    paths = sorted(hand_out.FOLDER.glob("**/[!.]*.ipynb"))
    folds = 0
    for path in paths:
        before = nbformat.read(path, as_version=4)
        after = nbformat.read(tmp_path / "class" / path.relative_to(hand_out.FOLDER), as_version=4)
        text = ["".join(cell.source for cell in each.cells if cell.cell_type == "markdown")
                for each in (before, after)]
        folds += text[0].count(">Solution")
        assert "Solution</summary>" not in text[1] and "Solutions are" not in text[1]
        assert text[1].count("<summary>") == text[0].count("<summary>") - text[0].count(">Solution")
        code = [[cell for cell in each.cells if cell.cell_type == "code"] for each in (before, after)]
        assert code[0] == code[1], "code and pictures stay"
        nbformat.validate(after)
    assert dropped == folds >= 20


def test_a_solution_is_cut_out_of_its_cell(hand_out):
    hint, solution = (f"<details><summary>{name}</summary>\n\nx\n\n</details>\n\n"
                      for name in ("A hint", "Solution"))
    cell = nbformat.v4.new_markdown_cell(f"Before.\n\n{hint}{solution}After.")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert hand_out.without_solutions(notebook) == 1
    assert notebook.cells[0].source == f"Before.\n\n{hint}After."


def test_nothing_is_written_over(hand_out, tmp_path, capsys):
    (tmp_path / "answers.txt").write_text("mine")
    with pytest.raises(SystemExit):
        hand_out.main([str(tmp_path)])
    assert "exists already; name a new folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["answers.txt"]


def test_students_get_numbers_of_their_own(hand_out, tmp_path, capsys):
    hand_out.main([str(tmp_path / "exam"), "--students", "2", "--graded"])
    assert capsys.readouterr().out.strip() == str(tmp_path / "exam" / "solutions.csv")
    first, second = sorted((tmp_path / "exam" / "students").iterdir())
    assert first.name == "student_01.ipynb" and first.read_text() != second.read_text()
    assert "ldp_lib" not in first.read_text()
    (tmp_path / "names.txt").write_text("ada\n\n bob \n")
    hand_out.main([str(tmp_path / "week"), "--students", str(tmp_path / "names.txt"), "--exercises", "05.1"])
    assert {path.name for path in (tmp_path / "week" / "students").iterdir()} == {"ada.ipynb", "bob.ipynb"}
    assert len((tmp_path / "week" / "solutions.csv").read_text().splitlines()) == 3
    hand_out.main([str(tmp_path / "course"), "--nbgrader"])
    assert (tmp_path / "course" / "source" / "sheet" / "sheet.ipynb").exists()


@pytest.mark.parametrize("more, words", [
    (["--students", "nobody.txt"], "nobody.txt is no number, and no file of names"),
    (["--students", "names.txt"], "nobody's twice"), (["--students", "2", "--exercises", "00.1"], "'00.1'")])
def test_what_is_no_class_is_told(hand_out, tmp_path, monkeypatch, capsys, more, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.txt").write_text("ada\nada\n")
    with pytest.raises(SystemExit):
        hand_out.main(["exam", *more])
    assert words in capsys.readouterr().err and not (tmp_path / "exam").exists()
