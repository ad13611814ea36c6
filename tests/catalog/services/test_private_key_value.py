"""Private Redis and memcached: which tables fit, and what becomes of their kinds of values."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.tables import LiteralRows, Table
from tests.catalog.services.needed import needs
from tests.catalog.services.stores import documents, unheard

BOTH = [pytest.param(name, marks=needs(name)) for name in ("redis", "memcached")]


def table(name: str, rows: list[list[str | int]], kind: str) -> Table:
    columns = {"id": "key", "value": kind}
    return Table(name, columns, LiteralRows(("id", "value"), rows), key_prefix=f"{name}:")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["redis", "memcached"])
def test_a_table_that_is_not_keys_and_values(name: str) -> None:
    with (
        pytest.raises(Problem, match=r"items does not fit .* uuid"),
        pick_service(name).up(documents(), "default", unheard),
    ):
        pass


@pytest.mark.parametrize("name", BOTH)
def test_several_tables_none_and_kinds_of_values(name: str, temporary: Path) -> None:
    tables = [
        table("empty", [], "text"),
        table("numbers", [[1, 10], [2, 20]], "integer"),
        table("objects", [[7, '{"a":["é",1]}']], "json"),
    ]
    with pick_service(name).up(tables, "default", unheard) as up:
        assert list(up.rows("empty")) == []
        assert list(up.rows("numbers")) == [{"id": 1, "value": 10}, {"id": 2, "value": 20}]
        assert list(up.rows("objects")) == [{"id": 7, "value": {"a": ["é", 1]}}]
        up.change("objects", 7, "value", "no json")
        assert list(up.rows("objects")) == [{"id": 7, "value": "no json"}]
    with pytest.raises(Problem, match="share"), pick_service(name).up([tables[0], tables[0]], "default", unheard):
        pass
    with pick_service(name).up([], "default", unheard) as up:
        assert not up.altered()


@pytest.mark.parametrize("name", BOTH)
def test_a_variant_that_does_not_exist(name: str, temporary: Path) -> None:
    with pytest.raises(Problem, match="fast"), pick_service(name).up([], "fast", unheard):
        pass
