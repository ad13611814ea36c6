"""Whose processes the stacks were, in words."""

from fairtrial.judge.model import Result
from fairtrial.record.processes import StackUser

UNPRIVILEGED = "a user of its own"
ON_ITS_PROCESSORS = "held to its processors by the kernel"


def users_in_words(result: Result) -> list[str]:
    """A sentence for each kind of user, with its conditions; of all conditions, if they are of one kind."""
    kinds: dict[str, list[str]] = {}
    for condition in result.conditions:
        if condition.user is not None:
            kinds.setdefault(_in_words(condition.user), []).append(condition.contender)
    if len(kinds) == 1:
        return [f"each stack was {kind}" for kind in kinds]
    return [f"{', '.join(names)}: {kind}" for kind, names in kinds.items()]


def _in_words(user: StackUser) -> str:
    if user.own:
        return f"{UNPRIVILEGED}, {ON_ITS_PROCESSORS}" if user.held_to_cpus else UNPRIVILEGED
    return f"the user of the lab ({user.reason})"
