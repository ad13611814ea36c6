"""The figures of a load as its reports show them; of percentiles only those that the sample supports."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fairtrial.base.formatting import count, figure, plain
from fairtrial.base.printable import printable
from fairtrial.judge.checks.uneven_connections import uneven_connections
from fairtrial.judge.metrics import supported_percentile
from fairtrial.judge.statistics.support import samples_needed
from fairtrial.load.words import describe_wait
from fairtrial.record.capacity import CapacityFound, Probe
from fairtrial.record.engine_summary import Distribution, EngineSummary, EventStreams, JourneyAccount, Unpacking
from fairtrial.report.columns import LOWER_BOUNDS, time_cell
from fairtrial.tools.load.measure import Measurement

FEWEST_ANSWERS_EACH = 20
"""At random, so many answers to each connection have an evenness of 20/21; fewer are uneven by themselves."""
TABLE_PERCENTILES = ("50", "90", "95", "99", "99.9", "99.99")
"""The columns of the table of times, where the sample supports them."""
EXPLANATION = (
    "response time counts from the moment a request was due, service time from the moment it was sent; between them it "
    "waits for a free connection, which clients experience and a closed load never shows"
)
OF_STREAMS = (
    "response time counts from the moment a client wanted to ask, service time from the moment its request was sent; "
    "between them it waits for a stream, of which the server allows fewer than the load has"
)


class FigureTable(NamedTuple):
    """A table of a report. The first column has names."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    unit: str = ""
    """of all figures, where the titles do not say it"""


def columns(measurement: Measurement) -> list[str]:
    """The percentiles that the sample of response times supports, such as `99.9`."""
    times = measurement.summary.response_time
    return [name for name in TABLE_PERCENTILES if supported_percentile(times, name) is not None]


def times_table(measurement: Measurement, *, verbose: bool = True) -> FigureTable | None:
    """Response times; where requests wait before they are sent also service times and send lags. None if no answer was
    complete.

    Args:
        verbose: also times to the first byte, and connect times if connections are reopened.
    """
    summary = measurement.summary
    if not summary.response_time.count:
        return None
    kinds: list[tuple[str, Distribution]] = [("response time", summary.response_time)]
    if measurement.has_send_waits:
        kinds += [("service time", summary.service_time), ("send lag", summary.send_lag)]
    if summary.copy_time is not None:
        kinds.append(("copy time", summary.copy_time))
    if verbose and summary.first_byte_time is not None:
        kinds.append(("first byte", summary.first_byte_time))
    if verbose and measurement.plan.requests_per_connection is not None:
        kinds.append(("connect time", summary.connect_time))
    names = columns(measurement)
    rows = [
        (name, *percentile_cells(times, names), time_cell(longest, times.bounds_from_seconds))
        for name, times in kinds
        if (longest := times.max_seconds) is not None
    ]
    return FigureTable(["ms", *(f"p{name}" for name in names), "max"], rows, "ms")


def events_table(measurement: Measurement) -> FigureTable | None:
    """Times of streams of events; None without an event."""
    streams = measurement.summary.event_streams
    if streams is None:
        return None
    kinds = {"first event": streams.first_event_time, "event gap": streams.event_gap}
    names = [name for name in TABLE_PERCENTILES if any(supported_percentile(each, name) for each in kinds.values())]
    rows = [
        (name, *percentile_cells(times, names), time_cell(times.max_seconds, times.bounds_from_seconds))
        for name, times in kinds.items()
        if times.count
    ]
    return FigureTable(["ms", *(f"p{name}" for name in names), "max"], rows, "ms") if rows else None


def requests_table(measurement: Measurement) -> FigureTable | None:
    """A row for each request of a mix; None if there is only one."""
    summary = measurement.summary
    if len(summary.mix) < 2 or summary.window_seconds <= 0:
        return None
    rows = [
        (
            printable(share.name),
            f"{share.verified / summary.window_seconds:,.1f}",
            f"{share.answers - share.verified + (share.failures or 0):,}",
            *percentile_cells(share.response_time, ("50", "99")),
        )
        for share in summary.mix
    ]
    return FigureTable(["request", "verified/s", "errors", "p50 ms", "p99 ms"], rows)


def journeys_table(measurement: Measurement) -> FigureTable | None:
    """A row for each journey; None if there is none."""
    summary = measurement.summary
    if not summary.journeys or summary.window_seconds <= 0:
        return None
    rows = [
        (
            printable(journey.name),
            f"{journey.completed / summary.window_seconds:,.1f}",
            _broken_off(journey),
            f"{journey.unfinished:,}",
            *percentile_cells(journey.journey_time, ("50", "99")),
        )
        for journey in summary.journeys
    ]
    return FigureTable(["journey", "completed/s", "broken off", "unfinished", "p50 ms", "p99 ms"], rows)


def _broken_off(journey: JourneyAccount) -> str:
    """How many broke off, and at which steps: `7 (pay 5, look 2)`."""
    steps = [f"{printable(step.name)} {step.broken_off:,}" for step in journey.steps if step.broken_off]
    return f"{journey.broken_off:,} ({', '.join(steps)})" if steps else "0"


def probes_table(measurement: Measurement) -> FigureTable | None:
    """The runs of a search for the capacity, in order; None for any other load."""
    search = measurement.trial.capacity
    if search is None:
        return None
    titles = ("run", "rate/s", "s", "answered", "p50 ms", "p99 ms", "errors", "objectives")
    return FigureTable(titles, [_cells_of(probe) for probe in search.probes])


def missing_percentiles(measurement: Measurement) -> str:
    """The percentiles that are left out, and how many answers they need; empty if none is."""
    answers = measurement.summary.response_time.count
    missing = [name for name in TABLE_PERCENTILES if name not in columns(measurement)]
    if not answers or not missing:
        return ""
    samples = samples_needed(float(missing[0]))
    names = f"p{missing[0]}" + (" and above are" if len(missing) > 1 else " is")
    return f"{names} not shown: p{missing[0]} needs {samples:,} answers, there were {answers:,}"


def notes_on_times(measurement: Measurement, *, verbose: bool = True) -> list[str]:
    """Notes that a reader of the table of times needs.

    Args:
        verbose: also which percentiles it lacks.
    """
    has_lower_bounds = measurement.summary.response_time.at_least is not None
    explanation = EXPLANATION if measurement.is_open else OF_STREAMS
    notes = [explanation] * measurement.has_send_waits + [LOWER_BOUNDS] * has_lower_bounds
    return [*notes, *filter(None, [missing_percentiles(measurement) if verbose else ""])]


def percentile_cells(times: Distribution | None, names: Sequence[str]) -> list[str]:
    """Percentiles in ms, as `time_cell` has them."""
    if times is None:
        return ["–"] * len(names)
    return [time_cell(supported_percentile(times, name), times.bounds_from_seconds) for name in names]


def goodput_in_words(measurement: Measurement) -> str:
    """`12,345 verified answers/s`, or `no verified answer`."""
    summary = measurement.summary
    if not summary.verified:
        return "no verified answer"
    rate = summary.goodput_per_second
    return f"{rate:,.0f} verified answers/s" if rate >= 1000 else f"{rate:,.1f} verified answers/s"


def generator_in_words(measurement: Measurement) -> str:
    """How busy the load generator's processors were, its driver and how it waits: `61% of its processor, epoll, …`."""
    summary = measurement.summary
    shares = ", ".join(f"{share:.0%}" for share in summary.thread_shares) or "–"
    several = "of their processors" if len(summary.threads) > 1 else "of its processor"
    fallback = f" ({summary.driver_fallback})" if summary.driver_fallback else ""
    wait = "" if summary.wait is None else f", {describe_wait(summary.wait)}"
    return f"{shares} {several}, {summary.driver}{fallback}{wait}"


def unevenness_in_words(measurement: Measurement) -> str:
    """How answers spread over connections, where a reader should know it: `0 to 3,000 answers each, evenness 0.25`.

    Empty where they are as even as the check `uneven-connections` asks for, and for want of answers.
    """
    summary, answers = measurement.summary, measurement.summary.connection_answers
    if (
        answers is None
        or answers.evenness is None
        or answers.evenness >= uneven_connections.thresholds["evenness"].value
    ):
        return ""
    if summary.answers < FEWEST_ANSWERS_EACH * answers.connections:
        return ""
    each = f"{answers.least:,} to {answers.most:,} answers each, evenness {answers.evenness:.2f}"
    return f"{each}; {answers.without:,} had none" if answers.without else each


def capacities(measurement: Measurement) -> list[str]:
    """The results of a search for the capacity, a line for each objective; empty for any other load."""
    search = measurement.trial.capacity
    return [] if search is None else [_capacity_in_words(each) for each in search.found]


def _capacity_in_words(capacity: CapacityFound) -> str:
    """`5,320 requests/s with p99-within-50-ms`."""
    if capacity.rate_per_second is None:
        return f"no rate was confirmed with {capacity.objective}"
    top = ", and it may be more: no higher rate was tried" if capacity.at_the_top else ""
    return f"{plain(capacity.rate_per_second)} requests/s with {capacity.objective}{top}"


def _cells_of(probe: Probe) -> Sequence[str]:
    answered = probe.answered_share if probe.answered_share is not None else probe.achieved_over_offered
    missed = [f"{each.objective}: {each.why_not}" for each in probe.objectives if not each.met]
    return (
        "confirms" if probe.confirming else "tries",
        plain(probe.rate_per_second),
        figure(probe.seconds),
        "–" if answered is None else f"{answered:.1%}",
        *(time_cell(probe.percentiles_seconds.get(name), probe.at_least_seconds) for name in ("50", "99")),
        f"{probe.error_share:.2%}",
        "; ".join(missed) or "kept",
    )


def route_in_words(measurement: Measurement) -> str:
    """The server's addresses where the URL does not say them, and how many sources connections had if several."""
    routes = measurement.summary.routes
    if routes is None:
        return ""
    words = " and ".join(routes.addresses) + (", in turn" if len(routes.addresses) > 1 else "")
    if routes.source_addresses > 1:
        return f"{words}, from {routes.source_addresses:,} source addresses"
    is_literal = all(address.rpartition(":")[0] in measurement.url for address in routes.addresses)
    return "" if is_literal else words


def tls_in_words(summary: EngineSummary) -> str:
    """Version, cipher suite, and what the handshakes of the window were; empty without TLS."""
    if summary.tls is None:
        return ""
    words = [printable(summary.tls.version, 20), printable(summary.tls.cipher_suite, 60)]
    handshakes = summary.handshakes
    if handshakes is not None and (handshakes.full or handshakes.resumed):
        words.append(f"{count(handshakes.full, 'full handshake')}, {handshakes.resumed:,} resumed")
    return ", ".join(words)


def measured_facts(measurement: Measurement, *, verbose: bool = True) -> Iterator[tuple[str, str]]:
    """The measurements beside times, by name, in words.

    Args:
        verbose: also those that ask for nothing, of connections, traffic and the load generator.
    """
    summary, waiting, cohort = measurement.summary, measurement.summary.waiting, measurement.summary.cohort
    answers = f"{summary.verified:,} verified of {summary.answers:,} answers to {summary.requests:,} requests"
    yield "answers", f"{answers} in {summary.window_seconds:.2f} s{_without_whole_body(summary)}"
    if measurement.is_open and summary.offered is not None:
        share = summary.answered_share
        answered_share = "" if share is None else f", {share:.2%} of them answered"
        yield "offered", f"{summary.offered:,} requests{answered_share}"
    if waiting is not None and (waiting.peak or waiting.at_end):
        most = f"up to {waiting.peak:,} for a free connection (limit {waiting.limit:,})"
        yield "waiting", f"{most}, {waiting.at_end:,} at end"
    if verbose and summary.in_flight_at_end:
        oldest = summary.oldest_in_flight_seconds
        age = "" if oldest is None else f", the oldest for {figure(oldest * 1e3)} ms"
        yield "in flight", f"{summary.in_flight_at_end:,} at the end{age}"
    if cohort is not None and cohort.censored:
        after = f"{cohort.drain_seconds:.2f} s after its end"
        yield "unanswered", f"{cohort.censored:,} of the window's requests, {after}"
    yield from _body_facts(summary)
    yield from _chain_facts(summary)
    if summary.retried:
        yield "asked again", f"{count(summary.retried, 'request')} that the server said it had not processed"
    if (idle := measurement.trial.idle_connections) is not None:
        yield "beside", idle.in_words
    if uneven := unevenness_in_words(measurement):
        yield "connections", uneven
    if route := route_in_words(measurement):
        yield "address", route
    if not verbose:
        return
    yield "transfer", _transfer(measurement)
    if summary.tls is not None:
        yield "TLS", tls_in_words(summary)
    yield "load generator", generator_in_words(measurement)
    if summary.traced:
        yield "traced", f"{count(summary.traced, 'right answer')} to requests with a traceparent"
    for answer in summary.slowest_traced:
        yield "slowest traced", answer.in_words


def _without_whole_body(summary: EngineSummary) -> str:
    """`, 10 of them 304 without a body`; empty where each right answer had a whole one."""
    kinds = {
        "304 without a body": sum(share.not_modified or 0 for share in summary.mix),
        "206 with a part of one": sum(share.partial or 0 for share in summary.mix),
    }
    return "".join(f", {number:,} of them {kind}" for kind, number in kinds.items() if number)


def _chain_facts(summary: EngineSummary) -> Iterator[tuple[str, str]]:
    """Where requests take several exchanges, how often, by request: `100 for login, 20 for order`."""
    for title, counts in (
        ("redirects", {share.name: share.redirects for share in summary.mix}),
        ("renewals", {share.name: share.renewals for share in summary.mix}),
    ):
        if any(counts.values()):
            yield title, ", ".join(f"{number:,} for {printable(name)}" for name, number in counts.items() if number)


def _body_facts(summary: EngineSummary) -> Iterator[tuple[str, str]]:
    if summary.event_streams is not None:
        yield "events", _events_in_words(summary.event_streams)
    if summary.unpacking is not None:
        yield "compression", _unpacking_in_words(summary.unpacking)


def _events_in_words(streams: EventStreams) -> str:
    """`1,234.5 events/s, 56.7 tokens/s; of 12 streams 1 stalled, 0 broke off`."""
    rates = [f"{streams.events_per_second:,.1f} events/s"]
    if streams.tokens_per_second is not None:
        rates.append(f"{streams.tokens_per_second:,.1f} tokens/s")
    of_streams = f"of {count(streams.streams, 'stream')} {streams.stalled:,} stalled, {streams.broken_off:,} broke off"
    return f"{', '.join(rates)}; {of_streams}"


def _unpacking_in_words(unpacking: Unpacking) -> str:
    """`1,200 answers, 1.2 MB unpacked to 9.6 MB in 0.02 s of the load generator's processor time`."""
    packed, unpacked = map(_bytes_in_words, (unpacking.packed_bytes, unpacking.unpacked_bytes))
    used = f"in {figure(unpacking.cpu_seconds)} s of the load generator's processor time"
    return f"{count(unpacking.answers, 'answer')}, {packed} unpacked to {unpacked} {used}"


def _transfer(measurement: Measurement) -> str:
    summary = measurement.summary
    per_second = summary.received_bytes / summary.window_seconds if summary.window_seconds > 0 else 0.0
    body = ""
    if summary.body_bytes is not None:
        low, high = summary.body_bytes.min, summary.body_bytes.max
        body = f", bodies of {low:,} bytes" if low == high else f", bodies of {low:,} to {high:,} bytes"
    opened = f", {count(summary.connects, 'connection')} opened" if summary.connects else ""
    return f"{_bytes_in_words(summary.received_bytes)} received, {_bytes_in_words(per_second)}/s{body}{opened}"


def _bytes_in_words(number: float) -> str:
    """An amount of traffic in decimal units: `812 B`, `4.5 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{plain(number)} {unit}"
        number /= 1000
    return f"{plain(number)} TB"
