"""Few blocks may all have met one kind of start, where another is the typical one.

Of two kinds of starts the rarer one is all that n blocks meet in up to one run of 2^n, on either side: with five blocks
that is little more than a verdict may err, with three it is one run in eight. So verdicts of three or four blocks stand
only where starts that are half as fast again, or half as slow, would not turn them.
"""

from fairtrial.base.formatting import count
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.more_blocks import blocks_needed
from fairtrial.judge.claims.ruling import Ruling
from fairtrial.judge.statistics.estimate import Estimate, Resolution, at_resolution

BLOCKS_NEEDED = 5
APART = 0.5
"""How far apart two kinds are taken to be where only one was met, as a share of the faster: this project's choice."""


def with_another_kind(estimate: Estimate, size: float | None = None) -> Estimate:
    """The estimate of so few blocks with the interval that another kind of start allows; that of enough as it is.

    Args:
        size: of a difference, the larger of the two figures, in their unit; None: the estimate is a ratio or a figure.
    """
    if estimate.blocks >= BLOCKS_NEEDED:
        return estimate
    reach = APART if size is None else APART * size
    return at_resolution(estimate, Resolution(below=reach, above=reach), is_ratio=size is None)


def turned_by_another_kind(ruling: Ruling, beyond: Ruling, blocks: int, evidence: Evidence) -> Ruling:
    """The verdict, unless that of `with_another_kind` is another one."""
    if ruling.verdict in ("undecided", beyond.verdict):
        return ruling
    return Ruling(
        "undecided",
        f"{count(blocks, 'block')} may all have met one kind of start where another is the typical one, and one that "
        "is half as fast again would turn the verdict",
        f"{blocks_needed(evidence, BLOCKS_NEEDED)} would decide it.",
    )
