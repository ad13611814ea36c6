"""The web frameworks of the-benchmarker: `data.json` and `data.min.json`.

By its programs: `db.rake` takes the average of each figure over the routes, also over those that failed. Until 2025
`collect.rake` ran wrk, with latencies and `duration_ms` in microseconds; since then it runs oha, in seconds, without a
mean, with -1 for what it leaves out, and with oha's p95 as `percentile99`.

Averages keep every inequality that is a sum: the order of the percentiles, the bounds of a mean, and by the inequality
of Cauchy and Schwarz that of the deviation. They do not keep products: two routes that each obey rate × mean ≤
connections can have averages that do not.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from fairtrial_cross_examine.boards.model import Board, traits_of
from fairtrial_cross_examine.figures import number
from fairtrial_cross_examine.model import BoardRow, Figure, PrintedRun, RunTimes

MICROSECONDS = 1e-6
WRK_PERCENTILES = {"50": "50", "75": "75", "90": "90", "99": "99", "99.999": "99.999"}
OHA_PERCENTILES = {"50": "50", "75": "75", "90": "90", "99": "95"}
"""By the number in the label, which percentile it is."""
NO_MEAN = "it has percentiles without a mean, averaged over routes, and its p99 is oha's p95"
NO_ANSWERS = "it has no answers"


def recognises(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("frameworks"), list):
        return False
    metrics = document.get("metrics")
    return (
        isinstance(metrics, list) and bool(metrics) and {"framework_id", "label", "level", "value"} <= set(metrics[0])
    )


def read(document: Any, source: str) -> Iterator[BoardRow]:
    """A row for each framework and number of connections."""
    names = {each["id"]: f"{each['language']}/{each['label']}" for each in document["frameworks"]}
    traits = {each["id"]: traits_of({**each, "framework": each["label"]}) for each in document["frameworks"]}
    figures: dict[tuple[int, int], dict[str, Any]] = defaultdict(dict)
    for metric in document["metrics"]:
        figures[metric["framework_id"], metric["level"]][_plain(metric["label"])] = metric["value"]
    for (framework, level), values in figures.items():
        if level and "totalrequestspers" in values:  # at level 0 it is the memory before the load
            row = _row(names.get(framework, f"framework {framework}"), level, values, source)
            yield row.model_copy(update={"traits": traits.get(framework, {})})


def _plain(label: str) -> str:
    """A label without what its forms differ in: `percentile_99.999`, `percentile99999`."""
    return label.replace("_", "").replace(".", "")


def _row(name: str, level: int, values: Mapping[str, Any], source: str) -> BoardRow:
    by_wrk = (_measured(values, "averagelatency") or _NOTHING).value > 0
    unit, shares = (MICROSECONDS, WRK_PERCENTILES) if by_wrk else (1.0, OHA_PERCENTILES)
    percentiles = {
        share: _measured(values, f"percentile{label.replace('.', '')}", unit) for label, share in shares.items()
    }
    rate = _measured(values, "totalrequestspers")
    return BoardRow(
        board=BOARD.name,
        test=f"{level} connections",
        contender=name,
        run=PrintedRun(
            name=name,
            source=source,
            tool="wrk" if by_wrk else "oha",
            connections=level,
            requests=_measured(values, "totalrequests") if by_wrk else None,
            rate_per_second=rate,
            times=RunTimes(
                mean=_measured(values, "averagelatency", unit) if by_wrk else None,
                deviation=_measured(values, "standarddeviation", unit) if by_wrk else None,
                minimum=number(values.get("minimumlatency"), unit) if by_wrk else None,
                maximum=_measured(values, "maximumlatency", unit) if by_wrk else None,
                percentiles={share: figure for share, figure in percentiles.items() if figure is not None},
            ),
        ),
        untold=NO_ANSWERS if rate is None or not rate.value else "" if by_wrk else NO_MEAN,
    )


_NOTHING = Figure(value=0.0)


def _measured(values: Mapping[str, Any], label: str, unit: float = 1.0) -> Figure | None:
    """A figure that was measured; -1 stands for one that was not."""
    figure = number(values.get(label), unit)
    return None if figure is None or figure.value < 0 else figure


BOARD = Board(
    name="the-benchmarker",
    notes=[
        "each figure is an average over routes, so that rate × mean is not held against the connections",
        "where there is no mean, oha ran, and the column p99 is its p95 (collect.rake)",
    ],
    recognises=recognises,
    read=read,
)
