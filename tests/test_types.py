"""What editors and type checkers see: short signatures, and README's examples without an error.

The checker is Pyright, as basedpyright ships it: a wheel with a Node of its own, which fetches nothing.
"""

import doctest
import importlib
import inspect
import json
import subprocess
import sys
import typing

import numpy as np
import pytest
import test_hints

ROOMS = ("nature", "privacy", "privacy.audit", "estimation", "risk", "theory")

SPECIMEN = """
import numpy as np
from typing import assert_type
from ldp_lib.estimation import AdaptiveClassifier, CubeClassifier, OneBitClassifier, PublicBox
from ldp_lib.nature import problem
from ldp_lib.risk import excess_risk, wrong_side_probability
rule, law = CubeClassifier(alpha=1.0, h=0.25), problem("sine")
assert_type(excess_risk(rule, law, 100), float)
assert_type(excess_risk(rule, law, [100, 200]), np.ndarray)
assert_type(excess_risk(rule, law, 100, alpha=[1.0, 2.0]), np.ndarray)
assert_type(wrong_side_probability(100, 0.3, 0.2, 4.0), float)
assert_type(wrong_side_probability(100, np.array([0.3]), 0.2, 4.0), np.ndarray)
assert_type(rule.fit([[0.1], [0.2]], [0, 1]), CubeClassifier)
box = PublicBox(lower=[0], upper=[1])
"""


@pytest.fixture(scope="module")
def errors(repository, tmp_path_factory):
    """A function that returns the (line, words) of what the checker finds wrong in a program."""
    folder = tmp_path_factory.mktemp("types")

    def found(program):
        (folder / "program.py").write_text(program, encoding="utf-8")
        (folder / "pyrightconfig.json").write_text(json.dumps({
            "typeCheckingMode": "standard", "extraPaths": [str(repository)], "include": ["program.py"]}))
        ran = subprocess.run([sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(folder),
                              "--pythonpath", sys.executable], capture_output=True, text=True)
        told = json.loads(ran.stdout)
        assert told["summary"]["filesAnalyzed"] == 1, ran.stdout + ran.stderr
        lines = program.splitlines()
        return [(lines[error["range"]["start"]["line"]], error["message"])
                for error in told["generalDiagnostics"]]

    return found


def test_the_examples_of_the_readme_have_no_error(repository, errors):
    pages = ("README.md", "docs/site/own_data.md")
    words = "".join((repository / page).read_text(encoding="utf-8") for page in pages)
    examples = doctest.DocTestParser().get_examples(words)
    assert len(examples) > 20 and errors("".join(example.source for example in examples)) == []


def test_constructors_and_results_are_understood_and_slips_are_found(errors):
    slips = ["CubeClassifier(bandwidth=0.1)", "OneBitClassifier(alpha='much')", "AdaptiveClassifier(1.0, 3)",
             "excess_risk(rule, law, 100).mean()"]
    assert [line for line, _ in errors("\n".join([SPECIMEN, *slips]))] == slips


def test_the_package_says_that_it_has_types(repository):
    """`tests/test_wheel.py` finds all files of the package in the wheel."""
    assert (repository / "ldp_lib" / "py.typed").exists()


@pytest.mark.parametrize("room", ROOMS)
def test_signatures_are_short(room):
    """`help` shows them: 40 characters an argument, and none of the types behind `ArrayLike`."""
    long = {}
    for name, thing in test_hints.exported(room):
        for place, function in test_hints.public_functions(name, thing):
            signature = inspect.signature(function)
            if "_typing" in str(signature) or len(str(signature)) > 60 + 40 * len(signature.parameters):
                long[place] = str(signature)
    assert long == {}


@pytest.mark.parametrize("room", ROOMS)
def test_what_returns_numbers_for_numbers_and_arrays_for_arrays_says_so(room):
    module = importlib.import_module(f"ldp_lib.{room}")
    either = [thing for thing in (getattr(module, name) for name in module.__all__)
              if inspect.isfunction(thing) and typing.get_type_hints(thing)["return"] == (float | np.ndarray)]
    assert [thing.__name__ for thing in either if len(typing.get_overloads(thing)) != 2] == []
    assert either or room not in ("risk", "theory")
