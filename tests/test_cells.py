"""Mechanisms on disjoint cells: exactly alpha, the law that the docstrings give, and the risk from it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from ldp_lib.estimation import (
    AdaptiveClassifier, CellClassifier, CubeClassifier, NoisyMajorityClassifier, OneBitClassifier,
)
from ldp_lib.nature import problem
from ldp_lib.privacy import (
    CellAggregate, CellLaplace, CubeLaplace, DyadicBit, HadamardBit, SignedSubset, best_mechanism, variances,
)
from ldp_lib.privacy.audit import betrayal_attack, epsilon_lower_bound
from ldp_lib.privacy.registry import CELL_MECHANISMS
from ldp_lib.privacy.exact import ResponseCoin, random_signs, random_subsets, uniform_below
from ldp_lib.risk import excess_risk, people_needed, simulate_excess_risk
from ldp_lib.risk.scores import cell_sign_probabilities, score_sign_probabilities
from ldp_lib.theory.contraction import randomised_response

KINDS = list(CELL_MECHANISMS.values())
PEOPLE = list(itertools.product((0.1, 0.4, 0.6, 0.9), (0, 1)))


def signals(mechanism):
    return mechanism.encode(np.array([[x] for x, _ in PEOPLE]), np.array([y for _, y in PEOPLE]))


def test_the_signals_of_two_people_are_at_distance_0_or_exactly_1():
    for d in (1, 2):
        mechanism = CellLaplace(1.0, 0.3, d)
        X = np.random.default_rng(d).random((40, d)) * 1.4 - 0.2
        V = mechanism.encode(X, np.arange(40) % 2)
        distances = np.abs(V[:, None] - V).sum(axis=2)
        assert set(distances.ravel()) == {0.0, 1.0}


@pytest.mark.parametrize("alpha", [1e-12, 0.3, 1.0, 2.0, 7.7, 100.0])
def test_laplace_cells_spend_exactly_alpha_and_round_nothing(alpha):
    mechanism = CellLaplace(alpha, 0.25)
    # In rational numbers: the float 1/scale never exceeds alpha, and 1/2 is a lattice point.
    assert Fraction(1) / Fraction(mechanism.scale) <= Fraction(alpha)
    assert (0.5 / mechanism.granularity).is_integer()
    for (x, y), (x2, y2) in itertools.product(PEOPLE, repeat=2):
        loss = mechanism.privacy_loss(x, y, x2, y2)
        assert loss <= alpha and loss == pytest.approx(alpha if (x, y) != (x2, y2) else 0.0, rel=2.0**-39)


def hadamard_law(mechanism, X, y):
    """Probabilities of all reports as multiples of 1 (unlikely) and e^alpha (likely), rows equally likely."""
    cells, y = mechanism.people(X, y)
    law = {}
    for row in range(mechanism.order):
        sign = int((2 * y[0] - 1) * mechanism.signs(row, cells[0]))
        law[row, sign], law[row, -sign] = "likely", "unlikely"
    return law


@pytest.mark.parametrize("h", [1.0, 0.5, 0.25, 0.2])
def test_one_bit_is_private_by_enumeration_of_all_reports(h):
    """Everybody's two answers have the same two probabilities in every row: the ratio is 1 or e^(+-alpha)."""
    mechanism = HadamardBit(1.0, h)
    laws = [hadamard_law(mechanism, [[x]], [y]) for x, y in PEOPLE]
    for law in laws:
        assert len(law) == 2 * mechanism.order and set(law.values()) == {"likely", "unlikely"}
    for (a, law_a), (b, law_b) in itertools.product(zip(PEOPLE, laws, strict=True), repeat=2):
        differ = any(law_a[key] != law_b[key] for key in law_a)
        assert differ == (mechanism.privacy_loss(*a, *b) == 1.0)


@pytest.mark.parametrize("K, w", [(1, 1), (2, 1), (3, 2), (4, 3), (5, 2), (5, 5)])
def test_signed_subsets_are_private_and_have_their_law_by_enumeration(K, w):
    alpha, mechanism = 1.7, SignedSubset(1.7, 1 / K, size=w)
    vectors = [z for z in itertools.product((-1, 0, 1), repeat=K) if np.abs(z).sum() == w]
    likely = [z for z in vectors if z[0] == 1]
    # The same share of vectors for everybody, hence the same normalising constant: the ratio is e^alpha or 1.
    assert Fraction(len(likely), len(vectors)) == Fraction(w, 2 * K)
    weight = {z: math.exp(alpha) if z in likely else 1.0 for z in vectors}
    total = sum(weight.values())
    # The coin says "the truth", or the truth comes by chance.
    told = mechanism._coin.probability
    assert told + (1 - told) * w / (2 * K) == pytest.approx(sum(weight[z] for z in likely) / total, rel=1e-14)
    nonzero, ones = mechanism.law(1.0, 1.0)
    assert nonzero == pytest.approx(sum(weight[z] for z in vectors if z[0]) / total)
    assert ones == pytest.approx(sum(weight[z] for z in likely) / total)
    if K > 1:
        assert mechanism.law(0.0, 0.0)[0] == pytest.approx(sum(weight[z] for z in vectors if z[1]) / total)
    assert mechanism.scale * (2 * ones - nonzero) == pytest.approx(0.5)
    # Reports have these probabilities: chi-squared, false alarm 1e-6.
    reports = mechanism.privatize(np.full((40_000, 1), 0.5 / K), np.ones(40_000), rng=1)
    index = {z: i for i, z in enumerate(vectors)}
    counts = np.bincount([index[tuple(z)] for z in reports.astype(int).tolist()], minlength=len(vectors))
    expected = 40_000 * np.array([weight[z] for z in vectors]) / total
    assert ((counts - expected) ** 2 / expected).sum() < stats.chi2.isf(1e-6, len(vectors) - 1)


@pytest.mark.parametrize("alpha", [1e-100, 1e-9, 0.001, 0.3, 1.0, 5.0, 40.0, 800.0, 1e4])
@pytest.mark.parametrize("w, m, k", [(1, 1, 0), (1, 1, 1), (3, 17, 3), (1, 2 * 10**7, 1),
                                     (10**7, 10**7, 10**7)])
def test_the_coin_never_exceeds_the_budget_and_loses_no_float(alpha, w, m, k):
    coin = ResponseCoin(alpha, w, m, k)
    with mp.workdps(9000 if alpha > 800 else 700):
        growth, unit = mp.exp(mp.mpf(alpha)), mp.mpf(2) ** -coin.bits
        exact, nothing = (w * growth - k) / (w * growth + m), mp.mpf(w - k) / (w + m)
        heads = coin.threshold * unit
        assert nothing < heads < exact and exact - heads < unit * (1 + mp.mpf(2) ** -60)
        assert unit <= 2.0**-56 * min(exact - nothing, 1 - exact) * (1 + 1e-9)
        odds = heads / (1 - heads)
        spent = mp.log(odds) if k == 0 else mp.log1p(odds * (w + m) / w)
        assert alpha * (1 - mp.mpf(2) ** -55) < spent < alpha
    assert coin.probability == pytest.approx(float(exact), rel=1e-15)


class Tape:
    """Bytes that a test wrote."""

    def __init__(self, content):
        self.content = content

    def bytes(self, length):
        taken, self.content = self.content[:length], self.content[length:]
        return taken


@pytest.mark.parametrize("alpha", [1.0, 0.001, 200.0])
def test_the_coin_compares_all_of_its_bits_and_reads_no_more(alpha):
    """Around its threshold, where the first words decide nothing, and far from it."""
    coin = ResponseCoin(alpha, 1, 1)
    top = (1 << coin.bits) - 1
    tosses = {0: True, coin.threshold - 1: True, coin.threshold: False, coin.threshold + 1: False,
              top: False}
    words = [[number >> start & (2**64 - 1) for start in reversed(range(0, coin.bits, 64))]
             for number in tosses]
    tape = Tape(b"".join(word.to_bytes(8, "little") for row in words for word in row))
    assert coin.toss(len(tosses), tape).tolist() == list(tosses.values()) and not tape.content


def test_dice_and_subsets_are_uniform():
    tape = Tape((2**64 - 1).to_bytes(8, "little") + (7).to_bytes(8, "little"))
    # 2^64 - 1 is beyond a multiple.
    assert uniform_below(3, 1, tape).tolist() == [1] and not tape.content
    tape = Tape(b"".join(word.to_bytes(8, "little") for word in (2**64 - 1, 5, 9, 4)))
    # A die each, of 3 and 4 sides: the first is thrown again, beyond a multiple of 3.
    assert uniform_below([3, 4], 1, tape).tolist() == [[0], [1]] and len(tape.content) == 8
    # Of 3 and 4 numbers: 1 is drawn twice, and the second time stands for the last number.
    tape = Tape(b"".join(k.to_bytes(8, "little") for k in (4, 5)))
    assert random_subsets(2, 4, 1, tape).tolist() == [[1, 3]] and not tape.content
    for size in (1, 2, 3, 4, 5):
        chosen, subsets = random_subsets(size, 5, 60_000, np.random.default_rng(size)), math.comb(5, size)
        assert chosen.shape == (60_000, size)
        counts = np.bincount((1 << chosen).sum(axis=1), minlength=32)
        assert np.bitwise_count(np.flatnonzero(counts)).tolist() == [size] * subsets
        # Chi-squared on the subsets, false alarm 1e-6 each.
        expected = 60_000 / subsets
        distance = ((counts[counts > 0] - expected) ** 2 / expected).sum()
        assert distance <= stats.chi2.isf(1e-6, max(subsets - 1, 1))
    signs = random_signs((60_001,), np.random.default_rng(1))
    # Six standard deviations, 2e-9.
    assert set(signs.tolist()) == {-1, 1} and abs(signs.sum(dtype=int)) < 6 * math.sqrt(60_001)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_unbiased_with_the_variance_of_the_docstring(kind):
    sine, n = problem("sine"), 1000
    mechanism = kind(2.0, 0.25)
    X, y = sine.sample(n, rng=1)
    scores = np.array([mechanism.score(mechanism.simulate_aggregate(X, y, rng=k)) for k in range(400)])
    honest = np.array([mechanism.score(mechanism.aggregate(mechanism.privatize(X, y, rng=k)))
                       for k in range(400)])
    truth = mechanism.count(X, y).totals / n
    p = np.bincount(mechanism.people(X, y)[0], minlength=4) / n
    # Given the people, the squared signals, 1/4 in their cell, are no part of the variance.
    spread = (np.array([mechanism.variance(v) for v in p]) - p / 4) / n
    for sample in (scores, honest):
        # Normal bounds at 6 standard errors, 16 of them: false alarm below 1e-6 in all.
        assert (np.abs(sample.mean(axis=0) - truth) < 6 * np.sqrt(spread / 400)).all()
        assert (np.abs(sample.var(axis=0) / spread - 1) < 6 * np.sqrt(2 / 399)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha, n", [(1.0, 40), (4.0, 7)])
def test_exact_sign_probabilities_against_simulation(kind, alpha, n):
    sine, repeats = problem("sine"), 4000
    mechanism = kind(alpha, 0.3)
    lower, upper = mechanism.boxes()
    p, q = sine.cell_masses(lower, upper)
    below, above = score_sign_probabilities(mechanism, n, p, q)
    assert np.allclose(below + above, 1)
    X, y = sine.sample(n * repeats, rng=3)
    reports = mechanism.privatize(X, y, rng=4).reshape(repeats, n, mechanism.K).sum(axis=1)
    found = (reports < 0).mean(axis=0)
    # Six standard errors in 24 comparisons: false alarm below 1e-7 each.
    assert (np.abs(found - below) < 6 * np.sqrt(below * above / repeats)).all()


def test_one_bit_is_binomial():
    mechanism = HadamardBit(0.8, 0.25)
    n, p, q = 500, 0.25, 0.15
    below, above = score_sign_probabilities(mechanism, n, p, q)
    law = stats.binom(n, (1 + math.tanh(0.4) * (2 * q - p)) / 2)
    assert below == pytest.approx(law.cdf(n / 2 - 0.5), rel=1e-11)
    assert above == pytest.approx(law.sf(n / 2 - 0.5))


def test_laplace_score_against_mpmath():
    mp.dps = 30
    for n, p, q, b in ((50, 0.3, 0.2, 1.0), (3, 0.5, 0.1, 0.3), (400, 0.05, 0.05, 2.0)):
        def mgf(s):
            up, down = mp.mpf(q) * mp.expm1(s / 2), mp.mpf(p - q) * mp.expm1(-s / 2)
            return ((1 + up + down) / (1 - mp.mpf(b) ** 2 * s**2)) ** n

        c = -1 / (b * mp.sqrt(n))
        exact = mp.quad(lambda t: (mgf(c + 1j * t) / -(c + 1j * t)).real,
                        [-c * k for k in (0, 1, 3, 9, 30, mp.inf)]) / mp.pi
        assert cell_sign_probabilities(n, p, q, b)[0] == pytest.approx(float(exact), rel=1e-9)


def test_laplace_score_where_the_noise_only_breaks_ties():
    """Both sides of the switch between the laws agree, and no people in a cell give a fair coin."""
    for granularity in (0.0, 2.0**-30):
        near = [cell_sign_probabilities(3, 0.5, 0.3, scale, granularity)[0] for scale in (1.59e-4, 1e-6)]
        assert near[0] == pytest.approx(near[1], rel=1e-4)
    assert cell_sign_probabilities(10, 0.0, 0.0, 1e-9)[0] == pytest.approx(0.5)


def test_excess_risk_is_what_fits_give():
    for rule in (CellClassifier(2.0, 0.25), OneBitClassifier(2.0, 0.25),
                 CellClassifier(3.0, 0.25, mechanism="subset")):
        simulated = simulate_excess_risk(rule, problem("sine"), 100, 400, rng=1)
        exact = excess_risk(rule, problem("sine"), 100)
        # Five standard errors, a bounded mean of 400 fits: false alarm below 1e-6.
        assert abs(simulated.mean - exact) < 5 * simulated.standard_error


def test_the_best_mechanism_is_the_best_of_the_table():
    for alpha, cells in itertools.product((0.1, 1.0, 1.09, 1.11, 2.0, 5.0), (1, 2, 16, 300)):
        rows = variances(alpha, cells)
        assert rows[0].variance <= min(row.variance for row in rows) * (1 + 1e-11)
        assert best_mechanism(alpha, cells) == rows[0].name
        sizes = [SignedSubset(alpha, 1 / cells, size=w).variance(1 / cells)
                 for w in range(1, min(cells, 40) + 1)]
        subset = next(row.variance for row in rows if row.name == "subset")
        assert subset <= min(sizes) * (1 + 1e-12)
    assert best_mechanism(1.09, 64) == "one-bit" and best_mechanism(1.11, 64) == "subset"     # ln 3 = 1.0986
    assert best_mechanism(1.34, 2) == "one-bit" and best_mechanism(1.35, 2) == "subset"


@pytest.mark.share(3)
@pytest.mark.parametrize("law, target", [("cps", 0.1), ("sine", 0.2)])
@pytest.mark.parametrize("rules", [
    [CubeClassifier(4.0, 0.4)], [CellClassifier(1.0, 0.4)], [OneBitClassifier(1.0, 0.5)],
    [OneBitClassifier(4.0, 0.14)], [CellClassifier(1.0, h, mechanism="best") for h in (0.5, 0.3)],
    [NoisyMajorityClassifier(1.0, side=0.3)]], ids=lambda rules: repr(rules[0])[:30])
def test_people_needed_to_the_last_person(rules, law, target):
    """Against all n one by one; of bits an odd number may do where one more does not."""
    law = problem(law)
    found = people_needed(rules, law, target)
    everyone = np.arange(2, min(3 * found, 10_000))
    enough = np.min([excess_risk(rule, law, everyone) for rule in rules], axis=0) <= target
    assert found == everyone[enough][0]


def test_people_needed_up_to_the_most():
    """A limit between two powers of 2 counts in full."""
    law, rule = problem("sine"), OneBitClassifier(1.0, 0.5)
    found = people_needed(rule, law, 0.1)
    assert found & (found - 1) and people_needed(rule, law, 0.1, most=found + 1) == found
    assert people_needed(rule, law, 0.1, most=found - 2) is None
    assert people_needed(rule, law, 0.9) == 2


@pytest.mark.parametrize("d, at_least", [(1, 70), (2, 500)])
def test_people_needed_against_the_paper(d, at_least):
    """Excess risk 0.05 on the sine at alpha = 1, both at the best of some bandwidths."""
    sine, widths = problem("sine", d=d), (0.5, 0.6, 0.7)
    paper = people_needed([CubeClassifier(1.0, h) for h in (0.3, 0.33)], sine, 0.05)
    best = people_needed([CellClassifier(1.0, h, mechanism="best") for h in widths], sine, 0.05)
    print(f"\nd = {d}: {paper:,} people for the paper's mechanism, {best:,} for the best one: "
          f"{paper / best:.0f} x")
    assert paper / best >= at_least


@pytest.mark.parametrize("kind", KINDS)
def test_audit_and_attack_refute_nothing(kind):
    mechanism = kind(1.0, 0.5)
    records = ((0.1,), 1), ((0.8,), 0)
    assert epsilon_lower_bound(mechanism, *records, n=20_000, rng=1).epsilon <= 1.0      # false alarm 1e-6
    assert betrayal_attack(mechanism, *records, n=500, rng=2).count == 0
    if kind is CellLaplace:
        assert betrayal_attack(CellLaplace(1.0, 0.5, noise="real"), *records, n=500, rng=2).count > 0


class HalfTheCellNoise(CellLaplace):
    """Counts one person's half and forgets the other's."""

    def __init__(self, *args):
        super().__init__(*args)
        self.noise = type(self.noise)(self.scale / 2)


class LabelOutsideTheCoin(HadamardBit):
    """Turns the cell's bit over at random, and then the label on top for free: two coins in one report."""

    def _send(self, cells, y, source):
        rows, bits = super()._send(cells, y, source)
        return np.where(y == 1, rows | 1, rows), bits


class RowOfTheCell(HadamardBit):
    """The row is chosen from the cell: the row is no longer public."""

    def _send(self, cells, y, source):
        _, bits = super()._send(cells, y, source)
        return cells, bits


class TwiceTheAnswer(SignedSubset):
    """The coin of twice the budget."""

    def __init__(self, *args):
        super().__init__(*args)
        self._coin = ResponseCoin(2 * self.alpha, self.size, 2 * self.K - self.size, self.size)


@pytest.mark.parametrize("mutant", [HalfTheCellNoise, LabelOutsideTheCoin, RowOfTheCell, TwiceTheAnswer])
def test_mutants_are_refuted(mutant):
    """Fixed seed; the bounds lie far above alpha."""
    bound = epsilon_lower_bound(mutant(1.0, 0.5), ((0.1,), 1), ((0.8,), 0), n=20_000, rng=1)
    assert bound.epsilon > 1.05


def test_bits_and_decoded_reports_are_the_same():
    mechanism = HadamardBit(1.5, 0.2, d=2)
    X, y = problem("sine", d=2).sample(300, rng=0)
    rows, bits = mechanism.send(X, y, rng=1)
    from_bits = mechanism.collect(rows, bits)
    decoded = mechanism.aggregate(mechanism.privatize(X, y, rng=1))
    assert from_bits.people == decoded.people == 300 and (from_bits.totals == decoded.totals).all()
    with pytest.raises(ValueError, match="rows has an illegal entry in row .* at most 31"):
        mechanism.collect([mechanism.order], [1])
    with pytest.raises(ValueError, match=r"rows has shape \(0,\).*n >= 1"):
        mechanism.collect([], [])
    with pytest.raises(ValueError, match="shapes do not fit each other: p .*, q "):
        SignedSubset(1.0, 0.2).law([0.1, 0.2], [0.1, 0.1, 0.1])
    with pytest.raises(ValueError, match="q = 0.3 exceeds p = 0.2"):
        SignedSubset(1.0, 0.2).law([0.4, 0.2], [0.4, 0.3])


@pytest.mark.parametrize("kind", KINDS)
def test_secure_reports_blocks_and_parts_add_up(kind):
    mechanism = kind(1.0, 0.2)
    X, y = problem("sine").sample(200, rng=0)
    assert mechanism.privatize(X, y, rng="secure").shape == (200, 5)
    parts = [mechanism.aggregate(mechanism.privatize_blocks(X[k:k + 50], y[k:k + 50], rng=k))
             for k in range(0, 200, 50)]
    whole = parts[0].merge(*parts[1:])
    assert whole.people == 200 and (whole.totals == sum(reversed(parts[1:]), parts[0]).totals).all()
    with pytest.raises(TypeError, match="CellAggregate"):
        mechanism.score(None)
    with pytest.raises(ValueError, match="totals"):
        mechanism.score(CellAggregate(5, np.zeros(3)))


def test_one_bit_cannot_use_real_noise_and_names_are_checked():
    for bad in (CellClassifier(mechanism="all"), CellClassifier(noise="none"), CellClassifier(alpha=-1.0)):
        with pytest.raises(ValueError, match="mechanism|noise|alpha"):
            bad.fit(np.linspace(0, 1, 20)[:, None], np.arange(20) % 2)
    with pytest.raises(ValueError, match="scale"):
        CellLaplace(2.0**-46, 0.5)


@pytest.mark.parametrize("alpha, cells", [(0.1, 1), (1.0, 4), (5.0, 30)])
def test_one_signed_cell_is_randomised_response_over_the_signed_cells(alpha, cells):
    """The mechanism against the kernel of `ldp_lib.theory.contraction` on 2K answers: cell times sign."""
    p = np.random.default_rng(1).dirichlet(np.ones(cells))
    q = p * np.linspace(0.1, 0.9, cells)
    ones, zeros = np.split(np.concatenate([q, p - q]) @ randomised_response(alpha, 2 * cells), 2)
    nonzero, positive = SignedSubset(alpha, 1 / cells, size=1).law(p, q)
    np.testing.assert_allclose(positive, ones, rtol=1e-12)
    np.testing.assert_allclose(nonzero, ones + zeros, rtol=1e-12)


def test_what_has_no_law_in_a_cell_says_so():
    with pytest.raises(TypeError, match="DyadicBit.*no exact law.*CellClassifier knows"):
        score_sign_probabilities(DyadicBit(1.0, 2), 10, 0.25, 0.1)
    with pytest.raises(TypeError, match="no exact law here; use one of CellLaplace, HadamardBit"):
        score_sign_probabilities(CubeLaplace(1.0, 0.2), 10, 0.25, 0.1)


def test_a_rule_without_an_exact_risk_is_told_what_simulates_it():
    with pytest.raises(TypeError, match="no exact law here; .*simulate_excess_risk takes the others"):
        excess_risk(AdaptiveClassifier(1.0), problem("sine"), 100)
