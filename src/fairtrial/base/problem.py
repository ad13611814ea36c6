"""The exception for every error that a user can fix: what is wrong, and what to do about it."""

import errno
import subprocess

from fairtrial.base.exit_status import NOTHING_RAN, WRONG_USE

OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""Errors that whatever is to be kept there would meet."""
OF_THE_MACHINE = (*OF_THE_DISK, errno.EACCES, errno.EPERM)


class Problem(Exception):
    """An error that the user can fix. The command line prints its reason and remedy, without a traceback.

    Args:
        reason: what is wrong, with the file, key or command it concerns; one line or a short paragraph.
        remedy: what to do, as an instruction; empty where the reason already says it.
        exit_status: exit status of a command that this error ends: one of `fairtrial.base.exit_status`.
    """

    def __init__(self, reason: str, remedy: str = "", exit_status: int = WRONG_USE) -> None:
        super().__init__(reason)
        self.exit_status = exit_status
        self.reason = reason
        self.remedy = remedy
        if remedy:
            self.add_note(f"remedy: {remedy}")  # for whoever reads a traceback, as in a notebook


def status_of_unwritten(error: OSError) -> int:
    """The exit status where something cannot be written: the machine refuses it, or the user named no such place."""
    return NOTHING_RAN if error.errno in OF_THE_MACHINE else WRONG_USE


def why_no_answer(error: OSError | subprocess.TimeoutExpired) -> str:
    """Why a program that was run has not ended, or could not be started, in words of the system."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"it did not end within {error.timeout:g} s"
