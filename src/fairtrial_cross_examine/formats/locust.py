"""Locust: the table in text, and the CSV of its requests. By its source, `locust/stats.py`.

Only the row of all requests is read, and of the tables that it prints every two seconds only the last one. Failures
count as requests and have a time; before version 1 they did neither: the percentage behind them tells which. Users may
wait between their requests, so that they are no connections; the time of the run is not printed. The times of its
percentiles keep two digits, and those beyond p99 it prints of however few requests: they are not read.
"""

import re
from collections.abc import Mapping

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, exactly, milliseconds
from fairtrial_cross_examine.formats.model import Format, Section, rows_of
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

ALL = r"(?:None )?(?:Aggregated|Total)"
HEAD = r"(?:Type\s+)?Name\s+# reqs\s+# fails"
CSV_HEAD = r"\"?(?:Type|Method)\"?,\"?Name\"?,\"?(?:Request Count|# requests)\"?,"
PERCENTILES = ("50", "66", "75", "80", "90", "95", "98", "99")
CELL = rf"\s+({NUMBER})"
HUNDREDTH = 0.011
"""Half of the last digit of two percentages, and more than the error of their arithmetic."""


def read(section: Section) -> PrintedRun | None:
    """The requests of one run, from its table or its CSV."""
    if re.match(CSV_HEAD, section.text):
        return _from_csv(section)
    row = re.match(rf"\s*{ALL}\s+(\d{{1,15}})\s+(\d{{1,15}})\(([\d.]{{1,9}})%\)(.{{0,200}})", section.text)
    if row is None:
        return None
    requests, failed, cells = as_count(row[1]), as_count(row[2]), row[4]
    counted = abs(100 * failed / max(requests, 1) - float(row[3])) <= HUNDREDTH
    # Since version 2 with an average of all requests, before it only with their rate, and seldom with their average.
    full = re.match(rf"\s+\|?{CELL * 3}\s+\|?\s+{NUMBER}\s+\|?\s+({NUMBER})", cells)
    short = re.match(rf"\s+({NUMBER})(?:\s+{NUMBER})?$", cells)
    mean, minimum, maximum, rate = (None, None, None, short and short[1]) if full is None else full.groups()
    run = _run(
        requests,
        failed,
        counted,
        rate=rate,
        times={"mean": mean, "minimum": minimum, "maximum": maximum},
        percentiles=_table_of_percentiles(section),
    )
    return run.model_copy(update={"not_read": [] if run.times.percentiles else ["percentiles"]})


def _table_of_percentiles(section: Section) -> Mapping[str, str]:
    head = section.group(r"^\s*(?:Type\s+)?Name\s+((?:# reqs\s+)?50%.{1,200})$")
    cells = section.group(rf"^\s*{ALL}((?:\s+\d{{1,12}}){{8,16}})$")
    heads = (head or "").replace("# reqs", "#").split()
    return {} if cells is None else dict(zip(heads, cells.split(), strict=False))


def _from_csv(section: Section) -> PrintedRun | None:
    for cells in rows_of(section):
        if cells.get("name") not in ("Aggregated", "Total"):
            continue
        is_new = "request count" in cells
        requests, failed = (
            cells["request count" if is_new else "# requests"],
            cells["failure count" if is_new else "# failures"],
        )
        times = {"mean": "average", "minimum": "min", "maximum": "max"}
        return _run(
            as_count(requests),
            as_count(failed),
            is_new,
            rate=cells.get("requests/s"),
            times={field: cells.get(f"{name} response time") for field, name in times.items()},
            percentiles=cells,
        )
    return None


def _run(
    requests: int,
    failed: int,
    counted: bool,
    *,
    rate: str | None,
    times: Mapping[str, str | None],
    percentiles: Mapping[str, str],
) -> PrintedRun:
    failures = {"failed": failed} if failed else {}
    shares = {share: percentiles.get(f"{share}%", "") for share in PERCENTILES}
    return PrintedRun(
        requests=exactly(requests),
        rate_per_second=None if rate is None else as_figure(rate),
        times=RunTimes.of(
            {field: milliseconds(text) for field, text in times.items() if text},
            {share: _rounded(text) for share, text in shares.items() if re.fullmatch(NUMBER, text)},
        ),
        failures=failures if counted else {},
        unanswered={} if counted else failures,
    )


def _rounded(text: str) -> Figure:
    """A percentile in milliseconds, of which two digits were kept."""
    time = as_figure(text, MILLISECOND)
    digits = len(text.partition(".")[0].replace(",", ""))
    return Figure(value=time.value, within=MILLISECOND * max(0.5 * 10.0 ** (digits - 2), 1.0))


FORMAT = Format(
    name="locust",
    # Of the tables of a run, one that log lines and another table follow is not the last.
    anchor=(
        rf"^ {{0,40}}(?:{ALL}\s+\d{{1,15}}\s+\d{{1,15}}\([^\n]{{1,200}}$"
        rf"(?!\n+(?:[^\n]{{0,200}}(?:INFO|WARNING|ERROR)[^\n]{{0,300}}\n+){{0,20}}\s*{HEAD})|{CSV_HEAD})"
    ),
    read=read,
    always=("requests", "rate"),
)
