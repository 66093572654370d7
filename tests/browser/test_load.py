"""A class on `make serve`: a process is killed in the middle, and nothing is lost.

Times are measured by `python -m tests.benchmarks load`, alone on the machine. Here browsers run beside a
class of 30; one of 300, which make test-all adds, fills the machine and comes after them.
"""

from extent import all_rows
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks.load import GOAL, MEMORY, lesson

FULL = all_rows()


@pytest.mark.ci  # it loads a server and kills a process of it; test_room.py kills one in each run
@pytest.mark.parametrize("students, seconds",
                         [(30, 8)] + [pytest.param(300, 40, marks=pytest.mark.alone)] * FULL)
def test_nothing_is_lost_when_a_process_is_killed(site, students, seconds):
    with ThreadPoolExecutor(1) as pool:  # a thread of its own, for an event loop of its own
        found = pool.submit(lesson, site, students, seconds).result()
    assert found.lost == 0
    assert len(found.files) == 3 * students
    assert found.moves > 0.6 * students * (seconds - 5) and len(found.states) > found.moves / 5
    assert found.gibibytes < MEMORY
    assert found.p(0.5) < GOAL
