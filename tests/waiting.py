"""Waits for what another process or thread does: no test sleeps for luck."""

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.005
LONGEST_PAUSE_SECONDS = 0.1
"""Many conditions look at all processes, which takes a processor some milliseconds that it has not for what is waited
for."""

Outcome = TypeVar("Outcome")


def wait_for(
    condition: Callable[[], Outcome | None], what: str, *, within_seconds: float = PATIENCE_SECONDS
) -> Outcome:
    """Wait until a condition holds, and return what it then gives.

    Args:
        what: is true by then; said where it is not.

    Raises:
        AssertionError: it does not hold in time.
    """
    deadline, pause = time.monotonic() + within_seconds, FIRST_PAUSE_SECONDS
    while not (outcome := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
    return outcome
