"""Notebook 05: a whole curve, and the elbow (Butucea, Dubois, Kroll & Saumard 2020)."""

NOTEBOOK = "05"
PANELS = {"elbow": "story", "proof_elbow": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
