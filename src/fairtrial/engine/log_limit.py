"""Logs of what runs below a guard, kept from filling the disk, on which the record is written as well.

A log is a file that the process writes itself: a pipe through the lab would take the lab's processor time, and hold a
process back that writes a lot. So the lab looks how long the file is now and then, and cuts it off.
"""

import fcntl
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import BinaryIO

LIMIT_BYTES = 64 << 20
KEPT_BYTES = 1 << 20
"""From its beginning, of a log that came to more than the limit; what is written later is behind."""
LOOK_EVERY_SECONDS = 0.5

_lock = Lock()
_open: dict[int, tuple[int, int]] = {}
"""By descriptor, the device and the number of the file: of every log that is written."""
_dropped: dict[tuple[int, int], int] = {}
"""By device and number, how many bytes were cut off."""
_watch: list[Thread] = []


def watch_log(output: BinaryIO) -> int | None:
    """Look after a file from now on. What is no file, or not appended to, is none that can be cut: None."""
    with suppress(OSError, ValueError):  # it has no descriptor
        state = os.fstat(output.fileno())
        if not stat.S_ISREG(state.st_mode) or not fcntl.fcntl(output.fileno(), fcntl.F_GETFL) & os.O_APPEND:
            return None
        with _lock:
            descriptor = os.dup(output.fileno())
            _open[descriptor] = (state.st_dev, state.st_ino)
            if not _watch:
                _watch.append(Thread(target=_look_on, name="logs", daemon=True))
                _watch[0].start()
        return descriptor
    return None


def watch_no_more(descriptor: int) -> None:
    """Look at the file for the last time."""
    with _lock:
        if descriptor in _open:
            _cut(descriptor)
            del _open[descriptor]
            os.close(descriptor)


def dropped_bytes(log: Path) -> int:
    """How much of a log was cut off, in bytes."""
    with suppress(OSError):
        state = log.stat()
        return _dropped.get((state.st_dev, state.st_ino), 0)
    return 0


def _look_on() -> None:
    while True:
        time.sleep(LOOK_EVERY_SECONDS)
        with _lock:
            for descriptor in _open:
                _cut(descriptor)


def _cut(descriptor: int) -> None:
    with suppress(OSError):  # the disk may be full of something else
        length = os.fstat(descriptor).st_size
        if length <= LIMIT_BYTES:
            return
        os.ftruncate(descriptor, KEPT_BYTES)
        file = _open[descriptor]
        _dropped[file] = _dropped.get(file, 0) + length - KEPT_BYTES
        os.write(descriptor, f"\n[Fairtrial cut {length - KEPT_BYTES:,} bytes off here]\n".encode())
