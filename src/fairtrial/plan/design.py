"""A plan's conditions before anything is built or started, as its design is examined by."""

from collections.abc import Mapping

from fairtrial.catalog.workloads.model import ProgramWorkload, ServerWorkload
from fairtrial.judge.design.model import Design
from fairtrial.plan.plan import Plan, PlannedCondition
from fairtrial.record.design import ConditionDesign, RequestWait

OF_SERVERS = ("MAX_CONCURRENCY", "MAX_THREADS")
OF_ALL_PROCESSES = ("MAX_CONCURRENCY", "CONCURRENCY")
"""The variables that are of all processes together; the others are of each."""


def design_of(plan: Plan, server_processors: int | None) -> Design:
    """The design of a plan.

    Args:
        server_processors: that stacks and services will have; None: not known before the run.
    """
    return Design(
        experiment=plan.experiment,
        conditions=[condition.recorded for condition in plan.conditions],
        facts=condition_designs(plan, server_processors or 1),
        server_processors=server_processors,
    )


def condition_designs(plan: Plan, server_processors: int) -> dict[str, ConditionDesign]:
    """By condition id, what is known of it before it is tried."""
    return {each.recorded.id: _design(plan, each, server_processors) for each in plan.conditions}


def _design(plan: Plan, condition: PlannedCondition, server_processors: int) -> ConditionDesign:
    point, workload = condition.point, condition.point.workload
    settings = [
        _numbers(condition.stack_settings({}, server_processors, instance))
        for instance in range(point.experiment.instances)
    ]
    is_told = not condition.stack.origin.runs_already
    job: dict[str, object] = {}
    if isinstance(workload, ProgramWorkload):
        job = {
            "least_job_seconds": workload.least_seconds(point.options),
            "least_job_seconds_as_set": workload.least_seconds(workload.options_under(point.options, settings[0])),
            "operations": workload.operations(point.options),
        }
    return ConditionDesign(
        language=condition.stack.language,
        processes=sum(each["WEB_CONCURRENCY"] for each in settings if "WEB_CONCURRENCY" in each) or 1,
        at_once=_at_once(condition, settings) if is_told else {},
        waits=_waits(condition, workload) if isinstance(workload, ServerWorkload) else [],
        has_journeys=bool(workload.journeys),
        only_waits=workload.only_waits(point.options),
        only_computes=_only_computes(plan, condition),
        **job,
    )


def _numbers(settings: Mapping[str, str]) -> dict[str, int]:
    """The variables that hold a number of at least 1."""
    return {name: int(text) for name, text in settings.items() if text.isascii() and text.isdigit() and int(text) > 0}


def _at_once(condition: PlannedCondition, settings: list[dict[str, int]]) -> dict[str, int]:
    """By variable that the condition has a use for, how much it allows over all instances and processes.

    A contender that only the experiment describes need not know the contract: of it only what somebody sets counts.
    """
    workload = condition.point.workload
    is_program = workload.kind == "program"
    names = [] if is_program else list(OF_SERVERS)
    if condition.service.name != "none":
        names.append("DB_POOL")
    if is_program:
        names.append("CONCURRENCY")
    elif workload.upstream is not None:
        names.append("UPSTREAM_POOL")
    return {
        name: sum(_of_instance(name, each, is_program, name not in condition.overrides) for each in settings)
        for name in names
        if all(name in each for each in settings) and (name in condition.overrides or not condition.stack.in_experiment)
    }


def _of_instance(name: str, settings: Mapping[str, int], is_program: bool, is_shared_out: bool) -> int:
    """How much a variable allows an instance: what somebody set is of each process, what the lab sets is shared out."""
    if is_program or name in OF_ALL_PROCESSES:
        return settings[name]
    if is_shared_out:
        return settings.get("MAX_CONCURRENCY", settings[name])
    return settings[name] * settings.get("WEB_CONCURRENCY", 1)


def _waits(condition: PlannedCondition, workload: ServerWorkload) -> list[RequestWait]:
    """The waits of its answers. Requests are listed only where some wait longer than others: that needs no data."""
    point = condition.point
    options = point.service_options(condition.service)
    work = workload.work(point.options)
    each_asks = max(work.reads, work.writes) >= 1
    is_constant = options.latency is not None and options.latency_distribution == "constant"
    round_trip = options.latency.value if options.latency is not None and is_constant and each_asks else 0.0
    waits = workload.least_answer_seconds(point.options)
    if not any(waits.values()):
        return [RequestWait(request=None, share=1.0, seconds=round_trip)] if round_trip else []
    requests = workload.requests(point.data, point.options)
    weights = sum(request.weight for request in requests)
    return [
        RequestWait(
            request=request.name, share=request.weight / weights, seconds=waits.get(request.name, 0.0) + round_trip
        )
        for request in requests
    ]


def _only_computes(plan: Plan, condition: PlannedCondition) -> bool:
    point, workload = condition.point, condition.point.workload
    services = [condition.service, *([plan.cache] if plan.cache is not None else [])]
    options = [point.service_options(service) for service in services]
    return (
        workload.kind == "server"
        and not workload.writes
        and workload.upstream is None
        and not any(workload.least_answer_seconds(point.options).values())
        and all(each.latency is None and each.url_from is None for each in options)
        and not condition.stack.origin.runs_already
        and not condition.stack.in_experiment
    )
