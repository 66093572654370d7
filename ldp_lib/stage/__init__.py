"""What a lesson is made of, whatever it teaches: controls, pictures as data, views, scenes; ledgers, judges.

`scene` shows a complete lesson and what each part of it is; `picture` says what can be drawn, `ledger` how a
proof is executed, `judge` how an answer is judged.  Here is no mathematics.
"""

from .control import Control, corners, log_steps, powers_of_two
from .scene import Ask, Scene, Shown, Story, View, view

__all__ = ["Ask", "Control", "Scene", "Shown", "Story", "View", "corners", "log_steps", "powers_of_two",
           "view"]
