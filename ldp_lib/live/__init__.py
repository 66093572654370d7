"""What the lecturer moves: live panels, one module each, and the engine under them.

`panel(name)` makes the panel of a notebook; `ldp_lib.live.engine` explains how to write a new one.
"""

import importlib

from .control import Control, corners, log_steps
from .engine import LivePanel

__all__ = ["PANELS", "Control", "LivePanel", "corners", "log_steps", "panel"]

PANELS = {
    "ldp_check": "ldp_lib.live.ldp_check:LdpCheck",
    "laboratory": "ldp_lib.live.laboratory:Laboratory",
    "consistency": "ldp_lib.live.consistency:Consistency",
    "upper_rate": "ldp_lib.live.upper_rate:UpperRate",
    "assouad": "ldp_lib.live.assouad:Assouad",
    "elbow": "ldp_lib.live.elbow:Elbow",
    "bayes": "ldp_lib.live.bayes:Bayes",
    "beyond": "ldp_lib.live.beyond:Beyond",
}
"""Where each panel lives, "module:class"; a module is imported when its panel is first asked for."""


def panel(name):
    """Return a new live panel, ready to be displayed.

    Parameters
    ----------
    name : a key of `PANELS`
        In the order of the notebooks: "ldp_check" and "laboratory" (01), "consistency" (02), "upper_rate"
        (03), "assouad" (04), "elbow" (05), "bayes" (06), "beyond" (07).
    """
    if name not in PANELS:
        raise ValueError(f"name = {name!r} is unknown; choose one of {', '.join(map(repr, PANELS))}.")
    module, _, kind = PANELS[name].partition(":")
    return getattr(importlib.import_module(module), kind)()
