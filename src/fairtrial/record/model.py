"""The models of `record.jsonl`: one line for the experiment and one for each trial.

A record holds observations only. Findings, outcomes, figures and verdicts are computed from it (`fairtrial.judge`), so
that a report can be rebuilt and a new check tried on an old record.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.experiment.model import Experiment, PlacementKind
from fairtrial.experiment.stack_class import PRODUCTION, StackClass
from fairtrial.experiment.value import Value
from fairtrial.load.kinds import Load
from fairtrial.record.calibration import BlockCeiling, Calibration
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.comparison import EqualAnswers, ReferenceRecord
from fairtrial.record.database import CrashAudit, Durability, Maintenance, Settle, StateAudit
from fairtrial.record.design import ConditionDesign
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.hold_audit import HoldAudit
from fairtrial.record.identity import DatasetIdentity, Host, ServiceIdentity, StackIdentity, WorkloadIdentity
from fairtrial.record.idle_connections import IdleConnections
from fairtrial.record.lanes import LaneHost, LaneRecord, SeparateRole
from fairtrial.record.load_hosts import LoadHostAccount
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.placement import IdleLimit, Placement
from fairtrial.record.processes import Readiness, ServerMeter, StackUser, Stop, StrayThreads
from fairtrial.record.proof import Audit, Freshness, ImpliedWork, KeysRead, Ledger, RowChangesSeen, WindowWork
from fairtrial.record.proxy import ProxyAccount
from fairtrial.record.slices import Slicing


class Condition(Strict):
    """One stack and variant, service, workload and load: what gets one row in the table."""

    id: str
    stack: str
    variant: str
    workload: str
    service: str
    stack_class: StackClass = Field(PRODUCTION, description="of the stack and variant; older records do not name it")
    load: Load
    distances: dict[str, str] = Field(
        default_factory=dict, description="by service, how far it is away from the stack, in words: `1 ms away`"
    )
    contender: str = Field(
        "", description="as the experiment names it: NAME, NAME:VARIANT, NAME@SERVICE, in a sweep with ` at VALUE`"
    )
    at: Value | None = Field(None, description="the sweep's value; null without a sweep")
    placement: PlacementKind = Field(
        "disjoint", description="shared: the load generator is put on the server's processors, as the experiment asks"
    )
    again: bool = Field(False, description="the second of a pair of equals, tried for the noise floor")

    @model_validator(mode="after")
    def _older_records(self) -> Self:
        if not self.contender:
            contender = self.stack if self.variant == "default" else f"{self.stack}:{self.variant}"
            object.__setattr__(self, "contender", contender)
        return self


class ExperimentRecord(Strict):
    """The first line of a record."""

    kind: Literal["experiment"] = "experiment"
    record_version: Literal[1] = 1
    fairtrial_version: str
    started_at: str = Field(description="RFC 3339, UTC")
    experiment: Experiment = Field(description="the experiment file with its defaults filled in")
    earlier_runs: int = Field(
        0,
        description="runs of an experiment of this name that the folder of results held already; 0 in older records",
    )
    conditions: list[Condition]
    order: list[list[str]] = Field(description="per block, condition ids in the order in which they were tried")
    spare_blocks: int = Field(
        0,
        description="of the blocks in `order`, so many at the end are tried only in the place of blocks that the "
        "machine spoiled; 0 with looks, and in records from before there were such",
    )
    looks: list[int] = Field(
        default_factory=list,
        description="numbers of blocks at which the run ends if all claims are decided; empty: at the last block only",
    )
    looks_from_clock: bool = Field(
        False,
        description="the looks are planned anew after the first of `looks`, before it is judged, for the time that "
        "there is (judge.run_length), and the last of them keeps most of the error; false: they are `looks`",
    )
    decide_within_seconds: float | None = Field(
        None,
        description="with looks, the run ends after the block in which so long has passed since its first trial began; "
        "null: it has no looks, or the record is from before this was kept",
    )
    ends_in_time: bool = Field(
        False,
        description="no block was begun that would have ended after `decide_within_seconds`, had it taken as long as "
        "those before on average; blocks before the first look always are",
    )
    host: Host
    placement: Placement
    own_network: bool = Field(
        False, description="all trials were run in a network namespace with nothing in it but loopback"
    )
    idle: IdleLimit | None = Field(None, description="null: a record from before the lab asked")
    stacks: list[StackIdentity] = Field(description="one for each build")
    services: list[ServiceIdentity] = Field(
        default_factory=list, description="those that were up, the cache among them"
    )
    dataset: DatasetIdentity | None = Field(
        description="null if nothing could be loaded, the workload has no rows of this kind, or a sweep decides them"
    )
    datasets: dict[str, DatasetIdentity] = Field(
        default_factory=dict, description="by condition id, where a sweep decides the rows; empty: they are the same"
    )
    implied_work: dict[str, ImpliedWork] = Field(
        default_factory=dict, description="by condition id; empty in records from before it was kept"
    )
    designs: dict[str, ConditionDesign] = Field(
        default_factory=dict,
        description="by condition id, what was known before the first trial; empty in older records",
    )
    own_workload: WorkloadIdentity | None = Field(
        None, description="the workload file; null: the workload is one of the lab's"
    )
    reference: ReferenceRecord | None = Field(None, description="null where answers are not compared with anyone's")
    engine_version: str
    calibrations: list[Calibration] = Field(
        default_factory=list,
        description="the engine against its own target, for each load before the first trial; of several lanes, of "
        "each load the one with the lowest ceiling",
    )
    lanes: list[LaneRecord] = Field(
        default_factory=list,
        description="the sets of hosts of a cluster on which blocks were tried; `host` and `placement` are those of "
        "the first; empty: all of it was this machine",
    )

    def dataset_of(self, condition: str) -> DatasetIdentity | None:
        """The rows with which the trials of this condition began; None if none were loaded, or generated."""
        return self.datasets.get(condition, self.dataset)

    def budget_of(self, condition: Condition) -> int:
        """How many requests the experiment lets this condition's stack work on at once, over all its processes."""
        sweep = self.experiment.sweep
        swept = sweep is not None and sweep.parameter == "concurrency_budget" and condition.at is not None
        return int(condition.at or 0) if swept else self.experiment.concurrency_budget

    def placement_of(self, trial: "TrialRecord") -> Placement:
        """The processors to which each role was bound in this trial."""
        kind: PlacementKind = next(
            (each.placement for each in self.conditions if each.id == trial.condition), "disjoint"
        )
        of_lane = next((each.placement for each in self.lanes if each.number == trial.lane), self.placement)
        return of_lane.of_kind(kind)

    def shares_processors(self, trial: "TrialRecord") -> bool:
        """Whether the database's processes had the processors of the stack in this trial."""
        if trial.service is None or self.host_of(trial, "service") is not None:
            return False
        placement = self.placement_of(trial)
        return not set(placement.cpus_of_services).isdisjoint(placement.server_cpus)

    def host_of(self, trial: "TrialRecord", role: SeparateRole) -> LaneHost | None:
        """The host on which this trial's services, or its balancer, were; None: the server's."""
        return next((host for host in self._hosts_of(trial) if role in host.roles), None)

    def is_servers_machine(self, trial: "TrialRecord", host: LaneHost) -> bool:
        """Whether a host of this trial's lane is the machine of the server as well."""
        return any("server" in each.roles and each.machine == host.machine for each in self._hosts_of(trial))

    def _hosts_of(self, trial: "TrialRecord") -> list[LaneHost]:
        return next((each.hosts for each in self.lanes if each.number == trial.lane), [])

    @property
    def possible_ends(self) -> list[int]:
        """Numbers of blocks after which the run may end, ascending."""
        return self.looks or list(range(len(self.order) - self.spare_blocks, len(self.order) + 1))

    def trials_until_possible_end(self, block: int) -> int:
        """How many trials there are up to the first possible end at `block` (from 1) or later."""
        until = next((end for end in self.possible_ends if end >= block), len(self.order))
        return sum(len(each) for each in self.order[:until])


class Clause(Strict):
    """One clause of the contract, tried on a running stack."""

    name: str
    requirement: str
    passed: bool
    evidence: str = Field(description="what was observed when it did not pass; printable")
    remedy: str = Field("", description="what helps, where the answer says it; printable")

    def with_texts(self, hidden: Callable[[str], str]) -> "Clause":
        """The same clause, with what it quotes as `hidden` gives it, which strips secrets."""
        return self.model_copy(update={"evidence": hidden(self.evidence), "remedy": hidden(self.remedy)})


class ProgramRun(Strict):
    """A program's run, timed from outside: the start of the program and of its runtime are included."""

    operations: int
    seconds: float
    exit_status: int

    @property
    def operations_per_second(self) -> float:
        return self.operations / self.seconds


FailureStage = Literal[
    "service", "requirements", "build", "reset", "start", "contract", "load", "crowded", "interrupted", "host"
]


class Failure(Strict):
    """Why a trial could not be carried out to its end."""

    stage: FailureStage
    reason: str
    remedy: str
    by_contender: bool = Field(
        False,
        description="of stage `start`: whether the stack itself failed, as it ended or was not ready in time while all "
        "that it needs ran; false in records from before that was told",
    )

    @classmethod
    def of(cls, stage: FailureStage, problem: Problem, *, by_contender: bool = False) -> Self:
        """The failure that a problem at this stage is."""
        return cls(stage=stage, reason=problem.reason, remedy=problem.remedy, by_contender=by_contender)


class TrialRecord(BaseModel):
    """One trial: a line of the record.

    It is made when the trial begins, and the lab fills it while the trial goes on. Once it is written, nothing changes
    it any more.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["trial"] = "trial"
    index: int = Field(description="from 1, in the order in which trials were tried")
    block: int = Field(description="from 1")
    condition: str = Field(description="a condition's id")
    build: int = Field(1, description="which build of the stack it ran, from 1")
    lane: int | None = Field(None, description="on which of the lanes it was tried; null: on the machine of the lab")
    started_at: str
    stage_seconds: dict[str, float] = Field(
        default_factory=dict, description="how long each stage took; the stage `ceiling` came before the trial started"
    )
    readiness: Readiness | None = Field(None, description="null for a program, and in older records")
    contract: list[Clause] = Field(default_factory=list, description="the clauses that were tried")
    ceiling: BlockCeiling | None = Field(
        None, description="of the load engine, before the trial's block; null where none was measured, in older records"
    )
    engine: EngineSummary | None = Field(None, description="of the window; null for a program")
    load_hosts: list[LoadHostAccount] = Field(
        default_factory=list,
        description="what each host did of the load that `engine` is the account of; empty where it came from one",
    )
    server: ServerMeter | None = Field(None, description="what the stack's processes used in the window")
    not_measured: str = Field(
        "", description="why the lab knows nothing of the stack's processes; empty: it started them itself"
    )
    exit_status: int | None = Field(None, description="the stack's, if it ended by itself while it was needed")
    stop: Stop | None = Field(None, description="how the stack ended when it was asked to")
    dataset_altered: bool = Field(False, description="whether the database differed after the trial")
    altered: str = Field(
        "",
        description="what of it differed, in words: `its rows`, unless the workload writes, settings, users, indexes, "
        "a system table by its name; empty: nothing, as far as the database tells, or an older record",
    )
    database_connections: int | None = Field(
        None,
        description="the most TCP connections that the stack's processes held to the database, looked at in the "
        "warm-up and when the window closed, through a proxy where there is one; null where it has none, and in "
        "records from before they were counted",
    )
    worked_connections: int | None = Field(
        None,
        description="of those the most on which more was sent than a driver that watches its server does; 0 where the "
        "kernel does not tell; null likewise, and in older records",
    )
    connections_past_proxies: dict[str, int] = Field(
        default_factory=dict,
        description="by service that a proxy stood before, the most TCP connections that the stack's processes held to "
        "the service itself, looked at in the same moments; empty in records from before they were counted",
    )
    idle_connections: IdleConnections | None = Field(
        None, description="those beside the load; null where it asks for none"
    )
    user: StackUser | None = Field(None, description="whose processes the stack's were; null in older records")
    stray_threads: StrayThreads | None = Field(
        None, description="threads of the stack that left its processors; null where its processes are not known"
    )
    service: ServerMeter | None = Field(None, description="what the database's processes used in the window")
    maintenance: dict[str, Maintenance] = Field(
        default_factory=dict,
        description="by service, what it did for itself in the window, or from the first slice to the last; those that "
        "tell nothing of it are missing, all in older records",
    )
    ledger: Ledger | None = Field(None, description="null where the service counts nothing")
    window_work: list[WindowWork] = Field(
        default_factory=list,
        description="of each measured window; of a search for the capacity those that confirm; empty in older records",
    )
    freshness: Freshness | None = Field(None, description="null where nothing was changed")
    row_changes: RowChangesSeen | None = Field(
        None, description="null where no rows changed under the load, and in older records"
    )
    keys_read: KeysRead | None = Field(
        None, description="null where the workload draws no keys, or the store does not tell, and in older records"
    )
    settle: Settle | None = Field(None, description="null for workloads that only read")
    slices: Slicing | None = Field(None, description="null where the trial was measured at one go")
    capacity: CapacitySearch | None = Field(None, description="null but for a load of kind capacity")
    program: ProgramRun | None = Field(None, description="of a program, which has no engine's summary")
    proxies: dict[str, ProxyAccount] = Field(
        default_factory=dict, description="by service, what the proxy before it did; empty where there was none"
    )
    audit: Audit | None = Field(None, description="null for workloads that store nothing")
    durability: Durability | None = Field(
        None, description="null for workloads that only read, and where the database does not tell"
    )
    crash: CrashAudit | None = Field(
        None,
        description="whether acknowledged writes outlived the death of the database, after the trial; null for "
        "workloads that only read or are a file, where the trial came to nothing, and in older records",
    )
    holds: HoldAudit | None = Field(
        None,
        description="whether answers came while database and upstream were held, under a load of its own; null for "
        "workloads whose answers need neither or that are a file, on SQLite, and in older records",
    )
    own_audits: list[StateAudit] = Field(
        default_factory=list, description="those of a workload file, in its order; empty where it has none"
    )
    equal_answers: EqualAnswers | None = Field(
        None, description="those of the load, compared with the reference's; null where none were"
    )
    machine: MachineMeter | None = Field(None, description="the machine in the window")
    service_machine: MachineMeter | None = Field(
        None, description="the service host in the window; null where services are on the server's host"
    )
    balancer: ServerMeter | None = Field(
        None, description="the balancer's processes, where it is on a host of its own; else they are part of `server`"
    )
    balancer_machine: MachineMeter | None = Field(
        None, description="the balancer host in the window; null where the balancer is on the server's host"
    )
    network: NetworkMeter | None = Field(None, description="TCP on it in the window")
    failure: Failure | None = Field(None, description="why the trial was not carried out to its end")
    log: str | None = Field(None, description="the stack's log, relative to the results folder")
    log_dropped_bytes: int = Field(0, description="how much of the log was cut off, because it came to too much")

    @property
    def tail_engine(self) -> EngineSummary | None:
        """The account of the window in which percentiles from p90 on and longest times were measured.

        It is that of the whole window of a trial in slices, and `engine` of any other; None: they were not measured.
        """
        if self.slices is None or self.slices.tails_of_slices:
            return self.engine
        return None if self.slices.whole_window is None else self.slices.whole_window.engine


def by_condition(trials: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The trials of each condition that has some, by its id, in the order of all of them."""
    grouped: dict[str, list[TrialRecord]] = defaultdict(list)
    for trial in trials:
        grouped[trial.condition].append(trial)
    return grouped


def foreign_share(trials: Iterable[TrialRecord], *, of_tails: bool = False) -> float:
    """The share of the server's processors that others used in the kept slices of these trials, or in the windows of
    their tails; 0 without slices."""
    slicings = [trial.slices for trial in trials if trial.slices is not None]
    shares = [each.foreign_share_of_tails if of_tails else each.foreign_server_share for each in slicings]
    shares_kept = [share for share in shares if share is not None]
    return fmean(shares_kept) if shares_kept else 0.0
