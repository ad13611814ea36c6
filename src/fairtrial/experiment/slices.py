"""Slices: all conditions of a block are up at once, and are measured in turn, for a moment at a time.

What slows the machine for a second then slows the slices of one round alike, and a round in which others were at work
is left out. The rule for that is set before the run and looks at foreign load alone, never at a figure.
"""

import math
from typing import TYPE_CHECKING

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.experiment.loads import ClosedLoad, Load, OpenLoad

if TYPE_CHECKING:
    from fairtrial.experiment.model import Experiment

LEAST_ROUNDS = 3
"""A block with fewer that were kept has no figures: one round of a busy moment would be all that it rests on."""

WANTED_SHARE = 0.5
"""While fewer of a block's planned rounds than this share were kept, it goes on, for up to twice the planned ones."""

SPARE_TIMES = 2
"""Rounds to spare, for all blocks together: so many times the planned ones. A run lasts up to three times as long as on
a quiet machine, and then gives up."""


class Slices(Strict):
    """`slices = { seconds = 0.4 }` of an experiment. The defaults are those with which planted differences of 9% were
    found on a busy machine of two processors, and none between equals."""

    seconds: float = Field(
        0.4, ge=0.1, le=60, description="of one slice; a trial has as many as fill the load's duration_seconds"
    )
    server_share: float = Field(
        0.10, gt=0, le=1, description="of the server's processors: others may use so much in a round that is kept"
    )
    engine_share: float = Field(0.15, gt=0, le=1, description="of the load engine's processors, likewise")

    def rounds(self, load: ClosedLoad | OpenLoad) -> int:
        """How many rounds a block has: in each, every condition is measured for one slice."""
        return max(LEAST_ROUNDS, math.ceil(load.duration_seconds / self.seconds - 1e-9))

    def keeps(self, server_share: float, engine_share: float) -> bool:
        """Whether a slice is kept in which others used these shares of the processors of either side."""
        return server_share <= self.server_share and engine_share <= self.engine_share

    def goes_on(self, tried: int, kept: int, planned: int, spare: int) -> bool:
        """Whether a block has another round after `tried` rounds, of which `kept` were kept.

        Args:
            spare: how many rounds beyond the planned ones the run may still try.
        """
        wants = kept < LEAST_ROUNDS or (kept < WANTED_SHARE * planned and tried < 2 * planned)
        return tried < planned or (wants and spare > 0)

    def describe(self) -> str:
        """The rule in words, as the end of a sentence."""
        return (
            f"others used at most {self.server_share:.0%} of the server's processors and {self.engine_share:.0%} of "
            "the load engine's"
        )


SlicedLoad = ClosedLoad | OpenLoad


def sliced(load: Load) -> SlicedLoad:
    """The load of an experiment with slices, which is of one of two kinds."""
    assert isinstance(load, ClosedLoad | OpenLoad)
    return load


def why_not_sliced(experiment: "Experiment") -> str | None:
    """Why the conditions of an experiment cannot be up at once and measured in turn; None: they can be."""
    load = experiment.load
    services = {experiment.service_of(stack) for stack in experiment.stacks} | {experiment.cache or "none"}
    reasons = [
        (not isinstance(load, ClosedLoad | OpenLoad), f"a load of kind {load.kind} is a whole: it has no slices"),
        (isinstance(load, ClosedLoad | OpenLoad) and not load.keep_alive, "without keep-alive, ports run out"),
        (isinstance(load, ClosedLoad) and load.local_ports is not None, "local_ports are counted over one window"),
        (services != {"none"}, "the database would have the work of all conditions at once"),
        (experiment.sweep is not None, "a sweep has more conditions than can be up at once"),
        (experiment.placement != "disjoint", "on shared processors, foreign load cannot be told from the load engine"),
    ]
    return next((reason for applies, reason in reasons if applies), None)
