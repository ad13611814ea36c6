"""Connections: opened again, refused, held back, or unevenly shared out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from fairtrial.base.formatting import count, figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.record.machine import NetworkMeter
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter, Workers
from fairtrial.record.slices import Slicing

OVER_STREAMS = (
    "have the stack keep connections open: a GOAWAY after so many requests or after so long ends them "
    "(keepalive_requests and keepalive_time of nginx)"
)


@check(
    "keep-alive-not-kept",
    looks_at="connects in the window, compared with its answers, where connections were to be kept open",
    remedy="have the stack keep connections open (HTTP/1.1, a Content-Length or chunks, its keep-alive limit and idle "
    "time), or measure without: keep_alive = false, which is then printed beside the figures",
    of_loads=True,
    connects=Threshold(
        0.05,
        "connects an answer",
        "servers that close after so many requests allow 100 (Apache) or 1,000 (nginx): 0.01 and less. At 0.05 a "
        "connect that costs as much as an answer is 5% of the figure",
    ),
)
def keep_alive_not_kept(
    engine: EngineSummary, load: Load, slices: Slicing | None, *, connects: float
) -> Iterator[Finding]:
    """Connections that were planned to be kept, and are closed and opened again: connects are in the figures.

    A warning.
    """
    if not engine.answers or not load.keep_alive:
        return
    windows = 1 if slices is None else slices.kept_rounds
    # Each connection is opened once, and one whose request failed is opened again. A request that failed because the
    # server had closed its connection at rest explains nothing; a close at rest by itself is no failure.
    unannounced = engine.unannounced_closes or 0
    explained = (engine.failures or 0) - engine.errors.get("unannounced_close", 0)
    again = engine.connects - load.connections * windows - explained
    if again > connects * engine.answers:
        yield finding(
            "warning",
            f"connections were opened {engine.connects:,} times for {engine.answers:,} answers "
            f"({engine.connects / engine.answers:.2f} connects an answer), where {load.connections:,} "
            "were to be kept open" + (f"; {unannounced:,} were closed without a word" if unannounced else ""),
            OVER_STREAMS if load.has_streams else "",
        )


@check(
    "backlog-overflow",
    looks_at="connections for which no listener had room in the window (ListenOverflows and ListenDrops of "
    "/proc/net/netstat), in the lab's network namespace",
    remedy="raise the stack's listen backlog and net.core.somaxconn, accept in more than one thread or process, or "
    "keep "
    "connections alive",
    of_loads=True,
    connections=Threshold(
        1,
        "connections",
        "the SYN or the final ACK is sent again after one second (RFC 6298, section 2): one is enough to set the "
        "maximum",
    ),
)
def backlog_overflow(network: NetworkMeter, engine: EngineSummary | None, *, connections: float) -> Iterator[Finding]:
    """Connections that no listener accepted: the client tries again only after a second.

    A warning: a short backlog is the contender's own choice, but the seconds of waiting come from the kernel.
    """
    dropped = max(network.listen_overflows or 0, network.listen_drops or 0)
    if dropped >= connections:
        longest = None if engine is None else engine.connect_time.max_seconds
        took = "" if longest is None else f"; the longest connect took {longest:.3f} s"
        yield finding("warning", f"{count(dropped, 'connection')} found the accept queue of a listener full{took}")


@check(
    "ports-exhausted",
    looks_at="local ports that closed connections keep (TIME_WAIT) at the end of the window, compared with the range "
    "of "
    "local ports, and connects that failed",
    remedy="keep connections alive, widen net.ipv4.ip_local_port_range, or allow net.ipv4.tcp_tw_reuse",
    of_loads=True,
    share=Threshold(
        0.8,
        "share of the local ports",
        "each connect searches for a free port, which takes longer the fewer there are (ip(7), ip_local_port_range)",
    ),
)
def ports_exhausted(
    network: NetworkMeter, engine: EngineSummary | None, load: Load | None, *, share: float
) -> Iterator[Finding]:
    """Local ports that ran out: a limit of the client that looks like one of the server.

    A warning where the kernel does not reuse them; a refusal where connects failed.
    """
    waiting, ports = network.time_wait_sockets, network.local_ports
    if waiting is None or not ports or waiting / ports < share:
        return
    failed = 0 if engine is None else engine.errors.get("connect", 0)
    if load is not None and load.loses_clients:
        failed = 0  # the plan made them fail, not the kernel: `clients-gone` looks at these
    if network.ports_lent_again and not failed:
        return
    yield finding(
        "refusal" if failed else "warning",
        f"closed connections kept {waiting:,} local ports (TIME_WAIT) at the end of the window, "
        f"of {ports:,} that outgoing ones have" + (f"; {failed:,} connects failed" if failed else ""),
    )


@check(
    "retransmits",
    looks_at="TCP segments that were retransmitted in the window, of all that were sent (RetransSegs and OutSegs of "
    "/proc/net/snmp), without probes on mere suspicion (TCPLossProbes minus TCPLossProbeRecovery), "
    "in the lab's network namespace",
    remedy="look for full queues: backlogs, socket buffers, a proxy that resets connections; over a network, for "
    "packet loss",
    of_loads=True,
    share=Threshold(
        0.001,
        "share of the segments",
        "a lost segment delays its request by 200 ms, the kernel's smallest timeout, or by a probe's two round "
        "trips (RFC 8985): at 1 in 1,000 the p99.9 consists of them",
    ),
)
def retransmits(network: NetworkMeter, *, share: float) -> Iterator[Finding]:
    """Retransmitted segments: on loopback, only a queue that overflowed loses any.

    A warning from the threshold on; its evidence says whether a retransmission timer expired.
    """
    if not network.sent_segments or not network.retransmitted_segments:
        return
    # A probe is sent on suspicion, as when the other side has no processor. By itself it delays nothing.
    suspected = (network.loss_probes or 0) - (network.loss_probe_recoveries or 0)
    losses = max(network.retransmitted_segments - suspected, 0)
    part = losses / network.sent_segments
    if part >= share:
        waited = f"; {network.timeouts:,} waited for a timeout of at least 0.2 s" if network.timeouts else ""
        evidence = f"{losses:,} of {network.sent_segments:,} TCP segments ({part:.2%}) were lost and sent again{waited}"
        yield finding("warning", evidence)


@check(
    "requests-retried",
    looks_at="requests over HTTP/2 that the server said it had not processed: on streams above the last one of a "
    "GOAWAY, or reset with REFUSED_STREAM (RFC 9113, sections 6.8 and 8.7)",
    remedy="have the stack keep connections open for longer (keepalive_requests of nginx), and refuse no stream that "
    "SETTINGS_MAX_CONCURRENT_STREAMS allows",
)
def requests_retried(engine: EngineSummary) -> Iterator[Finding]:
    """Requests that were asked again, as clients do, because the server had not processed them.

    A note: their times count from the intended start, and are in the figures.
    """
    if engine.retried:
        yield finding(
            "note",
            f"{engine.retried:,} times beside {engine.answers:,} answers, a request was asked again that the server "
            "said it had not processed (GOAWAY or REFUSED_STREAM); its response time has both tries",
        )


@check(
    "streams-not-allowed",
    looks_at="the streams of a connection that the server allows at once (SETTINGS_MAX_CONCURRENT_STREAMS; RFC 9113, "
    "section 5.1.2), compared with those of the load",
    remedy="have the stack allow more streams (http2_max_concurrent_streams of nginx), or offer fewer on more "
    "connections: streams in [load], --streams of fairtrial load",
    of_loads=True,
)
def streams_not_allowed(engine: EngineSummary, load: Load) -> Iterator[Finding]:
    """Requests that wait for a stream, because the server allows fewer at once than the load has.

    A warning: the load that the server gets is smaller than the one printed beside it. Response times have the wait,
    service times do not.
    """
    streams = engine.streams
    if streams is not None and streams.limits_load:
        yield finding(
            "warning",
            f"the server allows {streams.allowed:,} streams at once on a connection, where the load has "
            f"{streams.planned:,}: of {load.connections * streams.planned:,} requests at once it gets "
            f"{load.connections * (streams.allowed or 0):,}, the others wait, which response times have in them",
        )


TICK_SECONDS = 0.01
"""A kernel looks at timers, and takes a processor back, at its ticks, which are up to 10 ms apart (time(7), HZ)."""


@dataclass(frozen=True)
class _Timer:
    """A TCP timer, and the least and most (with ticks of up to 10 ms) that it adds to an answer's own time."""

    name: str
    low_seconds: float
    high_seconds: float
    clear_below_seconds: float
    clear_above_seconds: float
    counter: Callable[[NetworkMeter], int | None]
    """how often the kernel says that it expired"""
    remedy: str


TIMERS = (
    _Timer(
        "a delayed acknowledgement (40 ms: TCP_DELACK_MIN)",
        0.0385,
        0.0455,
        0.025,
        0.060,
        lambda network: network.delayed_acks,
        "write head and body at once (one write, writev, or a buffer), or set TCP_NODELAY on the accepted socket",
    ),
    _Timer(
        "the shortest retransmission timeout (200 ms: TCP_RTO_MIN)",
        0.199,
        0.215,
        0.120,
        0.300,
        lambda network: network.timeouts,
        "look for segments that are dropped: full socket buffers or backlogs; see retransmits",
    ),
)


@check(
    "delayed-ack",
    looks_at="the histogram of service time: answers at 40 ms or 200 ms, and how many lie just beside; the kernel's "
    "counters of delayed acknowledgements and timeouts",
    remedy="write head and body at once, or set TCP_NODELAY",
    of_loads=True,
    share=Threshold(
        0.001,
        "share of the answers",
        "below 1 in 1,000 the mode affects no percentile that is printed",
    ),
    answers=Threshold(
        20,
        "answers",
        "a histogram of fewer has gaps everywhere: of 20 times spread evenly over 25 to 60 ms, four fall into the band",
    ),
    below=Threshold(
        0.1,
        "share of the mode",
        "a timer makes an edge, with next to nothing in the 13 ms below it; times that are spread evenly over 25 "
        "to 60 ms have twice as many there as in the band",
    ),
    above=Threshold(
        0.5,
        "share of the mode",
        "the answer's own work comes on top of the timer and makes a tail; times that are spread evenly from 40 "
        "to 60 ms have twice as many above the band as in it. It is no matter where bodies come the timer after heads",
    ),
)
def delayed_ack(
    engine: EngineSummary, network: NetworkMeter | None, *, share: float, answers: float, below: float, above: float
) -> Iterator[Finding]:
    """Answers that wait for a TCP timer: a second, narrow mode at 40 ms or 200 ms, which work never produces.

    A warning for each timer.
    """
    if not engine.service_time.hdr_base64:
        return
    times = read_histogram(engine.service_time.hdr_base64)
    for timer in TIMERS:
        inside = _between(times, timer.low_seconds, timer.high_seconds)
        if inside < max(answers, share * times.count):
            continue
        just_below = _between(times, timer.clear_below_seconds, timer.low_seconds)
        just_above = _between(times, timer.high_seconds, timer.clear_above_seconds)
        counted = None if network is None else timer.counter(network)
        late_seconds = _after_head_seconds(engine) - timer.low_seconds
        body_late = counted is not None and 0 <= late_seconds <= TICK_SECONDS
        if just_below > below * inside or (just_above > above * inside and not body_late):
            continue
        if counted is not None and counted < inside / 2:
            continue  # the timer did not expire so often
        evidence = (
            f"{inside:,} of {times.count:,} answers ({inside / times.count:.1%}) took "
            f"{1000 * timer.low_seconds:.0f} to {1000 * timer.high_seconds:.0f} ms, {just_below:,} a little less and "
            f"{just_above:,} a little more: the signature of {timer.name}"
        )
        if counted is not None:
            evidence += f"; the kernel counted {counted:,} of them in the window"
        yield finding("warning", evidence, timer.remedy)


def _after_head_seconds(engine: EngineSummary) -> float:
    """From the median first byte to the median end of an answer: the stack's own work, on a busy machine of any length,
    lies before the one where the head is sent at once. Zero where no first byte is recorded."""
    times = (engine.first_byte_time, engine.service_time)
    first, last = (None if each is None else each.percentiles.get("50") for each in times)
    return 0.0 if first is None or last is None else last - first


def _between(times: Histogram, low_seconds: float, high_seconds: float) -> int:
    return times.count_up_to(high_seconds) - times.count_up_to(low_seconds)


@check(
    "uneven-workers",
    looks_at="processor time of the stack's processes that are alike (one parent, one command line but for its digits)",
    remedy="deal connections out in turn (one acceptor, a balancer before the workers) rather than by chance "
    "(SO_REUSEPORT) or to whoever wakes first (accept): how few connections fall on workers differs from start to "
    "start, and so does the figure; more connections even it out",
    needs_processes=True,
    busy=Threshold(
        0.85,
        "processors",
        "as in `contender-idle`: a process that never waits uses 1, and one at 0.85 could do an eighth more",
    ),
    times=Threshold(
        2.0,
        "times the least busy one",
        "with an even spread the busiest would have had at most three quarters of its work (two workers, 2:1)",
    ),
)
def uneven_workers(
    server: ServerMeter, load: Load | None, trial: TrialRecord, case: Case, *, busy: float, times: float
) -> Iterator[Finding]:
    """A worker at its limit beside others with room: why some starts of the same stack are slower than others.

    A warning.
    """
    workers, window = server.workers, server.window_seconds
    if workers is None or window <= 0 or _has_one_for_each(workers, load):
        return
    busiest, least = workers.most_cpu_seconds / window, workers.least_cpu_seconds / window
    if busiest >= busy and busiest >= times * least:
        yield finding(
            "warning",
            f"{workers.at_work} of {workers.processes} processes `{workers.program}` were at work, the busiest for "
            f"{busiest:.0%} of a processor and the least busy for {least:.0%}{_beside(trial, case)}",
        )


def _has_one_for_each(workers: Workers, load: Load | None) -> bool:
    """Whether every connection may have a worker to itself: those that rest are spare ones."""
    return load is not None and workers.at_work >= load.connections


def _beside(trial: TrialRecord, case: Case) -> str:
    """This trial's goodput beside the median of its condition, in words; empty where there are no other trials."""
    engines = [each.engine for each in case.trials_of(trial.condition) if each.engine is not None]
    if trial.engine is None or len(engines) < 2:
        return ""
    return (
        f"; this trial served {figure(trial.engine.goodput_per_second)}/s, where the median of its condition is "
        f"{figure(median(each.goodput_per_second for each in engines))}/s"
    )
