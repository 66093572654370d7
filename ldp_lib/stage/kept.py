"""What a student did, kept in a file beside the notebook: `progress()` shows it, `recall` returns code.

The file, `FILE`, has a line for every try, and lines are only added: kernels that run at the same time lose
nothing of each other, and a damaged line damages no other one. Nothing is sent anywhere. Only `check` in the
kernel of a notebook adds lines, and not for an exercise that is not answered yet: a notebook that is executed
as it comes leaves no file. What is kept can be run again: beside the answer stand the program that made it
(`ldp_lib.stage.rerun`) and the time; `progress().sign("Ada")` adds a name.
"""

import errno
import html
import inspect
import itertools
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ldp_lib.stage import rerun
from ldp_lib.stage.judge import REGISTERED, found, names

FILE = "my_answers.jsonl"
"""The name of the file; notebooks in the folder "appendix" share that of the folder above."""
LONGEST = 10_000
"""Characters of an answer that are kept, and of its program; a longer program is not kept."""


class Line(NamedTuple):
    """A try: what the file claims of it.

    `code` : the program whose last line is the answer, "" if it is not known. `time` : of UTC, in ISO's form.
    """

    exercise: str
    right: bool
    stars: int
    answer: str
    code: str = ""
    time: str = ""


class Answer(NamedTuple):
    """What is kept of an exercise: is it solved, its stars, how many tries, the last right code or number.

    `code`, `time` : as of a `Line`.
    """

    right: bool
    stars: int
    tries: int
    text: str
    code: str
    time: str


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


def _notebook():
    """IPython's shell in the kernel of a notebook, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell if getattr(shell, "kernel", None) else None


def _text(answer):
    """The source of a function, or else the `repr`; whatever it is, a str."""
    for form in (inspect.getsource, repr):
        try:
            return str(form(answer)).strip()[:LONGEST]
        except (Exception, SystemExit):
            continue
    return f"a {type(answer).__name__}"


def keep(exercise, answer, right, moved=False):
    """Add a line for this try if this is a notebook; what prevents it, in words, or "".

    moved : whether a hand gave the answer, so that no cell holds it.
    """
    shell = _notebook()
    if not shell:
        return ""
    stars = found(exercise).stars if right else 0
    cells = shell.user_ns.get("In", [])
    code = f"import numpy as np\n{answer!r}" if moved else rerun.program(cells, exercise)
    line = Line(exercise, right, stars, _text(answer), code if len(code) <= LONGEST else "",
                datetime.now(UTC).isoformat(timespec="seconds"))
    try:
        _add(_place(), line._asdict())
    except OSError as failure:
        return (f"(Judged, but not kept: {FILE} cannot be written, {failure.strerror}. Copy your answer, or "
                "work in a folder where you may write.)")
    return ""


def _add(path, record):
    """Add a line to the file."""
    _require_file(path)
    # One write in append mode is not mixed with those of others. The first line break ends a line that a
    # crash has cut.
    with open(path, "ab", buffering=0) as file:
        file.write(f"\n{json.dumps(record)}\n".encode())


def _words(value, printable=False):
    """`value` if it is text that a file takes: a half of a pair of characters is none; or else ValueError."""
    if not isinstance(value, str) or printable and not value.isprintable():
        raise ValueError(value)
    value.encode()
    return value


def lines(text: str) -> tuple[list[Line], str, int]:
    """Every try that a file of this text claims, the name that it gives or "", how many lines are damaged."""
    tries, name, damaged = [], "", 0
    for line in filter(str.strip, text.splitlines()):
        try:
            record = json.loads(line)
            if "name" in record:
                name = _words(record["name"], printable=True)
                continue
            more = (_words(record.get(key, "")) for key in ("code", "time"))
            tries.append(Line(_words(record["exercise"], printable=True), bool(record["right"]),
                              int(record["stars"]), _words(record["answer"]), *more))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            damaged += 1
    return tries, name, damaged


def _read(path):
    """({exercise: `Answer`}, name or "", what is wrong with the file in words or "")."""
    try:
        _require_file(path)
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    except OSError as failure:
        return {}, "", f"{path.name} cannot be read: {failure.strerror}."
    tries, student, damaged = lines(text)
    answers = {}
    for exercise, *claimed in tries:
        right, stars, *rest = claimed
        old = answers.get(exercise)
        new = Answer(right, stars, 1 + (old.tries if old else 0), *rest)
        answers[exercise] = old._replace(tries=new.tries) if old and old.right and not right else new
    unknown = sorted(each for each in answers if each.partition("?")[0] not in REGISTERED)
    told = [f"Lines of {path.name} that cannot be read, and stay there: {damaged}."] * bool(damaged)
    told += [f"Kept, but not known here: exercise {', '.join(unknown)}."] * bool(unknown)
    return answers, student, " ".join(told)


class Progress:
    """The stars of every notebook, as a table; `progress` makes it.

    `answers` : exercise -> `Answer`.  `name` : of whoever signed, or "".  `trouble` : what is wrong with the
    file, in words, or "".
    """

    def __init__(self, path):
        self.path = Path(path)
        self.answers, self.name, self.trouble = _read(self.path)

    def _rows(self):
        """(notebook, "stars of all stars", [(exercise, its stars, filled if it is solved)])."""
        for notebook, those in itertools.groupby(names(), lambda name: name.partition(".")[0]):
            rows = [(name, REGISTERED[name].stars, name in self.answers and self.answers[name].right)
                    for name in those]
            total = f"{sum(stars for _, stars, right in rows if right)} of {sum(row[1] for row in rows)}"
            yield notebook, total, [(name, "☆★"[right] * stars) for name, stars, right in rows]

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

    def sign(self, name: str) -> None:
        """Put a name under what is kept, for whoever collects it; a later one counts.

        Raises
        ------
        ValueError
            If `name` is empty, or has more than 100 characters or a line break.
        OSError
            If the file cannot be written.
        """
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= 100:
            raise ValueError(f"name = {name!r:.120} must be 1 to 100 characters on one line.")
        _add(self.path, {"name": name.strip()})
        self.name = name.strip()

    def export(self, path: str | os.PathLike) -> None:
        """Write a new file: a page to be printed if its name ends with ".html", else JSON.

        A file that exists is never overwritten: FileExistsError.
        """
        path = Path(path)
        if path.suffix == ".html":
            title = html.escape(f"Answers of {self.name}" if self.name else "My answers")
            content = (f"<!DOCTYPE html><meta charset='utf-8'><title>{title}</title><h1>{title}</h1>"
                       f"{self._repr_html_()}<p>Below each exercise stands the program that made the answer: "
                       "it can be run again, and who grades should do so. Times are of UTC.</p>")
            for name, answer in sorted(self.answers.items()):
                state = f"{'solved' if answer.right else 'open'}, tries: {answer.tries}, {answer.time}"
                content += (f"<h2>{html.escape(f'{name}: {state}'.rstrip(', '))}</h2>"
                            f"<pre>{html.escape(answer.code or answer.text)}</pre>")
        else:
            content = json.dumps({name: answer._asdict() for name, answer in self.answers.items()}, indent=1)
        with open(path, "x", encoding="utf-8") as file:
            file.write(content)

    def delete(self) -> None:
        """Delete the file and everything that is kept in it."""
        _require_file(self.path)
        self.path.unlink(missing_ok=True)
        self.answers, self.name, self.trouble = {}, "", ""


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
    01   0 of 14  01.1 ☆  01.2 ☆ ... 01.10 ☆  01.11 ☆
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
    found(exercise)
    mine = progress(path)
    if exercise in mine.answers:
        return Code(mine.answers[exercise].text)
    return Code(f"# Nothing is kept of exercise {exercise}. {mine.trouble}".rstrip())
