"""The environment in which stacks are built and run, and the contract's variables in it."""

import os
from collections.abc import Mapping, Sequence

LABS_OWN = frozenset({"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUNBUFFERED"})
"""Variables about the Python that the lab runs on: a stack has its own."""

MAX_THREADS = 16
DB_POOL = 16


def stack_environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the user's environment without the lab's own Python, plus `settings`."""
    inherited = {name: value for name, value in os.environ.items() if name not in LABS_OWN}
    return inherited | dict(settings or {})


def stack_settings(
    server_cpus: Sequence[int], *, database_url: str = "", cache_url: str = "", upstream_url: str = ""
) -> dict[str, str]:
    """Return the contract's variables beside HOST and PORT.

    There is one process for each of the server's processors, and sixteen threads and database connections. Empty URLs
    are left out.
    """
    urls = {"DATABASE_URL": database_url, "CACHE_URL": cache_url, "UPSTREAM_URL": upstream_url}
    return {name: url for name, url in urls.items() if url} | {
        "WEB_CONCURRENCY": str(len(server_cpus)),
        "MAX_THREADS": str(MAX_THREADS),
        "DB_POOL": str(DB_POOL),
    }
