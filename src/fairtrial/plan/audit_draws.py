"""The trials beside which an audit is tried, drawn from the system's randomness: no stack can tell which they are."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import chain, count
from secrets import choice, randbelow

from fairtrial.experiment.model import CrashAudits

EACH_BLOCKS = 5
"""Of so many trials of a condition, the crash audit is tried beside one at least: with five blocks, the default, each
condition has one."""

HOLDS_EACH_BLOCKS = 10
"""Of so many blocks, one has hold audits on average, and one before the first look: a start and half a load more for
each contender."""

DRAWN_OF = 10
"""Each trial is drawn for the crash audit once in so many times, whatever was drawn before: a stack that has seen a
crash is not safe from the next one. Where none of `EACH_BLOCKS` is drawn, one of them is."""


def draw_crash_audits(kind: CrashAudits, blocks: Sequence[Sequence[Hashable]], first_look: int) -> frozenset[int]:
    """The numbers of the trials, from 1, that the crash audit is tried in.

    Every condition has at least one of them before the first look, however many blocks there are.

    Args:
        blocks: per block, the conditions in the order in which they are tried.
        first_look: after how many blocks the run may end, at the earliest.
    """
    trials: dict[Hashable, list[int]] = defaultdict(list)
    for number, condition in enumerate(chain.from_iterable(blocks), 1):
        trials[condition].append(number)
    return frozenset(
        numbers[place]
        for numbers in trials.values()
        for stretch in _stretches(kind, len(numbers), min(EACH_BLOCKS, first_look))
        for place in [place for place in stretch if randbelow(DRAWN_OF) == 0] or [choice(stretch)]
        if place < len(numbers)
    )


def draw_hold_audits(kind: CrashAudits, blocks: Sequence[Sequence[Hashable]], first_look: int) -> frozenset[int]:
    """The numbers of the trials, from 1, that a hold audit belongs to: all of a block or none, as they are compared.

    One of the blocks before the first look is drawn, if these are no more than `HOLDS_EACH_BLOCKS`, and each later one
    once in so many times, whatever was drawn before.

    Args:
        blocks, first_look: as above.
    """
    numbers = count(1)
    trials = [[next(numbers) for _ in block] for block in blocks]
    first = range(min(HOLDS_EACH_BLOCKS, first_look, len(trials)))
    some = {choice(first), *(place for place in range(len(first), len(trials)) if randbelow(HOLDS_EACH_BLOCKS) == 0)}
    places = {"none": set(), "all": set(range(len(trials))), "some": some}[kind]
    return frozenset(number for place in places for number in trials[place])


def _stretches(kind: CrashAudits, trials: int, some_length: int) -> list[range]:
    """The stretches of a condition's trials, from 0, of each of which one at least is drawn: of `some_length`, or of
    one for all.

    The last one may reach beyond the end, and what is drawn there is nothing: the share is the same for all trials.
    """
    if kind == "none":
        return []
    length = 1 if kind == "all" else max(1, some_length)
    return [range(first, first + length) for first in range(0, trials, length)]
