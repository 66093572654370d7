"""Every public name of every room says what it takes and what it returns.

A room's public names are those of its `__all__`. Of a function every parameter and the return value are
annotated; of a class its constructor and its public methods and properties, wherever in `ldp_lib` they are
defined. As scikit-learn does it, the return value of `__init__`, which is always None, may be left out.
"""

import functools
import importlib
import inspect
import typing

import pytest

ROOMS = ("nature", "privacy", "privacy.audit", "estimation", "risk", "theory", "live")
"""Modules whose exported names are checked; one of them with `pytest -k nature`."""

SPECIAL = ("__init__", "__call__")
"""Methods that callers use without their names, which are public all the same."""


def exported(room):
    """(name, object) of what the room exports."""
    module = importlib.import_module(f"ldp_lib.{room}")
    return [(f"{room}.{name}", getattr(module, name)) for name in module.__all__]


def behind(attribute):
    """The function behind a method, a class method, a static method, a property or a cached one; or None."""
    if isinstance(attribute, property):
        return attribute.fget
    if isinstance(attribute, functools.cached_property):
        return attribute.func
    if isinstance(attribute, (classmethod, staticmethod)):
        return attribute.__func__
    return inspect.unwrap(attribute) if callable(attribute) and not inspect.isclass(attribute) else None


def is_ours(thing):
    return (getattr(thing, "__module__", None) or "").split(".")[0] == "ldp_lib"


def public_functions(name, thing):
    """(name, function) of all that the annotations of an exported object are about."""
    if not inspect.isclass(thing):
        function = behind(thing)
        return [(name, function)] if inspect.isfunction(function) else []
    return [(f"{name}.{key}", behind(attribute))
            for owner in thing.__mro__ if is_ours(owner)
            for key, attribute in vars(owner).items()
            if (key in SPECIAL or not key.startswith("_")) and inspect.isfunction(behind(attribute))]


def silent_parts(function):
    """The parameters of a function that have no annotation, and "return" if its value has none."""
    names = list(inspect.signature(function).parameters.values())
    parts = [p.name for p in names if p.annotation is p.empty and p.name not in ("self", "cls")]
    returns = inspect.signature(function).return_annotation
    if returns is inspect.Signature.empty and function.__name__ != "__init__":
        parts.append("return")
    return parts


@pytest.mark.parametrize("room", ROOMS)
def test_every_parameter_and_every_return_value_of_a_public_name_is_annotated(room):
    silent = {f"{function.__module__}.{function.__qualname__}": silent_parts(function)
              for name, thing in exported(room) for _, function in public_functions(name, thing)}
    assert {place: parts for place, parts in silent.items() if parts} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_every_annotation_of_a_public_name_resolves_to_a_type(room):
    for name, thing in exported(room):
        if inspect.isclass(thing):
            typing.get_type_hints(thing)
        for place, function in public_functions(name, thing):
            try:
                typing.get_type_hints(function)
            except (NameError, TypeError) as error:
                pytest.fail(f"{place}: {error}")


@pytest.mark.parametrize("room", ROOMS)
def test_the_annotations_of_a_room_are_looked_for_in_something(room):
    assert any(public_functions(name, thing) for name, thing in exported(room))
