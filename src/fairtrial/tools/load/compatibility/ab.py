"""The arguments of `ab` (Apache 2.4) as a load, and its report: its figures in their places, with more digits where ab
prints whole milliseconds."""

import argparse
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.tools.load.compatibility.arguments import ToolParser, whole_number
from fairtrial.tools.load.compatibility.emulate import ToolCall
from fairtrial.tools.load.compatibility.omissions import TABLE_PERCENTAGES
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.url import parse_url
from fairtrial.tools.load.request.values import Header, parse_header

DEFAULT_TIMEOUT_SECONDS = 30.0
USAGE = "ab [-n REQUESTS | -t SECONDS] [-c CONCURRENCY] [-k] [-p FILE -T TYPE] [-H 'Name: value'] URL"

KINDS = {
    "refused": "Connect",
    "connect": "Connect",
    "tls": "Connect",
    "reset": "Receive",
    "closed": "Receive",
    "unannounced_close": "Receive",
    "wrong_length": "Length",
}
"""Kinds of errors by the names of ab; all others are its `Exceptions`."""


@dataclass(frozen=True, kw_only=True)
class AbCall(ToolCall):
    """One call of `ab`, and the tables to print."""

    tool = "ab"
    with_percentiles: bool
    with_deviation: bool

    def report(self, measurement: Measurement) -> list[str]:
        """The lines of ab's report."""
        times = _connection_times(measurement, with_deviation=self.with_deviation)
        lines = [*_server_and_document(measurement), "", *_totals(measurement), "", *times]
        return [*lines, "", *_percentages(measurement)] if self.with_percentiles else lines


def read_ab(arguments: Sequence[str]) -> AbCall:
    """Read ab's own arguments.

    Raises:
        Problem: one is unknown, unsupported or wrong, or they contradict each other.
    """
    values = _parser().read(arguments)
    if sum(map(bool, (values.head, values.post_file, values.put_file))) > 1:
        raise Problem("ab -i, -p and -u exclude each other", "give one of them")
    concurrency = values.concurrency or 1
    if values.requests and concurrency > values.requests:
        raise Problem(f"ab: {concurrency} at a time of {values.requests} requests", "lower -c or raise -n")
    url = values.url if "://" in values.url else f"http://{values.url}"
    file = values.post_file or values.put_file
    counted = values.requests is not None or values.seconds is None
    options = LoadOptions(
        warmup_seconds=0.0,
        url=url,
        connections=concurrency,
        requests=(values.requests or 1) if counted else None,
        seconds=None if counted else float(values.seconds),
        threads=1,
        method=_method(values),
        headers=_headers(values, with_body=file is not None),
        body=None if file is None else f"@{file}",
        timeout_seconds=float(values.timeout or DEFAULT_TIMEOUT_SECONDS),
        no_keepalive=not values.keep_alive,
        insecure=url.startswith("https://"),
        certificate_file=values.certificate,
        key_file=values.certificate,
    )
    return AbCall(
        options=options,
        at_most_seconds=float(values.seconds) if counted and values.seconds else None,
        same_length=not values.variable_length,
        with_percentiles=not values.no_percentiles,
        with_deviation=not values.no_deviation,
    )


def _method(values: argparse.Namespace) -> str | None:
    if values.method:
        return str(values.method)
    if values.head:
        return "HEAD"
    if values.put_file:
        return "PUT"
    return "POST" if values.post_file else None


def _headers(values: argparse.Namespace, *, with_body: bool) -> list[Header]:
    headers: list[Header] = []
    if with_body:
        headers.append(parse_header(f"Content-Type: {values.content_type or 'text/plain'}"))
    if values.cookies:
        headers.append(parse_header(f"Cookie: {'; '.join(values.cookies)}"))
    if values.user:
        headers.append(Header("Authorization", "Basic " + base64.b64encode(values.user.encode()).decode()))
    extra: list[Header] = values.headers or []
    given_names = {header.name.lower() for header in extra}
    defaults = (Header("Accept", "*/*"), Header("User-Agent", "ApacheBench/2.3"))
    return [*(header for header in defaults if header.name.lower() not in given_names), *headers, *extra]


def _parser() -> ToolParser:
    parser = ToolParser("ab", USAGE)
    parser.takes("-n", to="requests", parse=whole_number(1))
    parser.takes("-c", to="concurrency", parse=whole_number(1))
    parser.takes("-t", to="seconds", parse=whole_number(1))
    parser.takes("-s", to="timeout", parse=whole_number(1))
    parser.takes("-k", to="keep_alive")
    parser.takes("-p", to="post_file", parse=str)
    parser.takes("-u", to="put_file", parse=str)
    parser.takes("-T", to="content_type", parse=str)
    parser.takes("-H", to="headers", parse=parse_header, repeated=True)
    parser.takes("-C", to="cookies", parse=str, repeated=True)
    parser.takes("-A", to="user", parse=str)
    parser.takes("-m", to="method", parse=str)
    parser.takes("-i", to="head")
    parser.takes("-E", to="certificate", parse=Path)
    parser.takes("-d", to="no_percentiles")
    parser.takes("-S", to="no_deviation")
    parser.takes("-q", to="quiet")
    parser.takes("-l", to="variable_length")
    parser.takes("-r", to="continue_on_errors")
    parser.refuses(
        "-b", reason="the system sets the size of socket buffers", remedy="set net.ipv4.tcp_rmem and tcp_wmem"
    )
    parser.refuses("-B", reason="the system chooses the source address", remedy="leave it out")
    parser.refuses("-e", reason="ab's CSV of percentages is not written", remedy="use fairtrial load --hdr FILE")
    parser.refuses("-g", reason="gnuplot files are not written", remedy="use fairtrial load --html FILE or --csv FILE")
    parser.refuses("-v", reason="single answers are not printed", remedy="look at one with curl -v")
    parser.refuses(
        "-w", reason="HTML tables are not printed", remedy="use fairtrial load --html FILE", takes_value=False
    )
    parser.refuses("-x", "-y", "-z", reason="HTML tables are not printed", remedy="use fairtrial load --html FILE")
    parser.refuses("-X", "-P", reason="proxies are not supported", remedy="aim at the server itself")
    parser.refuses("-f", "-Z", reason="TLS versions and ciphers are rustls's: 1.2 and 1.3", remedy="leave it out")
    parser.refuses("-I", reason="the server's name is always sent in TLS", remedy="leave it out", takes_value=False)
    parser.refuses("-h", reason="this is not ab itself", remedy="fairtrial ab --help", takes_value=False)
    parser.refuses("-V", reason="this is not ab itself", remedy="fairtrial --version", takes_value=False)
    return parser


def _server_and_document(measurement: Measurement) -> list[str]:
    url = parse_url(measurement.url)
    body, expected = measurement.summary.body_bytes, measurement.plan.requests[0].expect.body_bytes
    if expected is not None:
        length = f"{expected.min} bytes"
    elif body is None:
        length = "unknown"
    else:
        length = f"{body.min} bytes" if body.min == body.max else f"Variable ({body.min} to {body.max} bytes)"
    lines = [
        _line("Server Hostname", printable(url.hostname)),
        _line("Server Port", str(url.port)),
    ]
    if measurement.summary.tls is not None:
        tls = measurement.summary.tls
        lines.append(_line("SSL/TLS Protocol", f"TLSv{tls.version.removeprefix('TLSv')},{tls.cipher_suite}"))
    return [
        *lines,
        "",
        _line("Document Path", printable(urlsplit(measurement.url).path or "/")),
        _line("Document Length", length),
    ]


def _totals(measurement: Measurement) -> list[str]:
    summary, plan = measurement.summary, measurement.plan
    window, answers = summary.window_seconds, summary.answers
    failed = sum(count for kind, count in measurement.failed.items() if not kind.startswith("status_"))
    lines = [
        _line("Concurrency Level", str(plan.load.connections)),
        _line("Time taken for tests", f"{window:.3f} seconds"),
        _line("Complete requests", str(answers)),
        _line("Failed requests", str(failed)),
    ]
    if failed:
        lines.append(f"   ({', '.join(f'{name}: {count}' for name, count in _failures_by_kind(measurement).items())})")
    non_2xx = sum(count for kind, count in measurement.failed.items() if kind.startswith("status_"))
    if non_2xx:
        lines.append(_line("Non-2xx responses", str(non_2xx)))
    if plan.requests_per_connection is None:
        lines.append(_line("Keep-Alive requests", str(max(answers - summary.connects, 0))))
    html = round(summary.body_bytes.mean * answers) if summary.body_bytes is not None else 0
    lines += [
        _line("Total transferred", f"{summary.received_bytes} bytes"),
        _line("HTML transferred", f"{html} bytes"),
    ]
    if answers and window > 0:
        each = window * 1e3 / answers
        lines += [
            _line("Requests per second", f"{answers / window:.2f} [#/sec] (mean)"),
            _line("Time per request", f"{each * plan.load.connections:.3f} [ms] (mean)"),
            _line("Time per request", f"{each:.3f} [ms] (mean, across all concurrent requests)"),
            _line("Transfer rate", f"{summary.received_bytes / 1024 / window:.2f} [Kbytes/sec] received"),
        ]
    return lines


def _failures_by_kind(measurement: Measurement) -> dict[str, int]:
    """Failures by ab's four kinds, which do not include answers with a wrong status."""
    counts = dict.fromkeys(("Connect", "Receive", "Length", "Exceptions"), 0)
    for kind, count in measurement.failed.items():
        if not kind.startswith("status_"):
            counts[KINDS.get(kind, "Exceptions")] += count
    return counts


def _connection_times(measurement: Measurement, *, with_deviation: bool) -> list[str]:
    summary = measurement.summary
    if not summary.response_time.count:
        return []
    head = "min  mean[+/-sd] median   max" if with_deviation else "min   avg   max"
    lines = ["Connection Times (ms)", f"              {head}"]
    rows = (
        ("Connect", summary.connect_time),
        ("Processing", summary.service_time),
        ("Waiting", summary.first_byte_time),
        ("Total", summary.response_time),
    )
    for name, times in rows:
        if times is None:
            continue
        lines.append(f"{name + ':':<12}{_row(times, read_histogram(times.hdr_base64), with_deviation)}")
    if measurement.plan.requests_per_connection is None:
        opened = "none was opened" if not summary.connect_time.count else f"{summary.connect_time.count:,} were"
        lines.append(f"(Connect is of the connections opened in this time: {opened}.)")
    return lines


def _row(times: Distribution, histogram: Histogram, with_deviation: bool) -> str:
    low, mean, high = (1e3 * (each or 0.0) for each in (times.min_seconds, times.mean_seconds, times.max_seconds))
    if not with_deviation:
        return f"{low:8.2f} {mean:6.2f} {high:6.2f}"
    deviation, median = (histogram.deviation_seconds * 1e3, histogram.at(50) * 1e3) if histogram.count else (0.0, 0.0)
    return f"{low:8.2f} {mean:6.2f} {deviation:6.2f} {median:6.2f} {high:6.2f}"


def _percentages(measurement: Measurement) -> list[str]:
    times, longest = measurement.response_times, measurement.summary.response_time.max_seconds
    if not times.count or longest is None:
        return []
    lines = ["Percentage of the requests served within a certain time (ms)"]
    lines += [f" {share:>3}% {min(times.at(share), longest) * 1e3:9.3f}" for share in TABLE_PERCENTAGES["ab"]]
    return [*lines, f" 100% {longest * 1e3:9.3f} (longest request)"]


def _line(name: str, value: str) -> str:
    return f"{name + ':':<24}{value}"
