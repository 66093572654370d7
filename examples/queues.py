"""A lesson of one's own, not about privacy: why queues explode. `panel("examples/queues.py")` shows it."""

from ldp_lib.stage import Ask, Control, Scene, Shown, Story, view
from ldp_lib.stage.picture import Axes, bars, dots, handle, line, linear

LOAD = Control("load", "load", "ρ", tuple(k / 20 for k in range(1, 20)), 0.5, "{:.2f}",
               "the share of the time in which somebody is served")
LOADS = [k / 200 for k in range(2, 191)]
LONGEST = 20


def waiting(load):
    """People in the queue and at the desk, on average (one desk, random arrivals and services: M/M/1)."""
    return load / (1 - load)


@view(LOAD)
def queue(load):
    """The mean queue at one load, and at all loads up to it: more would answer what is asked."""
    people, loads = waiting(load), [each for each in LOADS if each <= load]
    row = Axes("row", linear(0, LONGEST, 5), linear(0, 1), "the queue", "people", "",
               (bars("queue", [0], [people], [0.2], [0.8], "private"),), high=0.5, grid=False)
    curve = Axes("curve", linear(0, 1, 0.25), linear(0, LONGEST, 5), "the mean queue up to this load",
                 "load ρ", "", (
                     line("mean", loads, [waiting(each) for each in loads], "truth", width=3),
                     dots("here", [load], [people], "private", size=13, handle=handle("load"))))
    return Shown(((row, curve),), f"At load {load:.2f} {people:.2f} people are there on average.",
                 [("people", f"{people:.2f}")])


STORY = Story("queues", "Why queues explode", (
    Scene("half", "At load 0.5 the desk is idle half of the time. How many people are there?", queue),
    Scene("busy", "Load 0.9: not twice the work. How many people are there now?", queue, ask=Ask(
        {"2": "That is how much the work grew.", "5": "More: few idle minutes are left to catch up in.",
         "9": "ρ / (1 - ρ): what counts is how little of the time is idle."}, right="9", then={"load": 0.9})),
    Scene("explore", "Move the load: where does the queue explode?", queue)))
