"""A user namespace (user_namespaces(7)): a user without rights has those of root over what is made within it.

The user stays who it is: its number is the one that is known within, and files of others look like those of `nobody`.
Programs that are started there have no more rights than before. Only a process with a single thread can enter one, so
that a lab that needs it starts anew (`StartAgainWithin`).
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from fairtrial.base.namespaces import leave_for_new
from fairtrial.base.network_namespace import why_no_network_namespace
from fairtrial.base.problem import Problem, why_no_answer

CLONE_NEWUSER = 0x10000000
"""include/uapi/linux/sched.h"""
IS_TO_ENTER = "FAIRTRIAL_ENTERS_USER_NAMESPACE"
"""The variable by which a lab that starts anew knows that it is to enter one."""
DECIDED_WITHIN_SECONDS = 30.0
"""A matter of milliseconds, if the machine is not busy."""

SETTINGS_FOLDER = Path("/proc/sys")
SETTINGS = {
    "user.max_user_namespaces": ("0", "15000"),
    "kernel.unprivileged_userns_clone": ("0", "1"),
    "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),
}
"""By setting of the kernel: the value that forbids users such namespaces, and one that allows them. The first is of
namespaces(7); the second Debian's, and the third Ubuntu's since 23.10."""


class StartAgainWithin(Exception):
    """The command is to be started again in a user namespace. Only `main` may do so: it replaces this process."""


def why_no_network_namespace_within() -> str | None:
    """Why this user may not even make a network in a user namespace, in the kernel's words; None if it may.

    A process tries it, which ends at once. Root that lacks the right stays outside: within it could no longer give
    files to the users as whom it starts services.
    """
    if os.geteuid() == 0:
        return "root, without the right to make one"
    try:
        attempt = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            capture_output=True,
            text=True,
            check=False,
            timeout=DECIDED_WITHIN_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return why_no_answer(error)
    return attempt.stdout.strip() or None if attempt.returncode == 0 else "it could not be tried"


def how_to_be_allowed() -> str:
    """The remedy that lets users without rights make namespaces here: the setting that forbids it, where one does."""
    for name, (forbids, allows) in SETTINGS.items():
        try:
            value = SETTINGS_FOLDER.joinpath(*name.split(".")).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == forbids:
            return f"`sysctl -w {name}={allows}` as root, which is {value} here"
    return "user namespaces, which this machine or its container forbids (Docker's seccomp profile does)"


def enter_user_namespace() -> None:
    """Enter one, as the user who one is.

    Raises:
        OSError: the kernel forbids it, or this process has several threads.
    """
    user, group = os.geteuid(), os.getegid()
    leave_for_new(CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text, encoding="ascii")


def enter_if_started_again() -> None:
    """Enter one if this process was started for that (`start_again_within`).

    Raises:
        Problem: the kernel forbids it.
    """
    if os.environ.pop(IS_TO_ENTER, None) is None:
        return
    try:
        enter_user_namespace()
    except OSError as error:
        raise Problem(f"a user namespace: {error.strerror}", f"run as root, or allow: {how_to_be_allowed()}") from error


def start_again_within() -> NoReturn:
    """Replace this process by the same command, started in a user namespace: same process id, same arguments."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.environ[IS_TO_ENTER] = "1"
    # Without -P, modules in the working folder would stand in for Python's own.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "fairtrial", *sys.argv[1:]])  # noqa: S606


def _print_why_not() -> None:
    """The attempt, in a process of its own."""
    try:
        enter_user_namespace()
    except OSError as error:
        print(error.strerror)
    else:
        print(why_no_network_namespace() or "")


if __name__ == "__main__":
    _print_why_not()
