"""What all tests share."""

import os
from pathlib import Path

import hypothesis
import pytest

# The same examples in every run, and no failure because a machine was busy.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")

# Jupyter warns until a program has chosen where its folders are; this is the choice of its next version.
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")


@pytest.fixture(scope="session")
def repository():
    """Return the folder of the checkout."""
    return Path(__file__).resolve().parents[1]
