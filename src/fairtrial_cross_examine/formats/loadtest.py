"""loadtest (npm): text, and the result of its API as JSON. By its source, `lib/result.js` and `lib/latency.js`.

Errors of any kind count as requests and have a time. Times are whole milliseconds, of which the fractions are cut off.
On several cores, versions print the clients of one core or of all: then the connections are not known.
"""

import re
from collections.abc import Mapping
from typing import Any

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, cut_off, exactly, number
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

FIELDS = {"meanLatencyMs": "mean", "minLatencyMs": "minimum", "maxLatencyMs": "maximum"}
RATE = r"^(?:Effective rps|Requests per second):\s"
"""Of older versions the planned rate, before the results, as well as the reached one."""


def read(section: Section) -> PrintedRun | None:
    """One report of loadtest in text."""
    settings, _, results = section.text.partition("Completed requests:")
    total = re.match(r"\s+(\d{1,15})$", results, re.MULTILINE)
    if total is None:
        return None
    clients = section.group(r"^\s*Concurren(?:cy level|t clients):\s+(\d{1,9})")
    several = section.group(r"^\s*Running on cores:\s+(\d{1,6})") not in (None, "1")
    planned = re.search(r"^\s*(?:Target rps|Requests per second):\s+(\d{1,12})", settings, re.MULTILINE)
    rate = re.search(rf"^\s*(?:Effective rps|Requests per second):\s+({NUMBER})", results, re.MULTILINE)
    longest = section.group(r"^\s*100%\s+(\d{1,12}) ms")
    times = {
        "mean": section.figure(rf"^\s*Mean latency:\s+({NUMBER}) ms", MILLISECOND),
        "maximum": None if longest is None else as_figure(longest, MILLISECOND),
    }
    shares = section.pairs(r"^\s*(\d{2})%\s+(\d{1,12}) ms$")
    return PrintedRun(
        url=section.group(r"^\s*Target URL:\s+(\S{1,2000})"),
        load="open" if planned is not None else "closed" if settings.strip() else None,
        connections=None if clients is None or several else int(clients) or None,
        constant_rate_per_second=None if planned is None else exactly(as_count(planned[1])),
        seconds=section.figure(rf"^\s*Total time:\s+({NUMBER}) s"),
        requests=exactly(as_count(total[1])),
        rate_per_second=None if rate is None else as_figure(rate[1]),
        times=_times(times, {share: as_figure(value, MILLISECOND) for share, value in shares}),
        failures=_failures(
            {code: as_count(count) for code, count in section.pairs(r"^\s*(-?\w{1,40}):\s+(\d{1,15}) errors$")},
            as_count(section.group(r"^\s*Total errors:\s+(\d{1,15})") or "0"),
        ),
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The result of loadtest's API; none if it is another tool's document."""
    keys = {"totalRequests", "totalErrors", "totalTimeSeconds", "meanLatencyMs", "percentiles"}
    if not isinstance(document, dict) or not keys <= document.keys():
        return []
    times = {field: number(document.get(key), MILLISECOND) for key, field in FIELDS.items()}
    shares = {share: number(value, MILLISECOND) for share, value in document["percentiles"].items()}
    errors = {code: int(count) for code, count in document.get("errorCodes", {}).items()}
    return [
        PrintedRun(
            seconds=number(document["totalTimeSeconds"]),
            requests=exactly(int(document["totalRequests"])),
            rate_per_second=_rounded(document.get("effectiveRps", document.get("rps"))),
            times=_times(times, shares),
            failures=_failures(errors, int(document["totalErrors"])),
        )
    ]


def _times(fields: Mapping[str, Figure | None], percentiles: Mapping[str, Figure | None]) -> RunTimes:
    """The times, whose fractions of milliseconds loadtest cut off."""
    return RunTimes.of(*({key: cut_off(time) for key, time in each.items()} for each in (fields, percentiles)))


def _failures(errors: Mapping[str, int], all_errors: int) -> dict[str, int]:
    """Errors by their code, or all of them where no codes are printed."""
    kinds = {f"status {code}" if code.isdigit() else f"error {code}": count for code, count in errors.items() if count}
    return kinds or ({"errors": all_errors} if all_errors else {})


def _rounded(rate: Any) -> Figure | None:
    """A rate of which the fraction was rounded away."""
    return as_figure(str(rate)) if isinstance(rate, int) and not isinstance(rate, bool) else number(rate)


FORMAT = Format(
    name="loadtest",
    anchor=r"^Completed requests:\s",
    heads=(r"^Target URL:\s", RATE),
    tails=(
        RATE,
        r"^Percentage of (?:the )?requests served",
        r"^-?\w{1,20}:\s+\d{1,15} errors$",
    ),
    read=read,
    read_json=read_json,
    in_json=r'"(?:totalRequests|totalTimeSeconds|meanLatencyMs)"\s*:',
)
