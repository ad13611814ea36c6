"""Whether several load hosts can share the loads of a plan: what only one generator can tell is refused beforehand."""

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.plan.plan import Plan, PlannedCondition

ONE_HOST = "use one load host: leave out --load-hosts"


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
    for condition in plan.conditions:
        reason, remedy = _why_not(condition, hosts, processors)
        if reason:
            raise Problem(f"{file}: {reason}", remedy, NOTHING_RAN)


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
    """What of the workload only one engine can do; empty if several can do everything.

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
