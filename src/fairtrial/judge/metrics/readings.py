"""The figures of a trial, as they are read from its record; None where one was not measured."""

from collections.abc import Callable, Mapping

from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.record.engine_summary import Distribution, EngineSummary, EventStreams, JourneyAccount, Share
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter

CPU_STEP_SECONDS = 2 / 100
"""Two ticks of USER_HZ, which is 100 on every machine that Linux shows to programs (time(7))."""

PAGE_BYTES = 4096


def supported_percentile(times: Distribution, percentile: str) -> float | None:
    """Seconds at `percentile` ("50", "99.9"); None if the sample does not support it.

    Percentiles that the engine reports are taken from the record; any other is read from the histogram, to three
    significant digits.
    """
    if not supports_percentile(times.count, float(percentile)):
        return None
    if percentile in times.percentiles:
        return times.percentiles[percentile]
    if not times.hdr_base64:
        return None
    return read_histogram(times.hdr_base64).at(float(percentile), times.bounds_from_seconds)


def server_cpu_seconds_per_1000_requests(trial: TrialRecord) -> float | None:
    """Processor time of the stack's process tree for 1,000 verified answers, or for 1,000 operations of a program.

    Processor time and answers are each divided by their own window: the two windows differ by the moment that it takes
    to read the meters. What a program's job took is known as a whole, and is divided by its operations.
    """
    return _per_1000_requests(trial, trial.server)


def service_cpu_seconds_per_1000_requests(trial: TrialRecord) -> float | None:
    """The same of the processes of its database."""
    return _per_1000_requests(trial, trial.service)


def _per_1000_requests(trial: TrialRecord, meter: ServerMeter | None) -> float | None:
    rate = goodput(trial)
    if not rate or meter is None or meter.window_seconds <= 0:
        return None
    if trial.program is not None:
        return 1000 * meter.cpu_seconds / trial.program.operations
    return 1000 * meter.cpu_seconds / meter.window_seconds / rate


def cpu_resolution(trial: TrialRecord) -> float:
    """User and system time are each read in whole ticks (proc_pid_stat(5)): both ends together may be off by a tick of
    each."""
    if trial.program is not None:
        return 1000 * CPU_STEP_SECONDS / trial.program.operations
    verified = 0 if trial.engine is None else trial.engine.verified
    return 1000 * CPU_STEP_SECONDS / verified if verified else 0.0


def goodput(trial: TrialRecord) -> float | None:
    """Verified answers per second, or operations of a program; None where no answer was right."""
    if trial.program is not None:
        return trial.program.operations_per_second
    return trial.engine.goodput_per_second if trial.engine is not None and trial.engine.verified > 0 else None


def goodput_of_request(engine: EngineSummary, share: Share) -> float | None:
    """The same of one request of the mix."""
    return share.verified / engine.window_seconds if share.verified > 0 else None


def response_time_max(trial: TrialRecord) -> float | None:
    """The longest response time, in seconds."""
    return None if trial.tail_engine is None else trial.tail_engine.response_time.max_seconds


def response_time_max_of_request(_engine: EngineSummary, share: Share) -> float | None:
    """The same of one request of the mix."""
    return None if share.response_time is None else share.response_time.max_seconds


STREAMS: Mapping[str, Callable[[EventStreams], float | None]] = {
    "event_gap_max": lambda streams: streams.event_gap.max_seconds,
    "events": lambda streams: streams.events_per_second or None,
    "tokens": lambda streams: streams.tokens_per_second or None,
    "stalled_streams": lambda streams: streams.stalled / streams.streams if streams.streams else None,
    "broken_streams": lambda streams: streams.broken_off / streams.streams if streams.streams else None,
}
"""Figures of streams of events, by metric."""

JOURNEYS: Mapping[str, Callable[[JourneyAccount, float], float | None]] = {
    "journeys": lambda journey, window_seconds: journey.completed / window_seconds if journey.completed else None,
    "broken_journeys": lambda journey, _: (
        journey.broken_off / ended if (ended := journey.completed + journey.broken_off) else None
    ),
}
"""Figures of a kind of journey in a window of so many seconds, by metric."""


def peak_rss(trial: TrialRecord) -> float | None:
    """The most memory of the stack's processes in the window, in bytes."""
    # 0 means that a program ended before its memory was read: there is no figure.
    return float(trial.server.peak_rss_bytes) if trial.server is not None and trial.server.peak_rss_bytes else None


def idle_connection_rss(trial: TrialRecord) -> float | None:
    """The memory of one idle connection, in bytes."""
    idle = trial.idle_connections
    return None if idle is None or idle.memory is None else idle.memory.bytes_each


def idle_connection_resolution(trial: TrialRecord) -> float:
    """A page of each reading, over the number of connections."""
    idle = trial.idle_connections
    return 0.0 if idle is None or idle.memory is None else 2 * PAGE_BYTES / max(1, idle.memory.connections)


def peak_virtual(trial: TrialRecord) -> float | None:
    """The largest address space of any process of a program, in bytes."""
    size = None if trial.server is None else trial.server.peak_virtual_bytes
    return None if size is None else float(size)


def packed_answer(trial: TrialRecord) -> float | None:
    """The mean length of compressed answers as they came, in bytes; None without such answers."""
    unpacking = None if trial.engine is None else trial.engine.unpacking
    return unpacking.packed_bytes / unpacking.answers if unpacking and unpacking.answers else None


def unpacked_answer(trial: TrialRecord) -> float | None:
    """The mean length of the same answers once they were unpacked, in bytes."""
    unpacking = None if trial.engine is None else trial.engine.unpacking
    return unpacking.unpacked_bytes / unpacking.answers if unpacking and unpacking.answers else None


def error_share(trial: TrialRecord) -> float | None:
    """The part of the ended requests that had no right answer."""
    return None if trial.engine is None else trial.engine.error_share


def error_count(trial: TrialRecord) -> tuple[int, int] | None:
    """How many of them there were, and of how many requests."""
    engine = trial.engine
    return None if engine is None else (engine.ended - engine.verified, engine.ended)


def error_share_of_request(engine: EngineSummary, share: Share) -> float | None:
    """The same share of one request of the mix."""
    counted = None if has_overflowed(engine) else error_count_of(share)
    return None if counted is None or counted[1] == 0 else counted[0] / counted[1]


def error_count_of(share: Share) -> tuple[int, int] | None:
    """The same numbers of one request of the mix."""
    if share.failures is None:
        return None
    ended = share.answers + share.failures
    return ended - share.verified, ended


def has_overflowed(engine: EngineSummary) -> bool:
    """Whether there were arrivals that never became a request of the mix, so that no error share of one is right."""
    return len(engine.mix) > 1 and engine.errors.get("overflow", 0) > 0


def settle_seconds(trial: TrialRecord) -> float | None:
    """Seconds until the database was at rest."""
    return None if trial.settle is None or not trial.settle.at_rest else trial.settle.seconds


def elapsed_seconds(trial: TrialRecord) -> float | None:
    """Seconds from the first request to the last; of a program, from its start to its end."""
    if trial.program is not None:
        return trial.program.seconds
    return None if trial.engine is None else trial.engine.window_seconds


def capacity(trial: TrialRecord) -> float | None:
    """The rate per second that a search found for its first objective."""
    return None if trial.capacity is None else trial.capacity.found[0].rate_per_second


def overhead_seconds(rate: float, baseline_rate: float) -> float:
    """Seconds a request in excess of the baseline's, of two rates per second: 1/goodput less 1/goodput of the baseline.

    In a closed load with as many connections, this is what the condition adds to each request, by its throughput.
    """
    return 1 / rate - 1 / baseline_rate


def overhead_needs_its_baseline(_trial: TrialRecord) -> float | None:
    """None: a single trial has no overhead. `claims.values` computes it from two."""
    return None
