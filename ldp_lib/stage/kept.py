"""What a student did, kept in a file beside the notebook: `progress()` shows it, `recall` returns code.

The file, `FILE`, has a line for every try, and lines are only added: kernels that run at the same time lose
nothing of each other, and a damaged line damages no other one. Nothing is sent anywhere. Only `check` in the
kernel of a notebook adds lines, and not for an exercise that is not answered yet: a notebook that is executed
as it comes leaves no file.
"""

import errno
import html
import inspect
import itertools
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from ldp_lib._arguments import choice
from ldp_lib.stage.judge import REGISTERED, names

FILE = "my_answers.jsonl"
"""The name of the file; notebooks in the folder "appendix" share that of the folder above."""
LONGEST = 10_000
"""Characters of an answer that are kept."""


class Answer(NamedTuple):
    """What is kept of an exercise: is it solved, its stars, how many tries, the last right code or number."""

    right: bool
    stars: int
    tries: int
    text: str


class Code(str):
    """Text that a cell shows as it is."""

    __repr__ = str.__str__


def _place():
    folder = Path.cwd()
    return (folder.parent if folder.name == "appendix" else folder) / FILE


def _require_file(path):
    """OSError if something is there that is no file: to open a pipe would wait for ever."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no file")


def _in_a_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def _text(answer):
    """The source of a function, or else the `repr`; whatever it is, a str."""
    for form in (inspect.getsource, repr):
        try:
            return str(form(answer)).strip()[:LONGEST]
        except (Exception, SystemExit):
            continue
    return f"a {type(answer).__name__}"


def keep(exercise, answer, right):
    """Add a line for this try if this is a notebook; what prevents it, in words, or ""."""
    if not _in_a_notebook():
        return ""
    stars = REGISTERED[exercise].stars if right else 0
    line = json.dumps({"exercise": exercise, "right": right, "stars": stars, "answer": _text(answer)})
    try:
        _require_file(_place())
        # One write in append mode is not mixed with those of others. The first line break ends a line that a
        # crash has cut.
        with open(_place(), "ab", buffering=0) as file:
            file.write(f"\n{line}\n".encode())
    except OSError as failure:
        return (f"(Judged, but not kept: {FILE} cannot be written, {failure.strerror}. Copy your answer, or "
                "work in a folder where you may write.)")
    return ""


def _read(path):
    """({exercise: `Answer`}, what is wrong with the file in words or "")."""
    try:
        _require_file(path)
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    except OSError as failure:
        return {}, f"{path.name} cannot be read: {failure.strerror}."
    answers, damaged = {}, 0
    for line in filter(str.strip, lines):
        try:
            record = json.loads(line)
            new = Answer(bool(record["right"]), int(record["stars"]), 1, str(record["answer"]))
            new.text.encode()  # a half of a pair of characters is no text: no file would take it
            if not isinstance(name := record["exercise"], str) or not name.isprintable():
                raise TypeError(name)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            damaged += 1
            continue
        old = answers.get(name, new._replace(tries=0))
        best = old if old.right and not new.right else new
        answers[name] = best._replace(tries=old.tries + 1)
    unknown = sorted(set(answers) - set(REGISTERED))
    told = [f"Lines of {path.name} that cannot be read, and stay there: {damaged}."] * bool(damaged)
    told += [f"Kept, but not known here: exercise {', '.join(unknown)}."] * bool(unknown)
    return answers, " ".join(told)


class Progress:
    """The stars of every notebook, as a table; `progress` makes it.

    `answers` : exercise -> `Answer`.  `trouble` : what is wrong with the file, in words, or "".
    """

    def __init__(self, path):
        self.path = Path(path)
        self.answers, self.trouble = _read(self.path)

    def _rows(self):
        """(notebook, "stars of all stars", [(exercise, its stars, filled if it is solved)])."""
        for notebook, those in itertools.groupby(names(), lambda name: name.partition(".")[0]):
            found = [(name, REGISTERED[name].stars, name in self.answers and self.answers[name].right)
                     for name in those]
            total = f"{sum(stars for _, stars, right in found if right)} of {sum(row[1] for row in found)}"
            yield notebook, total, [(name, "☆★"[right] * stars) for name, stars, right in found]

    def __repr__(self):
        lines = [f"{notebook}  {total:>8}  " + "  ".join(map(" ".join, found))
                 for notebook, total, found in self._rows()]
        return "\n".join(["nb     stars  exercises", *lines, *filter(None, [self.trouble])])

    def _repr_html_(self):
        rows = "".join(f"<tr><th scope='row'>{notebook}</th><td>{total}</td><td>"
                       + ", ".join(f"{name}&nbsp;{stars}" for name, stars in found) + "</td></tr>"
                       for notebook, total, found in self._rows())
        head = "".join(f"<th>{words}</th>" for words in ("notebook", "stars", "exercises, ★ if solved"))
        return (f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
                f"<p>{html.escape(self.trouble)}</p>")

    def export(self, path: str | os.PathLike) -> None:
        """Write a new file: a page to be printed if its name ends with ".html", else JSON.

        A file that exists is never overwritten: FileExistsError.
        """
        path = Path(path)
        if path.suffix == ".html":
            content = "<!DOCTYPE html><meta charset='utf-8'><title>My answers</title>" + self._repr_html_()
            for name, answer in sorted(self.answers.items()):
                state = f"{'solved' if answer.right else 'open'}, tries: {answer.tries}"
                content += f"<h2>{html.escape(name)}: {state}</h2><pre>{html.escape(answer.text)}</pre>"
        else:
            content = json.dumps({name: answer._asdict() for name, answer in self.answers.items()}, indent=1)
        with open(path, "x", encoding="utf-8") as file:
            file.write(content)

    def delete(self) -> None:
        """Delete the file and everything that is kept in it."""
        _require_file(self.path)
        self.path.unlink(missing_ok=True)
        self.answers, self.trouble = {}, ""


def progress(path: str | os.PathLike | None = None) -> Progress:
    """What you have solved so far, in all notebooks of this folder.

    Parameters
    ----------
    path : str or path
        The file; None is `my_answers.jsonl` beside the notebook.

    Returns
    -------
    Progress
        A cell shows it as a table. `.export("sheet.html")` writes a page to print, with your code, `.export`
        of any other name JSON; `.delete()` forgets everything.

    Examples
    --------
    >>> print(str(progress("no such file")).splitlines()[2])
    01   0 of 12  01.1 ☆  01.2 ☆  01.3 ☆  01.4 ☆  01.5 ☆  01.6 ☆  01.7 ☆  01.8 ☆☆  01.9 ☆☆☆
    """
    return Progress(_place() if path is None else path)


def recall(exercise: str, path: str | os.PathLike | None = None) -> str:
    """Return what you answered, also after a restart: the last right answer, or else the last one.

    Parameters
    ----------
    exercise : str
        For example "02.6".
    path : str or path
        As for `progress`.

    Returns
    -------
    str
        The source of a function, a number as text; a comment if there is nothing.

    Examples
    --------
    >>> recall("02.6", "no such file")
    # Nothing is kept of exercise 02.6.
    """
    choice("exercise", exercise, REGISTERED)
    found = progress(path)
    if exercise in found.answers:
        return Code(found.answers[exercise].text)
    return Code(f"# Nothing is kept of exercise {exercise}. {found.trouble}".rstrip())
