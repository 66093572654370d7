"""Mutants that no test can see, by what they are in every version of their file, and why."""

PRECISION = "how finely a search or an integral begins; what it ends with is the same number"
ANOTHER_CASE = "a judge tries some cases, and this one is as good"
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
    ("ldp_lib/lessons/elbow/errata.py",
     "risk = [worst_bias_and_noise(people, 1.0, s, p, J) for people, J in zip(n, levels, strict=True)]",
     "True -> False", 1): "both have as many entries",
    ("ldp_lib/lessons/beyond/proof.py", "bit = HadamardBit(1.0, 1.0)", "1.0 -> 1.1", 2):
        "one cell is looked at, however wide",
    ("ldp_lib/lessons/beyond/story.py",
     'cube, flat = CubeLaplace(alpha, 0.25, d, noise="real"), CellLaplace(alpha, 0.5, d, noise="real")',
     "0.5 -> 0.55", 1): "of the mechanism the noise of a number is asked, which does not depend on h",
    ("ldp_lib/lessons/elbow/exercises.py",
     'lambda alpha: 0.1 < alpha < 9 and _minutes(alpha) > RUSH: "The rush is still blurred.",', "< -> <=", 2):
        "at alpha = 9 the rush is not blurred",
    ("ldp_lib/lessons/elbow/numbers.py", "def law(shape, wavelet, N=0.0, s=0.0, p=0.0, *, level=None):",
     "0.0 -> 0.1", 3): "only spikes have a p, and who asks for spikes says it",
    ("ldp_lib/lessons/upper_rate/numbers.py", "people, h = people[h <= FIRST], h[h <= FIRST]", "<= -> <", 2):
        "no h of a theorem is exactly 1/18",
    ("ldp_lib/lessons/assouad/exercises.py",
     'lambda answer: _share(answer) < 0.02: "Too tall: everybody sees it.",', "< -> <=", 1):
        "no share is exactly 0.02",
    ("ldp_lib/lessons/bayes/ledger/cells.py", "CERTAIN = 1e9", "1e9 -> 1100000000.0", 1):
        "odds of e^(10^9) are as certain as larger ones",
    ("ldp_lib/lessons/consistency/story.py",
     "noisy, plain = (people.aggregate(mechanism, 2, draw).totals[0] for draw in (noise, None))",
     "2 -> 3", 1):
        "half of two people is one, and so is the whole half of three",
    ("ldp_lib/site/browser/address.js",
     "if (found < 0 && values.length && text.trim() && Number.isFinite(Number(text))) {", "0 -> 1", 1):
        "the first position, as it is written, is nearest to itself",
    ("ldp_lib/site/browser/site.js", 'here.spec.named = namesControls(asked.split("?")[1] ?? "");',
     "?? -> ||", 1):
        'what is "" is "" either way',
    ("ldp_lib/site/film.py", "if x > EDGE and x + wide > WIDTH - EDGE:", "> -> >=", 2):
        "no answer ends exactly at the edge",
    ("ldp_lib/stage/deck.py",
     'planes = np.diff(floats.view("<i4"), prepend=np.int32(0)).view(np.uint8).reshape(-1, 4).T',
     "1 -> 2", 1):
        "to numpy any length below 0 is the one that is not known",
    ("ldp_lib/theory/densities.py", "beyond = np.arange(1, math.ceil(40 / fall) + 1)", "1 -> 2", 1):
        "terms below a hundred billionth of the first",
    ("ldp_lib/risk/scores.py", "silence = [{-1: np.zeros(1), 0: np.ones(1)}]", "- -> ", 1):
        "what has no probability may be -1 or 1",
    ("ldp_lib/lessons/elbow/exercises.py",
     "MOVES = ([0.25, 0.5], [0.25, 0.8], [0.77, 0.8], [0.77, 0.3], [0.0, 0.3])", "0.25 -> 0.275", 1):
        "people move, from wherever",
    ("ldp_lib/lessons/elbow/exercises.py", "(1.2, 5.0, 2.0))]", "5.0 -> 5.5", 1): ANOTHER_CASE,
    ("ldp_lib/lessons/consistency/ledger.py",
     "grown = quad(lambda u: -math.exp(-u) * math.expm1(-2 * s * unit * u) / 2, 0, 60, epsrel=1e-11)[0]",
     "60 -> 61", 1): "beyond 60 there is less than e^-60",
    ("ldp_lib/stage/browser/story.js",
     "if (this.scene.play) this.later = setTimeout(() => this.play(), moved ? SEEN_FOR : 0);", "0 -> 1", 1):
        "a thousandth of a second",
}
