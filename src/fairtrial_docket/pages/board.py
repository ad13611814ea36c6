"""The page of a board's file, and of each contender in it, where each row has an address."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import figure
from fairtrial_cross_examine.boards import all_boards
from fairtrial_cross_examine.boards.verdicts import ExaminedRow, examine_rows
from fairtrial_cross_examine.model import BoardRow
from fairtrial_docket.names import page_name
from fairtrial_docket.site import Site
from fairtrial_docket.tables import Cell, TableColumn, table_data, text

TRAITS = ("language", "framework", "approach", "database", "class")


@dataclass(frozen=True)
class BoardEntry:
    """A board's file as other pages know it."""

    name: str
    title: str
    board: str
    record: str
    verdicts: Counter[str]

    @property
    def page(self) -> str:
        return f"boards/{self.name}.html"


def write_board(site: Site, rows: Sequence[BoardRow], name: str, record: str) -> BoardEntry:
    """Examine the rows, and write their pages. All rows are of one file."""
    examined, _ = examine_rows(rows)
    entry = BoardEntry(
        name=page_name(name),
        title=name,
        board=rows[0].board,
        record=record,
        verdicts=Counter(each.verdict for each in examined),
    )
    in_rows = [trait for trait in TRAITS if any(row.traits.get(trait) for row in rows)]
    by_contender: dict[str, list[tuple[str, ExaminedRow]]] = defaultdict(list)
    traits, table, anchors = {}, [], Counter[tuple[str, str]]()
    for row, verdict in zip(rows, examined, strict=True):
        page = f"contenders/{page_name(entry.name, row.contender)}.html"
        test = f"row-{page_name(row.test)}"
        anchors[page, test] += 1
        anchor = test if anchors[page, test] == 1 else f"{test}-{anchors[page, test]}"
        by_contender[page].append((anchor, verdict))
        traits[page] = row.traits
        table.append(_cells(verdict, f"../{page}#{anchor}", [text(row.traits.get(trait)) for trait in in_rows]))
    heads = [
        TableColumn("contender"),
        TableColumn("test", "choice"),
        *(TableColumn(each, "choice") for each in in_rows),
    ]
    heads += [TableColumn("verdict", "choice"), *(TableColumn(each, "number") for each in NUMBERS)]
    notes = all_boards()[entry.board].notes
    site.page(entry.page, "board.html.j2", entry=entry, notes=notes, table=table_data(heads, table))
    for page, own in by_contender.items():
        site.page(page, "board_contender.html.j2", entry=entry, rows=own, traits=traits[page], number=_number)
    return entry


NUMBERS = ("rate /s", "mean ms", "under way / connections")


def _cells(row: ExaminedRow, address: str, traits: list[str]) -> list[Cell]:
    mean = None if row.mean_seconds is None else 1e3 * row.mean_seconds
    return [
        [text(row.contender), "", address],
        text(row.test),
        *traits,
        row.verdict,
        *(_sortable(value) for value in (row.rate_per_second, mean, row.under_way)),
    ]


def _sortable(value: float | None) -> Cell:
    return "–" if value is None else [figure(value), "", None, value]


def _number(value: float | None, scale: float = 1.0) -> str:
    return "–" if value is None else figure(scale * value)
