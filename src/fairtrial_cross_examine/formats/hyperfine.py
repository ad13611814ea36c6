"""hyperfine: text, and its exports as JSON, CSV and Markdown. By its source, `src/benchmark/mod.rs`, `src/export`.

It times whole commands, not requests. Its deviation is that of one run, not of the mean. Versions before 1.6 do not
print how many runs there were, nor do CSV, in seconds, and Markdown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from fairtrial_cross_examine.figures import NUMBER, as_count, as_figure, number
from fairtrial_cross_examine.formats.model import Format, Section, rows_of, unread_run
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes
from fairtrial_cross_examine.unreadable import read_each, require

UNITS = {"µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = rf"({NUMBER}) (µs|us|ms|s)"
SIGN = r"[^\w\s\[]{1,4}"
"""Its ± and …, whatever consoles make of them."""
CSV_HEAD = "command,mean,stddev,"
MARKDOWN_HEAD = r"Command ?\| ?Mean \[(µs|us|ms|s)\]"
CELL_ENDS = re.compile(r"(?<!\\)\|")
KEYS = {"command", "mean", "min"}
FIELDS = {"mean": "mean", "stddev": "deviation", "min": "minimum", "max": "maximum"}


def read(section: Section) -> PrintedRun | Sequence[PrintedRun] | None:
    """One benchmark of hyperfine in text, or all of an exported table."""
    head = re.match(MARKDOWN_HEAD, section.text)
    if section.text.startswith(CSV_HEAD):
        return read_each((row for row in rows_of(section) if row.get("mean")), lambda row: _row(row, 1.0), unread_run)
    if head is not None:
        return read_each(_markdown(section), lambda row: _row(row, UNITS[head[1]]), unread_run)
    command = section.group(r"^Benchmark #?\d{1,6}: (.{1,2000})$")
    mean = section.find(rf"^Time \((?:mean|abs)[^)\n]{{0,10}}\):\s+{TIME}(?: {SIGN} +{TIME})?")
    spread = section.find(rf"^Range \(min {SIGN} max\):\s+{TIME} {SIGN} +{TIME}(?:\s+(\d{{1,9}}) runs)?")
    if command is None or mean is None:
        return None
    only = mean[0].startswith("Time (abs")
    runs = 1 if only else as_count(spread[5]) if spread is not None and spread[5] else None
    return PrintedRun(
        name=command.strip(),
        contender=command.strip(),
        times=RunTimes(
            mean=_time(mean[1], mean[2]),
            deviation=None if mean[3] is None else _time(mean[3], mean[4]),
            minimum=None if spread is None else _time(spread[1], spread[2]),
            maximum=None if spread is None else _time(spread[3], spread[4]),
        ),
        runs=runs,
        statistic="only" if only else "mean",
        not_read=["max"] if spread is None and not only else [],
    )


def _markdown(section: Section) -> Iterator[Mapping[str, str]]:
    """Rows of `command | mean ± deviation | min | max | relative`."""
    for line in takewhile(lambda line: "|" in line, section.text.splitlines()[1:]):
        command, *cells = (cell.strip() for cell in CELL_ENDS.split(line))
        if len(cells) >= 3 and cells[0][:1].isdigit():
            mean, _, deviation = cells[0].partition("±")
            row = {"mean": mean.strip(), "stddev": deviation.strip(), "min": cells[1], "max": cells[2]}
            yield {"command": command.replace("\\|", "|"), **row}


def _row(row: Mapping[str, str], unit: float) -> PrintedRun:
    times = {field: as_figure(row[key], unit) for key, field in FIELDS.items() if row.get(key)}
    median = as_figure(row["median"], unit) if row.get("median") else None
    return PrintedRun(
        name=row["command"],
        contender=row["command"],
        times=RunTimes.of(times, {"50": median}),
        statistic="mean",
    )


def read_json(document: Any) -> list[PrintedRun]:
    """The benchmarks of an exported document, or one of them alone; none if it is another tool's."""
    results = document.get("results", [document]) if isinstance(document, dict) else None
    if not isinstance(results, list) or not any(isinstance(each, dict) and each.keys() >= KEYS for each in results):
        return []
    return read_each(results, _from_json, unread_run)


def _from_json(result: Any) -> PrintedRun:
    require(result, KEYS)
    times = result.get("times")
    runs = len(times) if isinstance(times, list) and times else None
    return PrintedRun(
        name=str(result["command"]),
        contender=str(result["command"]),
        times=RunTimes.of(
            {field: number(result.get(key)) for key, field in FIELDS.items()}, {"50": number(result.get("median"))}
        ),
        runs=runs,
        statistic="only" if runs == 1 else "mean",
    )


def _time(text: str, unit: str) -> Figure:
    return as_figure(text, UNITS[unit])


FORMAT = Format(
    name="hyperfine",
    anchor=rf"^(?:Benchmark #?\d{{1,6}}: |{CSV_HEAD}|{MARKDOWN_HEAD})",
    tails=(r"^Time \((?:mean|abs)", r"^Range \(min"),
    read=read,
    read_json=read_json,
    in_json=r'\A\{\s*(?:"results"\s*:\s*\[\s*(?:\{\s*"command"|\Z)|"command"\s*:)',
    always=("mean",),
)
