"""hey: text. By its source, `requester/report.go`.

`Requests/sec` counts requests that failed, too; those are in no time. It keeps a million results: of more answers, the
`Average` is the sum of all of them over one million (`avgTotal / len(lats)`), so that it is too long, and so is
`Size/request`; releases that count statuses among the results they keep print a million of them. What it does not
print, the number of its workers, only the call tells; `-q 0` is no rate.
"""

import re

from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.figures import NUMBER, as_count, as_figure, exactly
from fairtrial_cross_examine.formats.model import Format, Section, failed_statuses, listed_all
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

DEFAULT_WORKERS = 50
LINES = (
    r"^(?:Success rate:\s|Count:\s+\d{1,15}$)",  # oha, ghz
    rf"^Total:\s+{NUMBER} (?:secs?|s|ms|us|µs|ns|m|min|h)\b",
    rf"^Slowest:\s+{NUMBER} ",
    rf"^Fastest:\s+{NUMBER} ",
    rf"^Average:\s+{NUMBER} ",
    r"^Response time histogram:",
    r"^(?:Latency|Response time) distribution:",
    r"^Details \(average, fastest, slowest",
    r"^Status code distribution",
    r"^Error distribution",
)
"""The lines of hey, and of oha and ghz, which print the same and one more."""
HEADS, ANCHOR, TAILS = LINES[:4], LINES[4], LINES[5:]


def read(section: Section) -> PrintedRun:
    """One report of hey."""
    statuses, errors = lists_of(section)
    answers = sum(statuses.values())
    rate, times = section.figure(rf"^Requests/sec:\s+({NUMBER})"), _times(section)
    seconds = section.figure(rf"^Total:\s+({NUMBER}) secs")
    in_lists = answers + sum(errors.values())
    whole = in_lists > 0 and listed_all(in_lists, rate, seconds)
    over = answers > CAPS["hey"].most or (answers == CAPS["hey"].most and not whole)
    mean = None if over else times.mean
    times = times.model_copy(update={"mean": mean, "sample": min(answers, CAPS["hey"].most) if whole or over else None})
    document = section.group(rf"^Size/request:\s+({NUMBER}) bytes")
    command = section.command
    per_worker = command.rate("-q")
    workers = command.connections(DEFAULT_WORKERS, "-c")
    return PrintedRun(
        load=None if not command.is_given else "closed" if per_worker == 0 else "open",
        connections=workers,
        constant_rate_per_second=exactly(per_worker * workers) if per_worker and workers else None,
        planned_seconds=command.seconds("-z"),
        seconds=seconds,
        requests=exactly(in_lists) if whole else None,
        answers=exactly(answers) if whole else None,
        rate_per_second=rate,
        times=times,
        failures=failed_statuses(statuses),
        unanswered=errors,
        unanswered_are_requests=True,
        # A quotient without its remainder.
        document_bytes=None if document is None or over else Figure(value=as_count(document), within=1),
        bodies_bytes=section.count(rf"^Total data:\s+({NUMBER}) bytes"),
        remarks=[_REMARK] if over else [],
    )


_REMARK = (
    f"hey keeps {CAPS['hey'].most:,} results, and divides by that: of more answers, their number, the Average and the "
    "Size/request that it prints are not those of all"
)


def lists_of(section: Section) -> tuple[dict[str, int], dict[str, int]]:
    """Answers by status, and errors by their message."""
    statuses = {status: as_count(number) for status, number in section.pairs(r"^\[(\d{3})\]\s+(\d{1,15}) responses")}
    errors: dict[str, int] = {}
    _, _, after = section.text.partition("Error distribution:")
    for number, message in re.findall(r"^\[(\d{1,15})\]\s+(.{1,200})", after, re.MULTILINE):
        errors[message.strip()] = errors.get(message.strip(), 0) + as_count(number)
    return statuses, errors


def _times(section: Section) -> RunTimes:
    # Of too few answers it prints rows of 0%.
    rows = section.pairs(rf"^(\d{{1,2}})%+ in ({NUMBER}) secs")
    return RunTimes(
        mean=section.figure(rf"^Average:\s+({NUMBER}) secs"),
        minimum=section.figure(rf"^Fastest:\s+({NUMBER}) secs"),
        maximum=section.figure(rf"^Slowest:\s+({NUMBER}) secs"),
        percentiles={share: as_figure(value) for share, value in rows if share != "0"},
    )


FORMAT = Format(
    name="hey",
    anchor=ANCHOR,
    heads=HEADS,
    tails=TAILS,
    read=read,
)
