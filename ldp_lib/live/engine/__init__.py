"""The engine of live panels: controls, pictures as data, and the panel that joins them.

`panel` explains how to write one and how a press becomes a picture, `picture` what can be drawn;
`ldp_lib.live.pictures` has what several panels draw.
"""

from .control import Control, corners, log_steps, powers_of_two
from .panel import LivePanel, Positioned, Scene

__all__ = ["Control", "LivePanel", "Positioned", "Scene", "corners", "log_steps", "powers_of_two"]
