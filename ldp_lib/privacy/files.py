"""Files of sums on disk: written whole or not at all, and measured before they are parsed."""

import contextlib
import os
import re
import secrets
import stat
from pathlib import Path

from ldp_lib._arguments import require_memory

try:
    import fcntl
except ImportError:
    fcntl = None  # Windows: nobody looks for orphans there

LOADED_BYTES, NUMBER_BYTES = 10, 96
"""Peak bytes for a byte of a file that is read, and for a number that is read or written."""
MOST_BRACKETS, MOST_QUOTES = 5, 22
"""In a file of sums: those of an object, people, and totals with two rows; those of 7 names and 4 words."""
NO_FILES = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
CURE = "Ask for the file again, or save the aggregate again."


def file_path(path):
    """The path as a `Path` with a name."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path = {path!r:.60} is a {type(path).__name__}; it must be a str or a "
                        'pathlib.Path, for example "aggregate.json".')
    if not Path(path).name:
        raise ValueError(f'path = {str(path)!r} names no file; give one, for example "aggregate.json".')
    return Path(path)


def _status(path):
    """The status of the regular file at `path` or where its links lead; OSError if there is none."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        kind = NO_FILES.get(stat.S_IFMT(status.st_mode), "a device")
        raise OSError(f"{path} is {kind}, no file. Give the path of a file, for example aggregate.json.")
    return status


def write(path, text):
    """Write `text` to the file at `path`, or where its links lead: whole or not at all.

    An existing file keeps its mode. What saves that were killed have left beside it is removed.
    """
    target = Path(os.path.realpath(path))
    try:
        mode = stat.S_IMODE(_status(path).st_mode)
    except FileNotFoundError:
        mode = None
    _remove_orphans(target)
    scratch, file = _scratch(target, mode)
    try:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        if fcntl is None:
            file.close()  # Windows replaces no file that is open
        os.replace(scratch, target)
    finally:
        scratch.unlink(missing_ok=True)
        file.close()


def _scratch(target, mode):
    """A new file beside `target`, open and locked as long as it is open, never more readable than `mode`."""
    while True:
        # Nobody else writes to a file of this name, not even who saves to the same path.
        path = target.with_name(f"{target.name}.{secrets.token_hex(8)}.part")
        # The umask acts on new files; the mode of one that exists was chosen.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
        file = open(descriptor, "w", encoding="ascii")
        locked = _lock(descriptor)
        # Who looked for orphans before it was locked may have removed it.
        if not locked or os.fstat(descriptor).st_nlink:
            if mode is not None:
                os.chmod(path, mode)
            return path, file
        file.close()


def _remove_orphans(target):
    """Remove what saves to `target` left that were killed: a lock dies with its process."""
    name = re.compile(re.escape(target.name) + r"\.[0-9a-f]{16}\.part")
    for path in (target.with_name(entry) for entry in os.listdir(target.parent) if name.fullmatch(entry)):
        # Somebody else's, or renamed by now: it is not ours to remove.
        with contextlib.suppress(OSError):
            _status(path)
            with path.open("rb") as file:
                if _lock(file.fileno(), wait=False):
                    path.unlink()


def _lock(descriptor, *, wait=True):
    """Lock an open file until it is closed; False if somebody else has, or where there are no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (AttributeError, OSError):
        return False
    return True


def read(path):
    """The text of the file at `path`, if it may be one of sums.

    The parser makes twenty bytes and more of a byte, and falls over deep nesting: files of another make, and
    those that are too large, are refused before it sees them.
    """
    size = _status(path).st_size
    require_memory(f"The file {path}", LOADED_BYTES * float(size), CURE)
    with path.open("rb") as file:
        content = file.read(size + 1)
    try:
        text = content.decode("ascii")
        # Without the quotes and backslashes inside words every second part is outside of them.
        parts = text.replace(r"\\", "").replace(r"\"", "").split('"', MOST_QUOTES + 1)
        outside = "".join(parts[::2])
        if len(content) != size or len(parts) > MOST_QUOTES + 1 or sum(
                map(outside.count, "[{")) > MOST_BRACKETS:
            raise ValueError("more than a file of sums holds")
    except ValueError as error:
        raise ValueError(f"{path} is truncated or no aggregate ({error}). {CURE}") from error
    numbers = outside.count(",") + 1
    require_memory(f"Reading {numbers:,} numbers of the file {path}", NUMBER_BYTES * float(numbers), CURE)
    return text
