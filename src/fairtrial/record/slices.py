"""The slices of a trial: the moments in which its condition was measured, while those beside it were up and idle."""

from collections.abc import Collection
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.record.engine_summary import EngineSummary


class Slice(Strict):
    """One slice, kept or not."""

    round: int = Field(description="from 1; in each round every condition of the block has one slice")
    place: int = Field(description="in its round, from 1, as drawn")
    window_seconds: float
    verified: int
    errors: int
    server_cpu_seconds: float
    foreign_server_share: float = Field(
        description="of the server's processors: what was used by others than the lab (other guests of the machine "
        "included), and by the idle conditions"
    )
    foreign_engine_share: float = Field(description="of the load engine's processors: what others than the lab used")
    kept: bool = Field(description="whether the trial's figures rest on it: a round is kept or left out as a whole")


class WholeWindow(Strict):
    """One window at one go, after the slices, while the other conditions of the block were up and idle.

    Percentiles from p90 on and the longest times are read from it: slices bend them.
    """

    place: int = Field(description="among those of its block, from 1, as drawn")
    engine: EngineSummary
    foreign_server_share: float = Field(description="as of a slice")
    foreign_engine_share: float = Field(description="as of a slice")
    is_kept: bool = Field(
        description="whether figures rest on it, by the rule of the slices: all of a block are kept or none is"
    )


class Slicing(Strict):
    """All slices of one trial. Its figures are those of the kept ones, put together, but for its tails."""

    planned_rounds: int
    rule: Literal["quiet", "even"] = Field(
        description="quiet: the kept rounds are those in which others used little; even: there were too few of these, "
        "and those are kept in which others used about the same in each slice"
    )
    slices: list[Slice] = Field(default_factory=list)
    idle_seconds: float = Field(description="for which its server was up and idle, while others were measured or none")
    idle_cpu_seconds: float = Field(description="the processor time that its server used in that time")
    idle_service_cpu_seconds: float = Field(
        0.0,
        description="likewise its services and its upstream, which nobody else has; 0 in records from before it could "
        "have some",
    )
    beside: list[str] | None = Field(
        None, description="conditions that were up with it; null in older records: all of its block"
    )
    undrained: int = Field(
        0,
        description="requests that had no answer when what was under way at the end of a slice was awaited no longer, "
        "over all that were sent to its server; 0 in older records",
    )
    asked_slices: int = Field(
        0, description="slices of others in which its processes held a connection to the server that was measured"
    )
    askers: list[str] = Field(
        default_factory=list, description="conditions whose processes held a connection to its server in its slices"
    )
    tails_of_slices: bool = Field(
        True, description="whether tails are those of the slices, as in older records; else they are of `whole_window`"
    )
    whole_window: WholeWindow | None = Field(
        None, description="null where nobody asked for tails, where the block has no figures, and in older records"
    )

    @property
    def kept_rounds(self) -> int:
        """How many rounds were kept."""
        return sum(each.kept for each in self.slices)

    def is_beside(self, conditions: Collection[str]) -> bool:
        """Whether any of these conditions was up with it."""
        return self.beside is None or not set(self.beside).isdisjoint(conditions)

    @property
    def foreign_server_share(self) -> float:
        """The share of the server's processors that others used in the kept slices, over all their time; 0 without."""
        slices = [each for each in self.slices if each.kept]
        seconds = sum(each.window_seconds for each in slices)
        return sum(each.foreign_server_share * each.window_seconds for each in slices) / seconds if seconds > 0 else 0.0

    @property
    def foreign_share_of_tails(self) -> float | None:
        """The same share in the window from which its tails are read; None where that was left out."""
        whole = self.whole_window
        if whole is None:
            return self.foreign_server_share
        return whole.foreign_server_share if whole.is_kept else None

    @property
    def idle_processors(self) -> float:
        """How many processors its server used while it was idle."""
        return self.idle_cpu_seconds / self.idle_seconds if self.idle_seconds > 0 else 0.0

    @property
    def idle_service_processors(self) -> float:
        """How many processors its services and its upstream used while it was idle."""
        return self.idle_service_cpu_seconds / self.idle_seconds if self.idle_seconds > 0 else 0.0
