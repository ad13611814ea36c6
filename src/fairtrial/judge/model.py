"""The result: what is written to `result.json`, shown in the terminal and drawn in the report.

The names here are a contract with everybody who scripts against the file; `result.schema.json` beside this file is
its JSON schema.
"""

from typing import Literal

from pydantic import Field

from fairtrial.checks.model import Severity
from fairtrial.experiment.model import Load, Strict
from fairtrial.record.calibration import Calibration
from fairtrial.record.model import DatasetIdentity, Host, Placement, ServiceIdentity, StackIdentity

Outcome = Literal["valid", "refused", "not run"]
VerdictWord = Literal["upheld", "refuted", "undecided"]


class Finding(Strict):
    """What a check found in a trial."""

    check: str
    severity: Severity
    evidence: str
    remedy: str


class Estimate(Strict):
    """A figure of a condition over its valid trials, one value a block."""

    estimate: float
    interval: tuple[float, float] | None = Field(description="95%, null with fewer than three blocks")
    blocks: int


class Goodput(Strict):
    """Verified answers, and nothing else, over the window."""

    per_second: float


class Times(Strict):
    """Percentiles of a trial's times; null where the sample does not support the percentile."""

    samples: int
    p50_seconds: float | None
    p99_seconds: float | None
    max_seconds: float | None


class ServerUse(Strict):
    """What the stack's whole process tree used."""

    cpu_seconds: float
    cpu_seconds_per_1000_requests: float | None
    peak_rss_bytes: int
    processes: int


class EngineUse(Strict):
    """What the load engine did and used itself: kept for refused trials too, since it is evidence."""

    driver: str
    window_seconds: float
    cpu_seconds: float = Field(description="of all threads, with what was spent awake for the next intended start")
    busiest_thread_share: float = Field(description="part of the window that the busiest thread worked, 0 to 1")
    in_flight_at_end: int
    checked_bodies: int


class TrialResult(Strict):
    """One trial. A figure that was refused or never measured is null, never zero."""

    index: int
    block: int
    outcome: Outcome
    reason: str | None = Field(description="why it is not valid")
    remedy: str | None = Field(description="what to do about the reason")
    goodput: Goodput | None
    response_time: Times | None
    service_time: Times | None
    errors: dict[str, int]
    findings: list[Finding]
    server: ServerUse | None
    engine: EngineUse | None
    log: str | None


class ConditionResult(Strict):
    """One row of the table. It is refused if any of its trials is: what is left would be a selection."""

    id: str
    contender: str = Field(description="the stack as the experiment names it: NAME, NAME:VARIANT, NAME@SERVICE")
    stack: str
    variant: str
    workload: str
    service: str
    load: Load
    outcome: Outcome
    reason: str | None
    figures: dict[str, Estimate | None] = Field(
        description="by key of a metric (fairtrial.judge.metrics), every key always present; null if refused, never "
        "measured, or not supported by every valid trial's sample"
    )
    trials: list[TrialResult]


class ClaimResult(Strict):
    """A claim and what became of it."""

    id: str
    text: str
    kind: str
    metric: str
    subject: str = Field(description="what was estimated, in words: `goodput of a / goodput of b`")
    at_least: float | None
    at_most: float | None
    verdict: VerdictWord
    estimate: float | None
    interval: tuple[float, float] | None = Field(description="95%, null with fewer than three blocks")
    blocks: int = Field(description="in which both sides are valid")
    published: float | None
    source: str | None
    sentence: str = Field(description="the sentence that a reader could quote")
    reason: str | None = Field(description="why it is undecided, if it is")


class Result(Strict):
    """The whole result of one experiment."""

    result_version: Literal[1] = 1
    fairtrial_version: str
    name: str
    title: str
    summary: str
    started_at: str
    interrupted: bool
    seed: int
    blocks_planned: int
    blocks_complete: int = Field(description="blocks in which every condition that could run was tried")
    host: Host
    placement: Placement
    services: list[ServiceIdentity]
    dataset: DatasetIdentity | None
    stacks: list[StackIdentity]
    calibrations: list[Calibration] = Field(
        description="what the load engine reached on this placement from a server that does nothing, by load"
    )
    conditions: list[ConditionResult]
    claims: list[ClaimResult]
    findings: list[Finding] = Field(description="about the experiment as a whole")
