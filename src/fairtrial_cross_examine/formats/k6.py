"""k6: the summary in text, of version 1 and of those before it, and JSON (`--summary-export`, or `handleSummary`).

`http_reqs` counts every request, answered or not; failed ones, by default those with a status of 400 and more and those
without an answer, are in `http_req_failed`. Between two requests a script may pause, or send several at the same time:
requests, times and users therefore do not fulfil Little's law, and the number of users is not read as connections.
"""

import re
from typing import Any

from fairtrial_cross_examine.figures import DURATION, NUMBER, as_count, as_figure, duration, exactly, number
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import Figure, LoadKind, PrintedRun, RunTimes

MILLISECOND = 1e-3
TRENDS = {"avg": "mean", "min": "minimum", "max": "maximum"}
RUNNING = r"^running \((?:(\d{1,4})h)?(?:(\d{1,4})m)?(\d{1,6}(?:\.\d{1,6})?)s\)"


def read(section: Section) -> PrintedRun | None:
    """One summary of k6 in text."""
    requests = section.find(rf"^\s*http_reqs\.*:\s+({NUMBER})\s+({NUMBER})/s")
    if requests is None:
        return None
    failed = section.group(r"^\s*http_req_failed\.*:\s+[\d.]{1,12}%\s+(?:✓\s+)?(\d{1,15})")
    iterations = section.find(rf"^\s*iterations\.*:\s+({NUMBER})\s+({NUMBER})/s")
    dropped = section.group(rf"^\s*dropped_iterations\.*:\s+({NUMBER})")
    load, constant_rate = _load(section)
    each = iterations is not None and as_count(iterations[1]) == as_count(requests[1])
    return PrintedRun(
        name=section.name,
        source=section.source,
        tool="k6",
        load=load,
        constant_rate_per_second=constant_rate if each else None,
        seconds=_seconds(section),
        rate_seconds=None if iterations is None else exactly(as_count(iterations[1])).over(as_figure(iterations[2])),
        requests=exactly(as_count(requests[1])),
        rate_per_second=as_figure(requests[2]),
        times=_times(section),
        failures={"failed": as_count(failed)} if failed and as_count(failed) else {},
        dropped_requests=as_count(dropped or "0"),
    )


def read_json(document: Any, name: str, source: str) -> list[PrintedRun]:
    """The exported summary of k6; none if it is another tool's."""
    metrics = document.get("metrics") if isinstance(document, dict) else None
    if not isinstance(metrics, dict) or not {"http_reqs", "http_req_duration"} <= metrics.keys():
        return []
    values = {key: metric.get("values", metric) for key, metric in metrics.items() if isinstance(metric, dict)}
    trend, requests = values["http_req_duration"], values["http_reqs"]
    times = {field: number(trend.get(key), MILLISECOND) for key, field in TRENDS.items()}
    shares = {_share(key): number(value, MILLISECOND) for key, value in trend.items() if _share(key)}
    failed = values.get("http_req_failed", {}).get("passes", 0)
    iterations = values.get("iterations", {})
    total, rate = number(iterations.get("count")), number(iterations.get("rate"))
    milliseconds = document.get("state", {}).get("testRunDurationMs")
    return [
        PrintedRun(
            name=name,
            source=source,
            tool="k6",
            seconds=number(milliseconds, MILLISECOND),
            rate_seconds=None if total is None or rate is None else total.over(rate),
            requests=number(requests.get("count")),
            rate_per_second=number(requests.get("rate")),
            times=RunTimes.model_validate(
                {**times, "percentiles": {share: value for share, value in shares.items() if value is not None}}
            ),
            failures={"failed": int(failed)} if failed else {},
            dropped_requests=int(values.get("dropped_iterations", {}).get("count", 0)),
        )
    ]


def _load(section: Section) -> tuple[LoadKind | None, Figure | None]:
    """The load of the scenario, if its line was printed and it is the only one."""
    lines = re.findall(r"^\s+\* \w{1,100}: (.{1,300})$", section.text, re.MULTILINE)
    if len(lines) != 1:
        return None, None
    rate = re.match(rf"({NUMBER}) iterations/s", lines[0])
    if rate is not None:
        return "open", as_figure(rate[1])
    load: LoadKind = "open" if "iterations/" in lines[0] else "closed"
    return load, None


def _seconds(section: Section) -> Figure | None:
    """The time of the last line of progress."""
    lines = list(re.finditer(RUNNING, section.text, re.MULTILINE))
    if not lines:
        return None
    hours, minutes, seconds = lines[-1].groups()
    return as_figure(seconds).plus(3600.0 * int(hours or 0) + 60.0 * int(minutes or 0))


def _times(section: Section) -> RunTimes:
    line = section.group(r"^\s*http_req_duration\.*:\s+(avg=.{1,500})$") or ""
    cells = {key: duration(value) for key, value in re.findall(rf"([\w().]{{1,20}})=({DURATION})", line)}
    shares = {_share(key): value for key, value in cells.items() if _share(key)}
    return RunTimes.model_validate({**{field: cells.get(key) for key, field in TRENDS.items()}, "percentiles": shares})


def _share(key: str) -> str:
    """`99.9` for `p(99.9)`, `50` for `med`; empty for anything else."""
    match = re.fullmatch(r"p\((\d{1,2}(?:\.\d{1,6})?)\)", key)
    return match[1] if match is not None else "50" if key == "med" else ""


FORMAT = Format(
    name="k6",
    anchor=re.compile(rf"^\s*http_reqs\.+:\s+{NUMBER}", re.MULTILINE),
    heads=(
        re.compile(r"^\s+execution: \w", re.MULTILINE),
        re.compile(r"^[^\w\n]{0,20}TOTAL RESULTS", re.MULTILINE),
        re.compile(r"^\s*(?:checks|data_received)\.+:", re.MULTILINE),
    ),
    read=read,
    read_json=read_json,
)
