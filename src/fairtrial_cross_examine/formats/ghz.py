"""ghz (gRPC): text. By its source, `runner/reporter.go` and `printer/template.go`.

Count, rate and average are of all calls; slowest, fastest and percentiles of those whose status is OK, which are the
first million at most. Where some are not OK, the average is that of other times than the percentiles: it is not read.
"""

from dataclasses import replace

from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.figures import exactly
from fairtrial_cross_examine.formats import hey
from fairtrial_cross_examine.formats.model import Section
from fairtrial_cross_examine.formats.oha import time_in, time_of
from fairtrial_cross_examine.model import PrintedRun, RunTimes

DEFAULT_WORKERS = 50
OK = "OK"


def read(section: Section) -> PrintedRun:
    """One report of ghz."""
    statuses = {status: int(calls) for status, calls in section.pairs(r"^\[(\w{1,30})\]\s+(\d{1,15}) responses")}
    failures = {status: calls for status, calls in statuses.items() if status != OK}
    rows = section.pairs(r"^(\d{1,2}) ?% in ([\d.]{1,20} \w{1,4})$")
    has_all = "99" in dict(rows) or (statuses and OK not in statuses)
    command = section.command
    limit = command.rate("-r", "--rps")
    is_closed = command.is_given and limit == 0 and not command.has("--async", "--load-schedule")
    return PrintedRun(
        load="closed" if is_closed else "open" if limit else None,
        connections=command.connections(DEFAULT_WORKERS, "-c", "--concurrency"),
        constant_rate_per_second=exactly(limit) if limit else None,
        planned_seconds=command.seconds("-z", "--duration"),
        seconds=time_of(section, "Total"),
        requests=section.count(r"^Count:\s+(\d{1,15})$"),
        rate_per_second=section.figure(r"^Requests/sec:\s+([\d.]{1,20})"),
        times=RunTimes.of(
            {
                "mean": None if failures else time_of(section, "Average"),
                "minimum": time_of(section, "Fastest"),
                "maximum": time_of(section, "Slowest"),
            },
            {share: time_in(time) for share, time in rows},
        ).model_copy(update={"sample": min(statuses.get(OK, 0), CAPS["ghz"].most) if statuses else None}),
        failures=failures,
        not_read=[*([] if has_all else ["percentiles"]), *([] if statuses else ["failed"])],
        remarks=["its average is that of failures, too, and is not taken"] if failures else [],
    )


FORMAT = replace(
    hey.FORMAT,
    name="ghz",
    marks=r"^Count:\s+\d",
    read=read,
    always=("requests", "seconds", "rate", "max"),
)
