"""What a second question buys, executed: the proofs of `ldp_lib.theory.second_question`, and two rounds.

Three subjects, each enumerated. *Channels*: what one person may send. *Few people* answer questions that are
fixed, or thrown by public dice, or that depend on earlier answers: the laws of all their answers together are
known. *Two rounds*: how many people hold each face, which faces the first ones make suspect, and how many of
the others say yes. Beside them stand the exact powers of `ldp_lib.estimation.UniformityTest`.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from ldp_lib._arguments import real, whole
from ldp_lib._rounding import canonical
from ldp_lib.estimation import UniformityTest
from ldp_lib.nature import tilted_die
from ldp_lib.privacy.binomial import at_least, binomial_chances
from ldp_lib.risk import uniformity_power
from ldp_lib.stage.ledger import Saboteur, Step, equation, proves, tightest
from ldp_lib.theory.contraction import kl, staircase, subsets
from ldp_lib.theory.second_question import information_budget, people_bound, report_information

MOST_FACES, MOST_ASKED, MOST_PEOPLE = 6, 8, 10**6
"""Of enumerations: 64 sets of faces, and 1,287 ways to hold them; and of exact tests."""
FEW = 3
"""People whose answers are enumerated."""
LEVEL, POWER = 0.05, 0.8


# Channels: in a set of faces an output is e^alpha times as likely as outside of it.

def two_values(w, alpha):
    """The variance of numbers with mean 1 that are e^alpha times as large on a share w as elsewhere."""
    return w * (1 - w) * math.expm1(alpha) ** 2 / (1 + w * math.expm1(alpha)) ** 2


def best_subsets(K, alpha):
    """Those that tell most: of about K / (1 + e^alpha) faces."""
    return subsets(K, max(range(1, K), key=lambda size: canonical(two_values(size / K, alpha))))


def halves(K):
    """The sets of K/2 faces, (sets, K)."""
    return subsets(K, K // 2).T


def sign_vectors(K):
    """A sign for each face, (K, 2^K)."""
    return np.array(list(itertools.product((False, True), repeat=K))).T


def yes_or_no(inside):
    """The question "is yours in this set?", (K, 2)."""
    return np.stack([inside, ~inside], axis=1)


# Few people.

def independent(die):
    """How people hold faces: a mixture of crowds with dice of their own, (chance, everybody's die) each."""
    return [(1.0, die)]


def one_person(die):
    """One person answers every time."""
    return list(zip(die, np.eye(len(die)), strict=True))


def one_toss(die):
    """One toss for all of them says whether their faces are heavy, or light."""
    kinds = [np.where(canonical(die) == mass, die, 0.0) for mass in np.unique(canonical(die))]
    return [(kind.sum(), kind / kind.sum()) for kind in kinds]


def laws_of_answers(likelihoods, dice, crowd):
    """The laws of all answers, (answers, dice).

    likelihoods : of each answer given its person's face, (answers, people, K).  dice : (dice, K).
    """
    return np.stack([sum(chance * (likelihoods @ each).prod(axis=1) for chance, each in crowd(die))
                     for die in dice], axis=1)


def alike(K, alpha):
    """Fixed questions: subset selection for all. A list of equally likely questionnaires."""
    return [[best_subsets(K, alpha)] * FEW]


def one_by_one(K, alpha):
    """Fixed questions: each person has a half of her own, and the three halves of four faces are even."""
    return [[yes_or_no(half) for half in itertools.islice(itertools.cycle(halves(K)), FEW)]]


def one_half(K, alpha):
    """Fixed questions: all are asked about the same half."""
    return [[yes_or_no(halves(K)[0])] * FEW]


def public_half(K, alpha):
    """Public dice, thrown when the law is chosen, show the half that all are asked about."""
    return [[yes_or_no(half)] * FEW for half in halves(K)]


def subset_selection(K, alpha, earlier):
    """Whatever was answered."""
    return best_subsets(K, alpha)


def second_question(K, alpha, earlier):
    """The first person is asked as always; others about a half that begins where earlier answers say."""
    return yes_or_no((np.arange(K) - sum(earlier)) % K < K // 2) if earlier else best_subsets(K, alpha)


PROTOCOLS = {"subset selection": subset_selection, "a second question": second_question}
"""name -> protocol(K, alpha, earlier answers): the sets of the next person."""


def walk(protocol, K, alpha, budget):
    """Answers so far, their likelihoods and the next channel, before each answer of `FEW` people; and the
    likelihoods of all answers, (answers, people, K)."""
    states, asked = [((), np.ones((0, K)))], []
    for _ in range(FEW):
        now = [(seen, likelihoods, staircase(budget, protocol(K, alpha, seen)))
               for seen, likelihoods in states]
        asked += now
        states = [((*seen, z), np.vstack([likelihoods, kernel[:, z]]))
                  for seen, likelihoods, kernel in now for z in range(kernel.shape[1])]
    return asked, np.array([likelihoods for _, likelihoods in states])


def divergence(fair, laws):
    """The mean over the laws, (outcomes, laws), of KL(fair || law), without cancellation."""
    change = laws / fair[:, None] - 1
    return float((fair[:, None] * (change - np.log1p(change))).sum(axis=0).mean())


# Reports whose squares are summed.

def own_coins(K, alpha):
    """The laws of all sign vectors given a face, (K, 2^K): the own sign is tilted, all others are coins."""
    return staircase(alpha, sign_vectors(K))


def one_coin(K, alpha):
    """The same with one coin for all other signs."""
    up = sign_vectors(K)
    agree = np.array([(up[rest] == up[rest][0]).all(axis=0) for rest in ~np.eye(K, dtype=bool)])
    return np.where(agree, 2.0 ** (K - 2) * staircase(alpha, up), 0.0)


# Two rounds.

def above_fair(counts, n, share):
    """Is a face suspect if so many of n signs are 1? If they are more than `share`, that of a fair die."""
    return canonical(counts) > canonical(n * share)


def below_fair(counts, n, share):
    """Faces that look too rare."""
    return canonical(counts) < canonical(n * share)


@dataclass(frozen=True, eq=False)
class Rounds:
    """Two rounds of n people each, at budget alpha, who hold faces of a `die`, (K,).

    crowd : `independent`, or how else people hold faces.  suspect(counts, n, share) : which faces are asked
        about.
    """

    n: int
    alpha: float
    die: np.ndarray
    crowd: Callable
    suspect: Callable

    @cached_property
    def ways(self):
        """How many people hold each face, in all ways, (ways, K)."""
        K = len(self.die)
        bars = np.array(list(itertools.combinations(range(self.n + K - 1), K - 1))).reshape(-1, K - 1)
        return np.diff(bars, axis=1, prepend=-1, append=self.n + K - 1) - 1

    @cached_property
    def chances(self):
        """Of these ways, (ways,)."""
        logs = gammaln(self.n + 1) - gammaln(self.ways + 1).sum(axis=1)
        return np.exp(logs) * sum(chance * (die**self.ways).prod(axis=1)
                                  for chance, die in self.crowd(self.die))

    @property
    def tilt(self):
        """tanh(alpha/2)."""
        return math.tanh(self.alpha / 2)

    def tossed(self, rest):
        """The law of how many of n coins are 1 if m are tilted to 1 and the others come up with `rest`,
        (m, counts)."""
        up = (1 + self.tilt) / 2
        return np.array([np.convolve(binomial_chances(m, up), binomial_chances(self.n - m, rest))
                         for m in range(self.n + 1)])

    @cached_property
    def above(self):
        """Is a face suspect, by the number of its signs, (counts,)."""
        return self.suspect(np.arange(self.n + 1), self.n, (1 + self.tilt / len(self.die)) / 2)

    @cached_property
    def sets(self):
        """All sets of faces, (sets, K)."""
        return sign_vectors(len(self.die)).T

    @cached_property
    def made(self):
        """P(the first people hold the faces in this way, and make this set), (ways, sets)."""
        suspected = (self.tossed(0.5) @ self.above)[self.ways]
        each = np.where(self.sets, suspected[:, None], 1 - suspected[:, None])
        return self.chances[:, None] * each.prod(axis=2)

    def yes(self, weights, inside):
        """The law of the number of yes if people hold faces in all ways with these weights, (counts,)."""
        return weights @ self.tossed((1 - self.tilt) / 2)[self.ways @ inside]

    def sums(self, inside, counted):
        """The laws of the sum of the signs in a set, only `counted` numbers of each, (ways, sums)."""
        total = np.ones((len(self.ways), 1))
        for face in np.flatnonzero(inside):
            signs = (self.tossed(0.5) * counted)[self.ways[:, face]]
            longer = np.zeros((len(total), total.shape[1] + self.n))
            for k in range(self.n + 1):
                longer[:, k:k + total.shape[1]] += total * signs[:, [k]]
            total = longer
        return total


def said_by_others(rounds, place):
    """P(the set of this place is made, and so many of other people say yes); P(at least so many) on which
    the p-value rests; (counts,) each."""
    inside = rounds.sets[place]
    tails = at_least(np.arange(rounds.n + 1), rounds.n,
                     (1 + rounds.tilt * (2 * inside.mean() - 1)) / 2)
    return rounds.made[:, place].sum() * rounds.yes(rounds.chances, inside), tails


def said_by_the_first(rounds, place):
    """The same where the first people answer the second question, too, with new coins."""
    return rounds.yes(rounds.made[:, place], rounds.sets[place]), said_by_others(rounds, place)[1]


def read_again(rounds, place):
    """The same where nobody else is asked: the signs that made the set judge it, as if it were fixed."""
    inside = rounds.sets[place]
    outside = 1 - (rounds.tossed(0.5) @ rounds.above)[rounds.ways[:, ~inside]]
    joint = (rounds.chances * outside.prod(axis=1)) @ rounds.sums(inside, rounds.above)
    fixed = rounds.chances @ rounds.sums(inside, 1.0)
    return joint, np.cumsum(fixed[::-1])[::-1]


def p_values(rounds, answers):
    """p-values in ascending order, and their chances: 1 where there is no question."""
    found = [answers(rounds, place) for place, inside in enumerate(rounds.sets)
             if 0 < inside.sum() < len(inside)]
    chances, values = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(canonical(values), kind="stable")
    chances, values = chances[order], values[order]
    return np.append(values, 1.0), np.append(chances, 1 - chances.sum())


def false_alarms(rounds, answers, level=LEVEL):
    """P(p-value <= level)."""
    values, chances = p_values(rounds, answers)
    return float(chances[canonical(values) <= canonical(level)].sum())


def worst_level(rounds, answers):
    """The largest P(p-value <= a) / a, a < 1."""
    values, chances = p_values(rounds, answers)
    last = np.append(canonical(values[1:]) > canonical(values[:-1]), True)
    return float((np.cumsum(chances) / values)[last][:-1].max())


@proves("second-question",
        Saboteur("private reports", "twice the budget", lambda: {"spent": 2.0}, lambda: {"spent": 0.5}),
        Saboteur("independent people", "one person answers every time", lambda: {"crowd": one_person},
                 lambda: {"K": 2}),
        Saboteur("independent people", "one toss for all says whether faces are heavy",
                 lambda: {"crowd": one_toss, "alpha": 2.0}, lambda: {"alpha": 2.0}),
        Saboteur("a coin for each face", "one coin for all faces but the own one",
                 lambda: {"signs": one_coin}, lambda: {"alpha": 0.5}),
        Saboteur("half of the faces", "one face is light, all others are heavy",
                 lambda: {"heavy": 3, "delta": 0.3}, lambda: {"delta": 0.3}),
        Saboteur("questions fixed before the law", "public dice throw them", lambda: {"asked": public_half},
                 lambda: {"asked": one_by_one}),
        Saboteur("questions fixed before the law", "the second of two rounds depends on the first",
                 lambda: {"rounds": 2}, lambda: {"faces": 16}),
        Saboteur("even questions", "all are asked about the same half", lambda: {"asked": one_half},
                 lambda: {"asked": one_by_one}),
        Saboteur("other people answer", "reports that made the set judge it, too",
                 lambda: {"answers": read_again}, lambda: {"n": 5}),
        Saboteur("other people answer", "the first people answer once more, with new coins",
                 lambda: {"answers": said_by_the_first, "alpha": 2.0}, lambda: {"alpha": 2.0}),
        Saboteur("suspects look too frequent", "faces that look too rare", lambda: {"suspect": below_fair},
                 lambda: {"alpha": 0.5}))
def ledger_second_question(K: int = 4, alpha: float = 1.0, delta: float = 0.5, n: int = 6, faces: int = 32, *,
                           spent: float = 1.0, crowd: Callable = independent, signs: Callable = own_coins,
                           heavy: int | None = None, asked: Callable = alike, rounds: int = 1,
                           answers: Callable = said_by_others, suspect: Callable = above_fair):
    """The ledger of notebook 08: a fair die of K faces against one with an unknown heavy half.

    K : 2, 4 or 6, of what is enumerated; budget and lower bounds for three people, level and gain of two
        rounds of `n` people each, 1 to 8.  alpha : nats, 0.1 to 2.  delta : heavy faces have (1 + delta)/K;
        0.05 to 0.99.  faces : of the exact tests in the last steps, even, 8 to 256.
    spent : what reports spend, in units of alpha.  crowd(die) : how people hold faces, see `independent`.
    signs(K, alpha) : the channel of the squares that are summed.  heavy : how many faces are heavy; half.
    asked(K, alpha) : equally likely questionnaires, sets for each of three people.
    rounds : of the test that is held against what even questions need.
    answers : `said_by_others`, or what judges a set instead.  suspect : as in `Rounds`.

    A step shows the channel or protocol that comes closest to failing. Not counted: what holds for all laws,
    such as convexity and the bound of the power by chi^2.
    """
    K, faces = (whole(name, value, least=least, most=most) for name, value, least, most in (
        ("K", K, 2, MOST_FACES), ("faces", faces, 8, 256)))
    for name, value in (("K", K), ("faces", faces)):
        if value % 2:
            raise ValueError(f"{name} = {value} faces have no half; {name} must be even. Take one more.")
    alpha, delta = real("alpha", alpha, least=0.1, most=2), real("delta", delta, least=0.05, most=0.99)
    n = whole("n", n, most=MOST_ASKED, cure="All ways to hold faces are enumerated.")
    budget, fair = real("spent", spent, above=0, most=4) * alpha, np.full((1, K), 1 / K)
    light = tilted_die(K, delta, heavy)[-1]
    dice = np.where(subsets(K, K // 2 if heavy is None else heavy).T, (1 + delta) / K, light)
    steps = (*_channels(K, alpha, budget, delta, dice),
             *_squares(K, alpha, dice[:1], signs, crowd),
             *_fixed(K, alpha, budget, delta, dice, asked, crowd),
             *_in_turn(K, alpha, budget, delta, dice, crowd),
             *_two_rounds(n, alpha, fair[0], dice[0], crowd, answers, suspect),
             *_people(faces, alpha, budget, delta, rounds))
    return {"K": K, "alpha": alpha, "delta": delta, "n": n, "faces": faces}, steps


def kappa(delta):
    """-log(1 - delta^2) / (2 delta^2)."""
    return -math.log1p(-(delta**2)) / (2 * delta**2)


def agreement(K):
    """4H/K - 1 for all numbers H of faces that two random halves share, and their chances."""
    half = np.arange(K // 2 + 1)
    logs = 2 * (gammaln(K / 2 + 1) - gammaln(half + 1) - gammaln(K / 2 - half + 1))
    chances = np.exp(logs - logs.max())
    return 4 * half / K - 1, chances / chances.sum()


def suspicion(n, K, alpha, masses):
    """P(the signs of n people make a face suspect) for faces of these masses, by one binomial tail each."""
    tilt = math.tanh(alpha / 2)
    # 2 X - n > t n / K, X being the number of signs that are 1.
    least = math.floor(canonical(n * (1 + tilt / K) / 2)) + 1
    return at_least(least, n, (1 + tilt * np.asarray(masses)) / 2)


def _channels(K, alpha, budget, delta, dice):
    """One report: its budget in all directions and in one, and what it tells of a half at random."""
    named = {f"subsets of {size}": subsets(K, size) for size in range(1, K)} | {
        "a sign for each face": sign_vectors(K), "a question about a half": yes_or_no(halves(K)[0])}
    kernels = {name: staircase(budget, sets) for name, sets in named.items()}
    bound, sharp = information_budget(K, alpha), max(two_values(k / K, alpha) for k in range(1, K))
    directions = (2.0 * halves(K) - 1) / math.sqrt(K)

    def each(kind, name, claim, sides, **more):
        return tightest([kind(name, claim, *sides(kernel), source="the budget of a report", subject=words,
                             **more) for words, kernel in kernels.items()])

    def told(kernel):
        return (dice @ kernel / kernel.mean(axis=0) - 1).T

    return (
        each(Step, "one output", "variance of Q(z|x)/m(z) over the faces <= the largest of two values",
             lambda kernel: ((kernel / kernel.mean(axis=0)).var(axis=0).max(), sharp),
             uses=("private reports",)),
        Step("two values", "w (1-w) (e^alpha - 1)^2 / (1 - w + w e^alpha)^2 <= sinh^2(alpha/2) for w = k/K",
             sharp, bound.trace / K, "the budget of a report"),
        each(Step, "trace", "trace M <= K sinh^2(alpha/2)",
             lambda kernel: (report_information(kernel).trace(), bound.trace), uses=("private reports",),
             follows="one output"),
        each(Step, "one direction", "f'Mf <= K tanh^2(alpha/2) for f = +-1/sqrt(K), as many + as -",
             lambda kernel: (np.einsum("fx,xy,fy->f", directions, report_information(kernel),
                                       directions).max(), bound.direction), uses=("private reports",)),
        each(equation, "half at random", "mean over the dice of chi^2 = delta^2 trace M / (K (K-1))",
             lambda kernel: (kernel.mean(axis=0) @ (told(kernel) ** 2).mean(axis=1),
                             delta**2 * report_information(kernel).trace() / (K * (K - 1))),
             uses=("half of the faces",)),
        each(Step, "one report", "mean over the dice of KL(fair || die) <= kappa delta^2 trace M / (K (K-1))",
             lambda kernel: (divergence(kernel.mean(axis=0), (dice @ kernel).T),
                             kappa(delta) * delta**2 * report_information(kernel).trace() / (K * (K - 1))),
             uses=("half of the faces",)),
    )


def _squares(K, alpha, dice, signs, crowd):
    """The estimate of sum p^2 from the products of the reports of two people, each pair once."""
    kernel, tilt, F = signs(K, alpha), math.tanh(alpha / 2), float((dice[0] ** 2).sum())
    reports = (2.0 * sign_vectors(K).T - 1) / tilt
    sent = np.array(list(itertools.product(range(2**K), repeat=FEW)))
    chances = laws_of_answers(kernel.T[sent], dice, crowd)[:, 0]
    products = reports @ reports.T
    U = np.mean([products[sent[:, i], sent[:, j]] for i, j in itertools.combinations(range(FEW), 2)], axis=0)
    mean = chances @ U
    variance = (4 / FEW * (F / tilt**2 - F**2)
                + 2 / (FEW * (FEW - 1)) * (K / tilt**4 - 2 * F / tilt**2 + F**2))
    here = {"source": "one round", "subject": f"signs of {FEW} people"}
    return (
        equation("mean", "E U = sum p^2, U the mean product of two reports", mean, F, **here,
                 uses=("independent people",)),
        equation("variance", "Var U = 4 (F/t^2 - F^2)/n + 2 (K/t^4 - 2F/t^2 + F^2)/(n (n-1)), F = sum p^2",
                 chances @ (U - mean) ** 2, variance, **here,
                 uses=("independent people", "a coin for each face")),
    )


def _fixed(K, alpha, budget, delta, dice, asked, crowd):
    """What three people tell who answer questions that are fixed before the law is."""
    questionnaires = [[staircase(budget, sets) for sets in people] for people in asked(K, alpha)]
    laws = np.concatenate([
        laws_of_answers(np.array([[kernel[:, z] for kernel, z in zip(kernels, answers, strict=True)]
                      for answers in itertools.product(*(range(kernel.shape[1]) for kernel in kernels))]),
            np.vstack([np.full(K, 1 / K), dice]), crowd) for kernels in questionnaires]) / len(questionnaires)
    fair, mixed = laws[:, 0], laws[:, 1:].mean(axis=1)
    chi = float(((mixed - fair) ** 2 / fair).sum())
    tilts = dice - 1 / K
    people = [np.mean([report_information(kernels[i]) for kernels in questionnaires], axis=0)
              for i in range(FEW)]
    pairs = np.prod([1 + tilts @ matrix @ tilts.T for matrix in people], axis=0).mean()
    agree, shares = agreement(K)
    lam = FEW * (math.sinh(alpha / 2) * delta) ** 2 / (K - 1)
    bound = math.log(shares @ np.exp(lam * agree))
    order = np.argsort(-canonical(mixed / fair), kind="stable")
    allowed = np.clip((LEVEL - np.append(0.0, np.cumsum(fair[order])[:-1])) / fair[order], 0, 1)
    power = allowed @ mixed[order]
    fixed = ("independent people", "questions fixed before the law")
    here = {"source": "even questions", "subject": f"{FEW} people: {asked.__name__.replace('_', ' ')}"}
    even = (*fixed, "even questions", "private reports", "half of the faces")
    return (
        equation("pairs of dice", "1 + chi^2 of all answers = mean over pairs of prod (1 + D' M_i D)",
                 1 + chi, pairs, **here, uses=fixed),
        Step("even questions", "log(1 + chi^2) <= log E exp(lambda (4H/K - 1)), lambda = n s^2 delta^2/(K-1)",
             math.log1p(chi), bound, **here, uses=even),
        Step("power", "power of the best test of level a <= a + sqrt(a (1-a) chi^2), a = 0.05", power,
             LEVEL + math.sqrt(LEVEL * (1 - LEVEL) * math.expm1(bound)), **here, uses=even,
             follows="even questions", certain=1.0),
    )


def _in_turn(K, alpha, budget, delta, dice, crowd):
    """What three people tell who are asked one after the other."""
    lam = FEW * (math.sinh(alpha / 2) * delta) ** 2 / (K - 1)
    every = np.vstack([np.full(K, 1 / K), dice])
    chain, told, mixed = [], [], []
    for name, protocol in PROTOCOLS.items():
        before, likelihoods = walk(protocol, K, alpha, budget)
        laws = laws_of_answers(likelihoods, every, crowd)
        whole_told = divergence(laws[:, 0], laws[:, 1:])
        in_turn = sum((seen @ every[0]).prod() * divergence(every[0] @ kernel, (dice @ kernel).T)
                      for _, seen, kernel in before)
        here = {"source": "all sequentially interactive protocols", "subject": f"{FEW} people: {name}"}
        chain.append(equation("chain rule", "mean KL of all answers = sum over people, past of the fair die",
                              whole_told, in_turn, **here, uses=("independent people",)))
        told.append(Step("all answers", "mean over the dice of KL of all answers <= n kappa lambda",
                         whole_told, kappa(delta) * lam, **here,
                         uses=("independent people", "private reports", "half of the faces")))
        mixed.append(Step("convexity", "KL(fair || mixture of the dice) <= mean over the dice of KL",
                          kl(laws[:, 0], laws[:, 1:].mean(axis=1)), whole_told, **here))
    return tightest(chain), tightest(told), tightest(mixed)


def _two_rounds(n, alpha, fair, die, crowd, answers, suspect):
    """Level under the fair die, and gain under one that is not."""
    null, tilted = (Rounds(n, alpha, law, crowd, suspect) for law in (fair, die))
    made = tilted.made.sum(axis=0)
    gain = made @ (tilted.sets @ (die - fair))
    chances, usual = (suspicion(n, len(die), alpha, masses) for masses in (die, fair))
    each = (die - fair) * (made @ tilted.sets - usual)
    here = {"source": "two rounds", "subject": f"two rounds of {n} people"}
    return (
        Step("level", "P(p-value <= a) <= a for every a, under the fair die; the largest ratio, a < 1",
             worst_level(null, answers), 1.0, **here,
             uses=("independent people", "other people answer")),
        equation("gain", "E p(S) - |S|/K = sum D_k P(2 Bin(n, (1 + t p_k)/2) - n > t n/K)", gain,
                 (die - fair) @ chances, **here,
                 uses=("independent people", "suspects look too frequent")),
        Step("each face", "-D_k (pi_k - pi_0) <= 0 for every face: none takes away", (-each).max(), 0.0,
             **here, uses=("suspects look too frequent",)),
    )


def _people(faces, alpha, budget, delta, rounds):
    """Exact tests with one person less than the bounds ask for."""
    powers, about = [], []
    for protocol, asked in (("even", rounds), ("interactive", 2)):
        people = people_bound(faces, alpha, delta, protocol=protocol, level=LEVEL, power=POWER) - 1
        if people > MOST_PEOPLE:
            raise ValueError(f"alpha = {alpha:g} with delta = {delta:g} and faces = {faces} is out of range: "
                             f"exact tests have {MOST_PEOPLE:,} people at most. Raise alpha or delta.")
        powers.append(uniformity_power(UniformityTest(budget, faces, rounds=asked),
                                       tilted_die(faces, delta), people, level=LEVEL))
        about.append(f"a test, rounds = {asked}, {faces} faces, {people:,} people")
    return (
        Step("people, even questions", "power with one person less than even questions need <= 0.8",
             powers[0], POWER, "even questions", subject=about[0],
             uses=("private reports", "questions fixed before the law")),
        Step("people, any protocol", "power with one person less than any protocol needs <= 0.8", powers[1],
             POWER, "all sequentially interactive protocols", subject=about[1],
             uses=("private reports",), follows="all answers"),
    )
