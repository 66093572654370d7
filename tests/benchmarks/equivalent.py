"""Mutants that no test can see, by what they are in every version of their file, and why."""

PRECISION = "how finely a search or an integral begins; what it ends with is the same number"
AT_A_TIME = "how much is computed at a time, not what"

EQUIVALENT: dict[tuple[str, str, str, int], str] = {
    ("ldp_lib/nature/densities.py", "def quadrature(breaks, panels=2048, order=8):",
     "2048 -> 2049", 1): PRECISION,
    ("ldp_lib/risk/planning.py", "ROUGH = 1e-5", "1e-5 -> 1.1000000000000001e-05", 1): PRECISION,
    ("ldp_lib/risk/contour.py", "BLOCK = 2**15", "2 -> 3", 1): AT_A_TIME,
    ("ldp_lib/privacy/exact.py", "BLOCK = 2**15", "2 -> 3", 1): AT_A_TIME,
    ("ldp_lib/risk/contour.py",
     "clearance = np.minimum(1 / np.sqrt(variance), np.minimum(score.edge / 2, 1.0))", "2 -> 3", 1):
        "where the contour passes between the poles; the integral does not depend on it",
    ("ldp_lib/nature/own.py", "NODES.get(d, 2) if any(map(callable, given.values())) else 1)", "1 -> 2", 1):
        "a table has one value in a bin, which two nodes average to the same",
    ("ldp_lib/privacy/cube.py",
     "position = np.clip(X, -2 * self.h, (self.shape[0] + 1) * self.h) / self.h", "2 -> 3", 1):
        "farther than h outside nobody is in a cube, at -2 h or at -3 h",
    ("ldp_lib/privacy/mutants.py", "return super().privatize(X, y, rng=7)", "7 -> 8", 1):
        "the damage is that the seed is the same for everybody, whichever it is",
    ("ldp_lib/lessons/assouad/proof.py",
     "return tuple(Waste(word, float(factor)) for word, factor in zip(words, factors, strict=True))",
     "True -> False", 1): "both have as many entries",
}
