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
from functools import partial
from typing import Any

from fairtrial_cross_examine.boards.fields import DOUBLED, Fields, in_short
from fairtrial_cross_examine.boards.model import Board, row_or_why, traits_of
from fairtrial_cross_examine.model import BoardRow, Figure, PrintedRun, RunTimes, UnreadRow
from fairtrial_cross_examine.unreadable import UNREADABLE, reason_of

MICROSECONDS = 1e-6
NOT_MEASURED = -1
WRK_PERCENTILES = {"50": "50", "75": "75", "90": "90", "99": "99", "99.999": "99.999"}
OHA_PERCENTILES = {"50": "50", "75": "75", "90": "90", "99": "95"}
"""By the number in the label, which percentile it is."""
NO_MEAN = "it has percentiles without a mean, averaged over routes, and its p99 is oha's p95"
NO_ANSWERS = "it has no answers"
KEYS = frozenset({"framework_id", "label", "level", "value"})


def recognises(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("frameworks"), list):
        return False
    metrics = document.get("metrics")
    return isinstance(metrics, list) and any(isinstance(each, dict) and each.keys() >= KEYS for each in metrics)


def read(document: Any, source: str) -> Iterator[BoardRow | UnreadRow]:
    """A row for each framework and number of connections."""
    names: dict[int, str] = {}
    traits: dict[int, Mapping[str, str]] = {}
    for place, entry in enumerate(document["frameworks"], 1):
        try:
            of = Fields(entry, frozenset({"id"}))
            names[of.count("id")] = f"{of.text('language')}/{of.text('label')}"
            traits[of.count("id")] = traits_of({**of.entry, "framework": of.text("label")})
        except UNREADABLE as error:
            yield UnreadRow(source=source, row=f"framework {place} of the list", why=reason_of(error))
    figures: dict[tuple[int, int], dict[str, Any]] = defaultdict(dict)
    for place, entry in enumerate(document["metrics"], 1):
        try:
            metric = Fields(entry, KEYS - {"value"})
            row = figures[metric.count("framework_id"), metric.count("level")]
            label, value = _plain(metric.text("label")), metric.entry.get("value")
        except UNREADABLE as error:
            yield UnreadRow(source=source, row=f"metric {place} of the list", why=reason_of(error))
            continue
        row[label] = value if label not in row or row[label] == value else DOUBLED
    for (framework, level), values in figures.items():
        if level:  # at level 0 it is the memory before the load
            name = names.get(framework, f"framework {framework}")
            read_row = partial(_row, name, level, values, source, traits.get(framework, {}))
            yield row_or_why(source, f"{name}, {level} connections", read_row)


def _plain(label: str) -> str:
    """A label without what its forms differ in: `percentile_99.999`, `percentile99999`."""
    return label.replace("_", "").replace(".", "")


def _row(name: str, level: int, entry: Mapping[str, Any], source: str, traits: Mapping[str, str]) -> BoardRow:
    values = Fields(entry, frozenset({"totalrequestspers"}))
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
                minimum=values.figure("minimumlatency", unit) if by_wrk else None,
                maximum=_measured(values, "maximumlatency", unit) if by_wrk else None,
                percentiles={share: figure for share, figure in percentiles.items() if figure is not None},
            ),
        ),
        traits=traits,
        untold=NO_ANSWERS if rate is None or not rate.value else "" if by_wrk else NO_MEAN,
    )


_NOTHING = Figure(value=0.0)


def _measured(values: Fields, label: str, unit: float = 1.0) -> Figure | None:
    """A figure that was measured; -1 stands for one that was not."""
    if values.entry.get(label) == NOT_MEASURED:
        return None
    figure = values.figure(label, unit)
    if figure is not None and figure.value < 0:
        raise ValueError(f"{label}: {in_short(values.entry[label])} is negative")
    return figure


BOARD = Board(
    name="the-benchmarker",
    notes=[
        "each figure is an average over routes, so that rate × mean is not held against the connections",
        "where there is no mean, oha ran, and the column p99 is its p95 (collect.rake)",
    ],
    recognises=recognises,
    read=read,
)
