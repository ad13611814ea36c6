"""A metric: a figure of a trial, of all requests, of one of the mix, or of journeys."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from fairtrial.base.units import BaseUnit
from fairtrial.judge.metrics.readings import error_count_of
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import Distribution, EngineSummary, JourneyAccount, Share
from fairtrial.record.model import TrialRecord

TIMES: Mapping[str, str] = {
    "response_time": "from the intended start to the last byte of the answer",
    "service_time": "from the sent request to the last byte",
    "first_byte_time": "from the sent request to the first byte of its answer; in claims alone",
    "first_event_time": "from the intended start to the first event of a stream",
    "event_gap": "from one event of a stream to the next",
    "copy_time": "of a broadcast, from the sent message to each of its copies",
    "journey_time": "from a user's arrival to the last answer of the journey",
}
"""Distributions of which a claim may name any percentile, and their meaning. The tables hold some of them."""

OF_EVENTS = ("first_event_time", "event_gap")
"""The times of a stream's events among these."""
OF_ANSWERS = tuple(kind for kind in TIMES if kind not in (*OF_EVENTS, "copy_time", "journey_time"))
"""The times of answers among these, which a bound on whole answers is about."""

LONGEST = ("response_time_max", "event_gap_max")
"""The metrics that are a longest time."""


@dataclass(frozen=True)
class Metric:
    """One figure of a trial. `read` returns it in `unit`, or None if it was not measured or its sample is too small."""

    name: str
    unit: BaseUnit
    label: str
    read: Callable[[TrialRecord], float | None]
    loads: frozenset[str] | None = None
    """kinds of load under which it is measured; None: all"""
    despite: frozenset[str] = frozenset()
    """names of checks whose refusal leaves this figure standing, because they look at just this"""
    read_share: Callable[[EngineSummary, Share], float | None] | None = None
    """how it is read of one request of the mix; None: it is only measured of all requests together"""
    read_journey: Callable[[JourneyAccount, float], float | None] | None = None
    """how it is read of one kind of journey, and the window's seconds; None: it is no figure of journeys"""
    request: str | None = None
    """the request of the mix, or the journey, that it is of; None: of all, or of the only kind of journey"""
    read_count: Callable[[TrialRecord], tuple[int, int] | None] | None = None
    """of a share that is a count: how many, and of how many requests; None: it is no count"""
    of_processes: bool = False
    """whether it is of the stack's own processes"""
    of_tail: bool = False
    """whether it is of the slow few: where a trial is in slices, it is read from a whole window of its own"""
    read_kind: Callable[[TrialRecord], str | None] | None = None
    """how a trial's figure was read, where figures that were read otherwise cannot be compared with it; None: all are
    alike"""

    read_resolution: Callable[[TrialRecord], float] | None = None
    """of a trial's figure, the step in which it was read, in `unit`; None: none that matters beside its scatter"""
    meaning: str = field(kw_only=True)
    """what it measures, in Markdown, for docs/claims.md"""

    @property
    def key(self) -> str:
        """The name of its figure in a result: `goodput_per_second`, `server_cpu_seconds_per_1000_requests`."""
        name, per, requests = self.name.partition("_per_1000_requests")
        return f"{name}_{self.unit}{per}{requests}"

    @property
    def higher_is_better(self) -> bool:
        """Whether more of it is better: of rates."""
        return self.unit == "per_second"

    def fits(self, load: Load) -> bool:
        """Whether it is measured under this load."""
        return self.loads is None or load.kind in self.loads

    @property
    def is_bent_by_others(self) -> bool:
        """Whether what others do on the server's processors changes it: rates, and times of answers."""
        return self.unit in ("per_second", "seconds") and not self.of_processes

    @property
    def preposition(self) -> str:
        """The preposition between its label and a condition: goodput of a; goodput of `short` on a."""
        return "of" if self.request is None else "on"

    def window(self, trial: TrialRecord) -> EngineSummary | None:
        """The engine's account from which it is read; None without one."""
        return trial.tail_engine if self.of_tail else trial.engine

    def of_request(self, request: str) -> "Metric":
        """The same metric of one request of the mix, or of one journey; there is a `read_share` or a `read_journey`."""
        read_share, read_journey = self.read_share, self.read_journey

        def read(trial: TrialRecord) -> float | None:
            engine = self.window(trial)
            if engine is None:
                return None
            if read_journey is not None:
                journey = engine.journey(request)
                return None if journey is None else read_journey(journey, engine.window_seconds)
            assert read_share is not None
            share = engine.share_of(request)
            return None if share is None else read_share(engine, share)

        def read_count(trial: TrialRecord) -> tuple[int, int] | None:
            share = None if trial.engine is None else trial.engine.share_of(request)
            return None if share is None else error_count_of(share)

        return replace(
            self,
            label=f"{self.label} of `{request}`",
            read=read,
            read_count=None if self.read_count is None else read_count,
            request=request,
        )


def kinds_of(metric: Metric, trials: Iterable[TrialRecord]) -> set[str]:
    """In how many ways a metric was read in those of these trials that have it; empty: it is read in one way alone."""
    read_kind = metric.read_kind
    if read_kind is None:
        return set()
    return {kind for trial in trials if metric.read(trial) is not None and (kind := read_kind(trial)) is not None}


def times_of(measured: EngineSummary | Share | JourneyAccount, kind: str) -> Distribution | None:
    """Times of one of `TIMES`, of all requests or of one; None if they were not kept."""
    times: Distribution | None = getattr(measured, kind, None)
    return times


def kinds_in(engine: EngineSummary) -> list[str]:
    """Those of `TIMES` that an account has, of all requests or of its journeys."""
    return [
        kind for kind in TIMES if times_of(engine, kind) is not None or (kind == "journey_time" and engine.journeys)
    ]


def times_behind(metric: Metric, trial: TrialRecord, kind: str) -> Distribution | None:
    """The times of a trial, of one of `TIMES`, from which a metric is read: of all requests, or of its own."""
    engine = metric.window(trial)
    if engine is None:
        return None
    measured: EngineSummary | Share | JourneyAccount | None = engine
    if metric.request is not None:
        of_journey = metric.read_journey is not None
        measured = engine.journey(metric.request) if of_journey else engine.share_of(metric.request)
    return None if measured is None else times_of(measured, kind)


def is_lower_bound(metric: Metric, trial: TrialRecord, value: float) -> bool:
    """Whether `value`, which `metric` read from this trial, is a time that falls among requests without an end."""
    kind = next((kind for kind in TIMES if metric.name.startswith(f"{kind}_")), None)
    times = None if kind is None else times_behind(metric, trial, kind)
    return times is not None and times.is_lower_bound(value)
