"""What the lecturer moves: live panels, one module each, and the engine under them.

`panel(name)` makes the panel of a notebook; `ldp_lib.live.engine` explains how to write a new one.
"""

import importlib

from .control import Control, corners, log_steps
from .engine import LivePanel

__all__ = ["PANELS", "Control", "LivePanel", "corners", "log_steps", "panel"]

PANELS = {
    "ldp_check": "ldp_lib.live.ldp_check:LdpCheck",
    "consistency": "ldp_lib.live.consistency:Consistency",
    "upper_rate": "ldp_lib.live.upper_rate:UpperRate",
    "assouad": "ldp_lib.live.assouad:Assouad",
    "beyond": "ldp_lib.live.beyond:Beyond",
}
"""Where each panel lives, "module:class"; a module is imported when its panel is first asked for."""


def panel(name):
    """Return a new live panel, ready to be displayed.

    Parameters
    ----------
    name : {"ldp_check", "consistency", "upper_rate", "assouad", "beyond"}
        The panel of notebook 01 (Theorem 2.1), 02 (Theorem 2.2), 03 (Theorem 2.4), 04 (Theorem 2.5) or 07.
    """
    if name not in PANELS:
        raise ValueError(f"name = {name!r} is unknown; choose one of {', '.join(map(repr, PANELS))}.")
    module, _, kind = PANELS[name].partition(":")
    return getattr(importlib.import_module(module), kind)()
