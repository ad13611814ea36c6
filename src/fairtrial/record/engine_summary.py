"""The engine's account of one measured window: docs/engine-protocol.md, "The summary"."""

import json
import math
from typing import Literal, Self

from pydantic import Field
from pydantic.dataclasses import dataclass

from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict
from fairtrial.load.engine_terms import Wait


class AtLeast(Strict):
    """Samples of a distribution that are lower bounds: requests that nobody awaited to their end."""

    count: int
    min_seconds: float = Field(description="a figure at or above it is no more than a lower bound")
    longest_other_seconds: float | None = Field(description="the longest of the other samples; null: there is none")


class Distribution(Strict):
    """Times of one kind, as the engine measured them. Figures are null when `count` is 0."""

    count: int
    min_seconds: float | None
    mean_seconds: float | None
    max_seconds: float | None
    percentiles: dict[str, float | None]
    supported_percentile: float | None = Field(
        None, description="the highest percentile with at least ten samples above it; null below 20 samples"
    )
    at_least: AtLeast | None = Field(None, description="of `count`, those that are lower bounds; null: none is")
    hdr_base64: str

    def is_lower_bound(self, seconds: float) -> bool:
        """Whether a percentile or maximum of these times that was found to be `seconds` may in truth be longer."""
        return seconds >= self.bounds_from_seconds

    @property
    def bounds_from_seconds(self) -> float:
        """The shortest of the samples that are lower bounds; infinite where all are exact."""
        return math.inf if self.at_least is None else self.at_least.min_seconds

    @property
    def longest_answered_seconds(self) -> float | None:
        """The longest time of a request that was answered; None if none was."""
        return self.max_seconds if self.at_least is None else self.at_least.longest_other_seconds


class BodyBytes(Strict):
    """Lengths of complete answers' bodies."""

    min: int
    max: int
    mean: float


class Example(Strict):
    """One wrong answer, kept as evidence. `excerpt` comes from the server: escape it before showing it."""

    kind: str
    status: int | None
    excerpt: str
    reason: str | None = Field(
        None, description="what is wrong with the body, where that can be told; it quotes the answer, too"
    )
    cause: str | None = Field(
        None, description="of kind `protocol`: why the bytes were no answer; null in older records"
    )

    @property
    def what(self) -> str:
        """Its kind, its status and what is wrong with it: `wrong_body, status 200, /id is 8, not 7`; printable."""
        status = None if self.status is None else f"status {self.status}"
        why = printable(self.reason or (self.cause or "").replace("_", " "), 200)
        return ", ".join(part for part in (self.kind, status, why) if part)


@dataclass(slots=True, config=Strict.model_config)
class SecondOfSeries:
    """One second of the measured window. A record has a hundred thousand of them, so they are small."""

    verified: int
    errors: int
    p50_seconds: float | None = Field(default=None, description="of response time, as the two below")
    p99_seconds: float | None = None
    max_seconds: float | None = None


class Tenths(Strict):
    """Tenths of a second of the measured window, ten minutes of them at most: a value for each in each list."""

    verified: list[int]
    errors: list[int]
    max_seconds: list[float | None] = Field(description="longest response time; null without an answer")


class UnderWay(Strict):
    """How long requests were under way, added up: docs/engine-protocol.md, "Requests under way"."""

    at_start_seconds: float = Field(description="the ages of the requests under way when the window opened")
    ended_seconds: float = Field(description="from the intended start to the end, of those that ended in the window")
    at_end_seconds: float = Field(description="the ages of the requests under way when the window ended")
    mean_requests: float | None = Field(
        description="requests under way, on average over the window: (ended_seconds + at_end_seconds - "
        "at_start_seconds) / window_seconds; null without a window"
    )


class EngineThread(Strict):
    """Processor time of one thread of the load engine."""

    cpu_seconds: float
    user_seconds: float | None = Field(
        None, description="user time, from the kernel's coarser accounting; null in older records"
    )
    system_seconds: float | None = Field(None, description="system time, likewise")
    spinning_seconds: float = Field(
        0.0, description="the part of cpu_seconds spent waiting awake, for the next intended start or for answers"
    )

    @property
    def busy_seconds(self) -> float:
        """Processor time for the load itself, without waiting awake."""
        return max(self.cpu_seconds - self.spinning_seconds, 0.0)


class TlsSession(Strict):
    """TLS as the first connection negotiated it."""

    version: str
    cipher_suite: str


class Handshakes(Strict):
    """Finished handshakes of TLS in the window."""

    full: int
    resumed: int = Field(description="of sessions of earlier connections, which a plan has to ask for")


class Waiting(Strict):
    """Requests of an open load that were due and waited for a free connection."""

    limit: int
    peak: int
    at_end: int


class Cohort(Strict):
    """The fate of an open load's requests that were intended in the window, in it or in the drain behind it."""

    drain_seconds: float = Field(description="from the window's end until nothing more was awaited")
    answers: int
    failures: int
    censored: int = Field(description="had no answer when the drain ended")


class SpotCheckOutcome(Strict):
    """The fate of a request beside the mix, whose clause of the contract was tried before the load, too."""

    name: str = Field(description="of the clause")
    sent_seconds: float = Field(description="since the window opened")
    seconds: float = Field(description="until its answer, or its failure")
    error: str | None = Field(description="its kind; null: the answer was right")
    status: int | None = Field(description="null: there was no answer")
    excerpt: str = Field(description="the beginning of the answer's body; from the server: escape it before showing it")
    reason: str | None = Field(description="what is wrong, where more than the kind can be told; likewise")


class Share(Strict):
    """One kind of request in the mix, as it was sent and answered.

    Older records do not have the fields with a default.
    """

    name: str
    sent: int
    answers: int
    verified: int
    failures: int | None = Field(None, description="that ended without a complete answer")
    run_sent: int | None = Field(None, description="as `sent`, but since the begin of the run, warm-up included")
    run_verified: int | None = Field(None, description="as `verified`, likewise")
    service_time: Distribution | None = Field(
        None, description="null in a mix of a single kind, whose times are those of all answers, and of too many kinds"
    )
    response_time: Distribution | None = Field(None, description="likewise")
    first_byte_time: Distribution | None = Field(None, description="likewise, and in older records")


class Picks(Strict):
    """Which rows were answered: see docs/engine-protocol.md."""

    answered: int
    distinct: int
    pairs: int
    unknown: int
    bins: list[int]


class Acknowledgements(Strict):
    """The numbered requests of one kind without a right answer: docs/engine-protocol.md, "Acknowledgements"."""

    request: str
    begun: int
    not_acknowledged: list[tuple[int, int]] = Field(description="ranges of numbers, both ends included, ascending")


class RequestComparison(Strict):
    """Answers to one request that were compared with those of a reference, warm-up included."""

    name: str
    compared: int
    unequal: int


class UnequalAnswer(Strict):
    """One of the first unequal answers. Its texts come from the server."""

    request: str
    instance: int
    status: int
    content_type: str
    body: str


class ConnectionAnswers(Strict):
    """How the answers of the window, right or wrong, spread over connections: docs/engine-protocol.md, "Evenness"."""

    connections: int
    least: int = Field(description="answers of the connection that had fewest")
    most: int
    without: int = Field(description="connections that had none")
    evenness: float | None = Field(description="Jain's index, 1/connections to 1; null without an answer")
    evenness_in_slices: float | None = Field(
        description="the same at a time: 1/connections to 1; null where the server does not decide alone whose answer "
        "comes next (open loads, think times, pipelining), and where answers are too far apart"
    )
    slice_seconds: float | None = Field(description="how long a slice is; null where there are none")


class Comparison(Strict):
    """The answers that were compared, and how many were unequal: docs/engine-protocol.md, "A reference"."""

    requests: list[RequestComparison]
    unequal_answers: list[UnequalAnswer]


class SetupCounts(Strict):
    """The fate of the setup requests of connections, over the whole run. They count in no other figure."""

    sent: int
    verified: int
    completed: int = Field(description="how many times a connection was ready for the load")
    failures: dict[str, int] = Field(description="by the kinds of `errors`")


class Sightings(Strict):
    """Which answers showed which text of a row that changed under the load."""

    kept: list[tuple[int, int, int]] = Field(
        description="the row's id, 1 for its new text and 0 for the old, and when the request was sent, in nanoseconds "
        "of CLOCK_MONOTONIC"
    )
    left_out: int = Field(description="how many more there were: of too many, every second, fourth, … is kept")


class WarmUp(Strict):
    """A warm-up that went on until the pace was flat: docs/engine-protocol.md, "Warm-up"."""

    least_seconds: float
    limit_seconds: float
    end: Literal["flat", "unknown", "rising"] | None = Field(
        description="rising: at the limit, the server still got faster; unknown: too little was answered right, or the "
        "limit too short, to tell; null: the run was ended before"
    )
    rise: float | None = Field(
        description="what the last doubling of its time brought, as it was looked at last: 0.5 is a server that became "
        "half as fast again; null: too little was answered to tell"
    )
    until_seconds: list[float] = Field(description="ends of stretches of the warm-up, from its begin")
    verified_per_second: list[float] = Field(description="in each of these stretches")
    response_seconds: list[float | None] = Field(
        description="the geometric mean of response times in each of them; null without an answer"
    )


class EngineSummary(Strict):
    """The engine's account of the measured window: docs/engine-protocol.md, "The summary".

    Records of protocol 1 do not have the fields with a default.
    """

    protocol: Literal[1, 2]
    driver: str
    driver_fallback: str | None = Field(None, description="why io_uring was not used, where it was asked for")
    wait: Wait | None = Field(
        None, description="what its threads did while they awaited answers; null in older records, where they slept"
    )
    tls: TlsSession | None = None
    handshakes: Handshakes | None = Field(None, description="null without TLS, and in older records")
    interrupted: bool
    window_seconds: float
    warmup_seconds: float
    warm_up: WarmUp | None = Field(None, description="null where its length was given, and in older records")
    offered: int | None = Field(None, description="arrivals intended in the window; closed: requests begun")
    achieved_over_offered: float | None = Field(None, description="null in a closed load")
    in_flight_at_start: int | None = None
    sent: int
    answers: int
    verified: int
    failures: int | None = Field(None, description="requests that ended without a complete answer")
    goodput_per_second: float
    errors: dict[str, int]
    examples: list[Example]
    service_time: Distribution
    response_time: Distribution
    first_byte_time: Distribution | None = Field(
        None, description="from the sent request to the first byte of its answer; null in older records"
    )
    send_lag: Distribution
    connect_time: Distribution
    body_bytes: BodyBytes | None
    received_bytes: int
    sent_bytes: int
    wire_received_bytes: int | None = Field(None, description="with the overhead of TLS")
    wire_sent_bytes: int | None = None
    connects: int
    connects_per_answer: float | None = Field(None, description="null without an answer, and in older records")
    connection_answers: ConnectionAnswers | None = Field(None, description="null in older records")
    in_flight_at_end: int
    oldest_in_flight_seconds: float | None
    under_way: UnderWay | None = Field(None, description="null in older records")
    waiting: Waiting | None = Field(None, description="null in a closed load")
    cohort: Cohort | None = Field(None, description="null in a closed load, and in older records")
    checked_bodies: int
    two_framings: int | None = Field(
        None, description="answers with a Content-Length beside a Transfer-Encoding; null in older records"
    )
    unasked: int | None = Field(
        None, description="resting connections on which bytes came that nobody asked for; null in older records"
    )
    unannounced_closes: int | None = Field(
        None,
        description="connections that the server ended between two answers without having said so; null in older "
        "records",
    )
    mix: list[Share] = Field(default_factory=list)
    series: list[SecondOfSeries]
    tenths: Tenths | None = Field(None, description="null in older records, and where several windows are one")
    tail_dispersion: dict[str, float | None] = Field(
        default_factory=dict,
        description="by percentile, how many answers above it come together: the index of dispersion of their numbers "
        "over the full seconds of the window; 1: each by itself. Null: not known; empty in older records and where "
        "several windows are one",
    )
    intended_seconds: list[float] = Field(default_factory=list)
    threads: list[EngineThread]
    picks: Picks | None
    run_verified: int | None = Field(None, description="as `verified`, but since the begin, warm-up included")
    run_errors: int | None = Field(None, description="wrong answers and failures since the begin")
    acknowledgements: list[Acknowledgements] = Field(default_factory=list)
    bodies_left_out: int = Field(
        0,
        description="answers whose body was to be held against a schema or patterns, and was not: there were too many",
    )
    rows_used: dict[str, int] = Field(
        default_factory=dict, description="of rows that are taken once, how many were, by the name of their table"
    )
    comparison: Comparison | None = Field(
        None, description="null where nothing was compared; a trial's record has it as `equal_answers`"
    )

    setup_requests: SetupCounts | None = Field(None, description="null where connections send none")
    think_seconds: dict[str, float] = Field(
        default_factory=dict, description="by request, its own think time, where it has one"
    )

    spot_checks: list[SpotCheckOutcome] = Field(
        default_factory=list, description="of requests beside the mix, which are in none of the other figures"
    )
    sightings: Sightings | None = Field(
        None, description="null where no rows changed; a trial's record has what follows from it as `row_changes`"
    )

    @classmethod
    def of_event(cls, line: str | bytes) -> Self:
        """The account in a line of the engine, its `summary` event."""
        event = json.loads(line)
        del event["event"]
        return cls.model_validate(event)

    @property
    def has_pauses(self) -> bool:
        """Whether connections of a closed load spend time in no request: thinking, or being set up."""
        return self.setup_requests is not None or any(self.think_seconds.values())

    @property
    def ended(self) -> int:
        """How many requests ended in the window, with a right answer or in an error."""
        return self.verified + sum(self.errors.values())

    @property
    def answered_share(self) -> float | None:
        """The part of the requests intended in the window that was answered, 0 to 1, of an open load: in it, or
        in the drain behind it. Of runs without a drain at most 1, as answers to earlier ones are among theirs. None: a
        closed load."""
        if self.cohort is not None and self.offered:
            return self.cohort.answers / self.offered
        return None if self.achieved_over_offered is None else min(self.achieved_over_offered, 1.0)

    @property
    def requests(self) -> int:
        """Those that the window could answer: begun or intended in it, or under way when it opened. Those that were
        sent in it, in older records."""
        if self.offered is None or self.in_flight_at_start is None:
            return self.sent
        return self.in_flight_at_start + self.offered

    @property
    def error_share(self) -> float:
        """The part of all requests that ended in the window without a right answer, 0 to 1; 0 if none ended."""
        return 1 - self.verified / self.ended if self.ended else 0.0

    def share_of(self, request: str) -> Share | None:
        """The fate of the requests of this name. If all are of this name, their times are those of all answers.

        None if the mix has none, or if several of its entries have this name, as in older records.
        """
        shares = [share for share in self.mix if share.name == request]
        if len(shares) != 1:
            return None
        if len(self.mix) > 1:
            return shares[0]
        return shares[0].model_copy(
            update={
                "failures": self.failures,
                "service_time": self.service_time,
                "response_time": self.response_time,
                "first_byte_time": self.first_byte_time,
            }
        )

    def of_request(self, request: str) -> "EngineSummary | None":
        """The account as though the requests of this name had been the only ones.

        What had no answer at the end is not counted by request. It is bounded: by what was sent of it since the begin
        without a right answer, and all that still waited for a connection.

        None if its times or failures were not kept.
        """
        share = self.share_of(request)
        if share is None or share.response_time is None or share.service_time is None or share.failures is None:
            return None
        unanswered, cohort = self.in_flight_at_end, self.cohort
        if cohort is not None:
            times, bounds = share.response_time, share.response_time.at_least
            censored = 0 if bounds is None else min(bounds.count, cohort.censored)
            answered = times.count - (0 if bounds is None else bounds.count)
            cohort = cohort.model_copy(update={"answers": answered, "failures": share.failures, "censored": censored})
        if share.run_sent is not None and share.run_verified is not None:
            waited = 0 if self.waiting is None else self.waiting.at_end
            unanswered = min(unanswered, share.run_sent - share.run_verified + waited)
        return self.model_copy(
            update={
                "sent": share.sent,
                "answers": share.answers,
                "verified": share.verified,
                "failures": share.failures,
                "goodput_per_second": share.verified / self.window_seconds if self.window_seconds > 0 else 0.0,
                "errors": {"wrong": share.answers - share.verified, "failed": share.failures},
                "response_time": share.response_time,
                "service_time": share.service_time,
                "first_byte_time": share.first_byte_time,
                "in_flight_at_end": unanswered,
                "under_way": None,
                "cohort": cohort,
            }
        )

    @property
    def thread_shares(self) -> list[float]:
        """For each thread the part of the window in which it was at work, 0 to 1; empty without a window.

        Waiting awake is not work: a thread does it at any rate.
        """
        window = self.window_seconds
        return [thread.busy_seconds / window for thread in self.threads] if window > 0 else []

    @property
    def busiest_thread_share(self) -> float:
        """The highest of `thread_shares`: how near a thread with a processor of its own was to its limit."""
        return max(self.thread_shares, default=0.0)

    def busiest_processor_share(self, processors: int) -> float:
        """The highest share of the window that the engine was at work on one of so many processors, 0 to 1.

        Thread i is bound to processor i mod `processors` (docs/engine-protocol.md, `cpus`): of threads that share one,
        each may be idle for most of the time and the processor never. 0 processors: threads are bound to none, and each
        counts for itself.
        """
        shares = self.thread_shares
        apart = processors or len(shares)
        return max((sum(shares[cpu::apart]) for cpu in range(apart)), default=0.0)
