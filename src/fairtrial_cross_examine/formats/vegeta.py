"""vegeta: the report in text and in JSON (`report -type=json`), and the percentiles of `-type=hdrplot`.

By its source, `lib/reporters.go` and `lib/metrics.go`.

`rate` is requests over the time of the attack, `throughput` successes over the attack and the wait for the last answer.
It attacks at a rate, but for `-rate=0` and `-rate=infinity`, with which `-max-workers` are a closed load. Requests that
failed, whatever the reason, are in all times.
"""

import re
from collections.abc import Mapping
from typing import Any

from fairtrial_cross_examine.command_line import PrintedCall
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
from fairtrial_cross_examine.formats.model import Format, Section, failed_statuses, share_name
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

NANOSECOND = 1e-9
PLOT = r"Value\(ms\)\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)"
PLOTTED = ("50", "75", "90", "99", "99.9", "99.99")
FEWEST_ABOVE = 10
"""Of its plot, which has a hundred percentiles however few the requests: those with so many requests above them."""
RATE = ("-rate", "--rate")
FIELDS = {"min": "minimum", "mean": "mean", "max": "maximum"}


def read(section: Section) -> PrintedRun | None:
    """One report of vegeta in text."""
    if section.find(f"^{PLOT}") is not None:
        return _plot(section)
    rates = section.find(rf"^Requests\s+\[total, rate[^\]\n]{{0,20}}\]\s+(\d{{1,15}}), ({NUMBER})")
    times = section.find(rf"^Duration\s+\[total, attack, wait\]\s+({DURATION}), ({DURATION}), ({DURATION})")
    latencies = _times(section)
    if not any((rates, times, latencies.mean, latencies.percentiles)):
        return None
    document = section.group(rf"^Bytes In\s+\[total, mean\]\s+\d{{1,18}}, ({NUMBER})")
    bodies = section.group(r"^Bytes In\s+\[total, mean\]\s+(\d{1,18}),")
    statuses = section.group(r"^Status Codes\s+\[code:count\]\s+((?:\d{1,3}:\d{1,15}\s*){1,100})") or ""
    return _run(
        {status: as_count(answers) for status, answers in re.findall(r"(\d{1,3}):(\d{1,15})", statuses)},
        command=section.command,
        seconds=None if times is None else duration(times[1]),
        attack=None if times is None else duration(times[2]),
        requests=None if rates is None else as_count(rates[1]),
        rate=None if rates is None else as_figure(rates[2]),
        times=latencies,
        document_bytes=None if document is None else as_figure(document),
        bodies_bytes=None if bodies is None else exactly(as_count(bodies)),
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
    body = number(document["bytes_in"].get("mean"))
    run = _run(
        {status: int(answers) for status, answers in document["status_codes"].items()},
        command=None,
        seconds=attack if attack is None or wait is None else attack.plus(wait),
        attack=attack,
        requests=int(document.get("requests", 0)),
        rate=number(document["rate"]),
        times=RunTimes.model_validate({**fields, "percentiles": shares}),
        document_bytes=body,
        bodies_bytes=number(document["bytes_in"].get("total")),
    )
    return [run]


def _run(
    statuses: Mapping[str, int],
    *,
    command: PrintedCall | None,
    seconds: Figure | None,
    attack: Figure | None,
    requests: int | None,
    rate: Figure | None,
    times: RunTimes,
    document_bytes: Figure | None,
    bodies_bytes: Figure | None,
) -> PrintedRun:
    constant_rate = None if command is None or command.option(*RATE) is None else command.rate(*RATE)
    workers = command.whole("-max-workers", "--max-workers") if command is not None and constant_rate == 0 else None
    return PrintedRun(
        load="closed" if constant_rate == 0 else "open",
        connections=workers,
        constant_rate_per_second=exactly(constant_rate) if constant_rate else None,
        planned_seconds=None if command is None else command.seconds("-duration", "--duration"),
        seconds=seconds,
        requests=None if requests is None else exactly(requests),
        rate_per_second=rate,
        rate_seconds=attack,
        times=times,
        failures=_failures(statuses),
        document_bytes=document_bytes,
        bodies_bytes=bodies_bytes,
    )


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


def _times(section: Section) -> RunTimes:
    row = section.find(r"^Latencies\s+\[([^\]\n]{1,80})\]\s+(.{1,200})$")
    if row is None:
        return RunTimes()
    heads = [head.strip() for head in row[1].split(",")]
    printed = zip(heads, (cell.strip() for cell in row[2].split(",")), strict=False)
    cells = {head: duration(cell) for head, cell in printed if re.fullmatch(DURATION, cell)}
    return RunTimes.model_validate(
        {
            **{field: cells.get(head) for head, field in FIELDS.items()},
            "percentiles": {head: cell for head, cell in cells.items() if head.isdigit()},
        }
    )


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
)
