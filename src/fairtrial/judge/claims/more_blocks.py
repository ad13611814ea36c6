"""How many blocks would decide an undecided claim, how long they take, and by which option they are asked for."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from fairtrial.base.formatting import count
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import Windows
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.planning import MOST_BLOCKS, Margins, blocks_to_decide, window_to_decide
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS

MOST_MINUTES = 1440
"""That an experiment may take (experiment.model)."""


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
    margins: Margins | None = None
    """of a ratio that may be shown equal instead"""

    @property
    def blocks(self) -> int | None:
        """How many it takes; None: more than MOST_BLOCKS."""
        return blocks_to_decide(self.estimate, self.bounds, level=self.level, then=self.then, margins=self.margins)

    def window(self, windows: Windows) -> float | None:
        """How many times as long windows would do as well; None: none would."""
        targets = [(self.bounds, self.then)]
        if self.margins is not None and self.margins.low <= self.estimate.estimate <= self.margins.high:
            targets.append(((self.margins.low, self.margins.high), self.margins.then))
        return shortest(
            window_to_decide(self.estimate, bounds, windows.share, level=self.level, then=then)
            for bounds, then in targets
        )


Length = TypeVar("Length", int, float)


def shortest(lengths: Iterable[Length | None]) -> Length | None:
    """The least of those that are there; None: none is."""
    return min((length for length in lengths if length is not None), default=None)


def more_blocks(evidence: Evidence, ways: Sequence[Way], *, windows: Windows | None = None, proven: str = "") -> str:
    """A sentence for a claim that is undecided because its interval reaches over a bound.

    Args:
        ways: in which it may be decided, each by itself.
        windows: those that it rests on; None: nothing is known of them, and nothing said.
        proven: a sentence for where neither blocks nor windows would decide it: what today's interval decides.
    """
    if not any(way.estimate.interval for way in ways):
        return f"At least {MINIMUM_BLOCKS} blocks may decide it."
    blocks = shortest(way.blocks for way in ways)
    if blocks is None:
        words = f"Not even {MOST_BLOCKS} blocks would be sure to decide it if estimate and spread stayed as they are."
    else:
        blocks_text = blocks_needed(evidence, blocks)
        words = f"{blocks_text} would decide it in four of five runs if estimate and spread stayed as they are."
    if windows is not None:
        longer = shortest(way.window(windows) for way in ways)
        would = "would decide it in four of five runs" if blocks is None else "would do as much"
        words = f"{words} {windows.in_words(longer, would)}".rstrip()
        if windows.help(longer):
            return words
    return f"{words} {proven}".rstrip() if blocks is None else words


def blocks_needed(evidence: Evidence, blocks: int) -> str:
    """``About 6 minutes (`--minutes 6`, 24 blocks)``.

    ``About 24 blocks (`--blocks 24`)`` where it is not known how long they take, or that is more than a day.
    """
    minutes = math.ceil(blocks * seconds_of_a_block(evidence) / 60)
    if not 0 < minutes <= MOST_MINUTES:
        return f"About {blocks} blocks (`--blocks {blocks}`)"
    return f"About {count(minutes, 'minute')} (`--minutes {minutes}`, {count(blocks, 'block')})"


def level_of_one_look(evidence: Evidence) -> float:
    """The level of a claim's interval in a run that looks once."""
    return 1 - (1 - LEVEL) / evidence.sharing


def seconds_of_a_block(evidence: Evidence) -> float:
    """How long a typical block's trials took; 0 where the record does not say."""
    by_block: dict[int, float] = defaultdict(float)
    for trial in evidence.trials:
        by_block[trial.block] += sum(trial.stage_seconds.values())
    return median(by_block.values()) if by_block else 0.0
