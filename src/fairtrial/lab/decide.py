"""When a run ends: after its last block, or at the look at which all claims are decided."""

from collections.abc import Sequence
from typing import Protocol

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.run_length import as_timed, is_time_over
from fairtrial.record.model import ExperimentRecord, TrialRecord


class RunEnd(Protocol):
    """Decides after each block but the last whether the run ends."""

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Whether the run ends here, after these trials."""


class AfterLastBlock:
    """The end of a run of as many blocks as were planned."""

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Return False: only the plan's last block ends the run."""
        del trials
        return False


class WhenDecided:
    """Ends at a look at which no claim is left that more blocks could decide, at the last, or when the time is over."""

    def __init__(self, record: ExperimentRecord) -> None:
        self._record = record

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Whether the run ends after these trials; never before the first look."""
        blocks = trials[-1].block
        looks = as_timed(self._record, trials).looks
        if blocks < looks[0]:
            return False
        if blocks >= looks[-1] or is_time_over(self._record, trials):
            return True
        if blocks not in looks:
            return False
        result = judge(self._record, trials, interrupted=False)
        kept = blocks - len(result.blocks_left_out)
        return not any(is_open(claim, kept) for claim in result.claims)


def is_open(claim: ClaimResult, blocks: int) -> bool:
    """Whether more blocks could decide the claim.

    It is undecided, and rests on all blocks but those that were left out because of the machine. Otherwise a contender
    has lost a block by what it did itself, which further blocks do not bring back. A property may still be refuted
    then: one trial in which it fails is enough.

    Args:
        blocks: that were tried and are not left out.
    """
    return claim.verdict == "undecided" and (claim.blocks == blocks or claim.kind == "property")
