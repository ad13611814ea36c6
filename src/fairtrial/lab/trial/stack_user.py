"""The user that the stack of a trial is, and what it may share with the lab."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fairtrial.base.locations import cache_folder
from fairtrial.catalog.stacks.shared_with_stacks import share_embedded, share_with_stacks
from fairtrial.catalog.stacks.unprivileged_user import MOST_PROCESSES, RunsAs, as_lab, runs_as
from fairtrial.engine.held_to_cpus import is_held_to_cpus
from fairtrial.lab.trial.context import TrialContext


@contextmanager
def user_of_trial(context: TrialContext, shared: Sequence[Path] = (), tasks: int = 0) -> Iterator[RunsAs]:
    """The user that the stack of a trial is run as, which is put into the record.

    Args:
        shared: folders that it may enter, such as that of the task barrier.
        tasks: that its job makes it have at once.
    """
    if context.why_labs_user:
        context.record.user = as_lab(context.why_labs_user).recorded
        yield as_lab(context.why_labs_user)
        return
    most_processes = MOST_PROCESSES + tasks
    with runs_as(
        context.condition.stack, context.folder, hidden=[cache_folder()], most_processes=most_processes
    ) as user:
        if user.command is not None:
            for _, service in context.services:
                share_embedded(service.url)
            for folder in shared:
                share_with_stacks(folder)
        context.record.user = user.recorded
        yield user


def tell_whether_held(context: TrialContext, guard_pid: int) -> None:
    """Put into the record whether the kernel holds the stack below this guard to its processors."""
    user = context.record.user
    if user is not None and user.own:
        context.record.user = user.model_copy(update={"held_to_cpus": is_held_to_cpus(guard_pid)})
