"""The arguments of `wrk` (4) as a load, and its report: its figures in their places."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.tools.load.compatibility.arguments import ToolParser, whole_number
from fairtrial.tools.load.compatibility.emulate import ToolCall
from fairtrial.tools.load.compatibility.omissions import TABLE_PERCENTAGES
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.values import duration_option, parse_header

DEFAULT_CONNECTIONS, DEFAULT_THREADS = 10, 2
DEFAULT_SECONDS, DEFAULT_TIMEOUT_SECONDS = 10.0, 2.0
USAGE = "wrk [-c CONNECTIONS] [-d TIME] [-t THREADS] [-H 'Name: value'] [--latency] [--timeout TIME] URL"
STATUSES = ("status_1xx", "status_4xx", "status_5xx")
"""The errors that wrk counts as `Non-2xx or 3xx`."""


@dataclass(frozen=True, kw_only=True)
class WrkCall(ToolCall):
    """One call of `wrk`, and whether to print the latency distribution."""

    tool = "wrk"
    with_latency: bool

    def report(self, measurement: Measurement) -> list[str]:
        """The lines of wrk's report."""
        summary, options = measurement.summary, self.options
        lines = [
            f"Running {wrk_length(options.seconds or 0.0)} test @ {printable(measurement.url)}",
            f"  {options.threads} threads and {options.connections} connections",
            "  Thread Stats   Avg      Stdev     Max   +/- Stdev",
            f"    Latency  {_latency(measurement)}",
            f"    Req/Sec  {_rates(measurement)}",
        ]
        times = measurement.response_times
        longest = summary.response_time.max_seconds
        if self.with_latency and times.count and longest is not None:
            lines.append("  Latency Distribution")
            lines += [f"{share:>7}%{wrk_time(min(times.at(share), longest)):>10}" for share in TABLE_PERCENTAGES["wrk"]]
        window = summary.window_seconds
        lines.append(f"  {summary.answers} requests in {wrk_length(window)}, {wrk_size(summary.received_bytes)} read")
        errors = summary.errors
        connect = sum(errors.get(kind, 0) for kind in ("refused", "connect", "tls"))
        read = sum(errors.get(kind, 0) for kind in ("reset", "closed", "unannounced_close", "protocol"))
        if connect or read or errors.get("timeout", 0):
            lines.append(
                f"  Socket errors: connect {connect}, read {read}, write 0, timeout {errors.get('timeout', 0)}"
            )
        wrong = sum(errors.get(kind, 0) for kind in STATUSES)
        if wrong:
            lines.append(f"  Non-2xx or 3xx responses: {wrong}")
        per_second = summary.received_bytes / window if window > 0 else 0.0
        return [
            *lines,
            f"Requests/sec: {measurement.answers_per_second:>10.2f}",
            f"Transfer/sec: {wrk_size(per_second):>12}",
        ]


def read_wrk(arguments: Sequence[str]) -> WrkCall:
    """Read wrk's own arguments.

    Raises:
        Problem: one is unknown, unsupported or wrong.
    """
    values = _parser().read(arguments)
    connections, threads = values.connections or DEFAULT_CONNECTIONS, values.threads or DEFAULT_THREADS
    if threads > connections:
        raise Problem(f"wrk: {threads} threads for {connections} connections", "lower -t or raise -c")
    options = LoadOptions(
        warmup_seconds=0.0,
        url=values.url,
        connections=connections,
        seconds=values.seconds or DEFAULT_SECONDS,
        threads=threads,
        headers=values.headers or [],
        timeout_seconds=values.timeout or DEFAULT_TIMEOUT_SECONDS,
        insecure=values.url.startswith("https://"),
    )
    return WrkCall(options=options, with_latency=values.latency)


def _parser() -> ToolParser:
    parser = ToolParser("wrk", USAGE)
    parser.takes("-c", "--connections", to="connections", parse=whole_number(1))
    parser.takes("-d", "--duration", to="seconds", parse=duration_option)
    parser.takes("-t", "--threads", to="threads", parse=whole_number(1))
    parser.takes("-H", "--header", to="headers", parse=parse_header, repeated=True)
    parser.takes("-L", "--latency", to="latency")
    parser.takes("-T", "--timeout", to="timeout", parse=duration_option)
    parser.refuses(
        "-s",
        "--script",
        reason="Lua scripts are not run",
        remedy="fairtrial load has -m, -b, -H and --template for what most scripts do",
    )
    parser.refuses(
        "-R", "--rate", reason="only wrk2 has it", remedy="use fairtrial load -r RATE, which needs no correction"
    )
    parser.refuses("-h", reason="this is not wrk itself", remedy="fairtrial wrk --help", takes_value=False)
    parser.refuses("-v", "--version", reason="this is not wrk itself", remedy="fairtrial --version", takes_value=False)
    return parser


def wrk_time(seconds: float) -> str:
    """A response time: `29.00us`, `3.65ms`, `1.10s`."""
    if seconds >= 1:
        return f"{seconds:.2f}s"
    return f"{seconds * 1e3:.2f}ms" if seconds >= 0.001 else f"{seconds * 1e6:.2f}us"


def wrk_length(seconds: float) -> str:
    """The length of a run: `10m`, `30s`, `1.10s`."""
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:.0f}m"
    return f"{seconds:.0f}s" if seconds == math.floor(seconds) else f"{seconds:.2f}s"


def wrk_size(number: float) -> str:
    """An amount of traffic in wrk's binary units: `4.41MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1024:
            return f"{number:.2f}{unit}"
        number /= 1024
    return f"{number:.2f}TB"


def _latency(measurement: Measurement) -> str:
    times, longest = measurement.response_times, measurement.summary.response_time.max_seconds
    if not times.count or longest is None:
        return _cells("0.00us", "0.00us", "0.00us", 0.0)
    mean, deviation = times.mean_seconds, times.deviation_seconds
    within = times.count_up_to(mean + deviation) - times.count_up_to(mean - deviation)
    return _cells(wrk_time(mean), wrk_time(deviation), wrk_time(longest), within / times.count)


def _rates(measurement: Measurement) -> str:
    """Answers per second and thread, over whole seconds (wrk samples tenths of a second)."""
    summary = measurement.summary
    threads = max(len(summary.threads), 1)
    seconds = summary.series[: int(summary.window_seconds)]
    rates = [(each.verified + each.errors) / threads for each in seconds] or [measurement.answers_per_second / threads]
    mean, deviation = statistics.fmean(rates), statistics.pstdev(rates)
    return _cells(_rate(mean), _rate(deviation), _rate(max(rates)), _within(rates, mean, deviation))


def _within(values: Sequence[float], mean: float, deviation: float) -> float:
    return sum(abs(value - mean) <= deviation for value in values) / len(values)


def _rate(value: float) -> str:
    return f"{value / 1e3:.2f}k" if value >= 1000 else f"{value:.2f}"


def _cells(average: str, deviation: str, longest: str, share: float) -> str:
    return f"{average:>8} {deviation:>8} {longest:>9} {share:>8.2%}"
