"""What the lecturer moves: a control knows all positions that it can take.

Sliders run over a grid of positions, not over a range: the browser sends an index only, what the
tests cover is exactly what a hand can reach, and a grid may be logarithmic.

Every state of a panel has an address, such as "consistency/1?alpha=0.5&h=0.2". It names the panel, the
version of its controls, and the controls that do not stand at their defaults. What is wrong in an address is
said in a sentence, and the nearest legal state stands in for it.
"""

import dataclasses
import itertools
import math
import numbers
import urllib.parse
from collections.abc import Callable
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Control:
    """One thing that the lecturer moves, and all the positions that it can take.

    Parameters
    ----------
    name : str
        The argument of a view.
    label, symbol : str
        What it is in words ("privacy") and in the formulas ("α"); the symbol may be empty.
    values : tuple
        The legal positions, in order.  Numbers make a slider, strings a dropdown, (False, True) a checkbox.
    default
        One of `values`.
    format : str or callable
        Turns a position into the text that is shown; the texts must differ.
    help : str
        One line, shown when the pointer rests on the label.
    redraw : bool
        A position means nothing but another draw of the noise: a button that takes the next one.

    Examples
    --------
    >>> Control("alpha", "privacy", "α", (0.5, 1.0, 2.0), 1.0).maximum
    2.0
    """

    name: str
    label: str
    symbol: str
    values: tuple
    default: object
    format: str | Callable[[object], str] = "{:g}"
    help: str = ""
    redraw: bool = False

    def __post_init__(self):
        object.__setattr__(self, "values", tuple(self.values))
        if self.default not in self.values:
            raise ValueError(f"control {self.name}: default = {self.default!r} is not one of its values; "
                             f"choose one of {self.values}.")
        if len(set(self.texts)) < len(self.texts):
            raise ValueError(f"control {self.name}: format gives two positions the same text; "
                             f"give it more digits: {self.texts}.")

    @property
    def minimum(self) -> object:
        """The first position."""
        return self.values[0]

    @property
    def maximum(self) -> object:
        """The last position."""
        return self.values[-1]

    @property
    def title(self) -> str:
        """Words and symbol, as in "privacy α"."""
        return f"{self.label} {self.symbol}".rstrip()

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of every position."""
        return tuple(self.text(value) for value in self.values)

    def text(self, value: object) -> str:
        """The text that is shown for `value`."""
        if isinstance(value, (str, bool)):
            return str(value)
        return self.format(value) if callable(self.format) else self.format.format(value)

    @property
    def kind(self) -> str:
        """What the browser makes of it: "slider", "choice", "switch" or "redraw"."""
        if self.redraw:
            return "redraw"
        if self.values == (False, True):
            return "switch"
        return "slider" if all(isinstance(value, numbers.Real) for value in self.values) else "choice"

    def nearest(self, value: object) -> tuple[int, str]:
        """The index of the position nearest to `value`, and a sentence if that is not `value` itself."""
        value = value.item() if isinstance(value, np.generic) else value
        # To Python True is 1, and an array of numbers may be equal to each of them.
        right = isinstance(value, (str, numbers.Real)) and isinstance(value, bool) == (self.kind == "switch")
        if right and value in self.values:
            return self.values.index(value), ""
        if self.kind == "slider" and right and not isinstance(value, str) and math.isfinite(value):
            index = min(range(len(self.values)), key=lambda k: abs(self.values[k] - value))
            why = "not one of its positions"
        else:
            index, why = self.values.index(self.default), "no position of it"
        return index, f"{self.name} = {value!r:.40} is {why}; it stands at {self.text(self.values[index])}."

    def parsed(self, text: str) -> object:
        """The `text` of an address as a value of the kind that the control has, legal or not."""
        if self.kind == "choice":
            return text
        if self.kind == "switch":
            return {"True": True, "False": False}.get(text, text)
        try:
            number = float(text)
        except ValueError:
            return text
        # Whole positions stay whole: 10000 and not 10000.0.
        return next((value for value in self.values if value == number), number)


def log_steps(low: float, high: float, per_decade: int) -> tuple[float, ...]:
    """Return positions from `low` to `high` (both > 0, both included), evenly spaced in the logarithm.

    The inner ones are the powers 10^(k / per_decade), rounded to three significant digits, so that 1, 10,
    100 are among them; one that would crowd an end is left out.  Whole numbers give whole positions.

    >>> log_steps(1, 100, 2)
    (1, 3, 10, 32, 100)
    """
    ends = all(isinstance(end, numbers.Real) and math.isfinite(end) for end in (low, high))
    if not ends or not 0 < low < high:
        raise ValueError(f"low = {low!r}, high = {high!r}; the ends must be finite, 0 < low < high.")
    if not isinstance(per_decade, numbers.Integral) or per_decade < 1:
        raise ValueError(f"per_decade = {per_decade!r} must be a whole number, 1 or more.")
    first, last = (per_decade * math.log10(end) for end in (low, high))
    powers = range(math.ceil(first + 0.5), math.floor(last - 0.5) + 1)
    inner = (float(f"{10 ** (power / per_decade):.3g}") for power in powers)
    if isinstance(low, int) and isinstance(high, int):
        return tuple(sorted({low, high, *map(round, inner)}))
    return (low, *inner, high)


def powers_of_two(low, high, per_octave):
    """Return positions 2^(k / per_octave), k = low, ..., high, to three digits: 1/2, 1, 2 are among them."""
    return tuple(float(f"{2 ** (k / per_octave):.3g}") for k in range(low, high + 1))


def with_defaults(owner, controls, position):
    """`position`, control -> value, with the defaults of what it leaves out; unknown names are refused.

    owner : what is said to have the controls.
    """
    defaults = {control.name: control.default for control in controls}
    unknown = position.keys() - defaults.keys()
    if unknown:
        raise TypeError(f"{owner} has no control {', '.join(sorted(unknown))}; its controls are "
                        f"{', '.join(defaults)}.")
    return defaults | position


def corners(panel: Any) -> list[dict[str, object]]:
    """Return the list of all settings (dicts) in which every control is at its minimum or maximum.

    Dropdowns contribute each of their values, and the default setting comes first.  `panel` is a class or
    an instance; tests draw each of these. In a scene of a story only the
    controls that the scene shows are moved.

    >>> from ldp_lib.live import panel
    >>> corners(panel("laboratory"))[0] == panel("laboratory").values
    True
    """
    found = [panel.position()]
    for start, names in panel.reach():
        shown = [control for control in panel.controls if control.name in names]
        ends = [control.values if isinstance(control.default, (str, bool))
                else (control.minimum, control.maximum) for control in shown]
        found += [start | {control.name: value for control, value in zip(shown, choice)}
                  for choice in itertools.product(*ends)]
    return found


def address(panel, values):
    """The address of `values`, a dict of positions, of a panel (a class or an instance)."""
    start = panel.start(values)
    moved = {name: value for name, value in values.items() if name not in start or value != start[name]}
    return f"{panel.name}/{panel.version}" + (f"?{urllib.parse.urlencode(moved)}" if moved else "")


def split(link):
    """Name of the panel, version and query of an address; the version may be missing."""
    path, _, query = link.partition("?")
    name, _, version = path.partition("/")
    return name, version, query


def legal(panel, link, position):
    """What the address `link` of a panel and the dict `position`, which goes first, ask for, made legal.

    Returns the values of all controls, a dict, and sentences about what was not legal.
    """
    _, version, query = split(link)
    controls = {control.name: control for control in panel.controls}
    asked = {name: controls[name].parsed(text) if name in controls else text
             for name, text in urllib.parse.parse_qsl(query, keep_blank_values=True)} | position
    values, remarks = panel.position(**panel.start(asked)), []
    if version not in ("", str(panel.version)):
        remarks.append(f"The address is of version {version:.20} of this panel, "
                       f"which is {panel.version} now.")
    for name in controls:
        if name in asked:
            index, remark = controls[name].nearest(asked[name])
            values[name] = controls[name].values[index]
            remarks += [remark] if remark else []
    values, refused = panel.reachable(values, asked)
    remarks += refused
    unknown = asked.keys() - values.keys()
    if unknown:
        remarks.append(f"There is no control {', '.join(sorted(f'{name:.40}' for name in unknown))}; "
                       f"the controls are {', '.join(values)}.")
    return values, remarks
