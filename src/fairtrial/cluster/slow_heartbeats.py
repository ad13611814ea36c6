"""Loaded by Dask's scheduler (`distributed.scheduler.preload`): workers report rarely, as each report costs them time.

The scheduler tells each worker, in every answer to a report, when to report next: twice a second with up to ten
workers. Its table of handlers is where that answer can be changed. A version of Dask that no longer says so leaves
workers as loud as they are: a test holds that this one is heard.
"""

from typing import Any

from fairtrial.cluster.settings import HEARTBEAT_SECONDS

REPORT, NEXT = "heartbeat_worker", "heartbeat-interval"
"""The operation of a report, and in its answer the seconds until the next one."""


def dask_setup(scheduler: Any) -> None:
    """Called by Dask when its scheduler has started."""
    answer = scheduler.handlers.get(REPORT)
    if answer is None:
        return

    def answer_rarely(**report: Any) -> Any:
        reply = answer(**report)
        return {**reply, NEXT: HEARTBEAT_SECONDS} if NEXT in reply else reply

    scheduler.handlers[REPORT] = answer_rarely
