"""When a run ends: at its last block, or at the look at which all claims are decided."""

import time
from collections.abc import Sequence
from typing import Protocol

from fairtrial.experiment.model import Experiment
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.looks import plan_looks
from fairtrial.record.model import ExperimentRecord, TrialRecord

MOST_FACTOR = 8
"""A run may grow to so many times its planned blocks: an interval about a third as wide."""


class End(Protocol):
    """Is asked after each block but the last."""

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Whether the run ends here, after these trials."""


class AtTheLastBlock:
    """A run of as many blocks as were planned."""

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """No."""
        del trials
        return False


class WhenDecided:
    """Ends at a look at which no claim is left that more blocks could decide, or when the time is over."""

    def __init__(self, record: ExperimentRecord, within_seconds: float) -> None:
        self._record = record
        self._ends_at = time.monotonic() + within_seconds

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Only from the first look on."""
        blocks = trials[-1].block
        if blocks < self._record.looks[0]:
            return False
        if time.monotonic() >= self._ends_at:
            return True
        if blocks not in self._record.looks:
            return False
        claims = judge(self._record, trials, interrupted=False).claims
        return not any(is_open(claim, blocks) for claim in claims)


def is_open(claim: ClaimResult, blocks: int) -> bool:
    """Whether more blocks could decide it: it is undecided, and no trial that it speaks of was refused or not run."""
    return claim.verdict == "undecided" and claim.blocks == blocks


def looks_of(experiment: Experiment) -> list[int]:
    """The numbers of blocks at which claims are judged, fixed before the first trial."""
    return plan_looks(experiment.blocks, MOST_FACTOR * experiment.blocks)
