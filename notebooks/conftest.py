"""Tells nbval what it does not compare when it runs the notebooks again."""

import pathlib


def pytest_configure(config):
    """Read `nbval.cfg`, from wherever the tests were started."""
    config.option.nbval_sanitize_with = str(pathlib.Path(__file__).with_name("nbval.cfg"))
