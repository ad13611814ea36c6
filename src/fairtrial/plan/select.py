"""Which stacks a run tries, and whether everything that the experiment names exists."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.checks import validate_thresholds
from fairtrial.claims import validate_claim
from fairtrial.experiment.load import with_stacks
from fairtrial.experiment.model import Experiment, StackRef
from fairtrial.problem import Problem
from fairtrial.services import pick_service
from fairtrial.stacks.find import pick_stack
from fairtrial.stacks.model import Stack
from fairtrial.workloads import pick_workload


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
    fitting = [stack for stack in own if _fits(experiment, stack)]
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
        pick_workload(experiment.workload)
        pick_service(experiment.service)
        for reference in experiment.stacks:
            _assert_fits(experiment, pick_stack(known, reference))
        validate_thresholds(experiment.checks)
        for claim in experiment.claims:
            validate_claim(claim)
    except Problem as problem:
        raise Problem(f"{file}: {problem.reason}", problem.remedy) from problem
    except ValueError as error:
        raise Problem(f"{file}: {error}", "see docs/experiments.md") from error


def _assert_fits(experiment: Experiment, stack: Stack) -> None:
    if not _fits(experiment, stack):
        raise Problem(
            f"stack {stack.name} does not implement workload {experiment.workload} on {experiment.service}: it has "
            f"workloads {', '.join(stack.workloads)} and services {', '.join(stack.services)}",
            "choose another stack, or add to its stack.toml what it implements",
        )


def _reference(text: str) -> StackRef:
    try:
        return StackRef.model_validate(text)
    except ValueError as error:
        raise Problem(f"--stack {text}: not a stack's name", "write NAME or NAME:VARIANT") from error


def _fits(experiment: Experiment, stack: Stack) -> bool:
    return experiment.workload in stack.workloads and experiment.service in stack.services
