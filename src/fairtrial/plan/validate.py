"""A plan's refusals as a whole: things that exist and do not go together."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.catalog.services import pick_service, services
from fairtrial.catalog.services.common.external import url_given
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.workloads.model import DatabaseState, ProgramWorkload, Workload
from fairtrial.experiment.model import Experiment, ServiceOptions
from fairtrial.experiment.service_address import ServiceAddress
from fairtrial.experiment.slices import COMPARING
from fairtrial.experiment.sweep import assert_same_type
from fairtrial.experiment.value import Value, format_value
from fairtrial.judge.causes import validate_why
from fairtrial.judge.checks import validate_thresholds
from fairtrial.judge.claims import NamesAt, SentNames, validate_claim
from fairtrial.load.capacity import CapacityLoad
from fairtrial.plan.conditions import assert_condition
from fairtrial.plan.plan import Plan, Point


def assert_sound(plan: Plan, stacks: Mapping[str, Stack]) -> None:
    """Hold what a plan has resolved against each other.

    Args:
        stacks: all that there are, by name.

    Raises:
        Problem, ValueError: things do not go together, or a check, a threshold, a metric or a request does not exist.
    """
    experiment, workload = plan.experiment, plan.workload
    for point in plan.points:
        _assert_option_takes(experiment, point)
    for reference, condition in zip(experiment.condition_refs, plan.conditions, strict=False):
        assert_condition(condition, reference.stack, stacks)
    _assert_within_reach(plan)
    _assert_cache(experiment, workload)
    _assert_load(experiment, workload)
    _assert_sliceable(plan)
    _assert_reference(experiment, workload)
    for point in plan.points:
        for name, options in point.experiment.services.items():
            _assert_service_options(pick_service(name), options)
    validate_thresholds(experiment.checks)
    requests = request_names(plan.points)
    _assert_objectives(plan.points, requests)
    validate_why(experiment, requests)
    for claim in experiment.claims:
        validate_claim(claim, experiment, requests)


def _assert_load(experiment: Experiment, workload: Workload) -> None:
    """Raise a Problem unless the load is of the workload's kind: programs get no requests."""
    is_program = workload.kind == "program"
    if is_program != (experiment.load.kind == "program"):
        kind = "program" if is_program else "closed"
        reason = "is a job for programs" if is_program else "is asked of servers"
        raise Problem(f"workload {workload.name} {reason}", f'set `kind = "{kind}"` in [load]')


def _assert_reference(experiment: Experiment, workload: Workload) -> None:
    """Raise a Problem if answers are to be compared that the lab's own workloads define, or that differ by user."""
    if experiment.reference is None or workload.comparable is not None:
        return
    if workload.cookies is not None:
        raise Problem(
            f"reference: users of {workload.name} keep cookies, and each has answers of its own",
            "leave `reference` or `cookies` out",
        )
    if workload.journeys:
        raise Problem(
            f"reference: all requests of {workload.name} are steps of journeys, which send what each user was given",
            "leave `reference` out, or write a request without `journey`",
        )
    raise Problem(
        f"reference: what is right is defined by workload {workload.name} itself",
        "leave `reference` out: it is for workload files",
    )


def _assert_within_reach(plan: Plan) -> None:
    """Raise a Problem if a stack asks for a network of its own, from which something else that is tried is not reached.

    All trials of a run are in one network.
    """
    apart = next((each.stack.name for each in plan.conditions if each.stack.origin.network == "own"), None)
    if apart is not None and (outside := plan.beyond_reach):
        raise Problem(
            f"network: {apart} has a network of its own, from which {outside[0]} cannot be reached",
            "try them in experiments of their own, or leave `network` out",
        )


def _assert_sliceable(plan: Plan) -> None:
    """Raise a Problem if the conditions of an experiment with slices cannot be up at once and told apart."""
    if plan.experiment.slices is not None and (reason := why_not_sliceable(plan)) is not None:
        raise Problem(f"slices: {reason}", "leave `slices` out, or use --no-slices")


def why_not_sliceable(plan: Plan) -> str | None:
    """Why the conditions of the plan cannot be up at once and told apart; None: they can, as far as the plan tells."""
    experiment, workload = plan.experiment, plan.workload
    stacks = [condition.stack for condition in plan.conditions]
    ports = [stack.origin.port for stack in stacks if stack.origin.port is not None]
    running_stacks = [stack.name for stack in stacks if stack.origin.runs_already]
    alone = [claim.id for claim in experiment.claims if claim.kind not in COMPARING]
    if alone:
        return f"claim {alone[0]} is about a figure by itself, which needs a machine to itself"
    if running_stacks:
        return f"{running_stacks[0]} runs already, so that its processor time cannot be told from foreign load"
    if len(set(ports)) < len(ports):
        return f"two conditions always listen on port {ports[0]}, and cannot be up at once"
    if workload.journeys:
        return f"{workload.name} has journeys, which the end of a slice would cut off"
    if _has_commands(workload.state):
        return f"{workload.name} has a command as its reset or audit, which may be about what all contenders share"
    return None


def _has_commands(state: DatabaseState) -> bool:
    """Whether a reset or an audit of it is no SQL, which each contender's database would answer for itself."""
    by_command = state.reset is not None and state.reset_file is None
    return by_command or any(audit.sql is None for audit in state.audits.values())


def _assert_cache(experiment: Experiment, workload: Workload) -> None:
    """Raise a Problem unless the experiment has a cache where, and only where, the workload needs one."""
    allowed = workload.cache
    if allowed and experiment.cache not in allowed:
        raise Problem(
            f"workload {workload.name} needs a cache beside the database, and `cache` is {experiment.cache!r}",
            f"set `cache` to one of: {', '.join(allowed)}",
        )
    if experiment.cache and not allowed:
        raise Problem(f"workload {workload.name} has no cache", "leave `cache` out")


def _assert_service_options(service: Service, options: ServiceOptions) -> None:
    """Raise a Problem if the service has no such variant, cannot be given by URL, or has no network before it."""
    variants = ["default", *service.variants]
    if options.variant not in variants:
        raise Problem(
            f"[services.{service.name}] variant: there is no {options.variant!r}{instead_of(options.variant, variants)}"
        )
    if options.url_from is not None and not service.schemes:
        raise Problem(f"[services.{service.name}] url_from: this service cannot be given by URL", "leave it out")
    if options.address is not None:
        assert_address(service, options.address)
    if options.latency is not None and service.port is None:
        raise Problem(
            f"[services.{service.name}] latency: {service.title} is no server: between it and a stack there is no "
            "network that could take time",
            "leave it out, or choose a service that listens, such as postgresql",
        )


def assert_urls_given(plan: Plan) -> None:
    """Raise a Problem if the environment does not hold the URL of a server that runs already (`url_from`)."""
    for condition in plan.conditions:
        for service in (condition.service, plan.cache):
            options = None if service is None else condition.point.service_options(service)
            if service is not None and options is not None and options.url_from is not None:
                url_given(service, options.url_from)


def assert_address(service: Service, address: ServiceAddress) -> None:
    """Raise a Problem if the lab cannot start the service at an address and with a login that programs have."""
    if service.assert_address is None:
        able = ", ".join(each.name for each in services().values() if each.assert_address is not None)
        raise Problem(f"[services.{service.name}] address: {service.title} has no login to be told of; {able} have")
    try:
        service.assert_address(address)
    except Problem as problem:
        raise Problem(f"[services.{service.name}] {problem.reason}", problem.remedy) from None


def _assert_option_takes(experiment: Experiment, point: Point) -> None:
    """Raise a ValueError if the sweep is over an option of the workload that takes another type than the point's."""
    if experiment.sweep is None or point.value is None:
        return
    table, _, key = experiment.sweep.parameter.rpartition(".")
    if table == "options":
        try:
            assert_same_type(point.value, getattr(point.options, key))
        except ValueError as error:
            raise ValueError(f"sweep: options.{key} = {format_value(point.value)}: {error}") from None


def request_names(points: Sequence[Point]) -> NamesAt:
    """The workload's requests and journeys at each point. Its data are made only if a claim asks for the names."""
    by_value = {point.value: point for point in points}

    @cache
    def names(value: Value | None) -> SentNames:
        point = by_value[value]
        if isinstance(point.workload, ProgramWorkload):
            return SentNames()
        requests = point.workload.requests(point.data, point.options)
        return SentNames(list(dict.fromkeys(request.name for request in requests)), point.workload.journeys)

    return names


def _assert_objectives(points: Sequence[Point], requests: NamesAt) -> None:
    """Raise a Problem if an objective of a search for the capacity is of a request that is not sent."""
    for point in points:
        load = point.experiment.load
        names = [each.request for each in load.objectives if each.request] if isinstance(load, CapacityLoad) else []
        for name in names:
            names_sent = requests(point.value)
            if name not in (choices := names_sent.requests if names_sent is not None else ()):
                raise Problem(
                    f"load.objectives: {point.workload.name} sends no request {name!r}{instead_of(name, choices)}",
                    "leave `request` out, or choose one of these",
                )


def validate_claims(experiment: Experiment, file: Path, requests: NamesAt) -> None:
    """Hold the claims alone against what there is.

    Raises:
        Problem: a metric or a request does not exist, or does not fit the claim or the load; the reason begins with
            `file`.
    """
    try:
        for claim in experiment.claims:
            validate_claim(claim, experiment, requests)
    except ValueError as error:
        raise Problem(f"{file}: {error}", "see docs/claims.md") from error
