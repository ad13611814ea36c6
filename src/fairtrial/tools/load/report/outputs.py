"""The outcome of a load for programs, in files and on standard output: JSON, CSV, and HdrHistogram's percentile
distribution; and the page for readers."""

import math
from collections.abc import Iterator
from dataclasses import astuple

from fairtrial.base.csv_text import csv_table
from fairtrial.base.document import json_text
from fairtrial.record.engine_summary import AtLeast
from fairtrial.record.histogram import Histogram
from fairtrial.report.outputs import Paths, write_outputs
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.document import load_document

SERIES_COLUMNS = {
    "second": "a second of the window, counted from 1",
    "length_seconds": "1, or less of a last part of a second",
    "verified": "verified answers in it",
    "errors": "requests that ended in it without a right answer",
    "p50_seconds": "the median of its response times; empty where there are none",
    "p99_seconds": "their p99, likewise",
    "max_seconds": "the longest of them, likewise",
}
"""The columns of a load's seconds as CSV, and their meanings."""
TICKS_PER_HALF_DISTANCE = 5


def write_load(paths: Paths, measurement: Measurement) -> None:
    """Write every output that has a path.

    Raises:
        Problem: a file cannot be written after all.
    """
    bounds = measurement.summary.response_time.at_least
    write_outputs(
        paths,
        {
            "--json": lambda: json_text(load_document(measurement)),
            "--csv": lambda: seconds_csv(measurement),
            "--hdr": lambda: percentile_distribution(measurement.response_times, bounds),
            "--html": lambda: _html(measurement),
        },
    )


def _html(measurement: Measurement) -> str:
    from fairtrial.tools.load.report.page import load_page  # noqa: PLC0415 the chart library takes long to load

    return load_page(measurement)


def seconds_csv(measurement: Measurement) -> str:
    """A line for each second of the window, counted from 1; `length_seconds` is below 1 for a last part of a second."""
    window = measurement.summary.window_seconds
    return csv_table(
        SERIES_COLUMNS,
        (
            [place + 1, round(min(max(window - place, 0.0), 1.0), 6), *astuple(second)]
            for place, second in enumerate(measurement.summary.series)
        ),
    )


def percentile_distribution(times: Histogram, bounds: AtLeast | None = None) -> str:
    """The distribution of times in milliseconds as HdrHistogram writes it (`.hgrm`), for its plotters.

    Args:
        bounds: of the times, those that are lower bounds. A comment at the end says so; plotters skip it.
    """
    lines = [f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}", ""]
    last = 0.0
    for percentile in _ticks():
        if not times.count:
            break
        value, below = times.through(100 * percentile)
        lines.append(f"{value * 1e3:12.3f} {percentile:2.12f} {below:10d} {1 / (1 - percentile):14.2f}")
        last = value
        if below >= times.count:
            break
    if times.count:
        lines.append(f"{last * 1e3:12.3f} {1:2.12f} {times.count:10d}")
    mean, deviation = (times.mean_seconds, times.deviation_seconds) if times.count else (0.0, 0.0)
    lines += [
        f"#[Mean    = {mean * 1e3:12.3f}, StdDeviation   = {deviation * 1e3:12.3f}]",
        f"#[Max     = {last * 1e3:12.3f}, Total count    = {times.count:12d}]",
        f"#[Buckets = {len(times.buckets):12d}, SubBuckets     = {2048:12d}]",
    ]
    if bounds is not None:
        lines.append(f"#[Lower bounds = {bounds.count:7d}, From           = {bounds.min_seconds * 1e3:12.3f}]")
    return "\n".join(lines) + "\n"


def _ticks() -> Iterator[float]:
    """Shares from 0 up, five in each half of the rest, as HdrHistogram's percentile iterator has them."""
    share = 0.0
    while share < 1:
        yield share
        halvings = math.floor(math.log2(1 / (1 - share))) + 1
        share += 1 / (TICKS_PER_HALF_DISTANCE * 2.0**halvings)
