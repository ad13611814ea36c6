"""Loaded by Dask's scheduler (`distributed.scheduler.preload`): workers report rarely, as each report costs them time.

The scheduler tells each worker, in every answer, when to report next. It asks `heartbeat_interval` of its module for
it: twice a second with up to ten workers. That name is private, so a test holds that it is still the one that counts.
"""

from distributed import scheduler

from fairtrial.cluster.settings import HEARTBEAT_SECONDS


def _seconds_between_heartbeats(n: int) -> float:  # noqa: ARG001 Dask names it: the number of workers
    return HEARTBEAT_SECONDS


def dask_setup(_scheduler: object) -> None:
    """Called by Dask when its scheduler has started."""
    scheduler.heartbeat_interval = _seconds_between_heartbeats
