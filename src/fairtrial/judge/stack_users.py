"""Whose processes the stack of a condition was, over its trials."""

from collections.abc import Sequence

from fairtrial.record.model import TrialRecord
from fairtrial.record.stack_user import StackUser


def user_over(trials: Sequence[TrialRecord]) -> StackUser | None:
    """A user of its own if it was one in every trial, and held to its processors if it was in every trial.

    None: no trial says so, since no stack was started, or the record is older.
    """
    users = [trial.user for trial in trials if trial.user is not None]
    if not users:
        return None
    others = [user for user in users if not user.own]
    return others[0] if others else StackUser(own=True, held_to_cpus=all(user.held_to_cpus for user in users))
