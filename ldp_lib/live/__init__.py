"""What the lecturer moves: live panels, the engine under them, figures, and exercises.

`panel(name)` makes the panel of a notebook, a module of `panels`; `engine.panel` explains how to write a new
one, and how a press becomes a picture. `exercises` has one module per notebook, `figures` what notebooks draw
once.
"""

import importlib

try:
    from .engine import Control, LivePanel, Scene, corners, log_steps
    from .engine.control import legal, split
except ModuleNotFoundError as missing:
    cure = "Panels need more than the library: pip install 'ldp-lib[live]', or make lab in the repository."
    raise ModuleNotFoundError(f"{missing}. {cure}", name=missing.name) from missing

__all__ = ["PANELS", "Control", "LivePanel", "Scene", "corners", "log_steps", "panel"]

PANELS = {
    "start": "ldp_lib.live.stories.start:Start",
    "ldp_check": "ldp_lib.live.stories.ldp_check:LdpCheck",
    "laboratory": "ldp_lib.live.panels.laboratory:Laboratory",
    "consistency": "ldp_lib.live.stories.consistency:Consistency",
    "upper_rate": "ldp_lib.live.stories.upper_rate:UpperRate",
    "assouad": "ldp_lib.live.stories.assouad:Assouad",
    "elbow": "ldp_lib.live.stories.elbow:Elbow",
    "bayes": "ldp_lib.live.stories.bayes:Bayes",
    "beyond": "ldp_lib.live.stories.beyond:Beyond",
    "price": "ldp_lib.live.stories.price:Refrain",
    "proof_ldp_check": "ldp_lib.live.stories.proof_ldp_check:ProofLdpCheck",
    "proof_consistency": "ldp_lib.live.stories.proof_consistency:ProofConsistency",
    "proof_upper_rate": "ldp_lib.live.stories.proof_upper_rate:ProofUpperRate",
    "proof_elbow": "ldp_lib.live.stories.proof_elbow:ProofElbow",
    "proof_assouad": "ldp_lib.live.stories.proof_assouad:ProofAssouad",
    "proof_beyond": "ldp_lib.live.stories.proof_beyond:ProofBeyond",
    "proof_bayes": "ldp_lib.live.stories.proof_bayes:ProofBayes",
}
"""Where each panel lives, "module:class"; a module is imported when its panel is first asked for."""


def panel(name: str, **position: object) -> LivePanel:
    """Return a new live panel, ready to be displayed.

    Parameters
    ----------
    name : a key of `PANELS`, or the address of a state
        In the order of the notebooks: "start" (00), "ldp_check" and "laboratory" (01), "consistency" (02),
        "upper_rate" (03), "assouad" (04), "elbow" (05), "bayes" (06), "beyond" (07); "price" (at the end of
        02, 06, 07); and the proofs step by step: "proof_" and the name of the notebook's panel. An address is
        what `LivePanel.link` returns, for example "consistency/1?alpha=0.5".
    position : where controls stand at first, by name
        What is not a legal position is told in a sentence in the panel, and the nearest one taken.

    Examples
    --------
    >>> panel("consistency", alpha=0.5).values["alpha"]
    0.5
    """
    if not isinstance(name, str):
        raise TypeError(f"name = {name!r:.60} is a {type(name).__name__}; it must be a key of PANELS or the "
                        "address of a state, for example 'consistency'.")
    key = split(name)[0]
    if key not in PANELS:
        raise ValueError(f"name = {name!r:.60} is unknown; choose one of {', '.join(map(repr, PANELS))}, "
                         "or the address of a state.")
    module, _, kind = PANELS[key].partition(":")
    made = getattr(importlib.import_module(module), kind)
    return made(*legal(made, name, position))
