"""Measure what the library promises about size, speed and memory, and print it beside the goals.

    python -m tests.benchmarks              all, a few minutes
    python -m tests.benchmarks startup ...  some

Ratios compare runs that took turns on the same machine; every time is a median unless a row says otherwise.
A goal that is not reached reads MISSED, and is no failure: times depend on the machine. A class that loses
something is one, see `load`.
"""

import argparse
import importlib

from .measure import machine, print_table

BENCHMARKS = ("size", "exact_risk", "second_question", "planning", "central", "mechanism", "collecting",
              "survey", "startup", "notebooks", "memory", "panel", "opening", "load")


def main():
    """Run the benchmarks that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)}; all by default")
    names = parser.parse_args().names or BENCHMARKS
    for unknown in sorted(set(names) - set(BENCHMARKS)):
        parser.error(f"there is no benchmark {unknown}; choose from {', '.join(BENCHMARKS)}")
    print(machine())
    missed = []
    for name in names:
        benchmark = importlib.import_module(f".{name}", __package__)
        rows = list(benchmark.rows())
        print_table(benchmark.TITLE, rows)
        missed += [f"{benchmark.TITLE}: {row.what.strip()}" for row in rows if row.verdict == "MISSED"]
    print(f"\n{machine()}")
    print("\n".join(["Goals MISSED:", *missed]) if missed else "Every goal is met.")


if __name__ == "__main__":
    main()
