"""Workload `task-creation`: a job for programs, creating tasks that all exist at the same time.

Whether a task is a thread, a goroutine, a fiber or a coroutine is the contender's choice. The tasks wait for each other
at the lab's barrier: docs/stack-contract.md, "Programs".
"""

from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.workloads.model import ProgramWorkload, Work, no_tables


class Options(Strict):
    """`[options]` of task-creation."""

    tasks: int = Field(1000, ge=1, le=10_000_000)


def environment(options: Options) -> Mapping[str, str]:
    """The job, as the variables of docs/stack-contract.md."""
    return {"TASKS": str(options.tasks)}


WORKLOAD = ProgramWorkload(
    name="task-creation",
    title="tasks that all exist at once, by a program",
    services=("none",),
    options=Options,
    data=no_tables,
    operations=lambda options: options.tasks,
    work=lambda _options: Work(tasks=1.0),
    barrier_tasks=lambda options: options.tasks,
    environment=environment,
    check_options=[{"tasks": 32}],  # there are threads with a heap of their own
)
