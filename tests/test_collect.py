"""Whoever collects does not know the noise: messages hold no randomness, and no error tells a record."""

import functools
import io
import itertools
import pickle
import tracemalloc

import numpy as np
import pytest
from joblib import parallel_config

from ldp_lib import _arguments
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, CellMechanism, DyadicBit, HadamardBit
from ldp_lib.privacy.registry import REGISTRY
from ldp_lib.risk import SimulationWarning, collect, simulated as crowd

MECHANISMS = [line.build(1.0, 0.2) for line in REGISTRY if issubclass(line.kind, CellMechanism)]
SENDING = [mechanism for mechanism in MECHANISMS if hasattr(mechanism, "send")]
EVERY_MECHANISM = pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
RANDOMNESS = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence, np.random.RandomState)
SEED = 20_261_122


def people(n, seed):
    return problem("sine").sample(n, rng=seed)


def places(*sizes):
    return [functools.partial(people, n, number) for number, n in enumerate(sizes)]


@pytest.fixture
def messages(monkeypatch):
    """What the coordinator sends: every task as a cluster would receive it, in pickled form."""
    sent = []

    class Spy(crowd.Parallel):
        def __call__(self, tasks):
            tasks = list(tasks)
            sent.extend(pickle.dumps(task) for task in tasks)
            return super().__call__(tasks)

    monkeypatch.setattr(crowd, "Parallel", Spy)
    return sent


def randomness_in(message):
    """Generators, and whole numbers and words that are the seed, in a pickled message, however deep."""
    found = []

    class Search(pickle.Pickler):
        def persistent_id(self, thing):
            if isinstance(thing, RANDOMNESS) or (isinstance(thing, int) and thing == SEED):
                found.append(thing)

    Search(io.BytesIO()).dump(pickle.loads(message))
    return found


def simulated(*arguments, **options):
    """`collect` with a seed, which says that this is a simulation."""
    with pytest.warns(SimulationWarning, match="is a simulation: whoever knows the seed"):
        return collect(*arguments, **options)


@EVERY_MECHANISM
@pytest.mark.parametrize("given", [{}, {"rng": None}, {"rng": "secure"}], ids=repr)
def test_the_coordinators_messages_hold_no_randomness(mechanism, given, messages):
    """The same messages twice, bit for bit, and other noise: it comes from nowhere near them.

    False alarm: two sums of 600 reports agree in every cell with probability below 1e-6.
    """
    totals = []
    for _ in range(3):
        np.random.seed(1)
        totals.append(collect(mechanism, places(300, 300), **given).totals)
    # The first use fills the caches of the mechanism, which travel with it.
    assert messages[2:4] == messages[4:]
    assert not [found for message in messages for found in randomness_in(message)]
    assert (totals[0] != totals[1]).any()


@EVERY_MECHANISM
def test_the_search_finds_what_a_simulation_sends(mechanism, messages):
    simulated(mechanism, places(30, 30), rng=SEED)
    assert all(map(randomness_in, messages))


def test_in_a_simulation_whoever_reads_the_messages_recovers_a_record(messages):
    """The attack: draw the noise of a place with one person again, and subtract it."""
    mechanism, part = CellLaplace(1.0, 0.2), places(1)[0]
    total = simulated(mechanism, [part], rng=SEED).totals
    stream = next(found for found in randomness_in(messages[0]) if isinstance(found, np.random.Generator))
    noise = mechanism.noise.sample((1, mechanism.K), stream)[0]
    assert (total - noise == mechanism.encode(*part())[0]).all()


@EVERY_MECHANISM
def test_all_noise_is_the_operating_systems(mechanism, monkeypatch):
    """With its bytes fixed, the total is fixed, and is that of the bytes."""
    def fixed(seed):
        source = np.random.default_rng(seed)
        monkeypatch.setattr(_arguments.OperatingSystem, "bytes", lambda self, length: source.bytes(length))
        return collect(mechanism, places(200)).totals.tobytes()

    assert fixed(1) == fixed(1) != fixed(2)


def test_real_noise_is_for_simulations():
    mechanism = CellLaplace(1.0, 0.2, noise="real")
    with pytest.raises(ValueError, match='"secure" does not repair noise = "real"'):
        collect(mechanism, places(30))
    assert simulated(mechanism, places(30), rng=1).people == 30


@pytest.mark.parametrize("mechanism", SENDING, ids=repr)
@pytest.mark.parametrize("options", [{}, {"n_jobs": 2}], ids=repr)
def test_blocks_of_people_count_everybody_once(mechanism, options, monkeypatch):
    """The total is that of all that was sent, by everybody in blocks of a few people."""
    sent, send = [], type(mechanism).send

    def recorded(self, X, y, *, rng):
        sent.append((X, y, *send(self, X, y, rng=rng)))
        return sent[-1][2:]

    monkeypatch.setattr(type(mechanism), "send", recorded)
    monkeypatch.setattr(crowd, "BLOCK_BYTES", 1500)
    parts = places(1, 7, 15, 50)
    with parallel_config(backend="threading"):
        total = collect(mechanism, parts, **options)
    assert total.people == 73 and total.mechanism == repr(mechanism) and len(sent) > 10
    X, y, *bits = (np.concatenate(column) for column in zip(*sent, strict=True))
    everybody = [np.column_stack([*part()]) for part in parts]
    assert sorted(np.column_stack([X, y]).tolist()) == sorted(np.concatenate(everybody).tolist())
    expected = mechanism.collect(*bits).totals
    # Only the weights of `DyadicBit` are rounded.
    assert (np.allclose if isinstance(mechanism, DyadicBit) else np.array_equal)(total.totals, expected)


def test_a_simulation_depends_on_the_seed_alone():
    for mechanism in MECHANISMS:
        one, two, other = (simulated(mechanism, places(60, 40), rng=seed).totals for seed in (1, 1, 2))
        assert one.tobytes() == two.tobytes() != other.tobytes()
        with parallel_config(backend="threading", n_jobs=2):
            assert simulated(mechanism, places(60, 40), rng=1).totals.tobytes() == one.tobytes()


@pytest.mark.parametrize("mechanism", [HadamardBit(1.0, 1 / 4096), DyadicBit(1.0, 12)], ids=repr)
def test_one_bit_is_never_made_a_dense_report(mechanism, monkeypatch):
    """A place of 200,000 people x 4096 cells: dense reports are 6 GiB, a block of 2^25 bytes at a time."""
    def dense(*_):
        raise AssertionError("decoded reports were made")

    monkeypatch.setattr(type(mechanism), "_reports", dense)
    X, y = people(200_000, 1)
    tracemalloc.start()
    aggregate = collect(mechanism, [lambda: (X, y)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert aggregate.people == 200_000 and peak < 2**26


def said(error):
    """All that an error, those behind it and its notes say."""
    words = []
    while error is not None:
        words += [str(error), *getattr(error, "__notes__", ())]
        error = error.__cause__ or error.__context__
    return " | ".join(words)


SECRET = "alice-4711"


def broken(kind):
    def part():
        raise kind(f"could not read the row of {SECRET}")
    return part


def spoilt():
    """Parts that break a rule, with a secret in what they return, and what must be said."""
    X, y = people(9, 1)
    text = X.astype(object)
    text[4, 0] = SECRET
    yield lambda: (text, y), r"parts\[1\]: X must hold numbers; row 4 does not"
    yield lambda: (X, np.where(np.arange(9) == 4, 4711, y)), r"parts\[1\]: y has no label 0 or 1 in row 4"
    hole = np.full((9, 1), 4711.0)
    hole[4] = np.nan
    yield lambda: (hole, y), r"parts\[1\]: X has a NaN .* row 4"
    yield lambda: [4711] * 3, r"parts\[1\] returned a list, not a pair \(X, y\)"
    yield lambda: {SECRET: 4711}, r"parts\[1\] returned a dict, not a pair \(X, y\)"
    yield lambda: SECRET, r"parts\[1\] returned a str, not a pair \(X, y\)"
    yield functools.partial(lambda rows: rows, [SECRET] * 3), r"parts\[1\] returned a list"
    for kind in (ValueError, KeyError, OSError, RuntimeError):
        yield broken(kind), rf"parts\[1\] raised {kind.__name__}.*its words stay where the data are"


@pytest.mark.parametrize("mechanism", MECHANISMS[:2], ids=repr)
def test_no_error_of_a_place_tells_a_record(mechanism):
    for (part, words), n_jobs in itertools.product(spoilt(), (1, 2)):
        with pytest.raises((TypeError, ValueError, RuntimeError), match=words) as caught:
            with parallel_config(backend="threading", n_jobs=n_jobs):
                collect(mechanism, [*places(5), part])
        assert SECRET not in said(caught.value) and "4711" not in said(caught.value)


def test_data_in_the_place_of_functions_are_not_shown():
    X, y = people(9, 1)
    for parts in ([(X * 0 + 4711, y)], [SECRET], SECRET, 4711, [lambda: (X, y), SECRET]):
        with pytest.raises(TypeError, match="parts .*functions without arguments") as caught:
            collect(MECHANISMS[0], parts)
        assert SECRET not in said(caught.value) and "4711" not in said(caught.value)
