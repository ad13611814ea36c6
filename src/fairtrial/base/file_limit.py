"""The limit of open files: each connection is one at its server and one at the load engine."""

import resource
from contextlib import suppress

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem

OTHER_FILES = 64
"""Files that a process has open beside its connections: as the engine reckons (engine/src/coordinator/prepare.rs)."""


def allow_connections(connections: int) -> None:
    """Let processes that are started from now on hold so many connections: a common limit is 1,024 files.

    A limit that is high enough stays as it is.

    Raises:
        Problem: this user may not have as many files open.
    """
    files = connections + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < files:
        raise Problem(
            f"{connections:,} connections take {files:,} open files in one process, and {hard:,} are allowed here",
            f"raise the limit in the shell that runs Fairtrial, as root if need be: ulimit -n {max(files, 4096)}; "
            "or lower `connections`",
            NOTHING_RAN,
        )
    if soft != resource.RLIM_INFINITY and soft < files:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
