"""Run a program that sees some folders, cannot write, and has no rights: Linux, below `unshare`.

    unshare --mount --net --ipc --pid --fork --kill-child python -IS walls.py ROOT UID PATHS EMPTY PROGRAM ...

PATHS are what it sees, EMPTY what stands there without content; both joined by ":". ROOT is an empty folder.
UID is a user of no rights, or -1 for who is root in a user namespace of her own only. Nothing but the
standard library is needed.
"""

import ctypes
import os
import sys

READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND = 1, 2, 4, 32, 4096
SECURE_BITS, NO_ROOT_AND_LOCKED, NO_NEW_PRIVILEGES = 28, 0b11, 38
"""Of prctl: root is nobody special in what is executed next, and nothing gives that back."""

_libc = ctypes.CDLL(None, use_errno=True)


def _done(result, what):
    if result:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, flags, kind=None):
    """mount(2); OSError if the system refuses."""
    _done(_libc.mount(source and os.fsencode(source), os.fsencode(target), kind, ctypes.c_ulong(flags), None),
          f"mount {source or kind} at {target}")


def show(path, root):
    """Make `path` visible below `root`, not to be written."""
    target = root + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        return os.symlink(os.readlink(path), target)
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        open(target, "x").close()
    mount(path, target, BIND)  # without what is mounted below: that could be written
    device = 0 if path.startswith("/dev/") else NO_DEVICES
    mount(None, target, REMOUNT | BIND | READ_ONLY | NO_SUID | device)


def main(root, uid, paths, empty, *program):
    """Build the walls, and become the program."""
    mount(None, root, NO_SUID | NO_DEVICES, b"tmpfs")
    for path in paths.split(":"):
        show(path, root)
    nothing = f"{root}/nothing"
    open(nothing, "x").close()
    for path in filter(None, empty.split(":")):
        mount(nothing, root + path, BIND)
    mount(None, root, REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES)
    os.chroot(root)
    os.chdir("/")
    if int(uid) >= 0:
        os.setgroups([])
        os.setgid(int(uid))
        os.setuid(int(uid))
    else:
        _done(_libc.prctl(SECURE_BITS, NO_ROOT_AND_LOCKED, 0, 0, 0), "give root up")
    _done(_libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "give privileges up")
    os.execv(program[0], program)


if __name__ == "__main__":
    main(*sys.argv[1:])
