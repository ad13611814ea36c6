"""What is stored, compared with what was acknowledged: every kind of fault, and none where there is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import survey_insert, transaction_batch, workloads
from fairtrial.catalog.workloads.model import Acknowledged, write_faults
from fairtrial.catalog.workloads.transaction_mix import INITIAL_ROWS, INSERTED, LEAVES_ROW, UPDATES
from fairtrial.experiment.model import DatasetOptions

Row = dict[str, Any]


@dataclass
class Store:
    """Rows of one table."""

    table: str
    stored: list[Row] = field(default_factory=list)

    def rows(self, table: str) -> list[Row]:
        assert table == self.table
        return self.stored


def test_the_workloads_that_write_are_audited_but_for_the_mix() -> None:
    """The units of `transaction-mix` are counted by its clauses and the ledger: nobody numbers them."""
    audited = {name for name, workload in workloads().items() if workload.audit is not None}
    assert audited == {"survey-insert", "transaction-batch"}
    assert {name for name, workload in workloads().items() if workload.writes} == {*audited, "transaction-mix"}


def test_faults_are_counted_by_kind() -> None:
    first, second = write_faults({"missing": ["a", "b"], "doubled": [], "altered": ["c"]})
    assert (first.kind, first.count, first.example) == ("missing", 2, "a")
    assert (second.kind, second.count, second.example) == ("altered", 1, "c")


ACKNOWLEDGED = Acknowledged(
    last_numbers={"s14": 3, "s8": 2, "s10": 0},
    not_acknowledged={"s14": frozenset({2}), "s8": frozenset(), "s10": frozenset()},
    nonce_key=bytes(range(16)).hex(),
)
"""Of survey s14 the users 1 and 3, of s8 the users 1 and 2; user 2 of s14 was sent, and got no answer."""


def survey(name: str, user: object, answers: object = None) -> Row:
    is_right = isinstance(user, int) and name in survey_insert.ANSWER_COUNTS
    right = survey_insert.answers(name, user, ACKNOWLEDGED.nonce(name, user)) if is_right else {}
    return {"id": 1, "survey": name, "user_number": user, "answers": right if answers is None else answers}


def all_stored() -> list[Row]:
    return [survey("s14", 1), survey("s14", 3), survey("s8", 1), survey("s8", 2)]


def surveys_audited(rows: Sequence[Row]) -> tuple[int, dict[str, tuple[int, str]]]:
    store = Store("surveys", list(rows))
    stored, faults = survey_insert.audit(Data(), survey_insert.Options(), ACKNOWLEDGED, store)
    return stored, {fault.kind: (fault.count, fault.example) for fault in faults}


def test_acknowledged_requests_are_counted() -> None:
    assert ACKNOWLEDGED.count == 4


def test_what_was_acknowledged_is_stored() -> None:
    assert surveys_audited(all_stored()) == (4, {})


def test_what_was_sent_and_not_acknowledged_may_be_stored() -> None:
    assert surveys_audited([*all_stored(), survey("s14", 2)]) == (5, {})


def test_rows_of_the_contract_check_do_not_count() -> None:
    assert surveys_audited([*all_stored(), survey(survey_insert.CHECK_SURVEY, 1), survey("check", 1)]) == (4, {})


def test_rows_that_are_missing() -> None:
    stored, faults = surveys_audited(all_stored()[2:])
    assert (stored, faults) == (2, {"missing": (2, "survey s14 of user 1")})


def test_nothing_stored_at_all() -> None:
    assert surveys_audited([]) == (0, {"missing": (4, "survey s14 of user 1")})


def test_rows_that_are_doubled_count_once_each() -> None:
    stored, faults = surveys_audited([*all_stored(), survey("s8", 1), survey("s8", 1), survey("s8", 2)])
    assert (stored, faults) == (7, {"doubled": (2, "survey s8 of user 1")})


@pytest.mark.parametrize(
    ("answers", "description"),
    [
        ("[object Object]", "answers are a string: '[object Object]'"),
        ({}, "answers are {}"),
        ({"Q1": "x" * 200}, 'answers are {"Q1": "xxx'),
        (["Q1"], 'answers are ["Q1"]'),
    ],
)
def test_answers_that_are_altered(answers: object, description: str) -> None:
    stored, faults = surveys_audited([*all_stored()[:3], survey("s8", 2, answers)])
    assert (stored, list(faults)) == (4, ["altered"])
    count, example = faults["altered"]
    assert count == 1
    assert example.startswith(f"survey s8 of user 2: {description}")
    assert len(example) < 150


def test_answers_whose_nonce_is_not_the_one_that_was_sent() -> None:
    """The engine's own tests have the same nonce, of another implementation."""
    assert ACKNOWLEDGED.nonce("s14", 7) == "aad0d2d7675df9a2"
    guess = survey_insert.answers("s8", 2, ACKNOWLEDGED.nonce("s8", 1))
    assert surveys_audited([*all_stored()[:3], survey("s8", 2, guess)])[1].keys() == {"altered"}


def test_answers_that_are_null(snapshot: object) -> None:
    row = survey("s8", 2) | {"answers": None}
    assert surveys_audited([*all_stored()[:3], row])[1] == snapshot


@pytest.mark.parametrize(
    "row",
    [
        survey("s8", 3),
        survey("s8", 0),
        survey("s10", 1),
        survey("s99", 1),
        survey("s8", "1"),
        survey("s8", None),
        survey("s8", 1) | {"survey": {"name": "s8"}},
        {"_id": 1},
    ],
    ids=[
        "beyond the last",
        "zero",
        "not begun",
        "no such survey",
        "user as text",
        "no user",
        "survey as an object",
        "another document",
    ],
)
def test_rows_that_nobody_asked_for(row: Row) -> None:
    stored, faults = surveys_audited([*all_stored(), row])
    assert (stored, list(faults)) == (5, ["unasked"])
    assert faults["unasked"][0] == 1


def test_several_kinds_at_once() -> None:
    rows = [survey("s14", 1), survey("s14", 1), survey("s8", 1, {}), survey("s8", 9)]
    stored, faults = surveys_audited(rows)
    assert stored == 4
    assert {kind: count for kind, (count, _) in faults.items()} == {
        "missing": 2,
        "doubled": 1,
        "altered": 1,
        "unasked": 1,
    }


UNITS = 3


def initial_rows() -> list[Row]:
    rows = [dict(zip(INITIAL_ROWS.columns, row, strict=True)) for row in INITIAL_ROWS.rows]
    return [{"id": number, **row} for number, row in enumerate(rows, 1)]


def units_audited(weight: str, rows: Sequence[Row]) -> tuple[int, dict[str, tuple[int, str]]]:
    options = transaction_batch.Options.model_validate({"weight": weight, "units": UNITS})
    data = transaction_batch.data(DatasetOptions(), options)
    done = Acknowledged({"transaction-batch": UNITS}, {"transaction-batch": frozenset()})
    stored, faults = transaction_batch.audit(data, options, done, Store("units", list(rows)))
    return stored, {fault.kind: (fault.count, fault.example) for fault in faults}


def unit(updates: int, **columns: object) -> Row:
    return {"id": 2000, **INSERTED, "value": updates} | columns


@pytest.mark.parametrize("weight", LEAVES_ROW)
def test_the_rows_that_units_leave(weight: Any) -> None:
    count = UNITS if LEAVES_ROW[weight] else 0
    rows = [*initial_rows(), *[unit(UPDATES[weight])] * count]
    assert units_audited(weight, rows) == (count, {})


@pytest.mark.parametrize(
    ("weight", "change", "added", "kind", "count", "example"),
    [
        ("light", lambda rows: rows[:-1], 2, "missing", 1, "a unit's row"),
        ("light", lambda rows: rows[1:], 3, "missing", 1, "an initial row: {'name': 'unit 1'"),
        ("light", lambda rows: [*rows, rows[-1], rows[-1]], 5, "unasked", 2, "a row beyond the 3"),
        ("light", lambda rows: [*rows[:-1], unit(1)], 3, "altered", 1, "'value': 1"),
        ("light", lambda rows: [*rows[:-1], unit(0, label="red")], 3, "altered", 1, "'label': 'red'"),
        ("light", lambda rows: [rows[0] | {"value": 9}, *rows[1:]], 3, "altered", 1, "'name': 'unit 1', 'value': 9"),
        ("very-heavy", lambda rows: [*rows[:-2], unit(0), unit(1)], 3, "altered", 2, "'value': 0"),
        ("moderate", lambda rows: [*rows, unit(0)], 1, "unasked", 1, "a row beyond the 0"),
    ],
)
def test_a_unit_s_fault(
    weight: Any, change: Callable[[list[Row]], list[Row]], added: int, kind: str, count: int, example: str
) -> None:
    units = [unit(UPDATES[weight])] * (UNITS if LEAVES_ROW[weight] else 0)
    stored, faults = units_audited(weight, change([*initial_rows(), *units]))
    assert (stored, list(faults)) == (added, [kind])
    assert faults[kind][0] == count
    assert example in faults[kind][1]


def test_an_initial_row_that_is_doubled_is_a_row_too_many() -> None:
    stored, faults = units_audited("very-light", [*initial_rows(), initial_rows()[0]])
    assert stored == 1
    assert set(faults) == {"altered", "unasked"}
