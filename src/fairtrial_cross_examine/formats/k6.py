"""k6: the summary in text, of version 1 and of those before it, and JSON (`--summary-export`, or `handleSummary`).

`http_reqs` counts every request, answered or not; failed ones, by default those with a status of 400 and more and those
without an answer, are in `http_req_failed`. Its full summary repeats all metrics for each scenario and group. Between
two requests a script may pause, or send several at the same time: requests, times and users therefore do not fulfil
Little's law, and the number of users is not read as connections.
"""

import re
from collections.abc import Sequence
from typing import Any

from fairtrial_cross_examine.figures import (
    DURATION,
    MILLISECOND,
    NUMBER,
    as_count,
    as_figure,
    duration,
    exactly,
    number,
)
from fairtrial_cross_examine.formats.model import BUT_SECONDS, Format, Section
from fairtrial_cross_examine.model import Figure, LoadKind, PrintedRun, RunTimes

TRENDS = {"avg": "mean", "min": "minimum", "max": "maximum"}
READ = ("http_reqs", "http_req_duration", "http_req_failed", "iterations", "dropped_iterations")
"""The metrics that are read: whatever the others are, it refuses no summary."""
HTTP_REQS = rf"^http_reqs\.+:\s+{NUMBER}"
RUNNING = r"^running \((?:(\d{1,4})h)?(?:(\d{1,4})m)?(\d{1,6}(?:\.\d{1,6})?)s\)"


def read(section: Section) -> PrintedRun | Sequence[PrintedRun]:
    """One summary of k6 in text, or the part of one that is about a scenario or a group."""
    requests = section.find(rf"^http_reqs\.*:\s+({NUMBER})\s+({NUMBER})/s")
    times, unreadable = _times(section)
    part = section.group(r"^(?:SCENARIO|GROUP): (.{1,200})$")
    if part is not None and not any((requests, times.mean)):
        return []  # it made no requests
    # ✓ and ✗ of a rate are what it counts and what it does not: here failures, and successes.
    failed = section.group(r"^http_req_failed\.*:\s+[\d.]{1,12}%\s+\D{0,6}(\d{1,15})")
    iterations = section.find(rf"^iterations\.*:\s+({NUMBER})\s+({NUMBER})/s")
    dropped = section.group(rf"^dropped_iterations\.*:\s+({NUMBER})") or "0"
    load, constant_rate = _load(section)
    each = iterations is not None and requests is not None and as_count(iterations[1]) == as_count(requests[1])
    return PrintedRun(
        name="" if part is None else part.strip(),
        contender=None if part is None else part.strip(),
        load=load,
        constant_rate_per_second=constant_rate if each else None,
        seconds=None if part is not None else _seconds(section),
        rate_seconds=None if iterations is None else exactly(as_count(iterations[1])).over(as_figure(iterations[2])),
        requests=None if requests is None else exactly(as_count(requests[1])),
        rate_per_second=None if requests is None else as_figure(requests[2]),
        times=times,
        failures={"failed": as_count(failed)} if failed and as_count(failed) else {},
        dropped_requests=as_count(dropped),
        not_read=unreadable,
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The exported summary of k6; none if it is another tool's."""
    document = _as_before(document) if isinstance(document, dict) else document
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
            seconds=number(milliseconds, MILLISECOND),
            rate_seconds=None if total is None or rate is None else total.over(rate),
            requests=number(requests.get("count")),
            rate_per_second=number(requests.get("rate")),
            times=RunTimes.of(times, shares),
            failures={"failed": int(failed)} if failed else {},
            dropped_requests=int(values.get("dropped_iterations", {}).get("count", 0)),
        )
    ]


def _as_before(document: dict[str, Any]) -> dict[str, Any]:
    """The form of `--new-machine-readable-summary`, whose metrics are a list, as `handleSummary` has the others.

    It has no rate: requests over its time stand for it.
    """
    results, config = document.get("results"), document.get("config")
    if (
        not isinstance(results, dict)
        or not isinstance(config, dict)
        or "k6_version" not in document.get("metadata", {})
    ):
        return document
    seconds = float(config["duration"])
    metrics = {}
    for metric in results["metrics"]:
        if not isinstance(metric, dict) or metric.get("name") not in READ:
            continue
        values = {re.sub(r"^p(?=\d)(.*)$", r"p(\1)", key): value for key, value in metric["values"].items()}
        values |= {"passes": values["matches"]} if "matches" in values else {}
        values |= {"rate": values["count"] / seconds} if "count" in values and seconds > 0 else {}
        metrics[metric["name"]] = {"values": values}
    return {"metrics": metrics, "state": {"testRunDurationMs": 1000 * seconds}}


def _load(section: Section) -> tuple[LoadKind | None, Figure | None]:
    """The load of the scenario, if its line was printed and it is the only one."""
    scenario = r"^(?!scenarios: )[\w-]{1,100}: (.{0,60}(?:iterations|VUs?)\b.{0,300})$"
    lines = re.findall(scenario, section.text, re.MULTILINE)
    if len(lines) != 1:
        return None, None
    rate = re.match(rf"({NUMBER}) iterations/s", lines[0])
    if rate is not None:
        return "open", as_figure(rate[1])
    load: LoadKind = "open" if "iterations/" in lines[0] else "closed"
    return load, None


def _seconds(section: Section) -> Figure | None:
    """The time of the last line of progress: version 1 prints it behind the summary, older ones before it."""
    summary = section.find(HTTP_REQS)
    end = len(section.text) if summary is None else summary.start()
    before = list(re.finditer(RUNNING, section.before + section.text[:end], re.MULTILINE))
    behind = list(re.finditer(RUNNING, section.text[end:] + section.behind, re.MULTILINE))
    is_new = section.find(r"^TOTAL RESULTS|^http_req_failed\.*:.{1,40} out of ") is not None
    lines = behind[:1] if is_new else before[-1:]
    if not lines:
        return None
    hours, minutes, seconds = lines[0].groups()
    return as_figure(seconds).plus(3600.0 * int(hours or 0) + 60.0 * int(minutes or 0))


def _times(section: Section) -> tuple[RunTimes, list[str]]:
    """The times, and the names of those that cannot be read as such."""
    line = section.group(r"^http_req_duration\.*:\s+(\w[\w().]{0,20}=.{1,500}(?:\n[\w().]{1,20}=.{1,200}){0,6})$") or ""
    printed = {key: value for key, value in re.findall(r"([\w().]{1,20})=(\S+)", line) if key in TRENDS or _share(key)}
    cells = {key: duration(value) for key, value in printed.items() if re.fullmatch(DURATION, value)}
    shares = {_share(key): value for key, value in cells.items() if _share(key)}
    unreadable = [key for key in printed if key not in cells and TRENDS.get(key, key) not in ("mean", "maximum")]
    return RunTimes.of({field: cells.get(key) for key, field in TRENDS.items()}, shares), unreadable


def _share(key: str) -> str:
    """`99.9` for `p(99.9)`, `50` for `med`; empty for anything else."""
    match = re.fullmatch(r"p\((\d{1,2}(?:\.\d{1,6})?)\)", key)
    return match[1] if match is not None else "50" if key == "med" else ""


FORMAT = Format(
    name="k6",
    anchor=HTTP_REQS,
    heads=(
        r"^execution: \w",
        r"^(?:TOTAL RESULTS|(?:SCENARIO|GROUP): )",
        r"^checks\.+:",
        r"(?<!NETWORK\n)^data_received\.+:",  # version 1 prints it behind the requests, under this heading
        r"(?<!EXECUTION\n)^dropped_iterations\.+:",
        r"^http_req_duration\.+:",
        r"^http_req_failed\.+:",
    ),
    tails=(r"^iterations\.+:",),
    read=read,
    read_json=read_json,
    in_json=r'"(?:http_req\w{1,30}|root_group|k6_version)"\s*:',
    always=BUT_SECONDS,
    beside=("seconds",),
)
