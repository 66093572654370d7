"""People whose records lie in files at several places, collected on a Dask cluster.

    python examples/cluster.py survey.json reports-3.json clinic-1.csv clinic-2.csv

A worker reads a file where it lies, randomises every line there, and sends sums of reports. What comes out is
a file like that of a collector, and `office.py learn` merges both. It needs `pip install ldp-lib[cluster]`.
"""

import argparse
import functools
from pathlib import Path

from distributed import Client, LocalCluster
from joblib import parallel_config
from survey import read_people, read_rule

from ldp_lib.risk import collect

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("survey", help="what is asked, see survey.py")
    parser.add_argument("reports", help="the aggregate file to write")
    parser.add_argument("places", nargs="+", help="files of people, as in survey.py")
    parser.add_argument("--workers", type=int, default=2, help="processes on this machine")
    parser.add_argument("--scheduler", help="address of a cluster that exists, in place of them")
    given = parser.parse_args()
    if len({Path(place).resolve() for place in given.places}) < len(given.places):
        raise SystemExit("A place is named twice: its people would be asked twice. Name each once.")
    _, mechanism = read_rule(given.survey)
    try:
        # It stays if anything fails later on: some people have been asked by then.
        open(given.reports, "x").close()
    except FileExistsError:
        raise SystemExit(f"{given.reports} exists: its people were asked, and to ask again costs them alpha "
                         "once more. Merge that file, or name another one for other people.") from None
    cluster = given.scheduler or LocalCluster(n_workers=given.workers, threads_per_worker=1,
                                              dashboard_address=None)
    with Client(cluster), parallel_config(backend="dask"):
        total = collect(mechanism, [functools.partial(read_people, place) for place in given.places])
    total.save(given.reports)
    print(f"{total.people:,} people; their sums are in {given.reports}")
