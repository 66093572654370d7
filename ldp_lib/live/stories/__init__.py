"""The stories: one picture and its scenes per notebook, as data. `engine.story` says how to write one."""
