"""JMeter: the lines of its summariser, tables as CSV (aggregate and summary report), and `statistics.json`.

By its source, `Summariser.java`, `SummariserRunningSample.java` and `StatisticsSummaryConsumer.java`: errors count as
samples and have a time; a sample may be several requests. Of the lines, only the last one of the whole run
(`summary =`) is read; its figures are cut off, and a decimal comma stands where the machine's language has one. In the
JSON, the median and the percentiles are those of the last samples, and which percentages these have is not printed:
only the median of few samples is read. Threads may pause; the load is not printed. Of a table, the row of all samples
is read, or each where there is none; its times are cut off, too, and its errors are a share.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, cut_off, duration, exactly, number
from fairtrial_cross_examine.formats.model import BUT_SECONDS, Format, Section, rows_of, unread_run
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes
from fairtrial_cross_examine.unreadable import read_each, require

NAME = r"(?:\d[\d/:, -]{8,30}INFO\s+(?:-\s+)?[\w.]{0,60}Summariser: )?(?:summary|Generate Summary Results)"
CSV_HEAD = r"(?:Label,# Samples,Average,|sampler_label,aggregate_report_count,average,)"
HEADS = {"sampler label": "label", "count": "# samples", "error%": "error %", "rate": "throughput"}
TIMES = {"average": "mean", "min": "minimum", "max": "maximum"}
KEYS = {"sampleCount", "errorCount", "meanResTime", "throughput"}
PERCENTILES = ("50", "90", "95", "99")
PER_SECONDS = {"sec": 1, "min": 60, "hour": 3600}
TOTAL = (
    rf"\s*{NAME} = +(\d{{1,15}}) in +((?:\d{{1,6}}:)?\d{{1,6}}(?::\d\d|(?:[.,]\d)?s)) = +(\d{{1,15}}[.,]\d|\**)/s "
    r"Avg: +(\d{1,12}) Min: +(\d{1,12}) Max: +(\d{1,12}) Err: +(\d{1,15}) \("
)


def read(section: Section) -> PrintedRun | Sequence[PrintedRun] | None:
    """One run, by its last line; of a table, one for all labels, or for each."""
    if re.match(CSV_HEAD, section.text):
        rows = {cells["label"]: cells for row in rows_of(section) if (cells := _renamed(row)).get("# samples")}
        return read_each([rows["TOTAL"]] if "TOTAL" in rows else rows.values(), _of_row, unread_run)
    total = re.match(TOTAL, section.text)
    if total is None:
        return None
    mean, minimum, maximum = (cut_off(as_figure(total[place], MILLISECOND)) for place in (4, 5, 6))
    errors = as_count(total[7])
    return PrintedRun(
        seconds=_seconds(total[2].replace(",", ".")),
        requests=exactly(as_count(total[1])),
        rate_per_second=as_figure(total[3].replace(",", ".")) if total[3].strip("*") else None,
        times=RunTimes(mean=mean, minimum=minimum, maximum=maximum),
        failures={"errors": errors} if errors else {},
    )


def _renamed(row: Mapping[str, str]) -> dict[str, str]:
    """The cells of a row by the heads of JMeter itself, also where its reporter for the command line wrote it."""
    names = {head.removeprefix("aggregate_report_").replace("_", " "): cell for head, cell in row.items()}
    return {HEADS.get(head, head.removesuffix(" line")): cell for head, cell in names.items()}


def _of_row(row: Mapping[str, str]) -> PrintedRun:
    requests = as_count(row["# samples"])
    errors = round(requests * as_figure(row["error %"].rstrip("%")).value / 100) if row.get("error %") else 0
    times = {field: cut_off(as_figure(row[head], MILLISECOND)) for head, field in TIMES.items() if row.get(head)}
    cells = {share: row.get("median" if share == "50" else f"{share}%") for share in PERCENTILES}
    shares = {share: cut_off(as_figure(cell, MILLISECOND)) for share, cell in cells.items() if cell}
    rate = re.match(rf"({NUMBER})(?:/(sec|min|hour))?$", row.get("throughput", ""))
    return PrintedRun(
        name="" if row["label"] == "TOTAL" else row["label"],
        requests=exactly(requests),
        rate_per_second=None if rate is None else as_figure(rate[1], 1 / PER_SECONDS[rate[2] or "sec"]),
        times=RunTimes.of(times, shares),
        failures={"errors": errors} if errors else {},
    )


def _seconds(text: str) -> Figure:
    """`00:01:05`, or `65.2s` of versions before 3."""
    if text.endswith("s"):
        return duration(text)
    seconds = 0
    for part in text.split(":"):
        seconds = 60 * seconds + int(part)
    return Figure(value=float(seconds), within=0.5)


def read_json(document: Any) -> list[PrintedRun]:
    """The statistics of all samples, or of each label where there is no total; none if it is another tool's."""
    rows = document if isinstance(document, dict) else {}
    if not any(isinstance(row, dict) and row.keys() >= KEYS for row in rows.values()):
        return []
    labels = ["Total"] if "Total" in rows else rows
    return read_each([{"label": label, "row": rows[label]} for label in labels], _of_label, unread_run)


def _of_label(labelled: Mapping[str, Any]) -> PrintedRun:
    label, row = labelled["label"], labelled["row"]
    require(row, KEYS)
    median = number(row.get("medianResTime"), MILLISECOND)
    return PrintedRun(
        name="" if label == "Total" else label,
        requests=number(row["sampleCount"]),
        rate_per_second=number(row["throughput"]),
        times=RunTimes(
            mean=number(row["meanResTime"], MILLISECOND),
            minimum=number(row.get("minResTime"), MILLISECOND),
            maximum=number(row.get("maxResTime"), MILLISECOND),
            percentiles={"50": median} if median is not None and row["sampleCount"] <= CAPS["jmeter"].most else {},
        ),
        failures={"errors": int(row["errorCount"])} if row["errorCount"] else {},
    )


FORMAT = Format(
    name="jmeter",
    # A line every half minute for the time so far; but for the last, one for the time since and the next follow.
    anchor=(
        rf"^(?:{CSV_HEAD}|"
        rf"{NAME} = +\d{{1,15}} in [^\n]{{1,200}}$(?!\n+[^\n]{{0,200}} \+ +\d[^\n]{{0,200}}\n+{NAME} = ))"
    ),
    read=read,
    read_json=read_json,
    in_json=r'"sampleCount"\s*:',
    always=BUT_SECONDS,
)
