"""HttpArena: its published files, a list of rows for each profile, the rows of one framework by profile, or a round's.

By its programs: `profiles.sh` says which tool runs a profile, and `benchmark.sh` keeps the fastest of three runs. `rps`
is the 2xx answers over the seconds that the tool printed; older rows may count all. gcannon times each request from the
moment its batch of `pipeline` requests is sent, corrects nothing, and counts what was sent in the 0.1 s before its
clock; a connection that it opens anew is in no latency. wrk printed no percentile: `p99_latency` was its mean first and
its maximum later. h2load printed none either until 2026, and its streams are not in the row. zrk offers a rate, and
times from when a request was due. `duration` is the default where a profile has its own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from fairtrial_cross_examine.boards.fields import DOUBLED, Fields, text_of
from fairtrial_cross_examine.boards.model import BY_WRK, Board, counted, row_or_why, traits_of
from fairtrial_cross_examine.model import BoardRow, Figure, LoadKind, PrintedRun, RunTimes, UnreadRow

WRK = {"static", "static-tls", "json-tls", "8gbit", "echo-100k"}
GCANNON = {
    "api-16", "api-4", "async", "async-db", "baseline", "compression", "crud", "echo-ws", "echo-ws-limited",
    "echo-ws-pipeline", "fortunes", "json", "json-comp", "limited-conn", "noisy", "pipelined", "upload",
}  # fmt: skip
H2LOAD = re.compile(r"-h2c?$|-h3$|grpc|gateway|production-stack")
CLOCK_SECONDS = 0.2
"""gcannon counts the answers to what it sent in the 0.1 s before its clock, and prints hundredths of a second."""
STATED_SHARE = 0.05
"""Of the stated time: wrk and h2load end up to a tenth of a second late in five."""
ERRORS = ("status_4xx", "status_5xx")
KEYS = frozenset({"framework", "rps", "avg_latency", "connections"})
LOADS: Mapping[str, LoadKind] = {"gcannon": "closed", "wrk": "closed", "zrk": "open"}
UNTOLD = {
    "h2load": "each connection carries several streams at a time; how many is not in the row",
    "unknown": "which tool ran this profile is not known, and some correct their latencies",
    "zrk": "a load at a rate, whose times count from when a request was due",
}
"""By tool, why rate × mean says nothing of the connections."""
EXPLAINED = {
    "gcannon": {
        "clients-idle": "most of its connections are in no latency: they may wait for a connection or for an answer "
        "that never comes, or fill no pipeline"
    },
    "wrk": BY_WRK,
}


def recognises(document: Any) -> bool:
    return any(isinstance(row, dict) and row.keys() >= KEYS for _, row in _rows_of(document))


def _rows_of(document: Any) -> Sequence[tuple[str, Any]]:
    """Each row with its profile and connections, `baseline-4096`; of a list, only its file's name has them."""
    if isinstance(document, dict) and isinstance(document.get("results"), dict):
        return list(document["results"].items())
    if isinstance(document, dict):  # a round: beside its profiles, objects about it
        lists = {key: [rows] if rows is DOUBLED else rows for key, rows in document.items()}
        return [(key, row) for key, rows in lists.items() if isinstance(rows, list) for row in rows]
    return [("", row) for row in document] if isinstance(document, list) else []


def read(document: Any, source: str) -> Iterator[BoardRow | UnreadRow]:
    """The rows as they stand."""
    of_file = source.rpartition("/")[2].removesuffix(".json")
    for place, (key, row) in enumerate(_rows_of(document), 1):
        test = key or of_file
        contender = row.get("framework") if isinstance(row, dict) else None
        name = f"row {place} ({', '.join(each for each in (contender, test) if isinstance(each, str))})"
        yield row_or_why(source, name, partial(_row, test, row, source))


def _row(test: str, entry: object, source: str) -> BoardRow:
    row = Fields(entry, KEYS)
    name, connections, depth = row.text("framework"), row.count("connections"), max(row.count("pipeline"), 1)
    test = text_of(test, "its profile")
    tool = _tool(test.removesuffix(f"-{connections}"), row)
    counts = {key: row.count(key) for key in ("status_2xx", "status_3xx", *ERRORS)}
    good, rate, stated = counted(counts["status_2xx"]), row.positive("rps"), row.time("duration")
    everything = counted(sum(counts.values()))
    counted_errors = _counts_errors(good, everything, rate, stated)
    seconds = _over(everything if counted_errors else good, rate)
    high = {"99": row.time("p99_latency"), "99.9": row.time("p99_9_latency")}
    return BoardRow(
        board=BOARD.name,
        test=test,
        contender=name,
        run=PrintedRun(
            name=name,
            source=source,
            tool=tool,
            load=LOADS.get(tool),
            connections=connections * depth or None,
            seconds=None if seconds is None else Figure(value=seconds.value, within=seconds.within + CLOCK_SECONDS),
            requests=everything,
            rate_per_second=rate if everything is not None else _with_clock(rate, stated),
            failures={key: counts[key] for key in ERRORS if counted_errors and counts[key]},
            times=RunTimes(
                mean=row.time("avg_latency"),
                percentiles={share: figure for share, figure in high.items() if figure is not None},
            ),
        ),
        explained=EXPLAINED.get(tool, {}),
        untold=UNTOLD.get(tool, "") if rate is not None and rate.value else "it has no answers",
        traits=traits_of({key: row.entry.get(key) for key in ("language", "type")}),
    )


def _counts_errors(good: Figure | None, answers: Figure | None, rate: Figure | None, stated: Figure | None) -> bool:
    """Whether all answers, and not the 2xx alone, take the stated time at this rate."""
    of_all, of_good = _over(answers, rate), _over(good, rate)
    if of_all is None or of_good is None or stated is None:
        return False
    return of_all.agrees_with(stated, STATED_SHARE) and not of_good.agrees_with(stated, STATED_SHARE)


def _with_clock(rate: Figure | None, stated: Figure | None) -> Figure | None:
    """The rate of a row without counts, as a clock that is off by CLOCK_SECONDS may have made it."""
    if rate is None or stated is None or not stated.value:
        return rate
    return Figure(value=rate.value, within=rate.within + rate.value * CLOCK_SECONDS / stated.value)


def _over(number: Figure | None, rate: Figure | None) -> Figure | None:
    return None if number is None or rate is None else number.over(rate)


def _tool(profile: str, row: Fields) -> str:
    if "target_rate" in row.entry or profile.startswith("latency-"):
        return "zrk"
    if profile in WRK:
        return "wrk"
    if profile in GCANNON:
        return "gcannon"
    return "h2load" if H2LOAD.search(profile) else "unknown"


BOARD = Board(
    name="HttpArena",
    notes=["the fastest of three runs; its p99 was the mean where wrk or h2load ran, and later wrk's maximum"],
    recognises=recognises,
    read=read,
)
