"""oha: text, and JSON (`--output-format json`). By its source, `src/printer.rs` and `src/result_data.rs`.

Any answer is a success, whatever its status: `Success rate` is 100% where all answers are 500. `Requests/sec` counts
requests that failed, and those that the end of the run broke off, too; both are in no time. `-q 0` is no rate.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fairtrial_cross_examine.command_line import NO_CALL, PrintedCall
from fairtrial_cross_examine.figures import NUMBER, SECONDS, as_figure, exactly, number, size
from fairtrial_cross_examine.formats import hey
from fairtrial_cross_examine.formats.model import Section, failed_statuses, listed_all, share_name
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

DEADLINE = "aborted due to deadline"
"""The message of requests that the end of the run broke off: no failure of anybody."""
DEFAULT_CONNECTIONS = 50
FIELDS = {"Average": "mean", "Fastest": "minimum", "Slowest": "maximum"}
UNITS = SECONDS | {"sec": 1.0, "secs": 1.0, "min": 60.0}
TIME = rf"({NUMBER}) (ns|us|µs|ms|secs?|s|min|m|h)\b"


def read(section: Section) -> PrintedRun:
    """One report of oha in text."""
    all_answers = section.text.partition(" (2xx only)")[0]  # by status, too, if that was asked for
    rows = replace(section, text=all_answers).pairs(rf"^({NUMBER})%+ in ({NUMBER} \S{{1,4}})")
    document = section.group(r"^Size/request:\s+([\d.]{1,15} (?:[KMGT]?i?B|bytes))")
    return _run(
        *hey.lists_of(section),
        command=section.command,
        seconds=time_of(section, "Total"),
        rate_per_second=section.figure(rf"^Requests/sec:\s+({NUMBER})"),
        times=RunTimes.of(
            {field: time_of(section, label) for label, field in FIELDS.items()},
            {share_name(share): time_in(value) for share, value in rows},
        ),
        document_bytes=None if document is None else size(document),
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The document of oha; none if it is another tool's."""
    if not isinstance(document, dict) or not {"summary", "latencyPercentiles", "rps"} <= document.keys():
        return []
    summary, shares = document["summary"], document["latencyPercentiles"]
    run = _run(
        {status: int(answers) for status, answers in document.get("statusCodeDistribution", {}).items()},
        {message: int(errors) for message, errors in document.get("errorDistribution", {}).items()},
        command=NO_CALL,
        seconds=number(summary.get("total")),
        rate_per_second=number(summary.get("requestsPerSec")),
        times=RunTimes.of(
            {field: number(summary.get(label.lower())) for label, field in FIELDS.items()},
            {share.removeprefix("p"): number(value) for share, value in shares.items()},
        ),
        document_bytes=number(summary.get("sizePerRequest")),
    )
    return [run]


def _run(
    statuses: Mapping[str, int],
    errors: Mapping[str, int],
    *,
    command: PrintedCall,
    seconds: Figure | None,
    rate_per_second: Figure | None,
    times: RunTimes,
    document_bytes: Figure | None,
) -> PrintedRun:
    answers = sum(statuses.values())
    in_lists = answers + sum(errors.values())
    whole = in_lists > 0 and listed_all(in_lists, rate_per_second, seconds)
    constant_rate = command.rate("-q", "--query-per-second")
    clients = command.connections(DEFAULT_CONNECTIONS, "-c", "--connections")
    parallel = command.connections(1, "-p", "--http2-parallel")
    return PrintedRun(
        load=None if not command.is_given else "closed" if constant_rate == 0 else "open",
        connections=clients * parallel if clients and parallel else None,
        may_pause=command.has("--burst-delay"),
        constant_rate_per_second=exactly(constant_rate) if constant_rate else None,
        planned_seconds=command.seconds("-z"),
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


def time_of(section: Section, label: str) -> Figure | None:
    """The time behind a label, such as `Slowest: 105.9984 ms`."""
    return time_in(section.group(rf"^{label}:\s+({NUMBER} \w{{1,4}})\b") or "")


def time_in(text: str) -> Figure | None:
    """A number with its unit, and nothing else."""
    match = re.fullmatch(TIME, text)
    return None if match is None else as_figure(match[1], UNITS[match[2]])


FORMAT = replace(
    hey.FORMAT,
    name="oha",
    marks=r"^(?:Success rate:|Response time distribution:|Size/sec:)",
    read=read,
    read_json=read_json,
    in_json=r'"(?:successRate|latencyPercentiles)"\s*:',
)
