"""The lab on a further host: each call has an answer, whatever a stack has stored and whatever goes wrong."""

import io
import json
from contextlib import ExitStack
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.private import PrivateService
from fairtrial.catalog.services.model import ON_ONE_MACHINE
from fairtrial.lab.lanes.host_calls import ANSWERS, Call
from fairtrial.lab.lanes.host_lab import METHODS, ROWS_AT_A_TIME, _Desk, _Running
from fairtrial.lab.lanes.messages import Mouth
from fairtrial.plan.plan import Plan


class Store(PrivateService):
    """A service that runs, with these rows."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.stored = rows

    def rows(self, table: str) -> Any:
        if table == "none":
            raise Problem("there is no such table", "name another")
        return iter(self.stored)

    def counters(self) -> Any:
        raise RuntimeError("nobody foresaw this")

    def fault(self) -> str | None:
        return None


def desk_with(*rows: dict[str, Any]) -> tuple[_Desk, io.StringIO]:
    out = io.StringIO()
    desk = _Desk(cast("Plan", SimpleNamespace()), ON_ONE_MACHINE, Mouth(out), ExitStack())
    desk._running[1] = _Running(Store(*rows), ExitStack())
    return desk, out


def answer(desk: _Desk, out: io.StringIO, method: str, *arguments: Any) -> dict[str, Any]:
    out.truncate(out.seek(0))
    desk.answer(Call(id=7, target=1, method=method, arguments=list(arguments)))
    said: dict[str, Any] = json.loads(out.getvalue())
    assert said["id"] == 7
    return said


def test_every_method_has_a_type_of_its_answer() -> None:
    assert set(METHODS) | {"up", "up_balancer", "down"} == set(ANSWERS)


def test_rows_come_in_parts_and_what_json_cannot_hold_as_python_shows_it() -> None:
    """A right row of the lab's tables is none of these, so that it is told from them."""
    odd = {"id": 0, "name": b"\xff", "price": Decimal("1.5"), "share": float("nan")}
    desk, out = desk_with(odd, *({"id": number} for number in range(1, ROWS_AT_A_TIME + 1)))
    number = int(answer(desk, out, "open_rows", "items")["value"])
    parts = [ANSWERS["next_rows"].validate_json(answer(desk, out, "next_rows", number)["value"]) for _ in range(3)]
    first, second, third = (json.loads(part) for part in parts)
    assert (len(first), second, third) == (ROWS_AT_A_TIME, [{"id": ROWS_AT_A_TIME}], [])
    assert first[0]["name"] == "b'\\xff'" and first[0]["price"] == "Decimal('1.5')"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("open_rows", ["none"]), ("counters", []), ("next_rows", [99]), ("close_meter", [0.0]), ("no_method", [])],
)
def test_what_goes_wrong_is_an_answer_too(method: str, arguments: list[Any], snapshot: object) -> None:
    desk, out = desk_with()
    said = answer(desk, out, method, *arguments)
    assert said["kind"] == "refused" and said["reason"] == snapshot
