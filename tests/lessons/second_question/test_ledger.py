"""The ledger of notebook 08: its subjects are the library's mechanisms and tests, and it holds."""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.estimation import UniformityTest
from ldp_lib.lessons.second_question.ledger import (
    PROTOCOLS, Rounds, above_fair, below_fair, divergence, false_alarms, halves,
    independent, kappa, laws_of_answers, one_coin, one_person, one_toss, own_coins, read_again,
    said_by_others, said_by_the_first, sign_vectors, two_values, walk, worst_level, yes_or_no,
)
from ldp_lib.nature import tilted_die
from ldp_lib.privacy import CellSigns, SetQuestion
from ldp_lib.risk import suspects_law, uniformity_power
from ldp_lib.theory import LEDGERS, information_budget, ledger
from ldp_lib.theory.contraction import kernel_budget, kl, staircase, subsets

ASSUMED = {saboteur.change: saboteur for saboteur in LEDGERS["second-question"].saboteurs}


@pytest.mark.parametrize("K, alpha", [(2, 0.5), (4, 1.0), (6, 2.0)])
def test_channels_have_their_budget_and_are_the_mechanisms(K, alpha):
    signs, vectors = staircase(alpha, sign_vectors(K)), sign_vectors(K)
    for kernel in (signs, *(staircase(alpha, subsets(K, size)) for size in range(1, K))):
        assert kernel_budget(kernel) == pytest.approx(alpha) and kernel.sum(axis=1) == pytest.approx(1)
    mechanism = CellSigns(alpha, 1 / K)
    up = mechanism.law(np.eye(K))
    assert signs @ vectors.T == pytest.approx(up)
    # Signs of different faces are independent: the law of a vector is a product.
    assert signs == pytest.approx(np.where(vectors, up[:, :, None], 1 - up[:, :, None]).prod(axis=1))
    question = SetQuestion(alpha, 1 / K, cells=np.flatnonzero(halves(K)[0]))
    assert staircase(alpha, yes_or_no(halves(K)[0]))[:, 0] == pytest.approx(question.law(halves(K)[0] * 1.0))


def test_one_coin_has_the_laws_of_single_signs_only():
    own, one, vectors = own_coins(4, 1.0), one_coin(4, 1.0), sign_vectors(4)
    assert one.sum(axis=1) == pytest.approx(1) and own @ vectors.T == pytest.approx(one @ vectors.T)
    assert not np.allclose(own, one)


@pytest.mark.parametrize("K", [3, 4, 6, 12, 60])
def test_two_values_vary_most(K):
    """10,000 vectors with a ratio of at most e^alpha, of which none beats k of K faces on top."""
    rng, alpha = np.random.default_rng(K), 1.0
    size = max(range(1, K), key=lambda size: two_values(size / K, alpha))
    ceiling = two_values(size / K, alpha)
    logs = alpha * rng.beta(*rng.choice([0.1, 1.0], (2, 10_000, 1)), size=(10_000, K))
    r = np.exp(logs)
    r /= r.mean(axis=1, keepdims=True)
    assert r.var(axis=1).max() <= ceiling * (1 + 1e-12) <= math.sinh(alpha / 2) ** 2 * (1 + 1e-9)
    top = np.where(np.arange(K) < size, math.e, 1.0)
    assert (top / top.mean()).var() == pytest.approx(ceiling)


@pytest.mark.parametrize("crowd", [independent, one_person, one_toss])
def test_crowds_hold_faces_of_the_die(crowd):
    die = tilted_die(4, 0.5)
    assert sum(chance * each for chance, each in crowd(die)) == pytest.approx(die)
    _, likelihoods = walk(PROTOCOLS["a second question"], 4, 1.0, 1.0)
    laws = laws_of_answers(likelihoods, np.array([die, np.full(4, 0.25)]), crowd)
    assert laws.sum(axis=0) == pytest.approx(1)
    # By summing over the faces of all three people.
    joint = np.zeros(len(likelihoods))
    for faces in itertools.product(range(4), repeat=3):
        chance = sum(weight * each[list(faces)].prod() for weight, each in crowd(die))
        joint += chance * likelihoods[:, range(3), faces].prod(axis=1)
    assert laws[:, 0] == pytest.approx(joint)


def test_the_divergence_is_that_of_the_library():
    rng = np.random.default_rng(1)
    fair, *laws = rng.dirichlet(np.ones(7), 4)
    assert divergence(fair, np.transpose(laws)) == pytest.approx(np.mean([kl(fair, law) for law in laws]))


@pytest.mark.parametrize("K, alpha, n", [(2, 1.0, 8), (4, 0.5, 5), (4, 2.0, 8), (6, 1.0, 6)])
def test_rounds_have_the_levels_and_powers_of_the_test(K, alpha, n):
    """`uniformity_power` integrates along a contour; here every way to hold faces is counted."""
    test = UniformityTest(alpha, K, share=0.5)
    for die in (np.full(K, 1 / K), tilted_die(K, 0.5)):
        rounds = Rounds(n, alpha, die, independent, above_fair)
        assert rounds.chances.sum() == pytest.approx(1) and rounds.made.sum() == pytest.approx(1)
        for level in (0.05, 0.3):
            found = false_alarms(rounds, said_by_others, level)
            assert found == pytest.approx(uniformity_power(test, die, 2 * n, level=level), abs=1e-9)
    heavy, light = (rounds.sets[:, part].sum(axis=1) for part in (slice(K // 2), slice(K // 2, None)))
    joint = np.zeros((K // 2 + 1, K // 2 + 1))
    np.add.at(joint, (heavy, light), rounds.made.sum(axis=0))
    assert joint == pytest.approx(suspects_law(die, n, alpha), abs=1e-9)


@pytest.mark.parametrize("answers, tossed", [(read_again, False), (said_by_the_first, True)])
def test_dishonest_rounds_are_simulated(answers, tossed):
    """200,000 surveys of a fair die; 4.5 standard errors, false alarm 7e-6."""
    K, alpha, n, repeats = 4, 2.0, 6, 200_000
    rng, tilt = np.random.default_rng(6), math.tanh(alpha / 2)
    up = (1 + tilt) / 2
    held = rng.multinomial(n, np.full(K, 1 / K), repeats)
    ones = rng.binomial(held, up) + rng.binomial(n - held, 0.5)
    made = 2 * ones - n > tilt * n / K
    rounds = Rounds(n, alpha, np.full(K, 1 / K), independent, above_fair)
    tails = {inside.tobytes(): answers(rounds, place)[1] for place, inside in enumerate(rounds.sets)
             if 0 < inside.sum() < K}
    if tossed:
        inside = (held * made).sum(axis=1)
        counts = rng.binomial(inside, up) + rng.binomial(n - inside, 1 - up)
    else:
        counts = (ones * made).sum(axis=1)
        # For a fixed set the p-value is one: its chances under the fair die, simulated.
        fixed = rounds.sets[3]
        share = np.mean((ones * fixed).sum(axis=1) >= 9)
        assert abs(tails[fixed.tobytes()][9] - share) < 4.5 * (share * (1 - share) / repeats) ** 0.5
    p_values = np.array([tails[row.tobytes()][count] if row.tobytes() in tails else 1.0
                         for row, count in zip(made, counts, strict=True)])
    for level in (0.05, 0.2):
        found = (p_values <= level * (1 + 1e-9)).mean()
        exact = false_alarms(rounds, answers, level)
        assert abs(found - exact) < 4.5 * (exact * (1 - exact) / repeats) ** 0.5


def test_other_people_keep_every_level_and_nothing_else_does():
    for K, alpha, n in itertools.product((2, 4), (0.5, 3.0), (1, 4, 8)):
        fair = Rounds(n, alpha, np.full(K, 1 / K), independent, above_fair)
        assert worst_level(fair, said_by_others) <= 1 + 1e-9
        rare = Rounds(n, alpha, np.full(K, 1 / K), independent, below_fair)
        assert worst_level(rare, said_by_others) <= 1 + 1e-9, "whatever set is asked about"
    assert worst_level(fair, said_by_the_first) > 1.5 < worst_level(fair, read_again)


@pytest.mark.parametrize("K, alpha, delta, n, faces", [
    (2, 0.5, 0.5, 1, 8), (4, 0.25, 0.99, 8, 64), (4, 2.0, 0.05, 7, 8), (6, 1.0, 0.3, 5, 16),
    (6, 2.0, 0.99, 2, 8), (2, 2.0, 0.99, 8, 256), (4, math.log(3), 0.5, 6, 32)])
def test_the_ledger_holds_over_its_range(K, alpha, delta, n, faces):
    book = ledger("second-question", K=K, alpha=alpha, delta=delta, n=n, faces=faces)
    assert book.holds, book
    assert book["one output"].slack == pytest.approx(1) == pytest.approx(book["one direction"].slack)


def test_both_budgets_are_sharp():
    """Subset selection of a quarter of the faces at odds of three, and a question about a half."""
    book = ledger("second-question", K=4, alpha=math.log(3))
    for name in ("trace", "one direction"):
        assert book[name].slack == pytest.approx(1)
    assert [book[name].right for name in ("trace", "one direction")] == pytest.approx(
        information_budget(4, math.log(3)))


def test_what_saboteurs_break():
    found = {change: {step.name for step in ledger("second-question", **saboteur.broken()).counted
                      if not step.holds} for change, saboteur in ASSUMED.items()}
    assert found["public dice throw them"] == {"pairs of dice", "even questions"}
    assert found["the second of two rounds depends on the first"] == {"people, even questions"}
    assert found["reports that made the set judge it, too"] == {"level"}
    assert found["faces that look too rare"] == {"gain", "each face"}


def test_kappa_is_the_least_that_does():
    """-log(1 - x^2) <= 2 kappa x^2 for |x| <= delta, with equality at the end."""
    for delta in (0.05, 0.5, 0.99):
        x = np.linspace(1e-3, 1, 1000) * delta
        pair = -np.log1p(-(x**2))
        assert (pair <= 2 * kappa(delta) * x**2 * (1 + 1e-12)).all()
        assert pair[-1] == pytest.approx(2 * kappa(delta) * delta**2)


@pytest.mark.parametrize("given, words", [
    ({"K": 3}, "K = 3 faces have no half"), ({"K": 8}, "K = 8"), ({"faces": 9}, "faces = 9 faces"),
    ({"alpha": 0.1, "delta": 0.05}, "alpha = 0.1 with delta = 0.05 and faces = 32"),
    ({"n": 9}, "n = 9"), ({"delta": 1.0}, "delta = 1"), ({"alpha": 3.0}, "alpha = 3")])
def test_bad_input_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        ledger("second-question", **given)
