"""ab (ApacheBench): text. By its source, `support/ab.c` of httpd 1.3 to 2.4.

`Complete requests` counts every answer, whatever its status; `Failed requests` counts those of another length than the
first, those that broke off, and failed connects. One answer can be in several of these. The table of connection times
has whole milliseconds, which newer versions round and older ones cut off. The table in HTML (`-w`) has the same words,
and no percentiles.
"""

import re

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, exactly, milliseconds
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.model import PrintedRun, RunTimes


def read(section: Section) -> PrintedRun:
    """One report of ab."""
    complete = section.count(rf"^Complete requests:\s+({NUMBER})")
    concurrency = section.group(r"^Concurrency Level:\s+(\d{1,9})")
    failed = _failed(section)
    connect = failed.pop("connect", 0)
    non_2xx = as_count(section.group(r"^Non-2xx responses:\s+(\d{1,15})") or "0")
    per_request = rf"^Time per request:\s+({NUMBER}) \[ms\] "
    return PrintedRun(
        url=_url(section),
        load="closed",
        connections=int(concurrency) if concurrency and int(concurrency) else None,
        seconds=section.figure(rf"^Time taken for tests:\s+({NUMBER}) seconds"),
        requests=complete,
        rate_per_second=section.figure(rf"^Requests per second:\s+({NUMBER})"),
        times=_times(section),
        time_per_request_seconds=section.figure(rf"{per_request}\(mean\)", MILLISECOND),
        time_across_seconds=section.figure(rf"{per_request}\(mean, across", MILLISECOND),
        failures={kind: number for kind, number in ({"non-2xx": non_2xx} | failed).items() if number},
        unanswered={"connect": connect} if connect else {},
        document_bytes=section.count(rf"^Document Length:\s+({NUMBER}) bytes"),
        bodies_bytes=section.count(rf"^HTML transferred:\s+({NUMBER}) bytes"),
        all_bytes=section.count(rf"^Total transferred:\s+({NUMBER}) bytes"),
        not_read=["percentiles"] if complete != exactly(1) and _breaks_off(section) else [],
    )


def _breaks_off(section: Section) -> bool:
    """Whether the last row of its percentiles is missing, which stand at its end but for `-d`, and in no HTML."""
    if section.find(r"^100%") or "-d" in section.command.words:
        return False
    return section.find(rf"^(?:Percentage of the requests|Total:(?:\s+{NUMBER}){{5}}$)") is not None


def _failed(section: Section) -> dict[str, int]:
    """Failures by kind; where only their sum is printed, as `failed`."""
    failed = as_count(section.group(r"^Failed requests:\s+(\d{1,15})") or "0")
    counts = section.group(r"^\((Connect: [^)]{1,200})\)") or ""
    kinds = re.findall(r"(\w{1,20}): (\d{1,15})", counts)
    return {kind.lower(): as_count(number) for kind, number in kinds} or {"failed": failed}


def _url(section: Section) -> str | None:
    host = section.group(r"^Server Hostname:\s+(\S{1,300})")
    port = section.group(r"^Server Port:\s+(\d{1,5})")
    path = section.group(r"^Document Path:\s+(\S{1,2000})")
    return None if host is None or path is None else f"http://{host}:{port or 80}{path}"


def _times(section: Section) -> RunTimes:
    rows = section.pairs(rf"^(\d{{1,2}})%\s+({NUMBER})$")
    percentiles = {share: milliseconds(value) for share, value in rows}
    longest = section.group(rf"^100%\s+({NUMBER}) \(longest request\)")
    times = RunTimes(percentiles=percentiles, maximum=None if longest is None else milliseconds(longest))
    cells = (section.group(rf"^Total:((?:\s+{NUMBER}){{3,5}})$") or "").split()
    if len(cells) == 5:
        minimum, mean, deviation, _median, maximum = cells
        more = {"deviation": as_figure(deviation, MILLISECOND)}
    elif len(cells) == 3:  # ab -S
        (minimum, mean, maximum), more = cells, {}
    else:
        return times
    more |= {"minimum": milliseconds(minimum), "mean": milliseconds(mean), "maximum": milliseconds(maximum)}
    return times.model_copy(update=more)


FORMAT = Format(
    name="ab",
    anchor=r"^Concurrency Level:\s",
    heads=(r"^This is ApacheBench", r"^Server Software:", r"^Document Path:", r"^Document Length:"),
    tails=(
        r"^Time taken for tests:",
        r"^Complete requests:",
        r"^Requests per second:\s+(?:[\d.]{1,20} \[#/sec\]|\d{1,12}\.\d\d$)",
        r"^Connection Times \(ms\)",
        r"^Percentage of the requests served",
    ),
    read=read,
)
