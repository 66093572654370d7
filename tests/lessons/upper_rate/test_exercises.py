"""Exercises of notebook 03: what a student writes, and words that only its own feedback has."""

MISTAKES = [
    ("03.1", 2 / 5, "exponent without privacy"), ("03.2", 4, "price without privacy"),
    ("03.6", lambda n: (n / 2) ** -0.25, "The slope is right"),
    ("03.6", lambda n: n**-0.25, "The slope is right"),
    ("03.6", lambda n: (n / 2) ** (-1 / 3), "right without privacy"),
    ("03.6", lambda n: (n / 2) ** -0.5, "in the long run"),
    ("03.6", lambda n: 0.1, "Stuck"),
    ("03.6", lambda n: (n / 2) ** -0.125, "Too wide"),
    ("03.6", lambda n: 6.6 * (n / 2) ** -0.25, "Too wide"),
    ("03.7", lambda factor, beta, d: factor ** (2 * beta + d), "price without privacy"),
    ("03.7", lambda factor, beta, d: factor ** (beta + d), "square it"),
    ("03.7", lambda factor, beta, d: factor ** (2 * d), "where is β"),
    ("03.8", 1.0, "the theorem's h"), ("03.8", 2.38, "noise costs most"), ("03.8", 8.0, "blur costs most"),
    ("03.9", 10**10, "still below the noise"), ("03.9", 31_600_000_000, "with fewer people"),
]
RIGHT = [
    ("03.6", lambda n: 4 * (n / 2) ** -0.25, "1.39 times"),
    ("03.6", lambda n: (4 * (5 / n) ** 0.5) ** 0.5, "2.16 times"),
    ("03.7", lambda factor, beta, d: factor ** (2 * beta + 2 * d), ""),
    ("03.8", 4.76, "5.3 times"), ("03.8", 4.0, ""), ("03.9", 17_800_000_000, "11.5 billion"),
]
