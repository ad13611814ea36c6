"""The rights that a stack needs beyond those of a program: for files, host names and a network of its own."""

import os
import tempfile
from pathlib import Path

from fairtrial.base.network_namespace import why_no_network_namespace
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.user_namespace import how_to_be_allowed
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.guard import Guarded, Places
from fairtrial.experiment.origins import StackOrigin

ENDS_WITHIN_SECONDS = 30.0
"""A command that does nothing."""
LONGEST_REASON = 300


def assert_rights(stack: Stack) -> None:
    """Try what the stack needs. Nothing is left of it.

    Raises:
        Problem: a right is missing; the remedy names it.
    """
    origin = stack.origin
    if origin.network == "own" and (why := why_no_network_namespace()) is not None:
        raise Problem(
            f'network: {stack.name} needs a network of its own, and this user may not make one: "{why}"',
            "let it listen on the address that the variable HOST says, and leave `network` out; or run as root (with "
            f"CAP_SYS_ADMIN and CAP_NET_ADMIN); or allow users their own: {how_to_be_allowed()}",
        )
    if origin.is_started_here and (origin.files or origin.hosts) and (why := _why_no_places(origin)) is not None:
        raise Problem(
            f"{'files' if origin.files else 'hosts'}: {stack.name} needs a mount namespace of its own: {why}",
            "run as root, or with the capability CAP_SYS_ADMIN; or let this machine allow user namespaces "
            "(user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)",
        )


def _why_no_places(origin: StackOrigin) -> str | None:
    """Why the guard may not give a program such places, in the guard's words; None if it may."""
    places = Places(
        files={"/.fairtrial": Path(os.devnull)} if origin.files else {},  # where there is no place yet: it takes most
        hosts={"localhost": "127.0.0.1"} if origin.hosts else {},
    )
    with (
        tempfile.TemporaryFile() as output,
        Guarded(["true"], folder=Path("/"), environment=os.environ, output=output, places=places) as nothing,
    ):
        if nothing.ends_within(ENDS_WITHIN_SECONDS) and nothing.status() == 0:
            return None
        output.seek(0)
        return printable(output.read(LONGEST_REASON).decode(errors="replace").strip(), LONGEST_REASON)
