"""Gatling: the summary in text, of version 3.10 and of those before it, and JSON (`stats.json`, `global_stats.json`).

By its source, `ConsoleTemplate.scala` and `GeneralStats.scala`: its rate is over the whole seconds from the first
request to the last answer, rounded up, which are at least the longest answer, and as much shorter than the simulation
as its users pause at both ends. Requests that failed (`KO`), whatever the reason, count and have a time. Its
percentiles are estimates: of the same times it prints other ones as `Total` and as `OK`. Each is taken for somewhere
above the one before it; which percentages they have is not in the JSON. A simulation may pause, and prints neither its
load nor its connections.
"""

from typing import Any

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, exactly, number
from fairtrial_cross_examine.formats.model import BUT_SECONDS, Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

UNCERTAIN_SECONDS = 2.0
"""The time of the simulation has whole seconds, and begins and ends with its users instead of its requests."""
FIELDS = {
    "minimum": "min response time",
    "maximum": "max response time",
    "mean": "mean response time",
    "deviation": r"(?:response time )?std deviation",
}
KEYS = {
    "minimum": "minResponseTime",
    "maximum": "maxResponseTime",
    "mean": "meanResponseTime",
    "deviation": "standardDeviation",
}


def read(section: Section) -> PrintedRun | None:
    """One summary of Gatling in text."""
    count = section.find(
        rf"^\s*(?:> )?request count\s+\|?\s*({NUMBER})\s+(?:\(OK=\S+\s+KO=(\S+)\s*\)|\|\s+\S+\s+\|\s+(\S+))"
    )
    if count is None:
        return None
    failed = (count[2] or count[3]).replace("-", "0")
    seconds = section.group(r"^\s*Simulation \S{1,300} completed in (\d{1,9}) seconds")
    times = {field: _milliseconds(_total(section, label)) for field, label in FIELDS.items()}
    shares = section.pairs(
        rf"^\s*(?:> )?response time ([\d.]{{1,9}})(?:st|nd|rd|th) percentile(?: \(ms\))?\s+\|?\s*({NUMBER})"
    )
    took = None if seconds is None else Figure(value=float(seconds), within=UNCERTAIN_SECONDS)
    return PrintedRun(
        seconds=took,
        rate_seconds=_from_first_to_last(took, times["maximum"]),
        requests=exactly(as_count(count[1])),
        rate_per_second=_total(section, r"mean (?:requests/sec|throughput)"),
        times=RunTimes.of(times, _estimates(shares, times["minimum"])),
        failures={"KO": as_count(failed)} if as_count(failed) else {},
    )


def _from_first_to_last(took: Figure | None, longest: Figure | None) -> Figure | None:
    """From the first request to the last answer: between the longest answer and the time of the simulation."""
    if took is None or longest is None or longest.value >= took.high:
        return took
    return Figure(value=(took.high + longest.value) / 2, within=(took.high - longest.value) / 2)


def _total(section: Section, label: str) -> Figure | None:
    return section.figure(rf"^\s*(?:> )?{label}(?: \((?:ms|rps)\))?\s+\|?\s*({NUMBER})")


def _milliseconds(cell: Figure | None) -> Figure | None:
    """A time in whole milliseconds, which may have been rounded or cut off."""
    return None if cell is None else Figure(value=cell.value * MILLISECOND, within=MILLISECOND)


def _estimates(shares: list[tuple[str, str]], minimum: Figure | None) -> dict[str, Figure]:
    """Percentiles, each as uncertain as it is away from the one before it."""
    below = 0.0 if minimum is None else minimum.value
    estimates = {}
    for share, cell in sorted(shares, key=lambda pair: float(pair[0])):
        value = as_figure(cell, MILLISECOND).value
        estimates[share] = Figure(value=value, within=max(value - below, MILLISECOND))
        below = value
    return estimates


def read_json(document: Any) -> list[PrintedRun]:
    """The statistics of all requests; none if it is another tool's document."""
    stats = document.get("stats", document) if isinstance(document, dict) else None
    if not isinstance(stats, dict) or not {"numberOfRequests", "meanNumberOfRequestsPerSecond"} <= stats.keys():
        return []
    times = {field: _milliseconds(number(stats[key]["total"])) for field, key in KEYS.items()}
    failed = int(stats["numberOfRequests"]["ko"])
    return [
        PrintedRun(
            requests=number(stats["numberOfRequests"]["total"]),
            rate_per_second=number(stats["meanNumberOfRequestsPerSecond"]["total"]),
            times=RunTimes.of(times, {}),
            failures={"KO": failed} if failed else {},
        )
    ]


FORMAT = Format(
    name="gatling",
    anchor=r"^---- Global Information -",
    heads=(r"^Simulation \S{1,300} completed in \d",),
    read=read,
    read_json=read_json,
    in_json=r'"numberOfRequests"\s*:',
    always=BUT_SECONDS,
    beside=("seconds",),
)
