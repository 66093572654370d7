"""Notebook 02: what can be learnt (Berrett & Butucea 2019, Theorem 2.2)."""

NOTEBOOK = "02"
PANELS = {"consistency": "story", "proof_consistency": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
