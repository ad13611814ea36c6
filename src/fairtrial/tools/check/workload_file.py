"""Stacks that are checked on a workload file, without an experiment."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.catalog.stacks.find import pick_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.load.closed import ClosedLoad
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan


def plan_on_file(
    stacks: Mapping[str, Stack], references: Sequence[StackRef], file: Path, service: str | None = None
) -> Plan:
    """The plan of one trial of each stack on a workload file.

    Args:
        known: all stacks that there are, by name.
        service: only this one; None: those that the file has `data` for, or none where it has no data.

    Raises:
        Problem: the file cannot be used, there is no such stack, or a stack names no such service.
    """
    source = read_workload_file(file)
    data = source.data
    services_of = {
        str(reference): [service] if service else _services(pick_stack(stacks, reference), data)
        for reference in references
    }
    alone = {name for names in services_of.values() for name in names}
    experiment = Experiment(
        name="check",
        title="check",
        workload=str(file.absolute()),
        service=min(alone),
        # Where there is a choice, messages say which service is meant.
        stacks=[
            reference if len(alone) == 1 else reference.model_copy(update={"service": each})
            for reference in references
            for each in services_of[str(reference)]
        ],
        blocks=1,
        load=ClosedLoad(http2=any(entry.grpc is not None for entry in source.requests.values())),
    )
    return make_plan(experiment, stacks, "fairtrial check")


def _services(stack: Stack, data: Mapping[str, object]) -> Sequence[str]:
    with_data = [each for each in stack.services if each in data]
    return with_data or (["none"] if "none" in stack.services else stack.services)
