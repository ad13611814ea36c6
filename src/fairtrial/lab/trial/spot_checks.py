"""Clauses of the contract that are tried under the load, too: the load engine sends their requests among its own.

They go over the load's connections, between two of its requests, with the same headers, and at drawn moments. Which
rows they ask for is drawn from the system's randomness. So no stack tells by connection, time or looks who asks; what
it can see is a path that the load does not ask for, which is why a stack serves it rightly or not at all.
"""

from collections.abc import Iterable, Sequence
from random import SystemRandom

from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.load.engine_terms import StopAfterSeconds
from fairtrial.plan.plan import Point

TIMES = 2
"""How often each clause is tried: once would leave it to one moment."""

SPOT_CHECKS_UNTIL = 0.95
"""Of the window, so that the last answer comes within it."""


NEVER_SECONDS = 86_400.0
"""After the window opened: no part of a window is as long."""


def with_spot_checks(
    plan: EnginePlan, workload: ServerWorkload, point: Point, headers: Sequence[tuple[str, str]]
) -> EnginePlan:
    """The plan of a run with the workload's spot_checks; the same where there are none, or its length is not known.

    Args:
        headers: what requests of the load without a body have.
    """
    if plan.reference is not None or not isinstance(plan.stop, StopAfterSeconds):
        return plan
    generator, until = SystemRandom(), SPOT_CHECKS_UNTIL * plan.stop.seconds
    requests: list[Request] = []
    for clause in workload.clauses:
        if clause.spot_check is not None:
            for _ in range(TIMES):
                spot_check = clause.spot_check(point.data, point.options)
                update = {"headers": list(headers), "spot_check_at_seconds": [generator.uniform(0, until)]}
                requests.append(spot_check.model_copy(update=update))
    return plan.model_copy(update={"requests": [*plan.requests, *requests]})


def in_part(requests: Iterable[Request], since: float, until: float) -> list[Request]:
    """The requests of one part of a window, with the moments of the spot checks that fall into it.

    The others are in it as well, at a moment that never comes: parts of one window have the same requests.

    Args:
        since: when it begins, in seconds from the begin of the whole; moments count from there in what is returned.
        until: when it ends.
    """
    latest = SPOT_CHECKS_UNTIL * (until - since)

    def within(request: Request) -> Request:
        moments = request.spot_check_at_seconds
        if not moments:
            return request
        due = [min(moment - since, latest) for moment in moments if since <= moment < until]
        return request.model_copy(update={"spot_check_at_seconds": due or [NEVER_SECONDS]})

    return [within(request) for request in requests]
