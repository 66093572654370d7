"""Notebooks 05, what hides, and 05b, which rule finds it (Butucea, Dubois, Kroll & Saumard 2020)."""

NOTEBOOK = "05"
PANELS = {"elbow": "story", "proof_elbow": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
