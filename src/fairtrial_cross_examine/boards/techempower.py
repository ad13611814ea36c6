"""TechEmpower's framework benchmarks: `results.json` of a round or of a continuous run.

By its toolset: `results.py` takes the mean, the deviation and the maximum of wrk's line `Latency`, all requests, the
socket errors, and as `5xx` every answer that is neither 2xx nor 3xx. `query` and `update` run with the most
connections, once for each number of queries; `plaintext` sends sixteen requests at a time (`pipeline.sh`), of which wrk
measures one latency.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairtrial_cross_examine.boards.model import BY_WRK, Board, counted, latency, traits_of, whole
from fairtrial_cross_examine.model import BoardRow, Figure, PrintedRun, RunTimes

PIPELINED = 16
QUERIES = {"query": "queryIntervals", "update": "queryIntervals", "cached_query": "cachedQueryIntervals"}
LEAST_ERRORS = 0.001
"""Share of the requests, as of the contradiction errors-as-throughput."""


def recognises(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("rawData"), dict) and "frameworks" in document


def read(document: Any, source: str) -> Iterator[BoardRow]:
    """A row for each test, framework and level."""
    entries = document.get("testMetadata") or []
    traits = {each["name"]: traits_of(each) for each in entries if isinstance(each.get("name"), str)}
    # The rounds of 2013 have places in the list of frameworks for names.
    names = {str(place): name for place, name in enumerate(document["frameworks"])}
    for test, frameworks in document["rawData"].items():
        levels = _levels(document, test)
        for key, runs in frameworks.items():
            framework = names.get(key, key)
            if isinstance(runs, list):  # others are counts of lines and of commits
                for place, run in enumerate(runs):
                    level = levels[place] if len(levels) == len(runs) else None
                    if isinstance(run, str):  # the first rounds kept a rate, by weighttp, and nothing else
                        row = _rate_alone(test, framework, place, run, level, source)
                    else:
                        row = _row(test, framework, place, run, level, source)
                    yield row.model_copy(update={"traits": traits.get(framework, {})})


def _levels(document: Mapping[str, Any], test: str) -> Sequence[tuple[str, int, int]]:
    """Of each level of a test: its name, its connections, and the requests that a connection sends at a time."""
    if test in QUERIES:
        most = max(document.get("concurrencyLevels") or [0])
        return [(f"{each} queries", most, 1) for each in document.get(QUERIES[test]) or []]
    key = "pipelineConcurrencyLevels" if test == "plaintext" else "concurrencyLevels"
    depth = PIPELINED if test == "plaintext" else 1
    return [(f"{each}", each, depth) for each in document.get(key) or []]


def _row(
    test: str, framework: str, place: int, run: Mapping[str, Any], level: tuple[str, int, int] | None, source: str
) -> BoardRow:
    name, connections, depth = level or (f"#{place + 1}", 0, 1)
    started, ended = run.get("startTime"), run.get("endTime")
    seconds = None if started is None or ended is None else float(ended) - float(started)
    requests, errors = counted(run.get("totalRequests")), whole(run.get("5xx"))
    unanswered = {key: whole(run.get(key)) for key in ("read", "write", "timeout") if whole(run.get(key))}
    return BoardRow(
        board=BOARD.name,
        test=f"{test} {name}",
        contender=framework,
        run=PrintedRun(
            name=framework,
            source=source,
            tool="wrk",
            load="closed",
            connections=connections * depth or None,
            # Both are whole seconds of a clock.
            seconds=Figure(value=seconds, within=1.0) if seconds else None,
            requests=requests,
            times=RunTimes(
                mean=latency(run.get("latencyAvg")),
                deviation=latency(run.get("latencyStdev")),
                maximum=latency(run.get("latencyMax")),
            ),
            unanswered=unanswered,
            dead_clients=whole(run.get("connect")),
        ),
        explained=BY_WRK,
        untold=_untold(errors, sum(unanswered.values()), requests),
    )


def _rate_alone(
    test: str, framework: str, place: int, rate: str, level: tuple[str, int, int] | None, source: str
) -> BoardRow:
    name, connections, _ = level or (f"#{place + 1}", 0, 1)
    return BoardRow(
        board=BOARD.name,
        test=f"{test} {name}",
        contender=framework,
        run=PrintedRun(
            name=framework,
            source=source,
            tool="weighttp",
            connections=connections or None,
            rate_per_second=counted(rate),
        ),
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
