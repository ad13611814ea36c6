"""Files that somebody else may have put there, opened so that nothing else than a file is waited for or read."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path, *, follow_links: bool = True, owner: int | None = None) -> BinaryIO:
    """Open a regular file for reading. A FIFO without a writer, which `open` would wait for, is refused at once.

    Args:
        follow_links: false: a symbolic link is refused as well.
        owner: the user number whom the file must belong to; None: anybody.

    Raises:
        OSError: it cannot be opened, or is not such a file.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | (0 if follow_links else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        state = os.fstat(descriptor)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        if owner is not None and state.st_uid != owner:
            raise PermissionError(errno.EPERM, "Somebody else's file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, most_bytes: int) -> bytes:
    """The first `most_bytes` of a regular file, and one more if there are more: then it is too large.

    Raises:
        OSError: as `open_regular`.
    """
    with open_regular(path) as file:
        return file.read(most_bytes + 1)
