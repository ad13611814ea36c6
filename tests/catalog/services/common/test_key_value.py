"""Tables as keys and values."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.key_value import (
    assert_pairs,
    assert_value_column,
    batches,
    key_of,
    sampled_row,
    stored_row,
)
from fairtrial.catalog.tables import ColumnKind, LiteralRows, Table


def table(kind: ColumnKind = "text", prefix: str = "thing:") -> Table:
    rows = LiteralRows(("id", "value"), [(1, "10"), (2, "20")])
    return Table(name="things", columns={"id": "key", "value": kind}, rows=rows, key_prefix=prefix)


def test_rows_become_keys_and_values() -> None:
    assert list(batches(table(), pytest.fail)) == [{b"thing:1": b"10", b"thing:2": b"20"}]
    assert key_of(table(), 7) == b"thing:7"


def test_values_come_back_by_their_kind() -> None:
    assert stored_row(table(), b"thing:1", b"10") == {"id": 1, "value": "10"}
    assert stored_row(table("integer"), b"thing:1", b"10") == {"id": 1, "value": 10}
    assert stored_row(table("integer"), b"thing:1", b"ten") == {"id": 1, "value": "ten"}
    assert stored_row(table("json"), b"thing:1", b'{"a":1}') == {"id": 1, "value": {"a": 1}}
    assert stored_row(table("json"), b"thing:1", b"{") == {"id": 1, "value": "{"}
    assert sampled_row(table("json"), 1, b'{"a":1}') == {"id": 1, "value": '{"a":1}'}
    assert sampled_row(table(), 1, None) is None


def test_tables_that_do_not_fit() -> None:
    assert_pairs("Store", [table(), table(prefix="other:")])
    with pytest.raises(Problem, match="share their keys"):
        assert_pairs("Store", [table(), table()])
    rows = LiteralRows(("name", "value"), [])
    for columns in ({"id": "serial", "value": "text"}, {"id": "key", "name": "text", "value": "text"}):
        with pytest.raises(Problem, match="wide does not fit Store"):
            assert_pairs("Store", [Table("wide", columns, rows)])  # type: ignore[arg-type]


def test_only_the_second_column_holds_values() -> None:
    assert_value_column(table(), "value")
    with pytest.raises(Problem, match=r"things\.id"):
        assert_value_column(table(), "id")
