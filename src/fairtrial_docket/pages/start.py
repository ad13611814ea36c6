"""The first page, and the tables over all results: figures, and claims then and now."""

from collections.abc import Mapping, Sequence

from fairtrial.base.formatting import count
from fairtrial.report import columns
from fairtrial_docket.entries import ClaimEntry, ConditionEntry, ExperimentEntry
from fairtrial_docket.pages.board import BoardEntry
from fairtrial_docket.pages.claim import now, then
from fairtrial_docket.pages.over_machines import over_machines
from fairtrial_docket.pools import Pool
from fairtrial_docket.site import Site
from fairtrial_docket.tables import Cell, TableColumn, estimate_cell, table_data, text

CHOICES = ("language", "framework", "model", "database", "class", "machine")


def write_start(
    site: Site,
    entries: Sequence[ExperimentEntry],
    pools: Mapping[str, Pool],
    boards: Sequence[BoardEntry],
    passed_over: Sequence[str],
) -> None:
    """Write them."""
    site.page("conditions.html", "conditions.html.j2", table=_conditions(entries))
    site.page("claims.html", "claims.html.j2", table=_claims(entries, pools))
    site.page("index.html", "index.html.j2", entries=entries, boards=boards, passed_over=passed_over)


def _conditions(entries: Sequence[ExperimentEntry]) -> dict[str, object]:
    figures = (columns.GOODPUT, *columns.RESPONSE_TIMES[:2])
    heads = [
        TableColumn("contender"),
        *(TableColumn(f"{each.title} {each.unit}", "number") for each in figures),
        TableColumn("rank"),
        TableColumn("outcome", "choice"),
        TableColumn("limit", "choice"),
        TableColumn("experiment", "choice"),
        TableColumn("record"),
        *(TableColumn(each, "choice") for each in CHOICES),
    ]
    rows: list[list[Cell]] = [
        [
            [text(each.condition.contender), each.terms, each.page],
            *(estimate_cell(column, each.condition) for column in figures),
            columns.rank(each.condition),
            [each.condition.outcome, text(each.condition.reason) if each.condition.reason else ""],
            _limit(each),
            [text(entry.experiment), entry.started_at, entry.page],
            ["record", "", entry.record],
            *(text(each.traits[name]) for name in CHOICES),
        ]
        for entry in entries
        for each in entry.conditions
    ]
    return table_data(heads, rows)


def _limit(entry: ConditionEntry) -> Cell:
    limit = entry.condition.limit
    return "–" if limit is None else columns.LIMITS[limit.kind]


def _claims(entries: Sequence[ExperimentEntry], pools: Mapping[str, Pool]) -> dict[str, object]:
    heads = [TableColumn("claim"), TableColumn("verdict", "choice"), TableColumn("then"), TableColumn("now")]
    heads += [TableColumn("experiment", "choice"), TableColumn("record"), TableColumn("machine", "choice")]
    rows: list[list[Cell]] = [
        [
            [text(each.claim.text), text(each.claim.subject), each.page],
            [each.claim.verdict, text(each.claim.reason) if each.claim.reason else ""],
            [then(each.claim), text(each.claim.source) if each.claim.source else ""],
            [now(each.claim), f"asked: {text(each.claim.asked)}{_on_machines(each, pools.get(entry.lock))}"],
            [text(entry.experiment), entry.started_at, entry.page],
            ["record", "", entry.record],
            entry.machine,
        ]
        for entry in entries
        for each in entry.claims
    ]
    return table_data(heads, rows)


def _on_machines(entry: ClaimEntry, pool: Pool | None) -> str:
    if pool is None:
        return ""
    over = over_machines(pool, entry.claim)
    return f"; on {count(len(over.machines), 'machine')} {over.in_words}"
