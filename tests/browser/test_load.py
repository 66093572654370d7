"""A class on `make serve`: a process is killed in the middle, and nothing is lost.

Here comes a class of 30, by itself: beside browsers a busy machine is late, too. One of 300 fills a machine:
`python -m tests.benchmarks load`, with which `make test-all` ends, finds the same faults and measures times.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks.load import lesson

STUDENTS, SECONDS = 30, 8


@pytest.mark.alone
@pytest.mark.ci  # it loads a server and kills a process of it; test_room.py kills one in each run
def test_nothing_is_lost_when_a_process_is_killed(site):
    with ThreadPoolExecutor(1) as pool:  # a thread of its own, for an event loop of its own
        found = pool.submit(lesson, site, STUDENTS, SECONDS).result()
    assert found.faults(STUDENTS, SECONDS) == []
