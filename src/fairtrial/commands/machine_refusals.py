"""Refusals of the machine to the lab itself, and texts that are none: they are no fault of Fairtrial."""

import errno
from collections.abc import Iterator

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem

REMEDIES = {
    errno.EMFILE: "raise the limit of open files in the shell that runs Fairtrial: ulimit -n 4096",
    errno.ENFILE: "this machine has as many files open as its kernel allows: end programs, or raise fs.file-max",
    errno.ENOSPC: "free space there",
    errno.EDQUOT: "free space there: this user's quota is used up",
    errno.EROFS: "name a folder that can be written",
    errno.ENOMEM: "free memory, or raise the limit of the container or shell that runs Fairtrial",
    errno.EACCES: "see to the permissions there, or run Fairtrial as the user who has them",
    errno.EPERM: "see to the permissions there, or run Fairtrial as the user who has them",
    errno.EADDRNOTAVAIL: (
        "the lab talks to its servers over 127.0.0.1, which this host or container has to have: "
        "ip address add 127.0.0.1/8 dev lo"
    ),
}
NEEDS_PATH = (errno.EACCES, errno.EPERM)
"""Without the path of a file these say nothing that a user could see to."""
PROCESSES = "raise the limit of processes: ulimit -u in the shell, or pids.max of the container that runs Fairtrial"
NO_THREAD = "can't start new thread"
"""As CPython's threads say it: https://github.com/python/cpython/blob/3.11/Modules/_threadmodule.c."""
NO_TEXT = "surrogates not allowed"
"""As codecs and pydantic say it: bytes that Python could not decode are surrogates in its texts (PEP 383)."""


def refusal_by_machine(error: BaseException) -> Problem | None:
    """The problem that the user can mend, of an error that nobody handled; None if it is a fault of Fairtrial.

    A full disk, a limit, a permission, or bytes in an argument or in the name of a file that are no text. What a
    library raised because of such an error counts as well.
    """
    return next((problem for each in _causes(error) if (problem := _problem(each)) is not None), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and those because of which it was raised."""
    visited_ids: set[int] = set()
    while error is not None and id(error) not in visited_ids:
        visited_ids.add(id(error))
        yield error
        error = error.__cause__


def _problem(error: BaseException) -> Problem | None:
    if isinstance(error, OSError) and error.errno in REMEDIES:
        if error.errno in NEEDS_PATH and error.filename is None:
            return None
        where = "" if error.filename is None else f"{error.filename!s}: "
        return Problem(f"{where}{error.strerror}", REMEDIES[error.errno], NOTHING_RAN)
    if isinstance(error, BlockingIOError | RuntimeError) and (
        getattr(error, "errno", None) == errno.EAGAIN or str(error) == NO_THREAD
    ):
        return Problem("this machine lets the lab start no further process or thread", PROCESSES, NOTHING_RAN)
    if isinstance(error, ValueError) and NO_TEXT in str(error):
        text = error.object[max(0, error.start - 40) : error.end + 40] if isinstance(error, UnicodeEncodeError) else ""
        return Problem(
            f"{text!r} holds bytes that are no text"
            if text
            else "an argument or a file's name holds bytes that are no text",
            "write it in the encoding of this locale, or rename the file",
        )
    return None
