"""How many blocks a verdict rests on, and the level of its intervals, where a run may end before its last block."""

from collections.abc import Collection

from fairtrial.judge.statistics.looks import level_at
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.record.model import ExperimentRecord


def blocks_judged(record: ExperimentRecord, complete: int) -> int:
    """All that were planned; in a run with looks those that are complete, once the first look was reached."""
    if record.looks and complete >= record.looks[0]:
        return complete
    return record.looks[0] if record.looks else len(record.order)


def level_of(record: ExperimentRecord, complete: int) -> float:
    """The level of each interval after so many complete blocks: see `statistics.looks`.

    A number between two looks, where the time ran out, stands in the place of the look that it did not reach.
    """
    if not record.looks:
        return LEVEL
    reached = [look for look in record.looks if look < complete]
    beyond = [look for look in record.looks if look > complete]
    in_place = beyond if complete in record.looks or len(beyond) == 1 else beyond[1:]
    looks = [*reached, max(complete, 1), *in_place]
    return level_at(len(reached) + 1, looks)


def is_cut_off(record: ExperimentRecord, complete: int, tried: int, stages: Collection[str]) -> bool:
    """Whether a run ended before it was meant to: interrupted, in the middle of a block, or before its first look."""
    if "interrupted" in stages:
        return True
    if not record.looks:
        return tried < record.planned_trials
    return complete < record.looks[0] or tried != sum(map(len, record.order[:complete]))
