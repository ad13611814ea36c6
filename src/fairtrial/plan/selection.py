"""The stacks that a run tries: the experiment's own, those that the user names, or those in the user's folders."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.workloads import pick_workload
from fairtrial.experiment.changes import with_stacks
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.workload_file.read import names_file


def select_stacks(
    experiment: Experiment, stacks: Mapping[str, Stack], *, stack_names: Sequence[str], stack_folders: Sequence[Path]
) -> tuple[Experiment, list[str]]:
    """The experiment with the stacks to try, and the ids of claims that are left out with stacks that are not.

    Args:
        stacks: all stacks that there are, by name.
        stack_names: the stacks to try, and no others; empty: those of the experiment, and beside them those in
            `stack_folders` that implement its workload on its service.

    Raises:
        Problem: a name is not written as a stack is, or no stack in `stack_folders` fits.
    """
    if stack_names:
        stacks_to_try = [stack_reference(name, "--stack ") for name in dict.fromkeys(stack_names)]
    elif stack_folders:
        stacks_to_try = [*experiment.stacks, *_in_folders(experiment, stacks, stack_folders)]
    else:
        return experiment, []
    return with_stacks(experiment, stacks_to_try)


def _in_folders(experiment: Experiment, stacks: Mapping[str, Stack], stack_folders: Sequence[Path]) -> list[StackRef]:
    """The stacks in these folders that implement the experiment's workload on its service, beside its own."""
    workload = None if names_file(experiment.workload) else pick_workload(experiment.workload_name)
    parents = {folder.resolve() for folder in stack_folders}
    in_folders = [stack for stack in stacks.values() if {stack.folder, stack.folder.parent} & parents]
    fitting = [stack for stack in in_folders if stack.implements(workload, experiment.service)]
    if not fitting:
        raise Problem(
            f"no stack in {', '.join(map(str, stack_folders))} implements workload {experiment.workload_name} on "
            f"{experiment.service}; there are: {', '.join(stack.name for stack in in_folders)}",
            "add them to `workloads` and `services` of its stack.toml, or name stacks with --stack",
        )
    names = {str(stack) for stack in experiment.stacks}
    return [StackRef(name=stack.name) for stack in fitting if stack.name not in names]


def stack_reference(text: str, option: str = "") -> StackRef:
    """A stack as it is written on the command line, behind the words of its option.

    Raises:
        Problem: it is not written so.
    """
    try:
        return StackRef.model_validate(text)
    except ValueError as error:
        raise Problem(
            f"{option}{text}: not a stack's name", "write NAME, NAME:VARIANT or NAME:VARIANT@SERVICE"
        ) from error
