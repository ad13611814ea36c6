"""Each of several load hosts in a run whose load they offered together."""

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.record.engine_summary import Distribution, EngineThread


class LoadHostAccount(Strict):
    """One load host's part of a run. The engine's summary of the trial is that of all parts together."""

    worker: str = Field(description="the address of its Dask worker")
    opened_after_seconds: float = Field(
        description="how long after the first host's window its own opened, by clocks that were compared before"
    )
    clock_ahead_seconds: float = Field(
        description="how far its clock was ahead of that of the lane's lab: its start was timed by it, and no figure is"
    )
    clock_error_seconds: float = Field(description="by how much that may be wrong")
    connections: int = Field(description="that it had of the load's")
    is_open: bool = Field(description="whether requests were due by a schedule")
    offered: int = Field(description="as in the engine's summary, like all that follows")
    sent: int
    answers: int
    verified: int
    failures: int
    window_seconds: float
    threads: list[EngineThread]
    response_time: Distribution

    def busiest_processor_share(self, processors: int) -> float:
        """The highest share of the window that its engine was at work on one of its `processors`, 0 to 1."""
        window = self.window_seconds
        shares = [thread.busy_seconds / window for thread in self.threads] if window > 0 else []
        apart = processors or len(shares)
        return max((sum(shares[cpu::apart]) for cpu in range(apart)), default=0.0)
