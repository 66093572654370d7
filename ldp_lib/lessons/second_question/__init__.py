"""Notebook 08: what a second question buys."""

NOTEBOOK = "08"
PANELS = {"second_question": "story", "proof_second_question": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
