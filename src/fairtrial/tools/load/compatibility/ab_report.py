"""The report of ab: its figures in their places, with more digits where ab prints whole milliseconds."""

from urllib.parse import urlsplit

from fairtrial.base.printable import printable
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.tools.load.compatibility.ab import AbCall
from fairtrial.tools.load.compatibility.omissions import TABLE_PERCENTAGES
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.request.url import parse_url

KINDS = {
    "refused": "Connect",
    "connect": "Connect",
    "tls": "Connect",
    "reset": "Receive",
    "closed": "Receive",
    "wrong_length": "Length",
}
"""Kinds of errors by the names of ab; all others are its `Exceptions`."""


def ab_report(call: AbCall, measurement: Measurement) -> list[str]:
    """The lines of ab's report."""
    lines = [*_server_and_document(measurement), "", *_totals(measurement), "", *_connection_times(call, measurement)]
    if call.with_percentiles:
        lines += ["", *_percentages(measurement)]
    return lines


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


def _connection_times(call: AbCall, measurement: Measurement) -> list[str]:
    summary = measurement.summary
    if not summary.response_time.count:
        return []
    head = "min  mean[+/-sd] median   max" if call.with_deviation else "min   avg   max"
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
        lines.append(f"{name + ':':<12}{_row(times, read_histogram(times.hdr_base64), call.with_deviation)}")
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
