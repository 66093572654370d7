"""Notebook 06: what a trusted curator buys (Bousquet et al. 2022)."""

NOTEBOOK = "06"
PANELS = {"bayes": "story", "proof_bayes": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
