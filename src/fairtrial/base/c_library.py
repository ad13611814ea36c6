"""Calls of the C library that Python 3.11 does not have."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)


def call(function: str, *arguments: int) -> None:
    """Call a function that returns 0 if it succeeded, and else sets errno.

    Raises:
        OSError: it failed.
    """
    if getattr(_libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
