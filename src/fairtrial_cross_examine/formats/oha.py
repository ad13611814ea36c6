"""oha: text, and JSON (`--output-format json`). By its source, `src/printer.rs` and `src/result_data.rs`.

Any answer is a success, whatever its status: `Success rate` is 100% where all answers are 500. `Requests/sec` counts
requests that failed, and those that the end of the run broke off, too; both are in no time. `-q 0` is no rate.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fairtrial_cross_examine.command_line import PrintedCall
from fairtrial_cross_examine.figures import NUMBER, as_count, as_figure, exactly, number, size
from fairtrial_cross_examine.formats import hey
from fairtrial_cross_examine.formats.model import Format, Section, failed_statuses, listed_all, share_name
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

DEADLINE = "aborted due to deadline"
"""The message of requests that the end of the run broke off: no failure of anybody."""
DEFAULT_CONNECTIONS = 50
UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "sec": 1.0, "secs": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
TIME = rf"({NUMBER}) (ns|us|µs|ms|secs?|min|m|h)\b"


def read(section: Section) -> PrintedRun | None:
    """One report of oha in text."""
    statuses = {status: as_count(answers) for status, answers in section.pairs(r"^\[(\d{3})\]\s+(\d{1,15}) responses")}
    _, _, after = section.text.partition("Error distribution:")
    lines = re.findall(r"^\[(\d{1,15})\]\s+(.{1,200})", after, re.MULTILINE)
    all_answers = section.text.partition(" (2xx only)")[0]  # by status, too, if that was asked for
    rows = replace(section, text=all_answers).pairs(rf"^({NUMBER})%+ in ({NUMBER} \S{{1,4}})")
    percentiles = {share_name(share): time for share, value in rows if (time := _figure(value)) is not None}
    document = section.group(r"^Size/request:\s+([\d.]{1,15} (?:[KMGT]?i?B|bytes))")
    rate = section.figure(rf"^Requests/sec:\s+({NUMBER})")
    if not any((statuses, lines, rate, percentiles, _time(section, "Average"))):
        return None
    return _run(
        statuses,
        {message.strip(): as_count(errors) for errors, message in lines},
        command=section.command,
        seconds=_time(section, "Total"),
        rate_per_second=rate,
        times=RunTimes(
            mean=_time(section, "Average"),
            minimum=_time(section, "Fastest"),
            maximum=_time(section, "Slowest"),
            percentiles=percentiles,
        ),
        document_bytes=None if document is None else size(document),
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The document of oha; none if it is another tool's."""
    if not isinstance(document, dict) or not {"summary", "latencyPercentiles", "rps"} <= document.keys():
        return []
    summary, shares = document["summary"], document["latencyPercentiles"]
    percentiles = {share.removeprefix("p"): number(value) for share, value in shares.items()}
    run = _run(
        {status: int(answers) for status, answers in document.get("statusCodeDistribution", {}).items()},
        {message: int(errors) for message, errors in document.get("errorDistribution", {}).items()},
        command=None,
        seconds=number(summary.get("total")),
        rate_per_second=number(summary.get("requestsPerSec")),
        times=RunTimes(
            mean=number(summary.get("average")),
            minimum=number(summary.get("fastest")),
            maximum=number(summary.get("slowest")),
            percentiles={share: value for share, value in percentiles.items() if value is not None},
        ),
        document_bytes=number(summary.get("sizePerRequest")),
    )
    return [run]


def _run(
    statuses: Mapping[str, int],
    errors: Mapping[str, int],
    *,
    command: PrintedCall | None,
    seconds: Figure | None,
    rate_per_second: Figure | None,
    times: RunTimes,
    document_bytes: Figure | None,
) -> PrintedRun:
    answers = sum(statuses.values())
    in_lists = answers + sum(errors.values())
    whole = in_lists > 0 and listed_all(in_lists, rate_per_second, seconds)
    constant_rate = 0.0 if command is None else command.rate("-q", "--query-per-second")
    clients = None if command is None else command.connections(DEFAULT_CONNECTIONS, "-c", "--connections")
    parallel = None if command is None else command.connections(1, "-p", "--http2-parallel")
    return PrintedRun(
        load=None if command is None else "closed" if constant_rate == 0 else "open",
        connections=clients * parallel if clients and parallel else None,
        constant_rate_per_second=exactly(constant_rate) if constant_rate else None,
        planned_seconds=None if command is None else command.seconds("-z"),
        seconds=seconds,
        requests=exactly(in_lists) if whole else None,
        answers=exactly(answers) if whole else None,
        rate_per_second=rate_per_second,
        times=times,
        failures=failed_statuses(statuses),
        unanswered={message: number for message, number in errors.items() if message != DEADLINE},
        unanswered_are_requests=True,
        document_bytes=document_bytes,
    )


def _time(section: Section, label: str) -> Figure | None:
    match = section.find(rf"^{label}:\s+{TIME}")
    return None if match is None else as_figure(match[1], UNITS[match[2]])


def _figure(text: str) -> Figure | None:
    match = re.fullmatch(TIME, text)
    return None if match is None else as_figure(match[1], UNITS[match[2]])


FORMAT = Format(
    name="oha",
    anchor=hey.ANCHOR,
    heads=hey.HEADS,
    tails=hey.TAILS,
    recognises=lambda text: hey.OHA.search(text) is not None,
    read=read,
    read_json=read_json,
)
