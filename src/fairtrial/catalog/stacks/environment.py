"""The environment in which stacks are built and run, and the contract's variables in it."""

import os
from collections.abc import Mapping
from math import ceil

LABS_OWN = frozenset({"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUNBUFFERED"})
"""Variables about the Python that the lab runs on: a stack has its own."""

OF_MAKE = frozenset({"MAKEFLAGS", "MFLAGS", "MAKELEVEL"})
"""Variables of a make that started the lab: they name a jobserver that is closed to stacks, of which rustc warns."""


def stack_environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the user's environment without the lab's own Python and the make around it, plus `settings`."""
    withheld = LABS_OWN | OF_MAKE
    inherited = {name: value for name, value in os.environ.items() if name not in withheld}
    return inherited | dict(settings or {})


def stack_settings(
    urls: Mapping[str, str], processors: int, concurrency: int, overrides: Mapping[str, str]
) -> dict[str, str]:
    """Return the contract's variables beside HOST and PORT, with `overrides` in place of the contract's own.

    There is a process for each processor, but no more processes than requests that may be worked on at once. Threads
    and connections are those of one process: `concurrency` is shared out over the processes, rounded up, whoever set
    the number of either.

    Args:
        urls: DATABASE_URL and the like; empty ones are left out.
        processors: those that the stack has to itself.
        concurrency: how many requests it may work on at once, over all its processes.
        overrides: variables that the experiment and the variant set.
    """
    most = _number(overrides, "MAX_CONCURRENCY", concurrency)
    processes = _number(overrides, "WEB_CONCURRENCY", min(processors, most))
    each = str(ceil(most / processes))
    return (
        {name: url for name, url in urls.items() if url}
        | {"MAX_CONCURRENCY": str(most), "WEB_CONCURRENCY": str(processes)}
        | {"MAX_THREADS": each, "DB_POOL": each, "UPSTREAM_POOL": each}
        | dict(overrides)
    )


def shares(total: int, count: int) -> list[int]:
    """Return `total` in `count` whole shares that differ by one at most, each of them at least 1: 5 in 3 is 2, 2, 1."""
    return [max(1, total // count + (place < total % count)) for place in range(count)]


def _number(variables: Mapping[str, str], name: str, default: int) -> int:
    """A variable that may hold anything, as a number of at least 1; otherwise the default."""
    text = variables.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else default
