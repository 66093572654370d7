"""Pages that need no kernel: the files beside them, a server for what is not stored, talks, polls; films."""

COMPUTES = "computes.json"
"""Whether what is not stored is computed: this file says no, and `serve` says yes in its place."""
