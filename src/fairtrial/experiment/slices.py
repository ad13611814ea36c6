"""Slices: all conditions of a block are up at once, and are measured in turn, for a moment at a time.

What slows the machine for a second then slows the slices of one round alike, and a round in which others were at work
is left out. The rule for that is set before the run and looks at foreign load alone, never at a figure.
"""

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.load.kinds import Load

LEAST_ROUNDS = 3
"""A block with fewer that were kept has no figures: one round of a strange moment would be all that it rests on."""

SPARE_TIMES = 1
"""Rounds that each block has to spare: so many times the planned ones. Then it is left out, and another takes its
place."""

MOST_TOGETHER = 6
"""So many conditions at most are up at once: a round of them takes three seconds, for which a machine may be taken to
stay as it is. This project's choice."""

BUSY_PROCESSORS = 0.05
"""What a server that is asked nothing may use of one processor, before it is no fit company for others."""

CROWDED_BLOCKS = 2
"""So many blocks without figures at the begin say that slices do not fit what else this machine does."""

COMPARING = ("ratio", "order", "equal", "shape")
"""Kinds of claims that compare conditions within each block. A figure by itself needs a machine to itself."""

Shares = Sequence[tuple[float, float]]
"""Of one round: by slice, what others used of the server's and of the load engine's processors, 0 to 1."""

Rule = Literal["quiet", "even"]


class Slices(Strict):
    """`slices = { seconds = 0.4 }` of an experiment. With the defaults, planted differences of a tenth were found on a
    busy machine of two processors, and none between equals."""

    seconds: float = Field(
        0.4, ge=0.1, le=60, description="of one slice; a trial has as many as fill the load's duration_seconds"
    )
    server_share: float = Field(
        0.10, gt=0, le=1, description="of the server's processors: in a quiet round others use no more"
    )
    engine_share: float = Field(0.15, gt=0, le=1, description="of the load engine's processors, likewise")
    apart_share: float = Field(
        0.15, gt=0, le=1, description="in an even round, what others use differs by no more between its slices"
    )
    together: int = Field(
        MOST_TOGETHER,
        ge=1,
        le=64,
        description="so many conditions of a block are up at once at most, fewer where memory is short; if there are "
        "more, they are split into groups, and a claim has all that it compares in one group as far as that goes",
    )
    tails: bool = Field(
        False,
        description="whether each trial has a whole window for percentiles from p90 on and longest times, even if no "
        "claim is about these",
    )
    gives_way: bool = Field(
        False,
        description="whether the run goes on one after the other, in whole windows, when a server turns out to be busy "
        "while it is asked nothing, or when the first two blocks have too few rounds that could be kept; what was "
        "measured in slices then counts for nothing",
    )

    def rounds(self, load: Load) -> int:
        """How many rounds a block has: in each, every condition is measured for one slice."""
        return max(LEAST_ROUNDS, math.ceil((load.window_seconds or 0.0) / self.seconds - 1e-9))

    def selection(self, rounds: Sequence[Shares]) -> tuple[Rule, list[bool]]:
        """The rounds of a block on which its figures rest: the quiet ones, or, if they are fewer than LEAST_ROUNDS, the
        even ones. On a machine that is busy all the time, others take the same from all slices of an even round."""
        quiet = [all(self.is_quiet(server, engine) for server, engine in each) for each in rounds]
        if sum(quiet) >= LEAST_ROUNDS:
            return "quiet", quiet
        return "even", [self.is_even(each) for each in rounds]

    def is_quiet(self, server_share: float, engine_share: float) -> bool:
        """Whether others used little of the processors of either side in a slice."""
        return server_share <= self.server_share and engine_share <= self.engine_share

    def is_even(self, shares: Shares) -> bool:
        """Whether others used about the same in all slices of a round."""
        return all(max(side) - min(side) <= self.apart_share for side in zip(*shares, strict=True))

    def keeps_whole(self, windows: Shares, rule: Rule) -> bool:
        """Whether tails can rest on the whole windows of a block, by the rule of its rounds: all are quiet, or, where
        it rests on even rounds, others used about the same in all."""
        is_quiet = all(self.is_quiet(server, engine) for server, engine in windows)
        return is_quiet or (rule == "even" and self.is_even(windows))

    def goes_on(self, rounds: int, kept_rounds: int, planned: int) -> bool:
        """Whether a block has another round after so many `rounds`, of which `kept_rounds` were kept."""
        return rounds < planned or (kept_rounds < LEAST_ROUNDS and rounds < (1 + SPARE_TIMES) * planned)

    def describe(self) -> str:
        """The rule in words, as the end of a sentence."""
        return (
            f"others used at most {self.server_share:.0%} of the server's processors and {self.engine_share:.0%} of "
            f"the load engine's (quiet rounds), or, in a block with fewer than {LEAST_ROUNDS} of these, shares that "
            f"differ by at most {self.apart_share:.0%} between its slices (even rounds)"
        )
