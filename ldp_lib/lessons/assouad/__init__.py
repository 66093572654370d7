"""Notebook 04: can anybody do better? (Berrett & Butucea 2019, Theorem 2.5)"""

NOTEBOOK = "04"
PANELS = {"assouad": "story", "proof_assouad": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
