"""Which stacks a run tries, and whether everything that the experiment names exists."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.balancers import pick_balancer
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.stacks.find import pick_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.workloads import options_of, pick_workload
from fairtrial.catalog.workloads.model import ProgramWorkload, ServerWorkload, Workload
from fairtrial.experiment.files import with_stacks
from fairtrial.experiment.model import Experiment, ServiceOptions
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.sweep import assert_taken_as_given
from fairtrial.experiment.value import Value, shown
from fairtrial.judge.checks import validate_thresholds
from fairtrial.judge.claims import validate_claim
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS


def select_stacks(
    experiment: Experiment, known: Mapping[str, Stack], *, named: Sequence[str], own_folders: Sequence[Path]
) -> tuple[Experiment, list[str]]:
    """The experiment with the stacks to try, and the ids of claims left out with stacks that are not.

    `named` are the stacks to try and no others. Without them, those in `own_folders` that can do the experiment's
    workload on its service are tried beside the experiment's own.

    Raises:
        Problem: a name is not written as a stack is, or no stack in `own_folders` fits.
    """
    if named:
        return with_stacks(experiment, [_reference(name) for name in dict.fromkeys(named)])
    if not own_folders:
        return experiment, []
    parents = [folder.resolve() for folder in own_folders]
    own = [stack for stack in known.values() if {stack.folder, stack.folder.parent} & set(parents)]
    fitting = [stack for stack in own if _fits(experiment, stack, experiment.service)]
    if not fitting:
        raise Problem(
            f"no stack in {', '.join(map(str, own_folders))} implements workload {experiment.workload} on "
            f"{experiment.service}; there are: {', '.join(stack.name for stack in own)}",
            "add them to `workloads` and `services` of its stack.toml, or name stacks with --stack",
        )
    listed = {str(stack) for stack in experiment.stacks}
    added = [StackRef(name=stack.name) for stack in fitting if stack.name not in listed]
    return with_stacks(experiment, [*experiment.stacks, *added])


def validate(experiment: Experiment, known: Mapping[str, Stack], file: Path) -> None:
    """Hold every name in the experiment against what there is.

    Raises:
        Problem: a workload, service, stack, variant, check, threshold or metric does not exist, or a stack does not
            implement the workload on the service; the reason begins with `file`.
    """
    try:
        workload = pick_workload(experiment.workload)
        for value in experiment.points:
            _assert_options(experiment, workload, value)
        for reference in experiment.stacks:
            _assert_on(workload, pick_service(experiment.service_of(reference)).name)
            stack = pick_stack(known, reference)
            _assert_fits(experiment, reference, stack)
            _assert_env(experiment, reference, stack)
        _assert_cache(experiment, workload)
        _assert_load(experiment, workload)
        if experiment.balancer is not None:
            pick_balancer(experiment.balancer)
        for name, options in experiment.services.items():
            _assert_service_options(name, options)
        validate_thresholds(experiment.checks)
        _validate_claims(experiment)
    except Problem as problem:
        raise Problem(f"{file}: {problem.reason}", problem.remedy) from problem
    except ValueError as error:
        raise Problem(f"{file}: {error}", "see docs/experiments.md") from error


def validate_claims(experiment: Experiment, file: Path) -> None:
    """Hold the claims alone against what there is.

    Raises:
        Problem: as `validate`.
    """
    try:
        _validate_claims(experiment)
    except ValueError as error:
        raise Problem(f"{file}: {error}", "see docs/claims.md") from error


def _validate_claims(experiment: Experiment) -> None:
    for claim in experiment.claims:
        validate_claim(claim, experiment)


def assert_decidable(experiment: Experiment) -> None:
    """Whether a run of it can go on until its claims are decided.

    Raises:
        Problem: it has no claims, or too few blocks for a first look.
    """
    if not experiment.claims:
        raise Problem("--decide: the experiment has no claims", "leave --decide out, or write a claim")
    if experiment.blocks < MINIMUM_BLOCKS:
        raise Problem(
            f"--decide: {experiment.blocks} blocks carry no interval, and the first look is after them",
            f"plan at least {MINIMUM_BLOCKS} blocks",
        )


def _assert_options(experiment: Experiment, workload: Workload, value: Value | None) -> None:
    """The workload's own, at one value of the sweep."""
    options = options_of(workload, experiment.at(value).options)
    room, _, key = experiment.sweep.parameter.rpartition(".") if experiment.sweep is not None else ("", "", "")
    if room == "options" and value is not None:
        try:
            assert_taken_as_given(value, getattr(options, key))
        except ValueError as error:
            raise ValueError(f"sweep: options.{key} = {shown(value)}: {error}") from None


def _assert_on(workload: Workload, service: str) -> None:
    if service not in workload.services:
        raise Problem(
            f"workload {workload.name} is not defined on service {service}; it is on: {', '.join(workload.services)}",
            "set `service`, or write the stack as NAME@SERVICE",
        )


def _assert_load(experiment: Experiment, workload: Workload) -> None:
    is_job = isinstance(workload, ProgramWorkload)
    if is_job != (experiment.load.kind == "program"):
        kind = "program" if is_job else "closed"
        what = "is a job for programs" if is_job else "is asked of servers"
        raise Problem(f"workload {workload.name} {what}", f'set `kind = "{kind}"` in [load]')


def _assert_env(experiment: Experiment, reference: StackRef, stack: Stack) -> None:
    """What an experiment sets, no variant sets otherwise."""
    for one in map(experiment.at, experiment.points):
        for name in one.env.keys() & stack.variant(reference).env.keys():
            raise Problem(
                f"env.{name}: the variant {reference} sets it as well",
                "leave one of them out; `fairtrial list stacks` shows variants",
            )


def _assert_cache(experiment: Experiment, workload: Workload) -> None:
    caches = workload.cache if isinstance(workload, ServerWorkload) else ()
    if caches and experiment.cache not in caches:
        raise Problem(
            f"workload {workload.name} needs a cache beside the database, and `cache` is {experiment.cache!r}",
            f"set `cache` to one of: {', '.join(caches)}",
        )
    if experiment.cache and not caches:
        raise Problem(f"workload {workload.name} has no cache", "leave `cache` out")


def _assert_service_options(name: str, options: ServiceOptions) -> None:
    service = pick_service(name)
    if options.variant not in ("default", *service.variants):
        there_are = ", ".join(["default", *service.variants])
        raise Problem(f"[services.{name}] variant: there is no {options.variant!r}; there are: {there_are}")
    if options.url_from is not None and not service.schemes:
        raise Problem(f"[services.{name}] url_from: this service cannot be given by URL", "leave it out")


def _assert_fits(experiment: Experiment, reference: StackRef, stack: Stack) -> None:
    if not _fits(experiment, stack, experiment.service_of(reference)):
        raise Problem(
            f"stack {stack.name} does not implement workload {experiment.workload} on "
            f"{experiment.service_of(reference)}: it has "
            f"workloads {', '.join(stack.workloads)} and services {', '.join(stack.services)}",
            "choose another stack, or add to its stack.toml what it implements",
        )


def _reference(text: str) -> StackRef:
    try:
        return StackRef.model_validate(text)
    except ValueError as error:
        raise Problem(
            f"--stack {text}: not a stack's name", "write NAME, NAME:VARIANT or NAME:VARIANT@SERVICE"
        ) from error


def _fits(experiment: Experiment, stack: Stack, service: str) -> bool:
    is_job = isinstance(pick_workload(experiment.workload), ProgramWorkload)
    does = experiment.workload in stack.workloads and service in stack.services
    return does and is_job == (stack.kind == "program")
