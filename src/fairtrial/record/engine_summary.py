"""The engine's account of one measured window: docs/engine-protocol.md, "The summary"."""

import json
import math
from typing import Literal, Self

from pydantic import Field
from pydantic.dataclasses import dataclass

from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict
from fairtrial.load.engine_terms import Wait
from fairtrial.record.traced import TracedAnswer


class AtLeast(Strict):
    """Samples of a distribution that are lower bounds: requests that nobody awaited to their end."""

    count: int
    min_seconds: float = Field(description="the shortest: a figure at or above it is a lower bound")
    longest_other_seconds: float | None = Field(description="the longest of the other samples; null: there is none")


class Distribution(Strict):
    """Times of one kind, as the engine measured them. Figures are null when `count` is 0."""

    count: int = Field(description="number of samples")
    min_seconds: float | None
    mean_seconds: float | None
    max_seconds: float | None
    percentiles: dict[str, float | None] = Field(description="by name: `50`, `75`, `90`, `95`, `99`, `99.9`, `99.99`")
    supported_percentile: float | None = Field(
        None,
        description="the highest with at least ten samples above it: higher ones are a matter of chance; null below"
        " 20 samples",
    )
    at_least: AtLeast | None = Field(None, description="samples that are lower bounds; null: none is")
    hdr_base64: str = Field(
        description="HdrHistogram V2, compressed, in nanoseconds, 1 ns to 1 h, three significant digits"
    )

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
    status: int | None = Field(description="null if the answer was not complete")
    excerpt: str = Field(description="at most 200 bytes, as lossy UTF-8")
    reason: str | None = Field(
        None,
        description="where it can be told: `/id is 8, not 7`, which quotes the answer; of a body that is coded, `the "
        "body is gzip`, and `excerpt` is empty",
    )
    cause: str | None = Field(
        None,
        description='why, where the kind alone does not tell: see "HTTP/1.1 as servers speak it", "HTTP/2" and "TLS"',
    )

    @property
    def what(self) -> str:
        """Its kind, its status and what is wrong with it: `wrong_body, status 200, /id is 8, not 7`; printable."""
        status = None if self.status is None else f"status {self.status}"
        why = printable(self.reason or (self.cause or "").replace("_", " "), 200)
        return ", ".join(part for part in (self.kind, status, why) if part)


class UnexpectedStatus(Strict):
    """Answers with a status that was not expected, of which one is evidence. Its texts come from the server."""

    count: int
    headers: dict[str, str] = Field(
        default_factory=dict,
        description="of one of them: `accept`, `allow`, `location`, `retry-after`, `www-authenticate`, if it had them",
    )
    excerpt: str = Field("", description="of its body, as in `examples`")


@dataclass(slots=True, config=Strict.model_config)
class SecondOfSeries:
    """One second of the measured window. A record has a hundred thousand of them, so they are small."""

    verified: int
    errors: int
    p50_seconds: float | None = Field(
        default=None, description="of response time, within 1%, as the next; null without an answer"
    )
    p99_seconds: float | None = None
    max_seconds: float | None = Field(default=None, description="the longest response time, exactly")


class Tenths(Strict):
    """Tenths of a second of the measured window, ten minutes of them at most: a value for each in each list."""

    verified: list[int]
    errors: list[int]
    max_seconds: list[float | None] = Field(description="the longest response time; null without an answer")


class UnderWay(Strict):
    """How long requests were under way, added up: docs/engine-protocol.md, "Requests under way"."""

    at_start_seconds: float = Field(description="the ages of the requests under way when the window opened")
    ended_seconds: float = Field(description="from the intended start to the end, of those that ended in the window")
    at_end_seconds: float = Field(description="the ages of the requests under way when the window ended")
    mean_requests: float | None = Field(
        description="(`ended_seconds` + `at_end_seconds` − `at_start_seconds`) / `window_seconds`; null without a "
        "window"
    )


class EngineThread(Strict):
    """Processor time of one thread of the load engine."""

    cpu_seconds: float = Field(description="user and system time, precisely (`CLOCK_THREAD_CPUTIME_ID`)")
    user_seconds: float | None = Field(
        None, description="by the kernel's samples (`getrusage`): with the next, need not add up to `cpu_seconds`"
    )
    system_seconds: float | None = Field(None, description="likewise")
    spinning_seconds: float = Field(0.0, description='of `cpu_seconds`, spent waiting awake: see "Waiting"')

    @property
    def busy_seconds(self) -> float:
        """Processor time for the load itself, without waiting awake."""
        return max(self.cpu_seconds - self.spinning_seconds, 0.0)


class TlsSession(Strict):
    """TLS as the first connection negotiated it."""

    version: str = Field(description="`1.2` or `1.3`")
    cipher_suite: str = Field(description="as IANA names it")


class Handshakes(Strict):
    """Finished handshakes of TLS in the window."""

    full: int = Field(description="with certificates")
    resumed: int = Field(description="of earlier sessions")


class KeptConnections(Strict):
    """Connections that the plan before has left open, where one engine carries out several."""

    open: int = Field(description="taken over")
    closes: int = Field(description="by the server, at rest")


class Waiting(Strict):
    """Requests of an open load that were due and waited for a free connection."""

    limit: int = Field(description="no more may wait at once")
    peak: int = Field(description="the most at once; of several threads the sum of their peaks")
    at_end: int = Field(
        description="also those that came due before the window's end while the engine had no processor"
    )


class Cohort(Strict):
    """The fate of an open load's requests that were intended in the window, in it or in the drain behind it."""

    drain_seconds: float = Field(description="from the window's end until nothing more was awaited")
    answers: int = Field(description="complete ones")
    failures: int = Field(description="ended without one, or never began")
    censored: int = Field(description="without an answer when the drain ended")


class SpotCheckOutcome(Strict):
    """The fate of a request beside the mix, whose clause of the contract was tried before the load, too."""

    name: str = Field(description="of the request, which is that of a clause")
    sent_seconds: float = Field(description="since the window opened")
    seconds: float = Field(description="until its answer, or its failure")
    error: str | None = Field(description="a kind of error; null: the answer was right")
    status: int | None = Field(description="null: there was no answer")
    excerpt: str = Field(description="from the server: escape it")
    reason: str | None = Field(description="what is wrong, where it can be told; likewise")


class Share(Strict):
    """One kind of request in the mix, as it was sent and answered."""

    name: str
    sent: int
    answers: int
    verified: int
    not_modified: int | None = Field(None, description="of these, with status 304: without a body")
    partial: int | None = Field(None, description="of these, with status 206: a part of a body")
    redirects: int | None = Field(None, description="redirects that were followed")
    renewals: int | None = Field(None, description="sent again after a 401, with values that were taken anew")
    failures: int | None = Field(None, description="ended without a complete answer; not `overflow`")
    run_sent: int | None = Field(None, description="as `sent`, but of the whole run")
    run_verified: int | None = Field(None, description="likewise")
    service_time: Distribution | None = Field(
        None, description="as the next two, null in a mix of one kind, or of more than 16"
    )
    response_time: Distribution | None = None
    first_byte_time: Distribution | None = None


class Picks(Strict):
    """The rows that were answered: see docs/engine-protocol.md."""

    answered: int = Field(description="answers with an id")
    distinct: int = Field(description="distinct ids")
    pairs: int = Field(description="pairs of answers with the same id")
    unknown: int = Field(description="answers with an id that the dataset lacks, which only `answered` counts as well")
    bins: list[int] = Field(description="answers by hundredths of the rows in id order")


class Acknowledgements(Strict):
    """The numbered requests of one kind without a right answer: docs/engine-protocol.md, "Acknowledgements"."""

    request: str
    begun: int = Field(description="numbers given out in the whole run")
    not_acknowledged: list[tuple[int, int]] = Field(
        description="of these, without a right answer: ranges with both ends, ascending and not adjacent"
    )


class RequestComparison(Strict):
    """Answers to one request that were compared with those of a reference, warm-up included."""

    name: str
    compared: int = Field(description="warm-up included")
    unequal: int


class UnequalAnswer(Strict):
    """One of the first unequal answers. Its texts come from the server."""

    request: str
    instance: int
    status: int
    content_type: str
    body: str = Field(description="at most 256 KiB, as lossy UTF-8")


class ConnectionAnswers(Strict):
    """How the answers of the window, right or wrong, spread over connections: docs/engine-protocol.md, "Evenness"."""

    connections: int = Field(description="each through all sockets that it opens")
    least: int = Field(description="answers of the one that had fewest")
    most: int
    without: int = Field(description="connections without any")
    evenness: float | None = Field(description="1/`connections` to 1; null without an answer")
    evenness_in_slices: float | None = Field(
        description="the same at a time, above 1 where turns are more even than chance; null where the server does not "
        "decide alone whose answer comes next (open loads, think times, pipelining), and where no two answers share a "
        "slice"
    )
    slice_seconds: float | None = Field(description="how long a slice is; null where there are none")


class Comparison(Strict):
    """The answers that were compared, and how many were unequal: docs/engine-protocol.md, "A reference"."""

    requests: list[RequestComparison]
    unequal_answers: list[UnequalAnswer] = Field(description="the first five of each request")


class SetupCounts(Strict):
    """The fate of the setup requests of connections, over the whole run. They count in no other figure."""

    sent: int
    verified: int = Field(description="answered right")
    completed: int = Field(description="how many times a connection was ready for the load")
    failures: dict[str, int] = Field(description="by the kinds of `errors`")


class JourneyStepAccount(Strict):
    """One request of a journey."""

    name: str
    broken_off: int = Field(description="journeys that ended here, as it failed")


class JourneyAccount(Strict):
    """The fate of the journeys of one kind: of a closed load, those that ended in the window or were under way at its
    end; of an open one, those that arrived in it."""

    name: str
    count: int = Field(description="`completed` + `broken_off` + `unfinished`")
    completed: int = Field(description="ended by a right answer to the last step")
    broken_off: int = Field(description="ended by a step that failed")
    unfinished: int = Field(description="under way when nothing was awaited any more")
    journey_time: Distribution = Field(
        description="from the intended start to the end of the last answer. Those that broke off as a step was awaited "
        "no longer, and of an open load unfinished ones, are lower bounds; others that broke off are in it not at all"
    )
    steps: list[JourneyStepAccount] = Field(description="in their order")


class StreamUse(Strict):
    """Streams of HTTP/2 on each connection, over the whole run."""

    planned: int = Field(description="at once, by the plan")
    allowed: int | None = Field(
        description="the fewest at once that the server allowed (SETTINGS_MAX_CONCURRENT_STREAMS); null: it named no "
        "limit"
    )
    most: int = Field(description="at once on one connection")

    @property
    def limits_load(self) -> bool:
        """Whether requests waited for a stream: as many as the server allowed were in use, and the plan has more."""
        return self.allowed is not None and self.allowed < self.planned and self.most >= self.allowed


class EventStreams(Strict):
    """Answers that are streams of events: docs/engine-protocol.md, "Streams of events"."""

    events: int = Field(description="that came in the window, as the next")
    events_per_second: float
    tokens: int | None = Field(description="of the right answers of the window; null: no request expects `tokens`")
    tokens_per_second: float | None
    streams: int = Field(description="answers with an event that have ended, as the next two")
    stalled: int = Field(description="with a gap longer than `stall_seconds`, which may be under way")
    broken_off: int = Field(description="without their end: too few events, no `last` one, or a broken connection")
    first_event_time: Distribution = Field(description="from the intended start")
    event_gap: Distribution = Field(description="from one event to the next")


class Unpacking(Strict):
    """Coded bodies that were unpacked before they were judged: docs/engine-protocol.md, "Coded bodies"."""

    answers: int = Field(description="with a coded body that is whole, and within its bound")
    unchanged: int = Field(
        description="of these, up to 256 KiB and with the bytes of the answer before to the request: not unpacked again"
    )
    packed_bytes: int = Field(description="of their bodies, as they came")
    unpacked_bytes: int
    cpu_seconds: float = Field(description="in `threads` as well; also of bodies that could not be unpacked")


class Sightings(Strict):
    """The answers that showed the old or the new text of a row that changed under the load."""

    kept: list[tuple[int, int, int]] = Field(
        description="`[17, 0, 86400000000000]`: the row's id, 1 for its new text and 0 for the old, and when the "
        "request was sent, in nanoseconds of `CLOCK_MONOTONIC`"
    )
    left_out: int = Field(description="how many others there were: of too many, every second, fourth, … is kept")


class WarmUp(Strict):
    """A warm-up that went on until the pace was flat: docs/engine-protocol.md, "Warm-up"."""

    least_seconds: float = Field(description="the plan's `warmup_seconds`")
    limit_seconds: float = Field(description="the plan's `warmup_limit_seconds`")
    end: Literal["flat", "unknown", "rising"] | None = Field(
        description="`flat`; `rising`: at the limit, the server still got faster; `unknown`: too few right answers,"
        " or too short a limit, to tell; null: the run was ended before"
    )
    rise: float | None = Field(
        description="0.12: the last doubling of its time made the server faster by 12%; null: too little was "
        "answered to tell"
    )
    until_seconds: list[float] = Field(description="ends of up to 60 stretches of the warm-up")
    verified_per_second: list[float] = Field(description="in each of them")
    response_seconds: list[float | None] = Field(
        description="the geometric mean of response times in each, 0.1 ms added; null without an answer"
    )

    @property
    def rise_at_the_limit(self) -> float | None:
        """The rise, if the warm-up reached its limit before the pace was flat; otherwise None."""
        return self.rise if self.end == "rising" else None


class Routes(Strict):
    """Where connections went, and from where: they took turns over the server's addresses and over the sources."""

    addresses: list[str] = Field(description="the server's")
    source_addresses: int = Field(description="how many addresses of the generator's host they came from")
    connections_each: int = Field(description="the most that shared an address and a source")
    ports_each: int = Field(description="so many of these found a local port at once: half of the range")


class EngineSummary(Strict):
    """The engine's account of the measured window: docs/engine-protocol.md, "The summary".

    The engine writes every field. Those with a default came after the first records, which lack them.
    """

    protocol: Literal[1, 2]
    driver: str = Field(description="`epoll` or `io_uring`")
    driver_fallback: str | None = Field(None, description="why `auto` chose epoll; null where it did not")
    wait: Wait | None = Field(None, description="as the plan says")
    routes: Routes | None = Field(None, description='null for a Unix socket: see "Source addresses"')
    tls: TlsSession | None = Field(None, description="of the first handshake that succeeded; null without TLS")
    handshakes: Handshakes | None = Field(None, description="finished in the window; null without TLS")
    interrupted: bool = Field(description="whether a signal ended the run")
    window_seconds: float = Field(description="as measured")
    warmup_seconds: float = Field(description="as measured")
    warm_up: WarmUp | None = Field(None, description='how it went; null without `warmup_limit_seconds`: see "Warm-up"')
    offered: int | None = Field(
        None, description="requests that fell into the window: begun, or in an open load intended"
    )
    achieved_over_offered: float | None = Field(None, description="`answers` / `offered`; null in a closed load")
    in_flight_at_start: int | None = Field(
        None, description="requests that had begun when the window opened, and not ended"
    )
    sent: int = Field(description="requests of which the first byte was handed to the kernel")
    answers: int = Field(description="complete answers")
    verified: int = Field(description="answers that passed every expectation")
    failures: int | None = Field(None, description="requests that ended without a complete answer, `overflow` included")
    goodput_per_second: float = Field(description="`verified` / `window_seconds`")
    errors: dict[str, int] = Field(description='each kind, also where none came: see "Kinds of errors"')
    examples: list[Example] = Field(
        description="the first eight wrong answers; where nothing was answered, how far an answer came"
    )
    statuses: dict[str, UnexpectedStatus] = Field(
        default_factory=dict, description="by status: those that were not expected, above 299 with what they say"
    )
    service_time: Distribution = Field(description='a distribution, as the next four: see "Times"')
    response_time: Distribution
    first_byte_time: Distribution | None = None
    send_lag: Distribution
    connect_time: Distribution
    copy_time: Distribution | None = Field(None, description="of a broadcast, to each copy; null without")
    body_bytes: BodyBytes | None = Field(description="lengths of complete answers' bodies; null without any")
    received_bytes: int = Field(description="of the HTTP conversation, as the next")
    sent_bytes: int
    wire_received_bytes: int | None = Field(None, description="the same with what TLS adds, as the next")
    wire_sent_bytes: int | None = None
    older_connections: KeptConnections | None = Field(
        None, description='null without a plan before: see "Plans in turn"'
    )
    connects: int = Field(description="connects that succeeded")
    connects_per_answer: float | None = Field(None, description="null without an answer")
    connection_answers: ConnectionAnswers | None = Field(
        None, description='how answers spread over connections: see "Evenness"'
    )
    in_flight_at_end: int = Field(
        description="without an answer when the window ended, waiting and connecting ones included"
    )
    oldest_in_flight_seconds: float | None = Field(description="since the intended start of the oldest of them")
    under_way: UnderWay | None = Field(None, description='added up: see "Requests under way"')
    waiting: Waiting | None = Field(
        None, description="requests that waited for a free connection; null in a closed load"
    )
    cohort: Cohort | None = Field(None, description='null in a closed load: see "The cohort"')
    checked_bodies: int = Field(description="bodies that were compared as a whole, or were to be handed on")
    two_framings: int | None = Field(None, description="answers with a Content-Length beside a Transfer-Encoding")
    unasked: int | None = Field(
        None,
        description="resting connections on which bytes came that nobody asked for, but for a farewell with status "
        "408, and streams of HTTP/2 on which frames came after their end; the first are in `examples`",
    )
    unannounced_closes: int | None = Field(
        None, description="connections that the server ended between two answers without having said so"
    )
    retried: int | None = Field(
        None,
        description="requests that the server said it had not processed, each time one was asked again: over HTTP/2",
    )
    undrained: int = Field(0, description="requests that had no answer when the drain ended; 0 without a drain")
    mix: list[Share] = Field(default_factory=list, description='each kind of request: see "Kinds of requests"')
    series: list[SecondOfSeries] = Field(description="each second of the window that began")
    tenths: Tenths | None = Field(
        None, description="a value for each tenth of a second that began, of ten minutes at most"
    )
    tail_dispersion: dict[str, float | None] = Field(
        default_factory=dict,
        description="by percentile, how many answers above it come together (1: each by itself): over full seconds "
        "with nᵢ answers of which aᵢ lie above, and p = Σa / Σn, Σ (aᵢ − p nᵢ)² / (p (1 − p) nᵢ), "
        "divided by the number of seconds with answers less one. Null: fewer than two such seconds, or "
        "no answer above",
    )
    intended_seconds: list[float] = Field(
        default_factory=list, description="the first `record_intended` of them, from the window's opening"
    )
    threads: list[EngineThread] = Field(description="what each used of its processor")
    picks: Picks | None = Field(description="rows that were answered; null without bodies of kind `row`")
    run_verified: int | None = Field(None, description="of the whole run: warm-up and drain included")
    run_errors: int | None = Field(None, description="likewise; wrong answers and failures")
    acknowledgements: list[Acknowledgements] = Field(
        default_factory=list, description='of each request that asks for it: see "Acknowledgements"'
    )
    bodies_left_out: int = Field(
        0, description='answers whose body was to be handed on, and was not: see "Bodies that are handed on"'
    )
    rows_used: dict[str, int] = Field(default_factory=dict, description="by table of kind `once`")
    comparison: Comparison | None = Field(
        None,
        description='of the whole run; null without: see "A reference". A trial\'s record has it as `equal_answers`',
    )

    setup_requests: SetupCounts | None = Field(
        None, description="of the whole run, and in no other figure but the bytes; null without"
    )
    journeys: list[JourneyAccount] = Field(default_factory=list, description='each kind of journey: see "Journeys"')
    streams: StreamUse | None = Field(None, description="of HTTP/2, on each connection; null without")
    event_streams: EventStreams | None = Field(None, description='null without: see "Streams of events"')
    unpacking: Unpacking | None = Field(None, description='null where no request asks for it: see "Coded bodies"')
    think_seconds: dict[str, float] = Field(
        default_factory=dict, description="by request, its own think time, where it has one"
    )

    spot_checks: list[SpotCheckOutcome] = Field(
        default_factory=list, description='in no other figure but the bytes: see "Spot checks"'
    )
    sightings: Sightings | None = Field(
        None,
        description='null without rows that change: see "Rows that change". A trial\'s record has `row_changes` '
        "instead",
    )
    traced: int = Field(
        0,
        description="right answers to requests that had a `traceparent`, of those that `response_time` holds: "
        "`trace_share` of the plan",
    )
    slowest_traced: list[TracedAnswer] = Field(default_factory=list, description="the ten slowest of them")

    @classmethod
    def of_event(cls, line: str | bytes) -> Self:
        """The account in a line of the engine, its `summary` event."""
        event = json.loads(line)
        del event["event"]
        return cls.model_validate(event)

    @property
    def first_event_time(self) -> Distribution | None:
        """The first event's time, in streams of events; None without any."""
        return None if self.event_streams is None else self.event_streams.first_event_time

    @property
    def event_gap(self) -> Distribution | None:
        """Likewise."""
        return None if self.event_streams is None else self.event_streams.event_gap

    @property
    def journey_time(self) -> Distribution | None:
        """How long the only kind of journey took; None where there is none, or several."""
        journey = self.journey()
        return None if journey is None else journey.journey_time

    def journey(self, name: str | None = None) -> JourneyAccount | None:
        """The journeys of this name; without one, the only kind. None: there is none, or none alone."""
        journeys = [each for each in self.journeys if name in (None, each.name)]
        return journeys[0] if len(journeys) == 1 else None

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
