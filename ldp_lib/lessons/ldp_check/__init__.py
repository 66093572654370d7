"""Notebook 01: local differential privacy, checked (Berrett & Butucea 2019, Theorem 2.1)."""

NOTEBOOK = "01"
PANELS = {"ldp_check": "story", "laboratory": "laboratory", "proof_ldp_check": "proof"}
"""Panels, and the modules here whose `STORY` they show."""
