"""More people than one machine: parts on a cluster, a worker that dies, and a crowd that nobody holds."""

import functools
import itertools
import os
import resource
import signal
import time

import numpy as np
import pytest
from joblib import parallel_config
from scipy import stats

from ldp_lib.estimation import CellClassifier, CubeClassifier
from ldp_lib.nature import problem
from ldp_lib.privacy import CellLaplace, CubeLaplace, HadamardBit
from ldp_lib.risk import (
    SimulationWarning, cell_grid, collect, label_probabilities, simulate_crowd, simulate_excess_risk,
)

distributed = pytest.importorskip("distributed", reason="pip install ldp-lib[cluster]")


@pytest.fixture(scope="module")
def client():
    """Two worker processes; both rest when the test ends."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  silence_logs=50) as local, distributed.Client(local) as client:
        yield client


@pytest.fixture
def cluster(client):
    """The two workers, also after one was killed: with one alone joblib would do the work in this process."""
    client.wait_for_workers(2)
    return client


def places(count):
    """Parts of a survey. Functions inside a function travel with their code."""

    def people(seed):
        return problem("sine").sample(500, rng=seed)

    return [functools.partial(people, seed) for seed in range(count)]


def killing(part, marker):
    """The same part in a place whose worker dies half-way through, once; this process is no worker."""
    here = os.getpid()

    def people():
        drawn = part()
        if os.getpid() == here:
            return drawn
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return drawn
        os.kill(os.getpid(), signal.SIGKILL)

    return people


def simulated(*arguments, **options):
    """`collect` with a seed, which says that this is a simulation."""
    with pytest.warns(SimulationWarning, match="is a simulation"):
        return collect(*arguments, **options)


@pytest.mark.ci
@pytest.mark.parametrize("mechanism", [CellLaplace(1.0, 0.2), HadamardBit(1.0, 0.2)], ids=repr)
def test_a_killed_worker_changes_nothing_in_a_simulation(cluster, tmp_path, mechanism):
    parts, marker = places(8), tmp_path / "killed"
    alone = simulated(mechanism, parts, rng=1)
    with parallel_config(backend="dask"):
        shared = simulated(mechanism, [*parts[:4], killing(parts[4], marker), *parts[5:]], rng=1)
    assert marker.exists()
    assert shared.people == alone.people == 4000 and (shared.totals == alone.totals).all()


def writing_down(folder, victim):
    """A mechanism whose people keep what they send, one file a place and attempt; classes inside a function
    travel with their code. The worker of the place `victim` dies when its people have sent, once."""
    here = os.getpid()

    class Written(HadamardBit):
        def send(self, X, y, *, rng):
            rows, bits = super().send(X, y, rng=rng)
            # The first number names the place: people are drawn by its seed.
            attempt = folder / f"{float(X[0, 0])!r}-{len(list(folder.glob(f'{float(X[0, 0])!r}-*')))}.npy"
            np.save(attempt, np.stack([rows, bits]))
            if float(X[0, 0]) == victim and attempt.stem.endswith("-0") and os.getpid() != here:
                os.kill(os.getpid(), signal.SIGKILL)
            return rows, bits

    return Written(1.0, 0.2)


@pytest.mark.ci
def test_a_repeated_part_counts_once_and_draws_fresh_noise(cluster, tmp_path):
    """A worker dies after its people have sent: they are asked again, and one attempt is in the total.

    False alarm: 500 people send the same rows and bits twice with probability 2^-2000 at most.
    """
    parts = places(8)
    victim = float(parts[4]()[0][0, 0])
    mechanism = writing_down(tmp_path, victim)
    with parallel_config(backend="dask"):
        total = collect(mechanism, parts)
    attempts = {float(part()[0][0, 0]): sorted(tmp_path.glob(f"{float(part()[0][0, 0])!r}-*"))
                for part in parts}
    assert len(attempts[victim]) > 1
    sent = {place: [np.load(file) for file in files] for place, files in attempts.items()}
    assert (sent[victim][0] != sent[victim][-1]).any()
    assert total.people == 4000
    # Any attempt may be the one whose sums arrived, but of each place exactly one is in the total.
    sums = [[mechanism.collect(*each).totals for each in tries] for tries in sent.values()]
    assert any((sum(choice, np.zeros(mechanism.K)) == total.totals).all()
               for choice in itertools.product(*sums))
    dead = mechanism.collect(*sent[victim][0]).totals
    assert not (total.totals == sum((tries[-1] for tries in sums), dead)).all()


@pytest.mark.ci
def test_simulated_risks_are_the_same_on_a_cluster(cluster):
    arguments = CellClassifier(1.0, 0.25, mechanism="best"), problem("sine"), 200, 6
    alone = simulate_excess_risk(*arguments, rng=1)
    with parallel_config(backend="dask"):
        shared = simulate_excess_risk(*arguments, rng=1)
    assert (shared.values == alone.values).all()


def test_parts_merge_in_any_order():
    for mechanism in (CellLaplace(0.7, 0.2), HadamardBit(0.7, 0.2)):
        parts = places(3)
        total = simulated(mechanism, parts, rng=5)
        streams = np.random.default_rng(5).spawn(3)
        single = [mechanism.aggregate(mechanism.privatize(*part(), rng=stream))
                  for part, stream in zip(parts, streams, strict=True)]
        assert (sum(single[:0:-1], single[0]).totals == total.totals).all()


def test_a_billion_people_are_simulated_from_their_law():
    sine, n, mechanism = problem("sine", d=2), 10**9, CellLaplace(1.0, 1 / 64, d=2)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    aggregate = simulate_crowd(mechanism, sine, n, rng=1)
    seconds = time.perf_counter() - start
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
    print(f"\n{n:,} people, {mechanism.K:,} cells: {seconds:.3f} s and {extra:.3f} GiB more")
    p, q = sine.cell_masses(*mechanism.boxes())
    deviation = (mechanism.score(aggregate) - (q - p / 2)) / np.sqrt((mechanism.noise.variance + p / 4) / n)
    # 4096 nearly independent standard normal numbers: chi-squared, false alarm 1e-6 on either side.
    assert stats.chi2.ppf(1e-6, deviation.size) < (deviation**2).sum() < stats.chi2.isf(1e-6, deviation.size)
    assert extra < 1.0


@pytest.mark.parametrize("d", [1, 2])
def test_a_crowd_of_cubes_has_the_law_of_its_people(d):
    """Exact binomial tests of the labels of every cube at level 1e-7; without noise, whole people."""
    sine, n, repeats = problem("sine", d=d), 2001, 2000
    rule, rng = CubeClassifier(2.0, 0.3), np.random.default_rng(18)
    mechanism, cells = CubeLaplace(2.0, 0.3, d), cell_grid(rule, sine)
    scores = [mechanism.score(simulate_crowd(mechanism, sine, n, rng=rng)) for _ in range(repeats)]
    ones, probability = (np.array(scores) >= 0).sum(axis=0), label_probabilities(rule, cells, n)[1]
    tail = np.minimum(stats.binom.cdf(ones, repeats, probability),
                      stats.binom.sf(ones - 1, repeats, probability))
    assert tail.min() > 1e-7 / (2 * mechanism.K)
    quiet = simulate_crowd(CubeLaplace(1e12, 0.3, d, noise="real"), sine, n, rng=rng)
    counts = np.round(quiet.totals)
    assert np.abs(quiet.totals - counts).max() < 1e-6 and quiet.people == (1000, 1000)
    assert counts[0].sum() == 2**d * 1000 and (counts[1] <= 1000).all()
    # Neighbouring cubes share their people: alternating sums over the grid vanish.
    signs = (-1.0) ** np.indices(mechanism.shape).sum(axis=0).ravel()
    assert (counts @ signs == 0).all()


def test_crowds_need_independent_noise():
    with pytest.raises(TypeError, match="CellLaplace"):
        simulate_crowd(HadamardBit(1.0, 0.2), problem("sine"), 100, rng=1)
