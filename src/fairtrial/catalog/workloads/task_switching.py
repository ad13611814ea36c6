"""Workload `task-switching`: a job for programs, tasks in a ring that hand a token round.

Each task that gets the token makes one step of a chain that has no known shortcut. The lab draws the first token when
the program runs, so the last one shows that all steps were made: docs/workloads.md says what that does not show.
"""

from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.workloads.model import ProgramWorkload, Work, no_tables

SHIFT = 15
MULTIPLIER = 0x2C1B3C6D
"""Odd, so that no two tokens lead to the same one; below 2^30, so that a product stays below 2^62 and every language
here computes it in machine integers."""

LARGEST_TOKEN = 0xFFFFFFFF


class Options(Strict):
    """`[options]` of task-switching."""

    tasks: int = Field(100, ge=2, le=1_000_000, description="in the ring")
    switches: int = Field(100_000, ge=1, le=10_000_000, description="how often the token goes from a task to the next")


def last_token(options: Options, first: int) -> int:
    """The token after all steps. Step k, counted from 0, is made by task k mod `tasks`, which adds its own number."""
    token = first
    for step in range(options.switches):
        token = ((token ^ token >> SHIFT) * MULTIPLIER + step % options.tasks) & LARGEST_TOKEN
    return token


def environment(options: Options) -> Mapping[str, str]:
    """The job, as the variables of docs/stack-contract.md."""
    return {"TASKS": str(options.tasks), "SWITCHES": str(options.switches)}


WORKLOAD = ProgramWorkload(
    name="task-switching",
    title="tasks that hand a token round, by a program",
    services=("none",),
    options=Options,
    data=no_tables,
    operations=lambda options: options.switches,
    work=lambda options: Work(tasks=options.tasks / options.switches, steps=1.0),
    barrier_tasks=lambda options: options.tasks,
    last_token=last_token,
    environment=environment,
    check_options=[{"tasks": 10, "switches": 1000}],
)
