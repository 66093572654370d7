"""What stands behind a line that opens: a table that most readers do not need at once."""

import html
from typing import NamedTuple


class Fold(NamedTuple):
    """`content`, anything with an HTML representation, behind the words `title`.

    >>> Fold("one line", None).title
    'one line'
    """

    title: str
    content: object

    def _repr_mimebundle_(self, include=None, exclude=None):
        inside = self.content._repr_html_()
        return {"text/html": f"<details><summary>{html.escape(self.title)}</summary>{inside}</details>",
                "text/plain": str(self.content)}
