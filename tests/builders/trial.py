"""The lines of trials."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from fairtrial.load.closed import ClosedLoad
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.database import Settle
from fairtrial.record.engine_summary import (
    AtLeast,
    BodyBytes,
    ConnectionAnswers,
    Distribution,
    EngineSummary,
    EngineThread,
    Example,
    Picks,
    SecondOfSeries,
    Share,
    WarmUp,
)
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.model import Clause, ExperimentRecord, Failure, TrialRecord
from fairtrial.record.processes import ServerMeter, Stop
from fairtrial.record.proof import Audit
from tests.builders.figures import calm_machine, calm_network, times, uniform_picks

ERROR_KINDS = [
    "refused",
    "reset",
    "closed",
    "unannounced_close",
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
    "wrong_coding",
    "status_grpc",
]


@dataclass(frozen=True)
class TrialBuilder:
    """One trial; every method gives a changed copy."""

    rate: float = 4000.0
    window: float = 3.0
    mix: dict[str, tuple[float, float]] = field(default_factory=dict)
    """of a mix: by request, its share of the answers and its median response time in seconds"""
    median_seconds: float | None = None
    """as the connections make it, if it is not said: Little's law holds"""
    bounds_from_seconds: float | None = None
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
    connection_answers: ConnectionAnswers | None = None
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
    warm_up: WarmUp | None = None

    def serving(self, rate: float) -> Self:
        """So many verified answers a second."""
        return replace(self, rate=rate)

    def taking(self, median_seconds: float) -> Self:
        """Response times around this median."""
        return replace(self, median_seconds=median_seconds)

    def unanswered_from(self, seconds: float) -> Self:
        """With requests that nobody awaited to their end among the response times from here on."""
        return replace(self, bounds_from_seconds=seconds)

    def mixing(self, **mix: tuple[float, float]) -> Self:
        """With several requests: by name, the share of the answers and the median response time in seconds."""
        return replace(self, mix=mix)

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

    def failing(self, stage: str, reason: str, remedy: str = "mend it", *, by_contender: bool = False) -> Self:
        """Not carried out to its end; nothing measured."""
        told = {"stage": stage, "reason": reason, "remedy": remedy, "by_contender": by_contender}
        failure = Failure.model_validate(told)
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
            warmup_seconds=1.0 if self.warm_up is None else self.warm_up.until_seconds[-1],
            warm_up=self.warm_up,
            sent=verified + failed,
            answers=verified + wrong,
            verified=verified,
            goodput_per_second=verified / self.window,
            errors={kind: self.errors.get(kind, 0) for kind in ERROR_KINDS},
            examples=list(self.examples),
            service_time=times(verified, median * 0.98),
            response_time=self._bounded(times(verified + wrong, median)),
            send_lag=times(verified, 2e-6),
            connect_time=times(self.connections, 1e-4),
            body_bytes=BodyBytes(min=220, max=240, mean=self.body) if verified + failed else None,
            received_bytes=verified * 330,
            sent_bytes=verified * 90,
            connects=self.connections,
            connection_answers=self.connection_answers,
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
            mix=[self.share(name, round(verified * share), median) for name, (share, median) in self.mix.items()],
        )

    def _bounded(self, response_times: Distribution) -> Distribution:
        if self.bounds_from_seconds is None:
            return response_times
        at_least = AtLeast(count=200, min_seconds=self.bounds_from_seconds, longest_other_seconds=0.08)
        return response_times.model_copy(update={"at_least": at_least})

    def share(self, name: str, verified: int, median: float) -> Share:
        """One request of a mix, without an error; its median response time in seconds."""
        return Share(
            name=name,
            sent=verified,
            answers=verified,
            verified=verified,
            failures=0,
            service_time=times(verified, median * 0.98),
            response_time=self._bounded(times(verified, median)),
        )


def a_trial() -> TrialBuilder:
    """An honest trial."""
    return TrialBuilder()


def a_warm_up(end: Literal["flat", "unknown", "rising"], rise: float | None = 0.02, seconds: float = 1.0) -> WarmUp:
    """A warm-up of two stretches that ended so."""
    return WarmUp(
        least_seconds=1.0,
        limit_seconds=30.0,
        end=end,
        rise=rise,
        until_seconds=[seconds / 2, seconds],
        verified_per_second=[3900.0, 4000.0],
        response_seconds=[0.0041, 0.004],
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
