"""Refuses, before anything starts, a plan that cannot be tried on lanes."""

from collections.abc import Sequence

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.plan.plan import Plan, PlannedCondition, Point
from fairtrial.record.lanes import SeparateRole

ONE_HOST = "use one load host: leave out --load-hosts"


def separate_roles(plan: Plan) -> list[SeparateRole]:
    """The roles for which there is something to bring up: neither a file in a stack's process, nor somebody else's."""
    roles: list[SeparateRole] = []
    if any(_is_brought_up(service, point) for service, point in _services(plan)):
        roles.append("service")
    if plan.balancer is not None:
        roles.append("balancer")
    return roles


def assert_separable(plan: Plan, file: str, roles: Sequence[SeparateRole]) -> None:
    """Require that what a plan has for these roles can be on hosts of its own.

    Args:
        file: what messages name as the experiment's origin.

    Raises:
        Problem: it cannot.
    """
    if roles and plan.experiment.slices is not None:
        reason = f"[slices] are measured by the meters of one machine, and there are hosts for {' and '.join(roles)}"
        raise Problem(f"{file}: {reason}", "start workers with the roles server and load alone", NOTHING_RAN)
    remedy = "give no worker the role service without server: services are on the server's host then"
    for service, point in _services(plan) if "service" in roles else ():
        if not _is_brought_up(service, point):
            continue
        if service.is_open:
            reason = f"{service.title} asks for no password, so whoever is on the network of its host could use it"
            raise Problem(f"{file}: {reason}", remedy, NOTHING_RAN)
        if point.service_options(service).address is not None:
            reason = f"[services.{service.name}.address] is one of the server's host, which stands in programs"
            raise Problem(f"{file}: {reason}", remedy, NOTHING_RAN)


def assert_shared(plan: Plan, file: str, hosts: int, processors: int) -> None:
    """Require that each load of a plan can be divided over so many load hosts, and judged as that of one.

    Args:
        file: what messages name as the experiment's origin.
        processors: that the engine has on each host.

    Raises:
        Problem: one cannot.
    """
    if hosts == 1:
        return
    if plan.experiment.slices is not None:
        raise Problem(f"{file}: [slices] are put together from windows of one load host", ONE_HOST, NOTHING_RAN)
    for condition in plan.conditions:
        reason, remedy = _why_not(condition, hosts, processors)
        if reason:
            raise Problem(f"{file}: {reason}", remedy, NOTHING_RAN)


def _services(plan: Plan) -> list[tuple[Service, Point]]:
    caches = [] if plan.cache is None else [(plan.cache, plan.points[0])]
    return [(condition.service, condition.point) for condition in plan.conditions] + caches


def _is_brought_up(service: Service, point: Point) -> bool:
    return service.port is not None and not point.service_options(service).url_from


def _why_not(condition: PlannedCondition, hosts: int, processors: int) -> tuple[str, str]:
    """Why its load cannot be shared, and the remedy; empty texts if it can."""
    load, workload = condition.load, condition.point.workload
    if not isinstance(workload, ServerWorkload):
        return f"workload {workload.name} is a program, to which no host sends a load", "leave out --load-hosts"
    each = f"{hosts} load hosts"
    if load.connections < hosts:
        have = "1 connection is" if load.connections == 1 else f"{load.connections} connections are"
        return f"{have} too few for {each}: each needs one", f"raise connections, or {ONE_HOST}"
    if load.threads is not None and (load.threads % hosts or load.threads > hosts * processors):
        return (
            f"threads = {load.threads} cannot be shared by {each} with {count(processors, 'processor')} each",
            f"leave out threads, set a multiple of {hosts} up to {hosts * processors}, or {ONE_HOST}",
        )
    generator = _one_generator(condition, workload)
    if generator:
        return f"workload {workload.name} needs one generator: {generator}", ONE_HOST
    return "", ""


def _one_generator(condition: PlannedCondition, workload: ServerWorkload) -> str:
    """The part of the workload that only one engine can do; empty if several can do everything.

    The engine refuses the same of a plan with a part: docs/engine-protocol.md, "Parts".
    """
    point = condition.point
    if any(request.expect.keep_bodies for request in workload.requests(point.data, point.options)):
        return "bodies that are held against a schema are kept by one"
    in_turn = [name for name, table in workload.given_rows.items() if table.pick.kind in ("sequential", "once")]
    if in_turn:
        return f"rows of {in_turn[0]} are taken in turn"
    if point.experiment.reference is not None:
        return "answers are compared with those of the reference by one"
    return ""
