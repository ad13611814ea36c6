"""Moves the calling thread, and what it then starts, into a namespace of its own (namespaces(7)), and back."""

from fairtrial.base.c_library import call


def leave_for_new(kind: int) -> None:
    """Move the calling thread into a new namespace, or give it what it shared with other threads.

    Args:
        kind: CLONE_NEW…, or what else unshare(2) takes (include/uapi/linux/sched.h).

    Raises:
        OSError: the rights for it are missing.
    """
    call("unshare", kind)  # os.unshare and os.setns came with Python 3.12


def enter(descriptor: int, kind: int) -> None:
    """Move the calling thread into the namespace that an open file of /proc/…/ns stands for.

    Raises:
        OSError: the rights for it are missing.
    """
    call("setns", descriptor, kind)
