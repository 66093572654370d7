"""Notebook 00: what a noisy answer tells, and what it costs a crowd."""

NOTEBOOK = "00"
PANELS = {"start": "story"}
"""Panels, and the modules here whose `STORY` they show."""
