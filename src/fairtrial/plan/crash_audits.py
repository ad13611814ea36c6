"""In which trials the database is killed: drawn from the system's randomness, so that no stack knows them before."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from secrets import randbelow

from fairtrial.experiment.model import CrashAudits

EACH_BLOCKS = 5
"""Of so many trials of a condition, one is drawn: with five blocks, the default, each condition has one."""


def draw_crash_audits(kind: CrashAudits, blocks: Sequence[Sequence[Hashable]], first_look: int) -> frozenset[int]:
    """The numbers of the trials, from 1, that the crash audit is tried in.

    Every condition has at least one of them before the first look, however many blocks there are.

    Args:
        blocks: per block, the conditions in the order in which they are tried.
        first_look: after how many blocks the run may end, at the earliest.
    """
    trials: dict[Hashable, list[int]] = defaultdict(list)
    for number, condition in enumerate((condition for block in blocks for condition in block), 1):
        trials[condition].append(number)
    if kind == "none":
        return frozenset()
    if kind == "all":
        return frozenset(number for numbers in trials.values() for number in numbers)
    apart = max(1, min(EACH_BLOCKS, first_look))
    # Of the last few, which are fewer than `apart`, none may be drawn: the share is the same for all trials.
    places = (
        (numbers, first + randbelow(apart)) for numbers in trials.values() for first in range(0, len(numbers), apart)
    )
    return frozenset(numbers[place] for numbers, place in places if place < len(numbers))
