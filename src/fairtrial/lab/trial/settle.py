"""The database after the last answer: how long it goes on working, and what it writes.

A stack that acknowledges before it writes leaves work behind. The lab waits for it with the stack still up, so that the
work is seen and not cut off. Whether there may be any is decided by a check.
"""

import time

from fairtrial.catalog.services.model import RunningService
from fairtrial.engine.process_tree import cpu_seconds_below
from fairtrial.lab.meters.service import OnOtherHost
from fairtrial.record.database import Settle

LOOK_EVERY_SECONDS = 0.1
REST_SECONDS = 0.5
"""A service is at rest when it has used at most `REST_SHARE` of one processor for this long. The bursts of checkpoints
are further apart."""

REST_SHARE = 0.05


def settle(service: RunningService, writes_at_end: int | None, longest_seconds: float) -> Settle:
    """Wait until the service's processes are at rest, `longest_seconds` at most.

    Args:
        writes_at_end: the service's count of writing statements when the load had ended; None if it does not count.
    """
    if isinstance(service, OnOtherHost):
        return service.settle(writes_at_end, longest_seconds)
    began = time.monotonic()
    looks = [(began, _cpu_seconds(service))]
    at_rest = False
    while not at_rest and looks[-1][0] - began < longest_seconds:
        time.sleep(LOOK_EVERY_SECONDS)
        looks.append((time.monotonic(), _cpu_seconds(service)))
        earlier = [look for look in looks if looks[-1][0] - look[0] >= REST_SECONDS]
        if earlier:
            then, used = earlier[-1]
            at_rest = looks[-1][1] - used <= REST_SHARE * (looks[-1][0] - then)
    rest_began = max(began, looks[-1][0] - REST_SECONDS) if at_rest else looks[-1][0]
    writes = service.counters().get("writes")
    after = None if writes is None or writes_at_end is None else writes - writes_at_end
    return Settle(seconds=round(rest_began - began, 3), at_rest=at_rest, writes_after=after)


def _cpu_seconds(service: RunningService) -> float:
    return 0.0 if service.pid is None else sum(cpu_seconds_below(service.pid))
