"""Synthetic records that read as a sentence.

    record = an_experiment("a", "b", blocks=5).claiming(of="a", to="b", at_least=2).record()
    trials = trials_of(record, a_trial().serving(4000))

A trial without further words is valid: 3 s, no errors, uniform picks, a contract that holds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from fairtrial.experiment.loads import ClosedLoad
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.value import Value
from fairtrial.plan.order import conditions_of
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.distribution import Distribution
from fairtrial.record.machine import MachineMeter, NetworkMeter, ProcessorUse
from fairtrial.record.model import (
    Audit,
    BodyBytes,
    Clause,
    DatasetIdentity,
    EngineSummary,
    EngineThread,
    Example,
    ExperimentRecord,
    Failure,
    Host,
    ImpliedWork,
    Picks,
    Placement,
    SecondOfSeries,
    ServerMeter,
    Settle,
    StackIdentity,
    Stop,
    TrialRecord,
)

ERROR_KINDS = [
    "refused",
    "reset",
    "closed",
    "timeout",
    "connect",
    "protocol",
    "status_1xx",
    "status_2xx",
    "status_3xx",
    "status_4xx",
    "status_5xx",
    "wrong_length",
    "wrong_header",
    "wrong_body",
]
PERCENTILES = {"50": 1.0, "75": 1.2, "90": 1.6, "95": 2.0, "99": 4.0, "99.9": 9.0, "99.99": 14.0}
ROWS = 1_000_000


@dataclass(frozen=True)
class ExperimentBuilder:
    """An experiment over `stacks`; every method gives a changed copy."""

    stacks: tuple[str, ...]
    blocks: int = 5
    seed: int = 7
    rows: int = ROWS
    gaps: float = 0.0
    disjoint: bool = True
    keep_alive: bool = True
    threads: int | None = None
    title: str = "Does the runtime decide how fast a random row is served?"
    summary: str = "One row at random of a million, from SQLite."
    claims: tuple[dict[str, Any], ...] = ()
    sweep: tuple[Value, ...] = ()
    swept: str = "load.connections"
    noise_floor: bool = False
    checks: dict[str, dict[str, float]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=lambda: {"--version": "1.2.3"})
    work: dict[str, float] = field(default_factory=lambda: {"reads": 1.0, "rows_read": 1.0})
    """what each answer implies, by the ledger's names"""

    def claiming(self, of: str, to: str, **more: Any) -> Self:
        """With a ratio claim; `more` are the claim's further keys."""
        number = len(self.claims) + 1
        claim = {"kind": "ratio", "id": f"claim-{number}", "text": f"{of} beats {to}", "of": of, "to": to} | more
        return replace(self, claims=(*self.claims, claim))

    def stating(self, kind: str, **keys: Any) -> Self:
        """With a claim of any kind."""
        number = len(self.claims) + 1
        claim = {"kind": kind, "id": f"claim-{number}", "text": f"a claim of kind {kind}"} | keys
        return replace(self, claims=(*self.claims, claim))

    def sweeping(self, *values: Value, parameter: str = "load.connections") -> Self:
        """Over these numbers of connections, or another parameter."""
        return replace(self, sweep=values, swept=parameter)

    def checking(self, check: str, **thresholds: float) -> Self:
        """With other thresholds for one check."""
        return replace(self, checks=self.checks | {check: thresholds})

    def sharing_processors(self) -> Self:
        """Placed on a machine with one processor."""
        return replace(self, disjoint=False)

    def but(self, **changes: Any) -> Self:
        """With other fields of this builder."""
        return replace(self, **changes)

    def record(self) -> ExperimentRecord:
        """The record's first line."""
        experiment = Experiment.model_validate(
            {
                "name": "synthetic",
                "title": self.title,
                "summary": self.summary,
                "workload": "random-item",
                "service": "sqlite",
                "stacks": list(self.stacks),
                "blocks": self.blocks,
                "seed": self.seed,
                "dataset": {"rows": self.rows, "seed": 1, "gaps": self.gaps},
                "load": {"kind": "closed", "connections": 16, "keep_alive": self.keep_alive, "threads": self.threads},
                "checks": self.checks,
                "claims": list(self.claims),
                "noise_floor": self.noise_floor,
                "sweep": {"parameter": self.swept, "values": list(self.sweep)} if self.sweep else None,
            }
        )
        conditions = conditions_of(experiment)
        return ExperimentRecord(
            fairtrial_version="0.1.0",
            started_at="2031-05-06T07:08:09Z",
            experiment=experiment,
            conditions=conditions,
            order=[[each.id for each in conditions] for _ in range(self.blocks)],
            host=Host(
                system="Debian GNU/Linux 12",
                kernel="6.1.0",
                cpu_model="A Processor @ 2.10GHz",
                cpus=2,
                memory_bytes=8 * 2**30,
                python="3.11.7",
            ),
            placement=Placement(load_cpus=[1] if self.disjoint else [0], server_cpus=[0], disjoint=self.disjoint),
            stacks=[
                StackIdentity(
                    name=name,
                    title=f"{name}, a stack",
                    language="Language",
                    framework="framework",
                    server="server",
                    concurrency="one event loop",
                    content_sha256="0123456789abcdef" * 4,
                    versions=self.versions,
                )
                for name in dict.fromkeys(each.stack for each in conditions)
            ],
            dataset=DatasetIdentity(
                name="items",
                sha256="fedcba9876543210" * 4,
                rows=self.rows,
                first_id=1,
                last_id=round(self.rows / (1 - self.gaps)),
            ),
            implied_work={each.id: ImpliedWork(per_answer=self.work) for each in conditions},
            engine_version="fairtrial-engine 0.1.0",
        )


def an_experiment(*stacks: str, blocks: int = 5) -> ExperimentBuilder:
    """An experiment over these stacks, `NAME` or `NAME:VARIANT`."""
    return ExperimentBuilder(stacks, blocks)


@dataclass(frozen=True)
class TrialBuilder:
    """One trial; every method gives a changed copy."""

    rate: float = 4000.0
    window: float = 3.0
    median_seconds: float | None = None
    """as the connections make it, if it is not said: Little's law holds"""
    connections: int = 16
    errors: dict[str, int] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    body: float = 230.0
    engine_cpu: float = 0.3
    """of each thread"""
    engine_threads: int = 1
    engine_spinning: float = 0.0
    server_cpu: float = 0.95
    rss: int = 64 * 2**20
    picks: Picks | None = None
    contract: tuple[Clause, ...] = (Clause(name="health", requirement="answers 200", passed=True, evidence=""),)
    exit_status: int | None = None
    forced: bool = False
    altered: bool = False
    interrupted: bool = False
    failure: Failure | None = None
    measured: bool = True
    audit: Audit | None = None
    capacity: CapacitySearch | None = None
    settle: Settle | None = None
    machine: MachineMeter | None = None
    network: NetworkMeter | None = None

    def serving(self, rate: float) -> Self:
        """So many verified answers a second."""
        return replace(self, rate=rate)

    def taking(self, median_seconds: float) -> Self:
        """Response times around this median."""
        return replace(self, median_seconds=median_seconds)

    def erring(self, **errors: int) -> Self:
        """With errors by kind."""
        return replace(self, errors=errors)

    def showing(self, excerpt: str, kind: str = "status_5xx", status: int | None = 500) -> Self:
        """With an example of a wrong answer."""
        return replace(self, examples=(Example(kind=kind, status=status, excerpt=excerpt),))

    def picking(self, picks: Picks) -> Self:
        """With these rows answered."""
        return replace(self, picks=picks)

    def breaking(self, clause: str, evidence: str = "it did not") -> Self:
        """With one clause of the contract broken."""
        return replace(self, contract=(Clause(name=clause, requirement="it must", passed=False, evidence=evidence),))

    def storing(self, **faults: int) -> Self:
        """With an audit that found so many faults of each kind."""
        told = [{"kind": kind, "count": count, "example": "{}"} for kind, count in faults.items()]
        return replace(self, audit=Audit.model_validate({"acknowledged": 12_000, "stored": 12_000, "faults": told}))

    def settling(self, seconds: float, writes_after: int = 0) -> Self:
        """With a database that was at work for so long after the last answer."""
        return replace(self, settle=Settle(seconds=seconds, at_rest=True, writes_after=writes_after))

    def on_machine(self, **changes: Any) -> Self:
        """On a calm machine, but for these fields of its meter."""
        return replace(self, machine=calm_machine(self.window).model_copy(update=changes))

    def on_network(self, **changes: Any) -> Self:
        """On a calm network, but for these fields of its meter."""
        return replace(self, network=calm_network().model_copy(update=changes))

    def failing(self, stage: str, reason: str, remedy: str = "mend it") -> Self:
        """Not carried out to its end; nothing measured."""
        failure = Failure.model_validate({"stage": stage, "reason": reason, "remedy": remedy})
        return replace(self, failure=failure, measured=False)

    def but(self, **changes: Any) -> Self:
        """With other fields of this builder."""
        return replace(self, **changes)

    def record(self, index: int = 1, block: int = 1, contender: str = "a") -> TrialRecord:
        """The record's line."""
        stack, _, variant = contender.partition(":")
        return TrialRecord(
            index=index,
            block=block,
            condition=f"{stack}/{variant or 'default'}/random-item/sqlite",
            started_at="2031-05-06T07:08:10Z",
            stage_seconds={"start": 0.2, "contract": 0.1, "load": 4.0},
            contract=list(self.contract) if self.measured else [],
            engine=self._summary() if self.measured else None,
            server=self._meter() if self.measured else None,
            exit_status=self.exit_status,
            stop=Stop(seconds=5.2 if self.forced else 0.1, forced=self.forced) if self.measured else None,
            dataset_altered=self.altered,
            audit=self.audit,
            capacity=self.capacity,
            settle=self.settle,
            failure=self.failure,
            machine=self.machine,
            network=self.network,
            log=f"logs/trial-{index}.log",
        )

    def _meter(self) -> ServerMeter:
        return ServerMeter(
            window_seconds=self.window,
            cpu_user_seconds=self.server_cpu * self.window * 0.7,
            cpu_system_seconds=self.server_cpu * self.window * 0.3,
            peak_rss_bytes=self.rss,
            processes=1,
        )

    def _summary(self) -> EngineSummary:
        verified = round(self.rate * self.window)
        failed = sum(self.errors.values())
        wrong = sum(count for kind, count in self.errors.items() if kind.startswith(("status", "wrong")))
        seconds = max(1, round(self.window))
        median = (
            self.median_seconds
            if self.median_seconds is not None
            else self.connections / max(self.rate + failed / self.window, 1)
        )
        return EngineSummary(
            protocol=1,
            driver="epoll",
            interrupted=self.interrupted,
            window_seconds=self.window,
            warmup_seconds=1.0,
            sent=verified + failed,
            answers=verified + wrong,
            verified=verified,
            goodput_per_second=verified / self.window,
            errors={kind: self.errors.get(kind, 0) for kind in ERROR_KINDS},
            examples=list(self.examples),
            service_time=times(verified, median * 0.98),
            response_time=times(verified + wrong, median),
            send_lag=times(verified, 2e-6),
            connect_time=times(self.connections, 1e-4),
            body_bytes=BodyBytes(min=220, max=240, mean=self.body) if verified + failed else None,
            received_bytes=verified * 330,
            sent_bytes=verified * 90,
            connects=self.connections,
            in_flight_at_end=self.connections,
            oldest_in_flight_seconds=0.005,
            checked_bodies=verified // 16,
            series=[SecondOfSeries(verified=verified // seconds, errors=failed // seconds)] * seconds,
            threads=[
                EngineThread(
                    cpu_seconds=self.engine_cpu * self.window, spinning_seconds=self.engine_spinning * self.window
                )
            ]
            * self.engine_threads,
            picks=uniform_picks(verified) if self.picks is None else self.picks,
        )


def a_trial() -> TrialBuilder:
    """An honest trial."""
    return TrialBuilder()


def calm_machine(window: float = 3.0) -> MachineMeter:
    """Two processors, the server's busy with the stack alone, the load's with the engine alone."""
    return MachineMeter(
        window_seconds=window,
        processors=[
            ProcessorUse(cpu=0, busy_seconds=0.95 * window, interrupt_seconds=0.04 * window, steal_seconds=0.0),
            ProcessorUse(cpu=1, busy_seconds=0.35 * window, interrupt_seconds=0.04 * window, steal_seconds=0.0),
        ],
        own_server_cpu_seconds=0.95 * window,
        own_load_cpu_seconds=0.34 * window,
        swapped_in_pages=0,
        swapped_out_pages=0,
        memory_total_bytes=8 * 2**30,
        memory_available_bytes=4 * 2**30,
        quota_throttled_periods=0,
        quota_throttled_seconds=0.0,
        pressure_seconds={"cpu": 0.9 * window, "memory": 0.0, "io": 0.1},
    )


def calm_network() -> NetworkMeter:
    """Nothing dropped, nothing sent again, as every request's ACK rides on the next request."""
    return NetworkMeter(
        listen_overflows=0,
        listen_drops=0,
        sent_segments=50_000,
        retransmitted_segments=0,
        loss_probes=0,
        loss_probe_recoveries=0,
        timeouts=0,
        delayed_acks=20,
        time_wait_sockets=40,
        local_ports=28_232,
    )


def times(count: int, median: float) -> Distribution:
    """A distribution with the shape of PERCENTILES."""
    if count == 0:
        nothing: dict[str, float | None] = dict.fromkeys(PERCENTILES)
        return Distribution(
            count=0, min_seconds=None, mean_seconds=None, max_seconds=None, percentiles=nothing, hdr_base64=""
        )
    return Distribution(
        count=count,
        min_seconds=median * 0.4,
        mean_seconds=median,
        max_seconds=median * 20,
        percentiles={key: median * factor for key, factor in PERCENTILES.items()},
        hdr_base64="",
    )


def uniform_picks(answers: int, rows: int = ROWS) -> Picks:
    """What uniform picking gives on average."""
    pairs = round(answers * (answers - 1) / 2 / rows)
    whole, rest = divmod(answers, 100)
    return Picks(
        answered=answers,
        distinct=max(answers - pairs, 0),
        pairs=pairs,
        unknown=0,
        bins=[whole + (place < rest) for place in range(100)],
    )


def tallied(ids: Sequence[int] | np.ndarray[Any, Any], rows: int = ROWS) -> Picks:
    """The engine's tally of these rows, as places in the dataset from 0."""
    places, counts = np.unique(np.asarray(ids), return_counts=True)
    bins = np.bincount(places * 100 // rows, weights=counts, minlength=100)
    return Picks(
        answered=int(counts.sum()),
        distinct=int(places.size),
        pairs=int((counts * (counts - 1) // 2).sum()),
        unknown=0,
        bins=[int(count) for count in bins],
    )


def trials_of(
    record: ExperimentRecord, make: TrialBuilder | Callable[[str, int], TrialBuilder | None]
) -> list[TrialRecord]:
    """One trial of every condition in every block; `make(contender, block)` may leave one out.

    Trials and blocks are counted from 1, as the lab does.
    """
    return list(_trials_of(record, make))


def _trials_of(
    record: ExperimentRecord, make: TrialBuilder | Callable[[str, int], TrialBuilder | None]
) -> Iterator[TrialRecord]:
    conditions = {each.id: each for each in record.conditions}
    index = 0
    for block, order in enumerate(record.order, 1):
        for each in order:
            builder = make if isinstance(make, TrialBuilder) else make(conditions[each].contender, block)
            index += 1
            load = conditions[each].load
            if builder is not None and isinstance(load, ClosedLoad):
                builder = builder.but(connections=load.connections)
            if builder is not None:
                yield builder.record(index, block).model_copy(update={"condition": each})
