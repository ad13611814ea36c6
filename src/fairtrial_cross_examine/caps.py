"""How much tools keep at most: beyond it, they print a part of the run. One table for readers and checks."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Cap:
    """How much a tool keeps."""

    most: int
    of: str
    source: str


CAPS: Mapping[str, Cap] = {
    "ghz": Cap(1_000_000, "times of calls, the first ones", "runner/reporter.go: maxResult"),
    "h2load": Cap(1_000_000, "times of requests, drawn from all", "nghttp2, src/h2load.cc: MAX_SAMPLES"),
    "hey": Cap(1_000_000, "results, and divides sums of all by their number", "requester/report.go: maxRes"),
    "jmeter": Cap(
        20_000,
        "last samples, of which the percentiles of statistics.json are",
        "reportgenerator.properties: jmeter.reportgenerator.statistic_window",
    ),
}
"""By the name of the tool."""
