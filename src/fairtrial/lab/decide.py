"""When a run ends: after as many blocks as were planned, or at the look at which all claims are decided."""

from collections.abc import Sequence
from typing import Protocol

from fairtrial.judge.causes import PRECISION
from fairtrial.judge.discarded_blocks import blocks_given_up, is_any_refused_for_machine
from fairtrial.judge.judging import judge, spoiled_blocks
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.run_length import as_timed, is_time_over
from fairtrial.judge.statistics.causes import Causes
from fairtrial.record.model import ExperimentRecord, TrialRecord

EVENED_OUT = "unequal-foreign-load"
"""What others used beside one side and beside the other evens out over further blocks, if it came by chance."""


class RunEnd(Protocol):
    """Decides after each block but the last whether the run ends."""

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Whether the run ends here, after these trials."""


class WhenComplete:
    """Ends a run of a fixed number of blocks once so many are kept. Spare blocks replace those the machine spoiled.

    The rule looks at the machine alone (`judge.discarded_blocks`), and never at a figure.
    """

    def __init__(self, record: ExperimentRecord) -> None:
        self._record = record

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        """Whether the run ends after these trials; never before the last planned block."""
        planned, blocks = self._record.possible_ends[0], trials[-1].block
        if blocks < planned:
            return False
        # Seldom is anything of it found, and only then all else has to be judged.
        if not is_any_refused_for_machine(self._record, trials) and not blocks_given_up(self._record, trials):
            return True
        return blocks - len(spoiled_blocks(self._record, trials)) >= planned


class WhenDecided:
    """Ends at a look at which no claim is left that adds blocks, and that these could decide, and no share of a `[why]`
    that they could tell; at the last; or when the time is over."""

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
        blocks_in_claims = blocks - len(result.blocks_left_out)
        if result.causes is not None and needs_blocks(result.causes, blocks_in_claims, self._record.experiment.margin):
            return False
        adding = {claim.id for claim in self._record.experiment.claims if claim.adds_blocks}
        return not any(claim.id in adding and is_decidable(claim, blocks_in_claims) for claim in result.claims)


def is_decidable(claim: ClaimResult, blocks: int) -> bool:
    """Whether more blocks could decide the claim.

    It is undecided, no finding withholds its verdict for good, and it rests on all blocks but those that were left out
    because of the machine. Otherwise a contender has lost a block by what it did itself, which further blocks do not
    bring back. A property may still be refuted then: one trial in which it fails is enough.

    Args:
        blocks: that were tried and are not left out.
    """
    if any(finding.severity == "refusal" and finding.check != EVENED_OUT for finding in claim.findings):
        return False
    return claim.verdict == "undecided" and (claim.blocks == blocks or claim.kind == "property")


def needs_blocks(causes: Causes, blocks: int, margin: float) -> bool:
    """Whether more blocks could tell what the answer to a `[why]` does not: the shares, to `PRECISION`.

    Args:
        blocks: that were tried and are not left out.
        margin: what differs by less is equal, and there is nothing to divide.
    """
    if causes.ratio is None:
        return causes.withheld_by == EVENED_OUT
    is_equal = causes.interval is not None and 1 / (1 + margin) < causes.interval[0] <= causes.interval[1] < 1 + margin
    widest = causes.widest_share
    return causes.blocks == blocks and not is_equal and (widest is None or widest > PRECISION)
