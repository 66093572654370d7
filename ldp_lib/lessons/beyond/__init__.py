"""Notebook 07: the same promise, fewer people."""

NOTEBOOK = "07"
PANELS = {"beyond": "story", "proof_beyond": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
