"""The result: what is written to `result.json`, shown in the terminal and drawn in the report.

The names here are a contract with everybody who scripts against the file. Its JSON schema is `result.schema.json`
beside this file; `python -m fairtrial.judge.model` writes it again.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from fairtrial.base.document import Document, schema_text
from fairtrial.base.strict import Strict
from fairtrial.base.units import Unit
from fairtrial.experiment.claims import ClaimsJudged
from fairtrial.experiment.stack_class import PRODUCTION, StackClass
from fairtrial.experiment.value import Value
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.statistics.causes import Causes
from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.load.engine_terms import Wait
from fairtrial.load.kinds import Load
from fairtrial.record.calibration import Calibration
from fairtrial.record.identity import DatasetIdentity, Host, ServiceIdentity, StackIdentity
from fairtrial.record.lanes import LaneHost
from fairtrial.record.placement import IdleLimit, Placement
from fairtrial.record.processes import MemoryKind, StackUser

SCHEMA = Path(__file__).with_name("result.schema.json")

Outcome = Literal["valid", "refused", "not run"]


class Goodput(Strict):
    """The rate of verified answers over the window."""

    per_second: float


class Times(Strict):
    """Percentiles of a trial's times; null where the sample does not support the percentile."""

    samples: int
    p50_seconds: float | None
    p99_seconds: float | None
    max_seconds: float | None
    at_least_seconds: float | None = Field(
        None,
        description="a figure at or above it is a lower bound of the true one, since it falls among requests whose end "
        "nobody awaited; null: all are exact",
    )


class ServerUse(Strict):
    """Resources that the stack's whole process tree used."""

    cpu_seconds: float
    cpu_seconds_per_1000_requests: float | None
    peak_rss_bytes: int
    processes: int
    memory_kind: MemoryKind = Field(MemoryKind.RESIDENT, description="how its memory was read")


class EngineUse(Strict):
    """The load engine's work, and what it used itself. It is kept for refused trials too, as evidence."""

    driver: str
    wait: Wait | None = Field(None, description="what it did while it awaited answers; null in older records")
    window_seconds: float
    cpu_seconds: float = Field(description="of all threads, including the time spent waiting awake")
    busiest_thread_share: float = Field(description="share of the window in which the busiest thread worked, 0 to 1")
    busiest_processor_share: float = Field(
        description="share of the window in which the engine worked on its busiest processor: above that of the "
        "busiest "
        "thread where threads share processors"
    )
    in_flight_at_end: int
    checked_bodies: int
    addresses: list[str] = Field(
        default_factory=list, description="the server's, over which connections took turns; empty in older records"
    )


class TrialResult(Strict):
    """One trial. A figure that was refused or never measured is null, never zero."""

    index: int
    block: int
    lane: int | None = Field(None, description="on which of `lanes` it was tried; null: on the machine of the lab")
    outcome: Outcome
    reason: str | None = Field(description="why it is not valid")
    remedy: str | None = Field(description="what to do about the reason")
    goodput: Goodput | None
    response_time: Times | None
    service_time: Times | None
    errors: dict[str, int]
    findings: list[Finding]
    server: ServerUse | None
    not_measured: str = Field("", description="why nothing is known of the stack's processes; empty: it is")
    engine: EngineUse | None
    log: str | None


class LaneResult(Strict):
    """A set of hosts of a cluster, and what was tried on them."""

    number: int = Field(description="from 1")
    hosts: list[LaneHost]
    placement: Placement
    blocks: list[int] = Field(description="whose trials were tried on it")


class Scatter(Strict):
    """Where the variance of a trial's goodput comes from, on the logarithm: docs/statistics.md."""

    spread: float = Field(description="standard deviation of one trial's goodput, as a share of it")
    builds: float | None = Field(None, description="share of the variance that is between builds; null with one build")
    starts: float = Field(description="share that is between fresh starts of a build")
    window: float = Field(description="share that a longer window would average away")


class RequestResult(Strict):
    """One request of a condition's mix, or one kind of journey."""

    name: str
    figures: dict[str, Estimate | None] = Field(
        description="as the condition's, by key of a metric that is measured by request or journey; every key is there"
    )


LimitKind = Literal[
    "stack-processors",
    "database-processors",
    "shared-processors",
    "single-threads",
    "own-concurrency",
    "one-connection",
    "objective",
    "program",
    "load",
    "rate",
    "budget",
    "job",
    "engine",
    "not-known",
    "not-examined",
]
"""The causes that may limit a figure: docs/checks.md, "What limits a figure"."""


class Limit(Strict):
    """The limit of a condition's goodput. Where it is not the contender's own, the contender can do as much or more."""

    kind: LimitKind
    is_own: bool = Field(description="whether the contender was at a limit of its own, or nobody could look")
    evidence: str
    remedy: str = Field("", description="what lets the contender reach a limit of its own; empty: it is at one")
    shared_with: list[str] = Field(
        [], description="whose work takes a tenth or more of what its processors did: `its upstream`, `other processes`"
    )
    at_once: float | None = Field(
        None, description="requests that waited at once, where the limit is how many the contender lets wait"
    )


class ConditionResult(Strict):
    """One row of the table. It is refused if any of its trials is: the others alone would be a selection."""

    id: str
    contender: str = Field(
        description="as the experiment names it: NAME, NAME:VARIANT, NAME@SERVICE, in a sweep with ` at VALUE`"
    )
    stack: str
    variant: str
    workload: str
    service: str
    stack_class: StackClass = Field(
        PRODUCTION, description="what it may be ranked with: docs/stack-contract.md, Classes"
    )
    load: Load
    distances: dict[str, str] = Field(
        default_factory=dict, description="by service, how far it is away from the stack, in words: `1 ms away`"
    )
    at: Value | None = Field(None, description="the sweep's value; null without a sweep")
    outcome: Outcome
    reason: str | None
    work_proven: bool | None = Field(
        None,
        description="whether the work that an answer implies was counted by somebody else than the stack; false: it "
        "was not, as on SQLite, and the figures are those of verified answers alone; null: none is implied or measured",
    )
    user: StackUser | None = Field(
        None, description="whose processes the stack's were in its trials; null: nothing was started, or not recorded"
    )
    rank: tuple[int, int] | None = Field(
        None,
        description="the best and worst rank by goodput that it can have among the valid conditions of its class at "
        "the same value of the sweep; at the level of the result for all of them together",
    )
    limit: Limit | None = Field(None, description="what limited its goodput; null: it has no valid trial")
    tie_groups: str = Field("", description="conditions that share a letter are not proven to differ in goodput")
    scatter: Scatter | None = Field(None, description="null if it cannot be computed: short windows, refused trials")
    figures: dict[str, Estimate | None] = Field(
        description="by key of a metric (fairtrial.judge.metrics), every key always present; null if refused, never "
        "measured, or not supported by every valid trial's sample"
    )
    requests: list[RequestResult] = Field(
        default_factory=list,
        description="the requests of a mix of two to sixteen, in its order; empty if there is one alone, or no figure",
    )
    journeys: list[RequestResult] = Field(default_factory=list, description="each kind of journey, in its order")
    trials: list[TrialResult]


class ClaimResult(Strict):
    """A claim and its verdict."""

    id: str
    text: str
    kind: str
    metric: str | None = Field(description="null for a property")
    request: str | None = Field(None, description="the request of the mix that the metric is of; null: of all requests")
    subject: str = Field(description="what was estimated, in words: `goodput of a / goodput of b`")
    asked: str = Field(description="what the claim asks of it, in words: `at least 2`")
    unit: Unit | None = Field(
        None,
        description="in which estimate, interval and bounds are written for people; the numbers of this file are in "
        "its base unit. null: they have none, as ratios",
    )
    at_least: float | None
    at_most: float | None
    margin: float | None = Field(
        None, description="the share within which both sides are equal; null: equality is no answer to the claim"
    )
    verdict: Verdict
    estimate: float | None
    interval: tuple[float, float] | None = Field(description="at `level`; null below three blocks")
    level: float | None = Field(
        None,
        description="of the interval: 0.95, more where blocks were added while claims were undecided or claims share "
        "the error, less of an equality; null without one",
    )
    estimate_is_lower_bound: bool = Field(
        False, description="the true estimate may be higher: it falls among times whose end nobody awaited"
    )
    interval_open_above: bool = Field(False, description="the true upper end of the interval may be higher, likewise")
    blocks: int = Field(description="the number of blocks in which all conditions of the claim are valid")
    published: float | str | None
    source: str | None
    sentence: str = Field(description="the sentence that a reader could quote")
    ending: str = Field("", description="of the sentence, what would decide the claim, or overturn its verdict")
    remarks: list[str] = Field(
        default_factory=list, description="of the sentence, what is known beside figure and verdict"
    )
    reason: str | None = Field(description="why it is undecided, or which difference is left of an equal one")
    stack_classes: dict[str, StackClass] = Field(
        default_factory=dict, description="the class of each stack that it compares, where they are of different ones"
    )
    findings: list[Finding] = Field(
        default_factory=list, description="about this claim: a refusal withholds its verdict, a note stands beside it"
    )


class NoiseFloor(Strict):
    """One stack tried under two names: the goodput of the second divided by that of the first."""

    contender: str
    estimate: float | None = Field(description="null if a trial of either is not valid")
    interval: tuple[float, float] | None
    blocks: int
    difference_found: bool | None = Field(description="whether the interval excludes 1; null without an interval")


class Scaling(Strict):
    """The Universal Scalability Law fitted to a curve: docs/statistics.md. Parameters are null where it was refused."""

    single_per_second: Estimate | None = Field(None, description="lambda: goodput at 1")
    contention: Estimate | None = Field(None, description="sigma, 0 to 1")
    coherency: Estimate | None = Field(None, description="kappa")
    peak: Estimate | None = Field(
        None, description="where goodput is highest; null if not within the sweep. Its interval is null if open above"
    )
    miss: float | None = Field(None, description="root mean square of the relative residuals")
    refused: str | None = Field(None, description="why there is no fit")


class Curve(Strict):
    """Goodput of one stack along the sweep, at the values where it is valid."""

    stack: str
    parameter: str
    title: str = Field(description="what the parameter is called: connections, DB POOL")
    at: list[Value] = Field(description="numbers, ascending; or categories in the file's order")
    goodput_per_second: list[Estimate | None]
    scaling: Scaling | None = Field(None, description="null where the sweep does not count workers or callers")


class CeilingSeries(Strict):
    """The load engine's ceiling before each block, for conditions whose loads have it in common."""

    conditions: list[str] = Field(description="their ids")
    per_second: dict[int, float] = Field(description="by block")


ClaimsStated = Literal["before", "after"]


class Result(Document):
    """The whole result of one experiment."""

    kind: Literal["fairtrial/result"] = Field("fairtrial/result", alias="schema")
    version: Literal[1] = 1
    fairtrial_version: str
    name: str
    title: str
    summary: str
    started_at: str
    interrupted: bool
    seed: int
    blocks_planned: int = Field(description="those that verdicts rest on, with blocks that are left out")
    blocks_complete: int = Field(description="blocks in which every condition that could run was tried")
    blocks_left_out: list[int] = Field(
        default_factory=list,
        description="the blocks that no figure and no verdict rests on, for all conditions alike, as the machine "
        "spoiled a trial of them; blocks_complete counts them",
    )
    level: float = Field(
        0.95,
        description="of the claims' intervals: higher where blocks were added while undecided",
    )
    looks: list[int] = Field(
        default_factory=list,
        description="numbers of blocks after which claims were to be judged, planned from the clock before the first; "
        "empty: after the last block alone",
    )
    host: Host
    placement: Placement
    own_network: bool = Field(False, description="all trials were run in a network namespace of their own")
    lanes: list[LaneResult] = Field(
        default_factory=list,
        description="of a cluster; `host` and `placement` are those of the first; empty: all of it was one machine",
    )
    idle: IdleLimit | None = None
    services: list[ServiceIdentity]
    dataset: DatasetIdentity | None = Field(description="null if none was loaded, or a sweep decides the rows")
    datasets: dict[str, DatasetIdentity] = Field(
        default_factory=dict, description="by condition id, where a sweep decides the rows; else empty"
    )
    stacks: list[StackIdentity]
    calibrations: list[Calibration] = Field(
        description="by load, the rate that the load engine reached on this placement from a server that does nothing"
    )
    ceilings: list[CeilingSeries] = Field(
        default_factory=list,
        description="the same before each block, which shows how the machine changes; empty for older records",
    )
    conditions: list[ConditionResult]
    curves: list[Curve] = Field(default_factory=list, description="of a sweep")
    noise_floor: NoiseFloor | None = None
    causes: Causes | None = Field(
        None,
        description="the ratio of `[why]`, divided among its factors; null: it is not asked, or not tried as a whole",
    )
    claims_stated: ClaimsStated = Field(
        "before", description="before: with the run; after: by another file, when its figures could be seen"
    )
    claims_judged: ClaimsJudged = Field("each", description="whether `level` is that of each, or of all together")
    claims: list[ClaimResult]
    findings: list[Finding] = Field(description="about the experiment as a whole")


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(Result), encoding="utf-8")
