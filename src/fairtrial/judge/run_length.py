"""How long a run was: the blocks that verdicts rest on, whether its time was over, and the level of its intervals.

All of it follows from the record, so that the lab, while it runs, and the judge, whenever it reads, say the same.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from fairtrial.judge.statistics.looks import LAST_SHARE, level_at, level_of_rest, looks_in_time
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.record.calibration import CEILING_STAGE
from fairtrial.record.model import ExperimentRecord, TrialRecord


def blocks_judged(record: ExperimentRecord, complete: int) -> int:
    """How many blocks verdicts rest on: those that are complete, but at least those after which the run could end."""
    return max(complete, record.possible_ends[0])


def as_timed(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> ExperimentRecord:
    """The record with the looks that its run had: planned from the clock, once the blocks before the first are over.

    No figure is looked at before. Until then, and where looks were not planned so, it is the record as it is.

    Args:
        trials: in the order in which they were tried.
    """
    first = record.experiment.first_blocks
    trials_before = sum(map(len, record.order[:first]))
    if not record.looks_from_clock or len(trials) < trials_before:
        return record
    return with_looks_in_time(record, seconds_of(trials[:trials_before]))


def with_looks_in_time(record: ExperimentRecord, elapsed_seconds: float) -> ExperimentRecord:
    """The record with the looks for which there is time, where the blocks before the first took `elapsed_seconds`."""
    within = record.decide_within_seconds
    if not record.looks_from_clock or within is None:
        return record
    first, most = record.experiment.first_blocks, len(record.order)
    looks = looks_in_time(first, most, elapsed_seconds, within, ends_in_time=record.ends_in_time)
    return record.model_copy(update={"looks": looks})


def seconds_of(trials: Sequence[TrialRecord]) -> float:
    """From the start of the first of these trials to the end of the last."""
    first, last = trials[0], trials[-1]
    first_start, last_start = datetime.fromisoformat(first.started_at), datetime.fromisoformat(last.started_at)
    of_last = sum(seconds for stage, seconds in last.stage_seconds.items() if stage != CEILING_STAGE)
    return (last_start - first_start).total_seconds() + of_last


def is_time_over(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> bool:
    """Whether a run that was given a time has used it up.

    If it is to end in time, that is so where another block, as long as those before on average, would end too late.

    Args:
        trials: in the order in which they were tried.
    """
    if record.decide_within_seconds is None or not trials:
        return False
    elapsed_seconds = seconds_of(trials)
    if record.ends_in_time:
        return elapsed_seconds * (1 + 1 / trials[-1].block) > record.decide_within_seconds
    return elapsed_seconds >= record.decide_within_seconds


def level_of(record: ExperimentRecord, complete: int, *, time_is_over: bool) -> float:
    """The level of each interval after so many complete blocks: see `statistics.looks`.

    Where the time ran out, between two looks or at one, there is no further look for which error would have to be
    kept: what the earlier ones have left is spent.
    """
    if not record.looks or complete < 1:
        return LEVEL
    last_share = LAST_SHARE if record.looks_from_clock else None
    if time_is_over or complete not in record.looks:
        earlier = [look for look in record.looks if look < complete]
        return level_of_rest(max(earlier, default=0), record.looks, last_share=last_share)
    return level_at(record.looks.index(complete) + 1, record.looks, last_share=last_share)


def is_cut_off(record: ExperimentRecord, complete: int, trial_count: int, stages: Collection[str]) -> bool:
    """Whether a run ended too early: interrupted, in the middle of a block, or before its first look."""
    if "interrupted" in stages:
        return True
    return complete < record.possible_ends[0] or trial_count != sum(map(len, record.order[:complete]))
