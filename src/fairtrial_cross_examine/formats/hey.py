"""hey: text. By its source, `requester/report.go`.

`Requests/sec` counts requests that failed, too; those are in no time. It keeps a million times: of more answers, the
`Average` is the sum of all of them over one million (`avgTotal / len(lats)`), so that it is too long. What it does not
print, the number of its workers, only the call tells.
"""

import re

from fairtrial_cross_examine.figures import NUMBER, as_count, as_figure, exactly
from fairtrial_cross_examine.formats.model import Format, Section, failed_statuses
from fairtrial_cross_examine.model import PrintedRun, RunTimes

MOST_TIMES = 1_000_000
DEFAULT_WORKERS = 50


def read(section: Section) -> PrintedRun | None:
    """One report of hey."""
    statuses = section.pairs(r"^\s+\[(\d{3})\]\s+(\d{1,15}) responses")
    answers = sum(as_count(number) for _, number in statuses)
    _, heading, after = section.text.partition("\nError distribution:")
    errors = {} if not heading else _errors(after)
    requests = answers + sum(errors.values())
    document = section.group(rf"^\s+Size/request:\s+({NUMBER}) bytes")
    command = section.command
    per_worker = None if command is None else command.number("-q")
    workers = None if command is None else command.whole("-c") or DEFAULT_WORKERS
    return PrintedRun(
        name=section.name,
        source=section.source,
        tool="hey",
        load="closed" if per_worker is None else "open",
        connections=workers,
        constant_rate_per_second=exactly(per_worker * workers) if per_worker and workers else None,
        seconds=section.figure(rf"^\s+Total:\s+({NUMBER}) secs"),
        requests=exactly(requests) if requests else None,
        answers=exactly(answers),
        rate_per_second=section.figure(rf"^\s+Requests/sec:\s+({NUMBER})"),
        times=_times(section, answers),
        failures=failed_statuses({status: as_count(number) for status, number in statuses}),
        unanswered=errors,
        unanswered_are_requests=True,
        document_bytes=None if document is None else exactly(as_count(document)),
    )


def _errors(text: str) -> dict[str, int]:
    """Errors by their message, the rest of the first lines."""
    lines = re.findall(r"^\s+\[(\d{1,15})\]\s+(.{1,200})", text, re.MULTILINE)
    errors: dict[str, int] = {}
    for number, message in lines:
        errors[message.strip()] = errors.get(message.strip(), 0) + as_count(number)
    return errors


def _times(section: Section, answers: int) -> RunTimes:
    # Of too few answers it prints rows of 0%.
    rows = section.pairs(rf"^\s+(\d{{1,2}})%+ in ({NUMBER}) secs")
    return RunTimes(
        mean=section.figure(rf"^\s+Average:\s+({NUMBER}) secs"),
        minimum=section.figure(rf"^\s+Fastest:\s+({NUMBER}) secs"),
        maximum=section.figure(rf"^\s+Slowest:\s+({NUMBER}) secs"),
        percentiles={share: as_figure(value) for share, value in rows if share != "0"},
        sample=min(answers, MOST_TIMES) or None,
    )


FORMAT = Format(name="hey", anchor=re.compile(r"^Summary:\n\s+Total:\s", re.MULTILINE), read=read)
