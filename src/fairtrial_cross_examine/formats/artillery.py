"""Artillery: the summary report in text, of version 2 and of those before it, and JSON (`--output`).

By its source, `lib/console-reporter.js` and `ssms.js`: times are those of answers, whatever their status. Its
percentiles are within 1% of a time that an answer had. `http.request_rate` is a mean of the rates of its periods, not
requests over the time of the run, which is therefore not read. Users arrive at a rate, but each may send its requests
one after another, and think in between: the load is not printed.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, exactly, number
from fairtrial_cross_examine.formats.model import Format, Section, failed_statuses
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

SKETCH = 0.01
"""The relative accuracy of the sketch that its percentiles are from."""
TIMES = r"((?:\s*(?:min|max|mean|median|p\d{1,4}): .{1,200}\n?){2,12})"
FIELDS = {"min": "minimum", "max": "maximum", "mean": "mean"}
PERCENTILES = {"median": "50", "p50": "50", "p75": "75", "p90": "90", "p95": "95", "p99": "99"}
SYSTEM_ERROR = re.compile(r"(?:errors\.)?(E[A-Z_]{3,30})")
"""Errors without an answer; those of captures and expectations had one."""


def read(section: Section) -> PrintedRun | None:
    """The summary report of one run in text; none for the periods before it."""
    _, heading, report = section.text.partition("Summary report @ ")
    section = replace(section, text=heading + report)
    block = section.group(rf"^\s*(?:http\.response_time|Response time \(msec\)):\n{TIMES}")
    rows = re.findall(rf"(\w{{3,6}}): \.*\s*({NUMBER})(?:\n|$)", block or "")
    started = section.group(r"^\s*http\.requests: \.*\s*(\d{1,15})$")
    answered = section.group(r"^\s*(?:http\.responses: \.*|Requests completed:)\s*(\d{1,15})$")
    if answered is None and started is None:
        return None
    codes = section.pairs(r"^\s*http\.codes\.(\d{3}): \.*\s*(\d{1,15})$")
    classic = section.group(r"^\s*Codes:\n((?:\s*\d{3}: \d{1,15}.*\n?){1,60})") or ""
    errors = section.pairs(r"^\s*(?:errors\.)?(E[A-Z_]{3,30}): \.*\s*(\d{1,15})$")
    return _run(
        started=None if started is None else as_count(started),
        answered=None if answered is None else as_count(answered),
        rate=section.figure(rf"^\s*(?:http\.request_rate: \.*|Mean responses?/sec:)\s*({NUMBER})"),
        times={label: as_figure(cell, MILLISECOND) for label, cell in rows},
        codes={code: as_count(count) for code, count in [*codes, *re.findall(r"(\d{3}): (\d{1,15})", classic)]},
        errors={code: as_count(count) for code, count in errors},
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The aggregate of a report; none if it is another tool's document."""
    aggregate = document.get("aggregate") if isinstance(document, dict) else None
    if not isinstance(aggregate, dict):
        return []
    counters, classic = aggregate.get("counters", {}), "requestsCompleted" in aggregate
    if "http.requests" not in counters and not classic:
        return []
    times = aggregate["latency"] if classic else aggregate.get("summaries", {}).get("http.response_time", {})
    codes = aggregate.get("codes", {}) if classic else _under("http.codes.", counters)
    errors = aggregate.get("errors", {}) if classic else _under("errors.", counters)
    rate = aggregate.get("rps", {}).get("mean") if classic else aggregate.get("rates", {}).get("http.request_rate")
    run = _run(
        started=None if classic else int(counters["http.requests"]),
        answered=int(aggregate["requestsCompleted"] if classic else counters.get("http.responses", 0)),
        rate=number(rate),
        times={label: value for label, cell in times.items() if (value := number(cell, MILLISECOND)) is not None},
        codes={code: int(count) for code, count in codes.items()},
        errors={code: int(count) for code, count in errors.items() if SYSTEM_ERROR.fullmatch(code)},
    )
    return [run]


def _under(prefix: str, counters: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): count for name, count in counters.items() if name.startswith(prefix)}


def _run(
    *,
    started: int | None,
    answered: int | None,
    rate: Figure | None,
    times: Mapping[str, Figure],
    codes: Mapping[str, int],
    errors: Mapping[str, int],
) -> PrintedRun:
    """Version 2 counts requests and answers; those before it only answers, and errors by their kind.

    Without a count of answers there were none, if so many errors are listed; else it was cut off.
    """
    if answered is None and started is not None and sum(errors.values()) >= started:
        answered = 0
    without_answer = dict(errors) if started is None else {} if answered is None else {"no answer": started - answered}
    uncoded = answered is not None and sum(codes.values()) < answered  # every answer has a code
    requests = answered if started is None or answered is None else started
    return PrintedRun(
        requests=None if requests is None else exactly(requests),
        answers=None if answered is None else exactly(answered),
        rate_per_second=rate,
        times=RunTimes.of(
            {field: times.get(label) for label, field in FIELDS.items()},
            {share: _sketched(times[key]) for key, share in PERCENTILES.items() if key in times},
        ),
        failures=failed_statuses(codes),
        unanswered={kind: count for kind, count in without_answer.items() if count > 0},
        unanswered_are_requests=started is not None,
        not_read=[*(["percentiles"] if "p99" not in times else []), *(["failed"] if uncoded else [])],
    )


def _sketched(time: Figure) -> Figure:
    return Figure(value=time.value, within=time.within + SKETCH * time.value)


FORMAT = Format(
    name="artillery",
    anchor=r"^Summary report @ \d",
    heads=(
        r"^(?:Metrics for period to:|Report @) \d",
        r"^All (?:VUs|virtual users) finished",
    ),
    read=read,
    read_json=read_json,
    in_json=r'\A\{\s*"aggregate"\s*:',
    always=("requests", "rate", "max"),
)
