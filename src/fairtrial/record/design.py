"""A condition before it is tried: how much it may do at once, and what its answers wait for."""

from pydantic import Field

from fairtrial.base.strict import Strict


class RequestWait(Strict):
    """Waiting times in the answer to one request, whoever answers."""

    request: str | None = Field(description="its name; null: all requests")
    share: float = Field(description="of all requests, 0 to 1")
    seconds: float = Field(description="delay, sleep and, of a constant latency, one round trip; 0: nothing is known")


class ConditionDesign(Strict):
    """The settings of a condition and its workload, as they are known before anything is started."""

    language: str = Field("", description="of the stack; empty: not known")
    processes: int = Field(1, description="WEB_CONCURRENCY, over all instances")
    at_once: dict[str, int] = Field(
        default_factory=dict,
        description="by variable of the contract (MAX_CONCURRENCY, MAX_THREADS, DB_POOL, UPSTREAM_POOL, CONCURRENCY), "
        "how much it allows at once over all processes, without what processes round up; empty: the lab sets none",
    )
    waits: list[RequestWait] = Field(default_factory=list, description="of each request; empty: none are known")
    least_job_seconds: float | None = Field(
        None, description="of a program's job: what waiting alone takes, or the trial is refused; null: no program"
    )
    least_job_seconds_as_set: float | None = Field(
        None, description="likewise, for a program that does no more at once than its settings allow"
    )
    operations: int | None = Field(None, description="of a program's job")
    has_journeys: bool = Field(False, description="whether an arrival may be several requests, one after the other")
    only_waits: bool = Field(False, description="whether each request, or operation, is a wait and nothing else")
    only_computes: bool = Field(
        False, description="whether what it does waits for nothing but processors: no sleep, call, latency or disk"
    )
