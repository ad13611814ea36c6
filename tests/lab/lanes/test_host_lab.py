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
from fairtrial.lab.lanes.host_calls import Call
from fairtrial.lab.lanes.host_lab import ROWS_AT_A_TIME, CallHandler, HostLab, Server, method_of
from fairtrial.lab.lanes.messages import MessageWriter
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


def handler_with(*rows: dict[str, Any]) -> tuple[CallHandler, io.StringIO]:
    out = io.StringIO()
    lab = HostLab(cast("Plan", SimpleNamespace()), ON_ONE_MACHINE, MessageWriter(out), ExitStack())
    lab.servers[1] = Server(Store(*rows), ExitStack())
    return CallHandler(lab, MessageWriter(out)), out


def answer(handler: CallHandler, out: io.StringIO, method: str, *arguments: Any) -> dict[str, Any]:
    out.truncate(out.seek(0))
    handler.answer(Call(id=7, target=1, method=method, arguments=list(arguments)))
    said: dict[str, Any] = json.loads(out.getvalue())
    assert said["id"] == 7
    return said


def test_rows_come_in_parts_and_what_json_cannot_hold_as_python_shows_it() -> None:
    """A right row of the lab's tables is none of these, so that it is told from them."""
    odd = {"id": 0, "name": b"\xff", "price": Decimal("1.5"), "share": float("nan")}
    handler, out = handler_with(odd, *({"id": number} for number in range(1, ROWS_AT_A_TIME + 1)))
    number = int(answer(handler, out, "rows", "items")["value"])
    parts = [method_of(1, "next").answer.validate_json(answer(handler, out, "next", number)["value"]) for _ in range(3)]
    first, second, third = (json.loads(part) for part in parts)
    assert (len(first), second, third) == (ROWS_AT_A_TIME, [{"id": ROWS_AT_A_TIME}], [])
    assert first[0]["name"] == "b'\\xff'" and first[0]["price"] == "Decimal('1.5')"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("rows", ["none"]),
        ("counters", []),
        ("next", [99]),
        ("close_meter", [0.0]),
        ("no_method", []),
        ("_end", []),
        ("start", []),
        ("down", [1]),
    ],
)
def test_what_goes_wrong_is_an_answer_too(method: str, arguments: list[Any], snapshot: object) -> None:
    handler, out = handler_with()
    said = answer(handler, out, method, *arguments)
    assert said["kind"] == "refused" and said["reason"] == snapshot


@pytest.mark.parametrize(("method", "arguments"), [("next", ["one"]), ("change", ["items", 7, "name"])])
def test_arguments_are_checked(method: str, arguments: list[Any]) -> None:
    handler, out = handler_with()
    said = answer(handler, out, method, *arguments)
    assert said["kind"] == "refused" and "failed on its host: ValidationError" in said["reason"]
