"""Workload `task-creation`: a job for programs, as many tasks as asked that all exist at once.

What a task is, thread, goroutine, fiber or coroutine, is the contender's choice. Where they gather: `trial.gathering`.
"""

from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import ProgramWorkload, Work
from fairtrial.experiment.model import DatasetOptions


class Options(Strict):
    """`[options]` of task-creation."""

    tasks: int = Field(1000, ge=1, le=10_000_000)


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """Nothing."""
    return Data()


def environment(options: Options) -> Mapping[str, str]:
    """The job, in the words of docs/stack-contract.md."""
    return {"TASKS": str(options.tasks)}


WORKLOAD = ProgramWorkload(
    name="task-creation",
    title="tasks that all exist at once, by a program",
    services=("none",),
    options=Options,
    data=data,
    operations=lambda options: options.tasks,
    work=lambda _options: Work(tasks=1.0),
    task_barrier=True,
    environment=environment,
)
