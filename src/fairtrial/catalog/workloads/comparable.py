"""Which answers to the requests of a workload file can be compared with those of another server, and when."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.engine.plan import GivenRows, Request
from fairtrial.experiment.workload_file.model import RequestEntry, rows_in
from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.experiment.workload_file.placeholders import placeholders_in
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.rows import RowTable

SAFE_METHODS = ("GET", "HEAD")
"""Of requests that change no state (RFC 9110, section 9.2.1): they can be sent again."""

VARYING = ("row", "uniform", "zipf")


@dataclass(frozen=True)
class Comparable:
    """The requests of a workload file, as they are put to the reference and to other contenders."""

    file: Path
    table: str
    """of the file, in which the normalisation stands"""
    normalisation: Normalisation
    requests: Sequence[Request]
    """all of them, each with the weight 1"""
    rows: Mapping[str, GivenRows]
    most_in_turn: int | None
    """so many instances of each can be sent before rows that are taken once run out; None: as many as one likes"""
    under_load: Sequence[str]
    """names of those that can be sent again and again: their answers are compared during the load, too"""
    has_varying: bool
    """whether one of these is not always the same request"""
    row_files: Mapping[str, RowTable]
    """by the names of `[rows.NAME]`"""


def comparable_parts(source: WorkloadSource, requests: Sequence[Request], rows: Mapping[str, GivenRows]) -> Comparable:
    """The comparable parts of a workload file.

    Args:
        requests, rows: as the engine sends them.
    """
    entries = source.model.entries()
    under_load = [name for name, entry in entries.items() if _can_be_sent_again(entry, rows)]
    takers: dict[str, int] = {}
    for entry in entries.values():
        for table in _tables(entry):
            takers[table] = takers.get(table, 0) + 1
    most = [
        (source.rows[name].count - given_rows.skip) // takers[name]
        for name, given_rows in rows.items()
        if given_rows.pick.kind == "once"
    ]
    return Comparable(
        file=source.file,
        table=source.reference_table,
        normalisation=source.model.reference,
        requests=[request.model_copy(update={"weight": 1, "compared": True}) for request in requests],
        rows=rows,
        most_in_turn=min(most, default=None),
        under_load=under_load,
        has_varying=any(_names(entries[name], VARYING) for name in under_load),
        row_files=source.rows,
    )


def _can_be_sent_again(entry: RequestEntry, rows: Mapping[str, GivenRows]) -> bool:
    takes_once = any(rows[table].pick.kind == "once" for table in _tables(entry))
    return entry.method in SAFE_METHODS and not takes_once and not _names(entry, ("sequence",))


def _tables(entry: RequestEntry) -> set[str]:
    return {each.arguments[0] for _, each in rows_in(entry.sent_texts())}


def _names(entry: RequestEntry, names: Sequence[str]) -> bool:
    return any(each.name in names for _, text in entry.sent_texts() for each in placeholders_in(text))
