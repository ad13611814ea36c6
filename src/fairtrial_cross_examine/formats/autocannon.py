"""autocannon: text, and JSON (`--json`). By its source, `lib/run.js` and `lib/printResult.js`.

Its `Req/Sec` is the mean of one count a second, and the last count may be of a part of a second: it is the total over
the duration, give or take a second. `requests` counts every answer, whatever its status, but no error. Latencies are
kept as whole milliseconds, of which the fractions are cut off. Of the percentiles in the JSON, those are read that its
table shows, too: the document holds p99.999 of any sample.
"""

import re
from typing import Any

from fairtrial_cross_examine.figures import (
    DURATION,
    MILLISECOND,
    NUMBER,
    as_count,
    as_figure,
    cut_off,
    duration,
    exactly,
    number,
    prefixed_figure,
    size,
)
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import Figure, LoadKind, PrintedRun, RunTimes

HEAD = r"\d{1,2}(?:\.\d{1,3})?%|Avg|Stdev|Max|Min"
CELL = rf"{NUMBER}(?: ?(?:ns|us|µs|ms|s|m|[kMGT]?i?B)\b)?"
TOTAL = rf"({NUMBER}[kMG]?) requests in ({NUMBER})s, (\d.{{0,24}} [kMGT]?B) read"
PERCENTILES = ("2.5", "50", "97.5", "99")
COLUMNS = {"Avg": "mean", "Stdev": "deviation", "Max": "maximum"}
FIELDS = {"average": "mean", "stddev": "deviation", "min": "minimum", "max": "maximum"}
DEFAULT_CONNECTIONS = 10
SAMPLE_SECONDS = 1.0
HISTOGRAM_DIGITS = 1e-3
"""The histogram of rates keeps three digits."""


def read(section: Section) -> PrintedRun:
    """One report of autocannon in text."""
    total = section.find(rf"^{TOTAL}")
    rates, latencies = _row(section, "Req/Sec"), _row(section, "Latency")
    connections, pipelined = _connections(section)
    errors = section.find(rf"^({NUMBER}[kM]?) errors \(({NUMBER}[kM]?) timeouts\)")
    not_2xx = section.group(rf"^{NUMBER} 2xx responses,\s({NUMBER}) non 2xx responses")
    command = section.command
    constant_rate = command.rate("-R", "--overallRate")
    if constant_rate == 0:
        per_connection = command.rate("-r", "--connectionRate")
        constant_rate = per_connection * connections if per_connection and connections else per_connection
    seconds = None if total is None else as_figure(total[2])
    unanswered = (connections or 0) * (pipelined or 1) + (0.0 if errors is None else prefixed_figure(errors[1]).high)
    requests = None if total is None else _answered(prefixed_figure(total[1]), unanswered)
    planned = section.group(rf"^Running ({DURATION}) test @")
    called_for = command.seconds("-d", "--duration")
    rate = _plain(rates.get("Avg"))
    return PrintedRun(
        url=section.group(r"^Running .{1,40} test @ (\S{1,2000})"),
        load=_load(command.is_given, constant_rate),
        connections=connections * pipelined if connections and pipelined else None,
        pipelined=pipelined if pipelined != 1 else None,
        constant_rate_per_second=exactly(constant_rate) if constant_rate else None,
        planned_seconds=called_for if planned is None else duration(planned),
        seconds=seconds,
        requests=requests,
        rate_per_second=None if rate is None else _roughly(rate),
        rate_seconds=None if seconds is None else _sampled(seconds),
        times=_times(latencies),
        failures={"non-2xx": as_count(not_2xx)} if not_2xx else {},
        unanswered={"errors": round(prefixed_figure(errors[1]).value)} if errors is not None else {},
        answer_bytes=None if total is None or requests is None else size(total[3], 1000).over(requests),
    )


def _connections(section: Section) -> tuple[int | None, int | None]:
    """Connections, and requests under way on each. With `--no-progress` they are not printed."""
    setting = section.find(r"^(\d{1,9}) connections(?: with (\d{1,9}) pipelining factor)?")
    if setting is not None:
        return int(setting[1]), int(setting[2] or 1)
    connections = section.command.connections(DEFAULT_CONNECTIONS, "-c", "--connections")
    return connections, section.command.connections(1, "-p", "--pipelining") if section.command.is_given else 1


def read_json(document: Any) -> list[PrintedRun]:
    """The document of autocannon; none if it is another tool's."""
    keys = {"requests", "latency", "throughput", "connections", "pipelining", "non2xx"}
    if not isinstance(document, dict) or not keys <= document.keys():
        return []
    latency, requests, duration = document["latency"], document["requests"], number(document.get("duration"))
    percentiles = {share: latency.get(f"p{share.replace('.', '_')}") for share in PERCENTILES}
    rate, total = number(requests.get("average")), number(requests.get("total"))
    throughput = number(document["throughput"].get("total"))
    url = document.get("url")
    return [
        PrintedRun(
            url=url if isinstance(url, str) else None,
            connections=int(document["connections"]) * int(document["pipelining"] or 1) or None,
            pipelined=int(document["pipelining"]) if (document["pipelining"] or 1) != 1 else None,
            seconds=duration,
            requests=total,
            rate_per_second=None if rate is None else _roughly(rate),
            rate_seconds=None if duration is None else _sampled(duration),
            times=RunTimes.of(
                {field: cut_off(number(latency.get(key), MILLISECOND)) for key, field in FIELDS.items()},
                {share: cut_off(number(value, MILLISECOND)) for share, value in percentiles.items()},
            ),
            failures=_failures(document),
            unanswered={"errors": int(document["errors"])} if document.get("errors") else {},
            answer_bytes=None if throughput is None or total is None else throughput.over(total),
        )
    ]


def _failures(document: dict[str, Any]) -> dict[str, int]:
    """Answers that are neither a success nor a redirection."""
    number_of_failures = int(document["non2xx"]) - int(document.get("3xx", 0))
    return {"non-2xx": number_of_failures} if number_of_failures > 0 else {}


def _load(called: bool, constant_rate: float | None) -> LoadKind | None:
    """Without the call nobody can tell a closed load from one at a rate."""
    return None if not called else "closed" if constant_rate == 0 else "open"


def _row(section: Section, name: str) -> dict[str, str]:
    """The cells of a row by the heads of the last table head above it; with any borders, or none."""
    heads: list[str] = []
    rows = []
    for line in section.text.splitlines():
        words = " ".join(re.sub(r"[│┃║|]", " ", line).split())
        if re.match(r"Stat\b", words):
            heads = re.findall(HEAD, words)
        elif words.startswith(name):
            unit = " ms" if words.startswith(f"{name} (ms)") else ""
            cells = re.findall(CELL, words.removeprefix(name).removeprefix(" (ms)"))
            if heads and len(cells) == len(heads):
                rows.append({head: f"{cell}{unit}" for head, cell in zip(heads, cells, strict=True)})
    if any(row != rows[0] for row in rows):
        section.ambiguous.append(f"{name}: {len(rows)} rows")
        return {}
    return rows[0] if rows else {}


def _times(cells: dict[str, str]) -> RunTimes:
    times = {head: duration(cell) for head, cell in cells.items() if re.fullmatch(DURATION, cell)}
    fields = {field: cut_off(times.get(head)) for head, field in COLUMNS.items()}
    return RunTimes.of(fields, {share: cut_off(times.get(f"{share}%")) for share in PERCENTILES})


def _plain(text: str | None) -> Figure | None:
    return as_figure(text) if text and re.fullmatch(NUMBER, text) else None


def _answered(requests: Figure, most_unanswered: float) -> Figure:
    """Answers, in whose place newer versions print how many requests were sent."""
    return Figure(value=requests.value, within=requests.within + most_unanswered)


def _roughly(rate: Figure) -> Figure:
    return Figure(value=rate.value, within=rate.within + HISTOGRAM_DIGITS * rate.value)


def _sampled(seconds: Figure) -> Figure:
    return Figure(value=seconds.value, within=seconds.within + SAMPLE_SECONDS)


FORMAT = Format(
    name="autocannon",
    anchor=rf"^{TOTAL}",
    heads=(
        r"^Running .{1,40} test @ .{1,2000}$(?=\s*\d{1,9} connections)",
        r"^\d{1,9} connections(?: with \d{1,9} pipelining factor)?$",
        r"^Stat[\s│┃║|]+(?:2\.5%|Avg)",
        rf"^Latency(?: \(ms\)[\s│┃║|]|[\s│┃║|]+{NUMBER} ms\b|\s*[│┃║|])",
        r"^Stat[\s│┃║|]+1%",
        rf"^{NUMBER} 2xx responses,\s\d",
    ),
    tails=(rf"^{NUMBER}[kM]? errors \({NUMBER}[kM]? timeouts\)",),
    read=read,
    read_json=read_json,
    in_json=r'"(?:sampleInt|pipelining|non2xx)"\s*:',
)
