"""The lab on a further host: each call has an answer, whatever a stack has stored and whatever goes wrong."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.private import PrivateService
from fairtrial.cluster.programs import from_line
from fairtrial.lab.lanes.host_calls import CLOSE, NEXT, Lasting
from fairtrial.lab.lanes.host_lab import ROWS_AT_A_TIME, CallHandler, HostLab, Server
from fairtrial.lab.lanes.messages import Channel


class Store(PrivateService):
    """A service that runs, with these rows."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.stored = rows
        self.left: list[str] = []

    @contextmanager
    def changing(self) -> Any:
        yield lambda value: value
        self.left.append("changing")

    def rows(self, table: str) -> Any:
        if table == "none":
            raise Problem("there is no such table", "name another")
        return iter(self.stored)

    def altered(self, value: Any = "") -> Any:
        """What no message can hold is no reason to leave a call without an answer."""
        return value

    def counters(self) -> Any:
        raise RuntimeError("nobody foresaw this")

    def fault(self) -> str | None:
        return None


class SomeLab:
    """Brings a store up."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self._rows = rows

    @contextmanager
    def service(self) -> Iterator[Server]:
        yield Server(Store(*self._rows))


def handler_with(*rows: dict[str, Any]) -> tuple[CallHandler, io.StringIO]:
    out = io.StringIO()
    channel = Channel(io.StringIO(), out)
    handler = CallHandler(cast("HostLab", SomeLab(*rows)), channel)
    assert answer(handler, out, 0, "service") == ("answer", Lasting(1, True))
    return handler, out


def answer(handler: CallHandler, out: io.StringIO, target: int, method: str, *arguments: Any) -> tuple[str, Any]:
    """Its kind, and the value or the problem."""
    out.truncate(out.seek(0))
    handler.answer(7, target, method, arguments, {})
    kind, number, value = from_line(out.getvalue())
    assert number == 7
    return kind, value


def test_rows_come_in_parts_and_what_json_cannot_hold_as_python_shows_it() -> None:
    """A right row of the lab's tables is none of these, so that it is told from them."""
    odd = {"id": 0, "name": b"\xff", "price": Decimal("1.5"), "share": float("nan")}
    handler, out = handler_with(odd, *({"id": number} for number in range(1, ROWS_AT_A_TIME + 1)))
    _, lasting = answer(handler, out, 1, "rows", "items")
    first, second, third = (json.loads(answer(handler, out, lasting.number, NEXT)[1]) for _ in range(3))
    assert (len(first), second, third) == (ROWS_AT_A_TIME, [{"id": ROWS_AT_A_TIME}], [])
    assert first[0]["name"] == "b'\\xff'" and first[0]["price"] == "Decimal('1.5')"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("rows", ["none"]),
        ("counters", []),
        (NEXT, []),
        ("close_meter", [0.0]),
        ("no_method", []),
        ("altered", [sys]),
    ],
)
def test_what_goes_wrong_is_an_answer_too(method: str, arguments: list[Any], snapshot: object) -> None:
    handler, out = handler_with()
    kind, problem = answer(handler, out, 1, method, *arguments)
    assert kind == "refused" and problem.reason == snapshot


def test_what_lasts_ends_with_what_it_was_called_of() -> None:
    handler, out = handler_with({"id": 1})
    assert answer(handler, out, 1, "changing") == ("answer", Lasting(2, True))
    assert answer(handler, out, 2, "__call__", 7) == ("answer", 7)
    server = handler._targets[1].server
    assert answer(handler, out, 1, CLOSE) == ("answer", None) and server.left == ["changing"]
    assert answer(handler, out, 2, CLOSE) == ("answer", None) == answer(handler, out, 1, CLOSE)
    assert server.left == ["changing"]
