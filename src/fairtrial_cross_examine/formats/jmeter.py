"""JMeter: the lines of its summariser, and JSON (`statistics.json` of its dashboard).

By its source, `Summariser.java`, `SummariserRunningSample.java` and `StatisticsSummaryConsumer.java`: errors count as
samples and have a time; a sample may be several requests. Of the lines, only the last one of the whole run
(`summary =`) is read; its figures are cut off, and a decimal comma stands where the machine's language has one. In the
JSON, the median and the percentiles are those of the last 20,000 samples, and which percentages these have is not
printed: they are not read. Threads may pause; the load is not printed.
"""

import re
from typing import Any

from fairtrial_cross_examine.figures import as_count, as_figure, duration, exactly, number
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

MILLISECOND = 1e-3
NAME = r"(?:\d[\d/:, -]{8,30}INFO\s+(?:-\s+)?[\w.]{0,60}Summariser: )?(?:summary|Generate Summary Results)"
TOTAL = (
    rf"\s*{NAME} = +(\d{{1,15}}) in +((?:\d{{1,6}}:)?\d{{1,6}}(?::\d\d|(?:[.,]\d)?s)) = +(?:(\d{{1,15}}[.,]\d)|\*+)/s "
    r"Avg: +(\d{1,12}) Min: +(\d{1,12}) Max: +(\d{1,12}) Err: +(\d{1,15}) \("
)


def read(section: Section) -> PrintedRun | None:
    """One run, by its last line."""
    total = re.match(TOTAL, section.text)
    if total is None:
        return None
    mean, minimum, maximum = (_cut(as_figure(total[place], MILLISECOND)) for place in (4, 5, 6))
    errors = as_count(total[7])
    return PrintedRun(
        name=section.source,
        source=section.source,
        tool="jmeter",
        seconds=_seconds(total[2].replace(",", ".")),
        requests=exactly(as_count(total[1])),
        rate_per_second=None if total[3] is None else as_figure(total[3].replace(",", ".")),
        times=RunTimes(mean=mean, minimum=minimum, maximum=maximum),
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


def read_json(document: Any, name: str, source: str) -> list[PrintedRun]:
    """The statistics of all samples, or of each label where there is no total; none if it is another tool's."""
    rows = document if isinstance(document, dict) else {}
    keys = {"sampleCount", "errorCount", "meanResTime", "throughput"}
    if not rows or not all(isinstance(row, dict) and keys <= row.keys() for row in rows.values()):
        return []
    return [
        PrintedRun(
            name=name if label == "Total" else f"{name}: {label}",
            source=source,
            tool="jmeter",
            requests=number(row["sampleCount"]),
            rate_per_second=number(row["throughput"]),
            times=RunTimes(
                mean=number(row["meanResTime"], MILLISECOND),
                minimum=number(row.get("minResTime"), MILLISECOND),
                maximum=number(row.get("maxResTime"), MILLISECOND),
            ),
            failures={"errors": int(row["errorCount"])} if row["errorCount"] else {},
        )
        for label, row in rows.items()
        if label == "Total" or "Total" not in rows
    ]


def _cut(time: Figure) -> Figure:
    """A time of which the fraction of a millisecond was cut off."""
    return Figure(value=time.value, within=MILLISECOND)


FORMAT = Format(
    name="jmeter",
    # A line every half minute for the time so far; but for the last, one for the time since and the next follow.
    anchor=re.compile(
        rf"^{NAME} = +\d{{1,15}} in [^\n]{{1,200}}$(?!\n+[^\n]{{0,200}} \+ +\d[^\n]{{0,200}}\n+{NAME} = )", re.MULTILINE
    ),
    read=read,
    read_json=read_json,
)
