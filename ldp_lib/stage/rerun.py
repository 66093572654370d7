"""What an answer needs to be run again: the program of the cells of a notebook, without what it does not use.

`program(cells, exercise)` keeps of all statements those that bind a name that the answer uses, directly or
through others. Its last line is the expression that was handed to `check`. Names are looked up as Python
does: a statement sees what was bound before it, the body of a function also what was bound later.
"""

import ast
import symtable
from collections.abc import Iterable
from typing import NamedTuple


class _Statement(NamedTuple):
    """A statement of a cell: its source, the names that it binds, uses at once, and uses in functions.

    `whole` : what it binds was not there before, or does not matter.
    """

    source: str
    binds: frozenset[str]
    uses: frozenset[str]
    later: frozenset[str]
    whole: bool


def _inside(table):
    """The names of the module that functions and classes in a symbol table use."""
    for child in table.get_children():
        yield from (each.get_name() for each in child.get_symbols() if each.is_global())
        yield from _inside(child)


def _changed(node):
    """Names whose objects a statement may change: `x[0] = 1`, `x.y = 1`, `x.append(1)`."""
    targets = [each for each in ast.walk(node) if isinstance(each, (ast.Attribute, ast.Subscript))
               and isinstance(each.ctx, (ast.Store, ast.Del))]
    targets += [each.value.func for each in ast.walk(node)
                if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    for target in targets:
        inside = target
        while isinstance(inside, (ast.Attribute, ast.Subscript)):
            inside = inside.value
        if inside is not target and isinstance(inside, ast.Name):
            yield inside.id


def _statement(node):
    source = ast.unparse(node)
    table = symtable.symtable(source, "cell", "exec")
    symbols = table.get_symbols()
    binds = {each.get_name() for each in symbols if each.is_assigned() or each.is_imported()}
    changed = {*_changed(node)} - binds
    whole = isinstance(node, (ast.Assign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))
    star = {"*"} if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" else set()
    return _Statement(source, frozenset(binds | changed | star),
                      frozenset(each.get_name() for each in symbols if each.is_referenced()) | changed,
                      frozenset(_inside(table)), whole and not changed)


def checked(node: ast.AST) -> ast.Call | None:
    """The call `check("02.7", answer)` that a statement is or holds; None if there is none."""
    for call in ast.walk(node):
        if (isinstance(call, ast.Call) and len(call.args) == 2
                and getattr(call.func, "id", getattr(call.func, "attr", "")) == "check"
                and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)):
            return call
    return None


def parsed(cell: str) -> list[ast.stmt]:
    """The statements of a cell; none if it is no Python."""
    try:
        body = ast.parse(cell).body
        symtable.symtable(cell, "cell", "exec")  # knows more that is no Python
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return body


def program(cells: Iterable[str], exercise: str) -> str:
    """The program of the last answer to an exercise, from the cells of a notebook in the order they ran in.

    Parameters
    ----------
    cells : sources
        A cell that is no Python is passed over.
    exercise : str
        For example "02.7".

    Returns
    -------
    str
        Source whose last line is the answer; "" if no cell checks this exercise.

    Examples
    --------
    >>> print(program(["import math", "a = 2", "b = 3", "check('00.3', math.ceil(a))"], "00.3"))
    import math
    a = 2
    math.ceil(a)
    """
    before, end, answer = [], 0, None
    for node in (node for cell in cells for node in parsed(cell)):
        call = checked(node)
        if call and call.args[0].value == exercise:
            answer, end = call.args[1], len(before)
        before.append(_statement(node))
    if answer is None:
        return ""
    last = _statement(ast.Expr(answer))
    needed, asked = set(), set()

    def need(names, place):
        for name in names:
            if (name, place) not in asked:
                asked.add((name, place))
                found = _binding(before[:place], name)
                if found is not None:
                    needed.add(found)
                    if not before[found].whole:
                        need([name], found)
                    need(before[found].uses | before[found].later, found)
                    need(before[found].later, end)

    need(last.uses | last.later, end)
    return "\n".join([*(before[place].source for place in sorted(needed)), last.source])


def _binding(statements, name):
    """The place of the last statement that binds `name`, or else that may; None if none does."""
    for wanted in (name, "*"):
        for place in reversed(range(len(statements))):
            if wanted in statements[place].binds:
                return place
    return None
