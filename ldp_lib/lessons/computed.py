"""Tables of numbers that pictures show and that take long to compute: files of the folder `data/`.

A `Table` stands in the lesson that shows it, beside the function that computes a row. `data/build.py` of a
checkout writes the files, and the tests compute a part of each anew.
"""

import csv
import importlib
import io
import itertools
import math
from collections.abc import Mapping
from functools import cached_property

from ldp_lib.nature.surveys import CURE, read_table

TABLES = {
    "laboratory_audits": "ldp_check.laboratory:AUDITS",
    "elbow_spike": "elbow.numbers:ERRORS",
    "elbow_scales": "elbow.proof:EXACT",
    "beyond_gallery": "beyond.numbers:GALLERY",
    "beyond_survey": "beyond.numbers:RIGHT",
    "price": "price:PRICES",
    "second_question_people": "second_question.numbers:PEOPLE",
    "second_question_power": "second_question.numbers:POWER",
    "second_question_questionnaire": "second_question.numbers:QUESTIONNAIRE",
    "second_question_false_alarms": "second_question.numbers:FALSE_ALARMS",
}
"""Name of a file, without .csv -> where its `Table` stands, "module:name" of this package."""


class Table(Mapping):
    """Key -> row, a tuple of numbers or words as far as they are printed; read when it is first asked for.

    Parameters
    ----------
    name : str, a key of `TABLES`
    make : (*key) -> the printed words of a row, one for each of `columns`; computes them. The first line of
        the file is its docstring, which says what they are and to how many digits, and its name.
    over : dict, name of each part of a key -> its values; the keys are all combinations, and of one part the
        values themselves
    columns : dict, name of a column -> what makes a value of a printed word: `int`, `float`, `str`

    >>> from ldp_lib.lessons.price import PRICES
    >>> PRICES[0.67], PRICES.heading[1]
    ((163, 234, 8623, 14912, 160952), 'goal,open,curator,one bit each,cells,cubes')
    """

    def __init__(self, name, make, over, columns):
        self.name, self.make, self.over, self.columns = name, make, over, columns
        self.heading = (f"# {' '.join(make.__doc__.split())} {make.__module__}.{make.__name__}",
                        ",".join((*over, *columns)))

    def __iter__(self):
        return itertools.product(*self.over.values()) if len(self.over) > 1 else iter(*self.over.values())

    def __len__(self):
        return math.prod(map(len, self.over.values()))

    def __getitem__(self, key):
        row = self.printed.get(tuple(map(str, self._parts(key))))
        if row is None:
            raise KeyError(f"data/{self.name}.csv has no row {key!r}. {CURE}")
        return tuple(kind(word) for kind, word in zip(self.columns.values(), row, strict=True))

    @cached_property
    def printed(self):
        """The file: printed words of a key -> those of its row."""
        rows = csv.reader(read_table(f"{self.name}.csv").decode("utf-8").splitlines()[len(self.heading):])
        return {tuple(row[:len(self.over)]): tuple(row[len(self.over):]) for row in rows}

    def text(self):
        """The file, computed anew."""
        rows = io.StringIO()
        table = csv.writer(rows, lineterminator="\n")
        table.writerows((*parts, *self.make(*parts)) for parts in map(self._parts, self))
        return "\n".join((*self.heading, rows.getvalue()))

    def _parts(self, key):
        return key if len(self.over) > 1 else (key,)


def table(name):
    """The `Table` called `name`, a key of `TABLES`."""
    module, attribute = TABLES[name].split(":")
    return getattr(importlib.import_module(f"ldp_lib.lessons.{module}"), attribute)
