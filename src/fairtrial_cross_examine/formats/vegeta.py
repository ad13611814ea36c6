"""vegeta: the report in text and in JSON (`report -type=json`), and the percentiles of `-type=hdrplot`.

By its source, `lib/reporters.go` and `lib/metrics.go`.

`rate` is requests over the time of the attack, `throughput` successes over the attack and the wait for the last answer.
It attacks at a rate, but for `-rate=0` and `-rate=infinity`, with which `-max-workers` are a closed load. Requests that
failed, whatever the reason, are in all times.
"""

import re
from collections.abc import Mapping
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
from fairtrial_cross_examine.formats.model import MEASURED, Format, Section, failed_statuses, share_name
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

NANOSECOND = 1e-9
PLOT = r"Value\(ms\)\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)"
PLOTTED = ("50", "75", "90", "99", "99.9", "99.99")
FEWEST_ABOVE = 10
"""Of its plot, which has a hundred percentiles however few the requests: those with so many requests above them."""
RATE = ("-rate", "--rate")
HALF_MINUTE = 30.0
FIELDS = {"min": "minimum", "mean": "mean", "max": "maximum"}


def read(section: Section) -> PrintedRun | None:
    """One report of vegeta in text."""
    if section.find(f"^{PLOT}") is not None:
        return _plot(section)
    rates = section.find(rf"^Requests\s+\[total, rate[^\]\n]{{0,20}}\]\s+(\d{{1,15}}), ({NUMBER})")
    times = section.find(rf"^Duration\s+\[total, attack, wait\]\s+({DURATION}), ({DURATION}), ({DURATION})")
    statuses = section.group(r"^Status Codes\s+\[code:count\]\s+((?:\d{1,3}:\d{1,15}\s*){1,100})") or ""
    command = section.command
    constant_rate = command.rate(*RATE) if command.has(*RATE) else None
    cells, unreadable = _latencies(section)
    return PrintedRun(
        load="closed" if constant_rate == 0 else "open",
        connections=command.whole("-max-workers", "--max-workers") if constant_rate == 0 else None,
        constant_rate_per_second=exactly(constant_rate) if constant_rate else None,
        planned_seconds=command.seconds("-duration", "--duration"),
        seconds=None if times is None else _duration(times[1]),
        requests=None if rates is None else exactly(as_count(rates[1])),
        rate_per_second=None if rates is None else as_figure(rates[2]),
        rate_seconds=None if times is None else _duration(times[2]),
        times=RunTimes.of(
            {field: cells.get(head) for head, field in FIELDS.items()},
            {head: cell for head, cell in cells.items() if head.isdigit()},
        ),
        failures=_failures({code: as_count(count) for code, count in re.findall(r"(\d{1,3}):(\d{1,15})", statuses)}),
        document_bytes=section.figure(rf"^Bytes In\s+\[total, mean\]\s+\d{{1,18}}, ({NUMBER})"),
        bodies_bytes=section.count(r"^Bytes In\s+\[total, mean\]\s+(\d{1,18}),"),
        not_read=[*unreadable, *([] if statuses else ["failed"])],
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The report of vegeta in JSON; none if it is another tool's."""
    if not isinstance(document, dict) or not {"latencies", "status_codes", "rate", "bytes_in"} <= document.keys():
        return []
    latencies, attack = document["latencies"], number(document.get("duration"), NANOSECOND)
    wait = number(document.get("wait"), NANOSECOND)
    fields = {field: number(latencies.get(key), NANOSECOND) for key, field in FIELDS.items()}
    percentiles = {key.removesuffix("th"): value for key, value in latencies.items() if key.endswith("th")}
    shares = {share: number(value, NANOSECOND) for share, value in percentiles.items()}
    run = PrintedRun(
        load="open",
        seconds=attack if attack is None or wait is None else attack.plus(wait),
        requests=number(document.get("requests", 0)),
        rate_per_second=number(document["rate"]),
        rate_seconds=attack,
        times=RunTimes.of(fields, shares),
        failures=_failures({code: int(count) for code, count in document["status_codes"].items()}),
        document_bytes=number(document["bytes_in"].get("mean")),
        bodies_bytes=number(document["bytes_in"].get("total")),
    )
    return [run]


def _failures(statuses: Mapping[str, int]) -> dict[str, int]:
    """Failures by status; 0 stands for a request without an answer, which has a time all the same."""
    unanswered = statuses.get("0", 0)
    answered = failed_statuses({status: number for status, number in statuses.items() if status != "0"})
    return ({"no answer": unanswered} if unanswered else {}) | answered


def _plot(section: Section) -> PrintedRun | None:
    """The plot of `report -type=hdrplot`: its last row counts all requests."""
    rows = re.findall(rf"^({NUMBER})\s+([01]\.\d{{1,9}})\s+(\d{{1,15}})\s+({NUMBER})$", section.text, re.MULTILINE)
    if not rows:
        return None
    requests = max(as_count(count) for _, _, count, _ in rows)
    shares = {share_name(f"{100 * float(share):.4f}"): (value, float(share)) for value, share, _, _ in rows}
    return PrintedRun(
        requests=exactly(requests),
        times=RunTimes(
            percentiles={
                name: as_figure(shares[name][0], MILLISECOND)
                for name in PLOTTED
                if name in shares and requests * (1 - shares[name][1]) >= FEWEST_ABOVE
            }
        ),
    )


def _latencies(section: Section) -> tuple[dict[str, Figure], list[str]]:
    """The row of latencies by its heads, and those heads whose cells are no times."""
    row = section.find(r"^Latencies\s+\[([^\]\n]{1,80})\]\s+(.{1,200})$")
    if row is None:
        return {}, []
    heads, cells = ([each.strip() for each in part.split(",")] for part in row.groups())
    printed = dict(zip(heads, cells, strict=False))
    times = {head: _duration(cell) for head, cell in printed.items() if re.fullmatch(DURATION, cell)}
    unreadable = [f"p{head}" if head.isdigit() else head for head in heads if head not in times]
    return times, [head for head in unreadable if head not in MEASURED]


def _duration(text: str) -> Figure:
    """A time, which is rounded to the unit below its largest: from an hour on to whole minutes."""
    time = duration(text)
    return Figure(value=time.value, within=HALF_MINUTE) if "h" in text else time


FORMAT = Format(
    name="vegeta",
    anchor=rf"^(?:Requests\s+\[total, rate|{PLOT})",
    tails=(
        r"^Duration\s+\[total, attack",
        r"^Latencies\s+\[",
        r"^Bytes In\s+\[",
        r"^Success\s+\[ratio\]",
        r"^Status Codes\s+\[",
    ),
    read=read,
    read_json=read_json,
    in_json=r'"latencies"\s*:',
)
