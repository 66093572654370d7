"""Notebook 03: how fast (Berrett & Butucea 2019, Theorems 2.3 and 2.4)."""

NOTEBOOK = "03"
PANELS = {"upper_rate": "story", "proof_upper_rate": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
