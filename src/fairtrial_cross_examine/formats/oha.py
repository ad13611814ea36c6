"""oha: text, and JSON (`--output-format json`). By its source, `src/printer.rs` and `src/result_data.rs`.

Any answer is a success, whatever its status: `Success rate` is 100% where all answers are 500. `Requests/sec` counts
requests that failed, and those that the end of the run broke off, too; both are in no time.
"""

import re
from collections.abc import Mapping
from typing import Any

from fairtrial_cross_examine.command_line import PrintedCall
from fairtrial_cross_examine.figures import NUMBER, as_count, as_figure, exactly, number, size
from fairtrial_cross_examine.formats.model import Format, Section, failed_statuses, share_name
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

DEADLINE = "aborted due to deadline"
"""The message of requests that the end of the run broke off: no failure of anybody."""
DEFAULT_CONNECTIONS = 50
UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "sec": 1.0, "secs": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
TIME = rf"({NUMBER}) (ns|us|µs|ms|secs?|min|m|h)\b"


def read(section: Section) -> PrintedRun | None:
    """One report of oha in text."""
    statuses = {status: as_count(answers) for status, answers in section.pairs(r"^\s+\[(\d{3})\] (\d{1,15}) responses")}
    _, _, after = section.text.partition("\nError distribution:")
    lines = re.findall(r"^\s+\[(\d{1,15})\] (.{1,200})", after, re.MULTILINE)
    all_answers = section.text.partition(" (2xx only)")[0]  # by status, too, if that was asked for
    rows = re.finditer(rf"^\s+({NUMBER})%+ in {TIME}", all_answers, re.MULTILINE)
    percentiles = {share_name(row[1]): as_figure(row[2], UNITS[row[3]]) for row in rows}
    document = section.group(r"^\s+Size/request:\s+([\d.]{1,15} [KMGT]?i?B)")
    return _run(
        section.name,
        section.source,
        statuses,
        {message.strip(): as_count(errors) for errors, message in lines},
        command=section.command,
        seconds=_time(section, "Total"),
        rate_per_second=section.figure(rf"^\s+Requests/sec:\s+({NUMBER})"),
        times=RunTimes(
            mean=_time(section, "Average"),
            minimum=_time(section, "Fastest"),
            maximum=_time(section, "Slowest"),
            percentiles=percentiles,
        ),
        document_bytes=None if document is None else size(document),
    )


def read_json(document: Any, name: str, source: str) -> list[PrintedRun]:
    """The document of oha; none if it is another tool's."""
    if not isinstance(document, dict) or not {"summary", "latencyPercentiles", "rps"} <= document.keys():
        return []
    summary, shares = document["summary"], document["latencyPercentiles"]
    percentiles = {share.removeprefix("p"): number(value) for share, value in shares.items()}
    run = _run(
        name,
        source,
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
    name: str,
    source: str,
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
    constant_rate = None if command is None else command.number("-q", "--query-per-second")
    connections = None
    if command is not None:
        parallel = command.whole("-p", "--http2-parallel") or 1
        connections = (command.whole("-c", "--connections") or DEFAULT_CONNECTIONS) * parallel
    return PrintedRun(
        name=name,
        source=source,
        tool="oha",
        load=None if command is None else "closed" if constant_rate is None else "open",
        connections=connections,
        constant_rate_per_second=None if constant_rate is None else exactly(constant_rate),
        seconds=seconds,
        requests=exactly(answers + sum(errors.values())),
        answers=exactly(answers),
        rate_per_second=rate_per_second,
        times=times,
        failures=failed_statuses(statuses),
        unanswered={message: number for message, number in errors.items() if message != DEADLINE},
        unanswered_are_requests=True,
        document_bytes=document_bytes,
    )


def _time(section: Section, label: str) -> Figure | None:
    match = section.find(rf"^\s+{label}:\s+{TIME}")
    return None if match is None else as_figure(match[1], UNITS[match[2]])


FORMAT = Format(
    name="oha",
    anchor=re.compile(r"^Summary:\n\s+Success rate:\s", re.MULTILINE),
    read=read,
    read_json=read_json,
)
