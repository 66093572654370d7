"""Mutants that no test can see, by what they are in every version of their file, and why."""

EQUIVALENT: dict[tuple[str, str, str, int], str] = {}
