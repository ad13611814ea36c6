"""TechEmpower's framework benchmarks: `results.json` of a round or of a continuous run.

By its toolset: `results.py` takes the mean, the deviation and the maximum of wrk's line `Latency`, all requests, the
socket errors, and as `5xx` every answer that is neither 2xx nor 3xx. `query` and `update` run with the most
connections, once for each number of queries; `plaintext` sends sixteen requests at a time (`pipeline.sh`), of which wrk
measures one latency.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fairtrial.base.printable import printable
from fairtrial_cross_examine.boards.fields import Fields, in_short, text_of
from fairtrial_cross_examine.boards.model import BY_WRK, LONGEST_NAME, Board, counted, row_or_why, traits_of
from fairtrial_cross_examine.model import BoardRow, Figure, PrintedRun, RunTimes, UnreadRow

PIPELINED = 16
QUERIES = {"query": "queryIntervals", "update": "queryIntervals", "cached_query": "cachedQueryIntervals"}
COUNTS = {"slocCounts", "commitCounts"}
"""Beside the tests, lines and commits of each framework."""
LEAST_ERRORS = 0.001
"""Share of the requests, as of the contradiction errors-as-throughput."""


def recognises(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("rawData"), dict) and "frameworks" in document


@dataclass(frozen=True)
class _Place:
    """Where a run stands, and the level that it is of."""

    source: str
    test: str
    framework: str
    traits: Mapping[str, str]
    place: int
    levels: Sequence[int] | None
    """None: they are not counts"""
    runs: int

    @property
    def row(self) -> str:
        return f"{self.test}, {self.framework}, run {self.place + 1}"

    def level(self, document: Mapping[str, Any]) -> tuple[str, int, int]:
        """The name of its level, its connections, and the requests that one sends at a time; unknown ones are 0."""
        if self.levels is None:
            raise ValueError(f"{_levels_key(self.test)}: it is no list of counts")
        if len(self.levels) != self.runs:
            return f"#{self.place + 1}", 0, 1
        level = self.levels[self.place]
        if self.test in QUERIES:
            return f"{level} queries", max(_counts(document, "concurrencyLevels") or [0]), 1
        return f"{level}", level, PIPELINED if self.test == "plaintext" else 1


def read(document: Any, source: str) -> Iterator[BoardRow | UnreadRow]:
    """A row for each test, framework and level."""
    entries = document.get("testMetadata")
    entries = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    traits = {each["name"]: traits_of(each) for each in entries if isinstance(each.get("name"), str)}
    # The rounds of 2013 have places in the list of frameworks for names.
    in_order = document["frameworks"] if isinstance(document["frameworks"], list) else []
    names = {str(place): name for place, name in enumerate(in_order) if isinstance(name, str)}
    for test, frameworks in document["rawData"].items():
        if test in COUNTS:
            continue
        if not isinstance(frameworks, dict):
            yield UnreadRow(
                source=source, row=printable(test, LONGEST_NAME), why=f"{in_short(frameworks)} is no object"
            )
            continue
        levels = _counts(document, _levels_key(test))
        for key, runs in frameworks.items():
            framework: str = names.get(key) or key
            of_framework = runs if isinstance(runs, list) else [runs]
            for number, run in enumerate(of_framework):
                place = _Place(source, test, framework, traits.get(framework, {}), number, levels, len(of_framework))
                yield row_or_why(source, place.row, partial(_row, document, place, run))


def _levels_key(test: str) -> str:
    return QUERIES.get(test) or ("pipelineConcurrencyLevels" if test == "plaintext" else "concurrencyLevels")


def _counts(document: Mapping[str, Any], key: str) -> Sequence[int] | None:
    """The levels that a file names; None if they are no counts."""
    levels = document.get(key) or []
    counts = isinstance(levels, list) and all(type(each) is int and each > 0 for each in levels)
    return levels if counts else None


def _row(document: Mapping[str, Any], place: _Place, entry: object) -> BoardRow:
    text_of(place.test, "its test")
    text_of(place.framework, "its framework")
    if isinstance(entry, str):  # the first rounds kept a rate, by weighttp, and nothing else
        return _rate_alone(place, Fields({"its rate": entry}).count("its rate"), place.level(document))
    run = Fields(entry)
    name, connections, depth = place.level(document)
    started, ended = run.positive("startTime"), run.positive("endTime")
    seconds = None if started is None or ended is None else ended.value - started.value
    if seconds is not None and seconds < 0:
        raise ValueError("endTime: it is before startTime")
    requests, errors = counted(run.count("totalRequests")), run.count("5xx")
    unanswered = {key: run.count(key) for key in ("read", "write", "timeout") if run.count(key)}
    return BoardRow(
        board=BOARD.name,
        test=f"{place.test} {name}",
        contender=place.framework,
        run=PrintedRun(
            name=place.framework,
            source=place.source,
            tool="wrk",
            load="closed",
            connections=connections * depth or None,
            # Both are whole seconds of a clock.
            seconds=Figure(value=seconds, within=1.0) if seconds else None,
            requests=requests,
            times=RunTimes(
                mean=run.time("latencyAvg"),
                deviation=run.time("latencyStdev"),
                maximum=run.time("latencyMax"),
            ),
            unanswered=unanswered,
            dead_clients=run.count("connect"),
        ),
        explained=BY_WRK,
        traits=place.traits,
        untold=_untold(errors, sum(unanswered.values()), requests),
    )


def _rate_alone(place: _Place, rate: int, level: tuple[str, int, int]) -> BoardRow:
    name, connections, _ = level
    return BoardRow(
        board=BOARD.name,
        test=f"{place.test} {name}",
        contender=place.framework,
        run=PrintedRun(
            name=place.framework,
            source=place.source,
            tool="weighttp",
            connections=connections or None,
            rate_per_second=counted(rate),
        ),
        traits=place.traits,
        untold="it has a rate alone",
    )


def _untold(errors: int, unanswered: int, requests: Figure | None) -> str:
    if requests is None:
        return "it has no requests"
    if errors > LEAST_ERRORS * requests.value:
        return (
            f"{errors:,} of its {requests.value:,.0f} answers are neither 2xx nor 3xx; whether a rate counts them is "
            "not in the file"
        )
    if unanswered > LEAST_ERRORS * requests.value:
        return f"{unanswered:,} requests have no answer and are in no time"
    return ""


BOARD = Board(
    name="TechEmpower",
    notes=["wrk adds latencies that no request had to its mean; one run for each level"],
    recognises=recognises,
    read=read,
)
