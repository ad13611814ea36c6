"""How many blocks would decide an undecided claim, how long they take, and by which option they are asked for."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.base.formatting import count
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import Windows
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.planning import MOST_BLOCKS, blocks_to_decide, window_to_decide
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS


@dataclass(frozen=True)
class Way:
    """A way in which more blocks may decide a claim: they narrow the interval of `estimate` until it holds none of
    `bounds`."""

    estimate: Estimate
    bounds: Sequence[float]
    level: float
    """of the interval that there is"""
    then: float
    """of the one that is to decide, in a run that looks once"""

    @property
    def blocks(self) -> int | None:
        """How many it takes; None: more than MOST_BLOCKS."""
        return blocks_to_decide(self.estimate, self.bounds, level=self.level, then=self.then)

    def window(self, windows: Windows) -> float | None:
        """How many times as long windows would do as well; None: none would."""
        return window_to_decide(self.estimate, self.bounds, windows.share, level=self.level, then=self.then)


def fewest_blocks(ways: Sequence[Way]) -> int | None:
    """How many blocks decide a claim in the first of the ways; None: more than MOST_BLOCKS in each."""
    return min((blocks for way in ways if (blocks := way.blocks) is not None), default=None)


def more_blocks(evidence: Evidence, ways: Sequence[Way], *, windows: Windows | None = None, proven: str = "") -> str:
    """A sentence for a claim that is undecided because its interval reaches over a bound.

    Args:
        ways: in which it may be decided, each by itself.
        windows: those that it rests on; None: nothing is known of them, and nothing said.
        proven: a sentence for where neither blocks nor windows would decide it: what today's interval decides.
    """
    if not any(way.estimate.interval for way in ways):
        return f"At least {MINIMUM_BLOCKS} blocks may decide it."
    blocks = fewest_blocks(ways)
    if blocks is None:
        words = f"Not even {MOST_BLOCKS} blocks would be sure to decide it if estimate and spread stayed as they are."
    else:
        blocks_text = blocks_needed(evidence, blocks)
        words = f"{blocks_text} would decide it in four of five runs if estimate and spread stayed as they are."
    if windows is not None:
        longer = min((each for way in ways if (each := way.window(windows)) is not None), default=None)
        would = "would decide it in four of five runs" if blocks is None else "would do as much"
        words = f"{words} {windows.in_words(longer, would)}".rstrip()
        if windows.help(longer):
            return words
    return f"{words} {proven}".rstrip() if blocks is None else words


def blocks_needed(evidence: Evidence, blocks: int) -> str:
    """``About 24 blocks (`--blocks 24`, about 6 minutes)``."""
    minutes = blocks * seconds_of_a_block(evidence) / 60
    lasting = f", about {count(max(1, round(minutes)), 'minute')}" if minutes else ""
    return f"About {blocks} blocks (`--blocks {blocks}`{lasting})"


def level_of_one_look(evidence: Evidence) -> float:
    """The level of a claim's interval in a run that looks once."""
    return 1 - (1 - LEVEL) / evidence.sharing


def seconds_of_a_block(evidence: Evidence) -> float:
    """How long a typical block's trials took; 0 where the record does not say."""
    by_block: dict[int, float] = defaultdict(float)
    for trial in evidence.trials:
        by_block[trial.block] += sum(trial.stage_seconds.values())
    return median(by_block.values()) if by_block else 0.0
