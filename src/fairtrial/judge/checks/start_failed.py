"""A contender that came up in some blocks and failed to in others: the trials that are left would be a selection."""

from collections import defaultdict
from collections.abc import Iterator

from fairtrial.base.printable import printable
from fairtrial.judge.checks.model import Case, Check, Finding
from fairtrial.record.model import TrialRecord

CHARACTERS_OF_REASON = 300


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each start that was the contender's to bring off and failed, if another of its condition did not.

    A condition that never came up has no figure that could be a selection: it was not run.
    """
    by_condition: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in case.trials:
        by_condition[trial.condition].append(trial)
    for trials in by_condition.values():
        came_up = sum(_came_up(trial) for trial in trials)
        failed = [trial for trial in trials if trial.failure is not None and trial.failure.by_contender]
        for trial in failed if came_up else ():
            assert trial.failure is not None
            reason = printable(trial.failure.reason, CHARACTERS_OF_REASON).rstrip(":")
            log = f"; its log is {trial.log}" if trial.log else ""
            yield case.finding(
                trial.index,
                "refusal",
                f"{len(failed)} of {len(failed) + came_up} starts failed, in this trial because {reason}{log}",
            )


def _came_up(trial: TrialRecord) -> bool:
    """Whether the stack was seen to be ready, whatever became of the trial then."""
    return trial.readiness is not None or trial.engine is not None


CHECK = Check(
    name="start-failed",
    looks_at="whether the stack ended before it was ready, or was not ready in time, in some trials of a condition and "
    "not in others",
    thresholds={},
    remedy="read the end of the stack's log, and mend what makes it fail at times; if it only takes longer at times, "
    "raise `ready_within_seconds` in its description",
    examine=examine,
)
