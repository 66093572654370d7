"""One folder a notebook: story, *explore*, numbers, the steps of a proof, its ledger, exercises, errata.

A lesson is found by its folder, in the order of the notebooks, and imports no other lesson. What several of
them show stands beside them: `bars`, `price`, `steps`, `pictures`, `computed`. `exercises` and `proofs`
bring the exercises and the ledgers of all lessons together.
"""

import importlib
import pkgutil


def _found():
    """The packages here, by the number of their notebook."""
    packages = [importlib.import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__)
                if each.ispkg]
    return sorted(packages, key=lambda package: package.NOTEBOOK)


LESSONS = tuple(_found())
"""The lessons, in the order of the notebooks."""
PANELS = {name: f"{lesson.__name__}.{module}:STORY" for lesson in LESSONS
          for name, module in lesson.PANELS.items()} | {"price": f"{__name__}.price:STORY"}
"""Where each panel's story stands, "module:name"; a module is imported when its panel is first asked for."""


def modules(kind):
    """Import the module of this kind, or the modules of the package, of every lesson that has it."""
    for lesson in LESSONS:
        here = {each.name: each for each in pkgutil.iter_modules(lesson.__path__)}
        if kind in here:
            found = importlib.import_module(f"{lesson.__name__}.{kind}")
            for each in pkgutil.iter_modules(getattr(found, "__path__", [])):
                importlib.import_module(f"{found.__name__}.{each.name}")
