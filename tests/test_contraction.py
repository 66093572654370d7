"""Private contraction over random finite mechanisms, by exact sums; the dominating pair against
everything."""

import itertools
import math

import numpy as np
import pytest

from ldp_lib.lessons.assouad.errata import min_inside_and_outside
from ldp_lib.lessons.assouad.ledger import FEW, FewPeople, enumerated
from ldp_lib.nature import problem
from ldp_lib.theory import ledger
from ldp_lib.theory.contraction import (
    CONTRACTIONS,
    PINSKER_PEOPLE,
    contraction_constant,
    distinguishability,
    dominating_pair,
    extremal_example,
    indistinguishability,
    kernel_budget,
    kl,
    pair_divergence,
    randomised_response,
    symmetric_kl,
    total_variation,
    with_budget,
)

ALPHAS = (0.05, 0.5, 1.0, 2.0, 4.0)


def random_kernel(rng, alpha, inputs):
    """A kernel of budget exactly alpha, from nearly flat to nearly deterministic."""
    outputs = rng.integers(2, 6)
    rows = rng.dirichlet(np.full(outputs, rng.choice([0.2, 1.0, 5.0])), size=inputs)
    return with_budget(0.999 * rows + 0.001 / outputs, alpha)


def cases(count, seed):
    """(alpha, P1, P2, kernel): random laws and mechanisms."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        alpha, inputs = rng.uniform(0.02, 4), rng.integers(2, 6)
        laws = rng.dirichlet(np.full(inputs, rng.choice([0.3, 3.0])), size=2)
        yield alpha, *laws, random_kernel(rng, alpha, inputs)


def test_kernels_are_projected_onto_their_budget_exactly():
    for alpha, *_, kernel in cases(500, seed=1):
        assert kernel_budget(kernel) == pytest.approx(alpha, abs=1e-9)
        assert (kernel > 0).all() and np.allclose(kernel.sum(axis=1), 1)
    assert kernel_budget(randomised_response(0.7, 5)) == pytest.approx(0.7)
    assert kernel_budget([[1.0, 0.0], [0.5, 0.5]]) == math.inf


def test_one_report_contracts_by_every_constant():
    """J <= J(pair) <= 2 (e^a - 1)^2 / (e^a + 1) TV^2 <= (e^a - 1)^2 TV^2 <= min(4, e^2a) (e^a - 1)^2 TV^2."""
    for alpha, first, second, kernel in cases(2000, seed=2):
        tv = total_variation(first, second)
        divergence = symmetric_kl(first @ kernel, second @ kernel)
        ladder = [divergence, pair_divergence(alpha, tv)]
        ladder += [contraction_constant(alpha, kind) * tv**2 for kind in ("dominating", "simple", "printed")]
        assert (np.diff(ladder) >= -1e-12 * np.array(ladder[1:])).all(), (alpha, tv, ladder)
        # The single pieces: Pinsker, and each divergence separately by the "simple" constant (interaction
        # needs that).
        assert total_variation(first @ kernel, second @ kernel) ** 2 <= divergence / 4 * (1 + 1e-9)
        assert max(kl(first @ kernel, second @ kernel),
                   kl(second @ kernel, first @ kernel)) <= ladder[3] * (1 + 1e-9)


def test_the_pair_dominates_at_every_likelihood_ratio():
    for alpha, first, second, kernel in cases(1000, seed=3):
        pair = dominating_pair(alpha, total_variation(first, second))
        assert pair.sum(axis=1) == pytest.approx(1) and (pair >= -1e-15).all()
        for odds in np.exp(np.linspace(-alpha, alpha, 21)):
            gap = np.maximum(first @ kernel - odds * (second @ kernel), 0).sum()
            assert gap <= np.maximum(pair[0] - odds * pair[1], 0).sum() + 1e-12


def test_simple_proof_holds_output_by_output():
    """|m1 - m2| <= l (e^a - 1) TV and |log(m1 / m2)| <= |m1 - m2| / l, l the smallest likelihood."""
    for alpha, first, second, kernel in cases(500, seed=4):
        m1, m2, least = first @ kernel, second @ kernel, kernel.min(axis=0)
        assert (np.abs(m1 - m2) <= least * math.expm1(alpha) * total_variation(first,
                                                                               second) * (1 + 1e-9)).all()
        assert (np.abs(np.log(m1 / m2)) <= np.abs(m1 - m2) / least * (1 + 1e-9)).all()


def test_interactive_reports_obey_the_interactive_bounds():
    """Two and three reports, the kernel of each chosen by the earlier ones: exact TV by enumerating
    transcripts."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        alpha, inputs, n = rng.uniform(0.05, 3), rng.integers(2, 4), int(rng.integers(2, 4))
        first, second = rng.dirichlet(np.ones(inputs), size=2)
        transcripts = [(1.0, 1.0)]
        for _ in range(n):
            longer = []
            for one, two in transcripts:
                kernel = random_kernel(rng, alpha, inputs)
                longer += zip(one * (first @ kernel), two * (second @ kernel), strict=True)
            transcripts = longer
        reached = total_variation(*np.array(transcripts).T)
        tv = total_variation(first, second)
        assert reached <= distinguishability(n, alpha, tv) + 1e-12
        assert reached <= distinguishability(n, alpha, tv, "interactive") + 1e-12


def label_only(alpha, signs, earlier):
    return np.tile(randomised_response(alpha), (len(signs) + 1, 1))


@pytest.mark.parametrize("n", [1, 2])
def test_few_people_reproduce_the_counterexample_to_taking_min_inside(n):
    """Errata 11: m = 2, w = 1/2, varphi = 1, randomised response on y with odds 3 : 1, by all outcomes."""
    few = FewPeople(problem("hypercube", q=2, m=2, w=0.5, L=16.0), {"label": label_only}, n)
    play = enumerated(few, "label", math.log(3))
    inside, outside = min_inside_and_outside(n)
    assert play.tv_inside == pytest.approx([1 - inside] * 2) and play.tv == pytest.approx([1 - outside] * 2)


def test_played_reports_against_loops_over_records():
    """Two people, the second one's kernel chosen by the first report; kernels are any at all."""
    rng, alpha = np.random.default_rng(8), 0.8
    kernels = {earlier: with_budget(rng.dirichlet(np.ones(3), size=6), alpha)
               for earlier in ((), (0,), (1,), (2,))}
    few = FewPeople(problem("hypercube", q=2, m=2, w=0.2, L=8.0),
                    {"any": lambda alpha, signs, earlier: kernels[earlier]}, 2)
    play = enumerated(few, "any", alpha)
    delta, reports = 0.2 * 0.5, {}
    for signs in itertools.product((1, -1), repeat=2):
        record = [(0.2 - sign * delta) / 2 if y == 0 else (0.2 + sign * delta) / 2
                  for sign in signs for y in (0, 1)] + [0.3, 0.3]
        reports[signs] = {
            (a, b): sum(record[i] * kernels[()][i, a] * record[j] * kernels[a,][j, b]
                        for i in range(6) for j in range(6))
            for a in range(3) for b in range(3)}
    outcomes = list(reports[1, 1])
    for k in range(2):
        mixed = [{z: sum(law[z] for signs, law in reports.items() if signs[k] == sign) / 2 for z in outcomes}
                 for sign in (1, -1)]
        assert play.tv[k] == pytest.approx(sum(abs(mixed[0][z] - mixed[1][z]) for z in outcomes) / 2)
    guess = {z: max(reports, key=lambda signs: reports[signs][z]) for z in outcomes}
    risk = max(sum(law[z] * delta * sum(one != other for one, other in zip(guess[z], signs, strict=True))
                   for z in outcomes) for signs, law in reports.items())
    assert play.risk == pytest.approx(risk) and play.interactive
    # J of the first report, and of the second one after each first one, between neighbours; the largest.
    first = {signs: {a: sum(law[a, b] for b in range(3)) for a in range(3)} for signs, law in reports.items()}
    laws = [[{signs: [law[a] for a in range(3)] for signs, law in first.items()}],
            [{signs: [law[a, b] / first[signs][a] for b in range(3)] for signs, law in reports.items()}
             for a in range(3)]]
    found = [sum((p - q) * math.log(p / q) for p, q in zip(given[one], given[other], strict=True))
             for person in laws for given in person for one in given for other in given
             if sum(a != b for a, b in zip(one, other, strict=True)) == 1]
    assert play.report == pytest.approx(max(found)) and min(found) < 0.5 * max(found)


def test_few_people_obey_every_bound_at_large_budgets():
    """Given a law, the ledger of Theorem 2.5 takes any alpha; what is about few people then still holds."""
    for alpha in (1.5, 4.0, 8.0):
        book = ledger("2.5", n=10**6, alpha=alpha, law=problem("hypercube", q=32, m=1))
        assert all(step.holds for step in book.steps if step.subject.startswith("reports of")), str(book)


def clear(alpha, signs, earlier):
    return np.eye(2 * len(signs) + 2)


def growing(alpha, signs, earlier):
    outputs = 2 + len(set(earlier))
    return np.full((2 * len(signs) + 2, outputs), 1 / outputs)


def test_few_people_are_refused_what_is_no_game():
    cube, line = FEW.law, problem("sine")
    for call, error, name in (
        (lambda: FewPeople(line), TypeError, "law = "),
        (lambda: FewPeople(people=7), ValueError, "people = 7"),
        (lambda: FewPeople(problem("hypercube", q=4)), ValueError, "m = 4"),
        (lambda: ledger("2.5", law=line), TypeError, "law = "),
        (lambda: ledger("2.5", law=cube, d=2, gamma=0.0), ValueError, "law has .* d = 1"),
        (lambda: ledger("2.5", few=3), TypeError, "few = 3"),
        (lambda: ledger("2.5", few=FewPeople(people=6)), ValueError, "people = 6"),
        (lambda: ledger("2.5", few=FewPeople(protocols={"clear": clear})), ValueError, "clear"),
        (lambda: ledger("2.5", few=FewPeople(protocols={"growing": growing})), ValueError, "growing"),
        (lambda: ledger("2.5", L=1e-9), ValueError, "L = 1e-09"),
        (lambda: ledger("2.5", n=10**30, beta=0.1), ValueError, "n = 1.* cells"),
    ):
        with pytest.raises(error, match=name):
            call()


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("tv", [0.0, 0.03, 0.4, 1.0])
def test_product_of_the_pair_by_enumeration(alpha, tv):
    first, second = dominating_pair(alpha, tv)
    for n in (1, 2, 5):
        common = sum(min(first[list(z)].prod(), second[list(z)].prod()) for z in itertools.product(range(3),
                                                                                                   repeat=n))
        assert indistinguishability(n, alpha, tv) == pytest.approx(common, abs=1e-11)
    assert pair_divergence(alpha, tv) == pytest.approx(symmetric_kl(first, second), abs=1e-12)


def test_bounds_on_many_reports_are_ordered():
    tv = np.geomspace(1e-6, 1, 40)
    for n, alpha in itertools.product((1, 10, 10**4, 10**9), ALPHAS):
        sizes = [distinguishability(n, alpha, tv, kind) for kind in ("dominating", "noninteractive",
                                                                     "interactive", "printed")]
        assert (np.diff(sizes, axis=0) >= -1e-9).all()
        assert (np.diff(sizes[0]) >= -1e-9).all()


def test_extremal_mechanism_shows_the_constant_sharp():
    *_, ratio = extremal_example(1.0, 1e-4)
    assert ratio == pytest.approx(math.expm1(1.0) ** 2 / math.e, rel=1e-3)
    for alpha in (0.01, 0.1):
        first, second, kernel, ratio = extremal_example(alpha, 1e-3)
        assert kernel_budget(kernel) == pytest.approx(alpha)
        assert total_variation(first, second) == pytest.approx(1e-3)
        assert 1 - 1.1 * alpha <= ratio / contraction_constant(alpha, "simple") <= 1
        assert 1 - 0.6 * alpha <= ratio / contraction_constant(alpha, "dominating") <= 1


def test_names_and_refusals():
    assert set(PINSKER_PEOPLE) | {"dominating"} == set(CONTRACTIONS)
    for call, name in (
        (lambda: distinguishability(10, 1.0, 0.1, "none"), "contraction"),
        (lambda: contraction_constant(0.0), "alpha"),
        (lambda: contraction_constant(1.0, "best"), "kind"), (lambda: dominating_pair(1.0, 1.5), "tv"),
        (lambda: with_budget([[0.5, 0.6], [0.5, 0.5]], 1.0), "kernel"),
        (lambda: randomised_response(1.0, 1), "k = 1"),
        (lambda: with_budget([[0.5, 0.5], [0.5, 0.5]], 1.0), "kernel"),
        (lambda: extremal_example(1.0, 0.0), "tv"),
    ):
        with pytest.raises(ValueError, match=name):
            call()


@pytest.mark.parametrize("alpha", [0.5, 20.0, 35.0, 80.0, 300.0])
def test_two_sure_people_are_told_apart_as_randomised_response_tells_them(alpha):
    """At tv = 1 nobody is told apart better: one report errs with 1/(e^alpha + 1), three by majority."""
    wrong = 1 / (math.exp(alpha) + 1)
    three = 2 * (wrong**3 + 3 * wrong**2 * (1 - wrong))
    found = indistinguishability([1, 3], alpha, 1.0)
    assert np.allclose(found, [2 * wrong, three], rtol=1e-11, atol=1e-300)


def test_bounds_at_the_largest_budget_warn_of_nothing():
    assert 0 <= indistinguishability([1, 5], 700.0, [1.0, 0.5]).max() <= 1
