"""The count of lines of code, on examples whose count is known."""

import pytest
from benchmarks.size import PACKAGE, Size, browser_lines, python_lines, sizes, total

PYTHON = '''"""A module.

Its docstring."""

import math  # 1

LIMIT = 3  # 2
"""What a limit is,
in two lines."""

# A comment.
TEXT = """A string that is a value: 3

5, and the blank line before it"""


class Thing:  # 6
    "A thing."

    size: int  # 7
    """Its size."""

    def grow(self): """Grow; this line is code: 8."""

    def label(self, by=1):  # 9
        """Say it."""
        return (  # 10
            f"""{self.size}, 11
            {by}, 12"""

            "the end"  # 13
        )  # 14
'''

SCRIPT = r'''// A comment.
import { a } from "./a.js"; // 1

/* A block
   of comments. */
const url = "http://example.org/*"; /* 2 */
/* before */ const b = 'it\'s // no comment'; // 3
const page = `4
// no comment: 5

7`;
'''

STYLE = '''/* The sizes. */
.a { width: 1px; /* 1
   still a comment */
  background: url(//example.org/2); }

.b::after { content: "/* no comment: 3 */"; }
'''


def test_docstrings_comments_and_blank_lines_of_python_are_no_code():
    assert python_lines(PYTHON) == 14
    assert python_lines("") == python_lines('"""Only words."""\n\n# And a comment.\n') == 0


@pytest.mark.parametrize("kind, source, lines", [(".js", SCRIPT, 7), (".css", STYLE, 3), (".js", "", 0)])
def test_comments_and_blank_lines_of_the_browser_are_no_code(kind, source, lines):
    assert browser_lines(source, kind) == lines


def test_places_are_the_folders_of_the_package_and_its_lessons(tmp_path):
    (tmp_path / "risk" / "deep").mkdir(parents=True)
    (tmp_path / "lessons" / "one" / "ledger").mkdir(parents=True)
    for name in ("__init__.py", "risk/__init__.py", "risk/deep/one.py", "lessons/bars.py",
                 "lessons/one/story.py", "lessons/one/ledger/part.py"):
        (tmp_path / name).write_text("a = 1\n", encoding="utf-8")
    (tmp_path / "risk" / "one.js").write_text("let a;\nlet b;\n", encoding="utf-8")
    found = sizes(tmp_path, ".py")
    assert found == {"": Size(1, 6, 1), "risk": Size(2, 12, 2), "lessons": Size(1, 6, 1),
                     "lessons/one": Size(2, 12, 2)} and total(found) == Size(6, 36, 6)
    assert sizes(tmp_path, ".js") == {"risk": Size(2, 14, 1)}


def test_every_room_and_lesson_is_counted():
    rooms = {str(path.parent.relative_to(PACKAGE)) for path in PACKAGE.glob("*/__init__.py")}
    rooms |= {f"lessons/{path.parent.name}" for path in PACKAGE.glob("lessons/*/__init__.py")}
    assert rooms | {""} == set(sizes(PACKAGE, ".py"))
