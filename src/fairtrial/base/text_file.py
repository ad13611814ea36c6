"""Writes text files, each in one step, so that no reader ever sees half a file."""

import errno
import os
import sys
import tempfile
from pathlib import Path

from fairtrial.base.locations import STDOUT
from fairtrial.base.problem import Problem, status_of_unwritten


def make_folder(folder: Path) -> None:
    """Make a folder for reports, and those above it, where they are missing.

    Raises:
        Problem: it cannot be made, or something else is there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(
            f"reports cannot be written to {folder}: {error.strerror}",
            "choose another folder with --out DIR",
            status_of_unwritten(error),
        ) from error


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step; its folder exists.

    Raises:
        Problem: it cannot be written.
    """
    try:
        write_atomically(path, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> Problem:
    """The problem of a file that could not be written. A folder on a full disk is writable all the same."""
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    remedy = "free space there" if is_full else "check that its folder is writable"
    reason = f"{path} cannot be written: {error.strerror}"
    return Problem(reason, f"{remedy}, or choose another folder", status_of_unwritten(error))


def write_output(path: Path, text: str) -> None:
    """`write_text`; where the path is `-`, to standard output, at once."""
    if path == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(path, text)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file in one step. What is no file, such as a device, is written as it is, and so is what a symbolic
    link points to: `/dev/stderr` is such a link, and may point to a file.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_text(text, encoding="utf-8")
        return
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
