"""Answers compared with what was sent before them: of honest servers of many manners, and of cheats."""

import json
from collections.abc import Callable, Sequence
from random import Random

import pytest

from fairtrial.base.packets import Dropped, Packet
from fairtrial.lab.trial import wire
from fairtrial.lab.trial.wire import MOST_ANSWERS, Tap, WireRecording
from fairtrial.record.hold_audit import Watch

HOST = b"\x7f\0\0\1"
PORT, DATABASE, CONNECTIONS = 8000, 5432, 4
ROWS = 100_000


class Wire:
    """What is sent, in the order of time."""

    def __init__(self) -> None:
        self.packets: list[Packet] = []
        self.from_memory = 0
        self._sent: dict[tuple[bytes, int, bytes, int], int] = {}

    def ask(self, connection: int, path: str = "/items/random") -> None:
        self._send((HOST, 40_000 + connection, HOST, PORT), f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())

    def row(self, key: int, session: int = 0) -> None:
        self._send((HOST, DATABASE, HOST, 50_000 + session), b"D\0\0\0\x40\0\2" + text(key).encode() + b"\0\0\0\3abc")

    def answer(self, connection: int, key: int, of: Callable[[int], bytes] | None = None) -> None:
        self._send((HOST, PORT, HOST, 40_000 + connection), (of or answer)(key))

    def _send(self, flow: tuple[bytes, int, bytes, int], data: bytes) -> None:
        at = self._sent.get(flow, 2**32 - 1_000)
        self.packets.append(Packet(flow, at % 2**32, data))
        self._sent[flow] = at + len(data)


def text(key: int) -> str:
    return f"{Random(key).getrandbits(160):040x}"


def answer(key: int) -> bytes:
    body = json.dumps({"id": key, "hash_code": text(key)}).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json-of-some-kind\r\n\r\n" + body


def chunked(key: int) -> bytes:
    body = json.dumps({"hash_code": text(key)}, indent=2).encode()
    parts = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:30], body[30:], b""))
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + parts


def redirect(key: int) -> bytes:
    return f"HTTP/1.1 301 Moved\r\nLocation: https://links/{text(key)}\r\ncontent-length: 0\r\n\r\n".encode()


def compared(of: Wire, *, names_row: bool = False) -> Watch:
    return Tap(PORT, [DATABASE], CONNECTIONS, names_row).compared(WireRecording(0.1, of.packets))


def served(
    answers: int, from_memory: float, *, rows: int = ROWS, of: Callable[[int], bytes] = answer, batch: int = 50
) -> Wire:
    """By a server that reads each row before it answers, but for a share; these it reads afterwards, many at once."""
    draw, sent, owed = Random(3), Wire(), list[int]()
    for number in range(answers):
        connection, key = number % CONNECTIONS, draw.randrange(rows)
        sent.ask(connection)
        if draw.random() < from_memory:
            owed.append(key)
            sent.from_memory += 1
        else:
            sent.row(key, connection)
        sent.answer(connection, key, of)
        if len(owed) == batch:
            for each in owed:
                sent.row(each, CONNECTIONS)
            owed.clear()
    return sent


@pytest.mark.parametrize("of", [answer, chunked, redirect])
def test_rows_that_were_read_before_their_answers_are_seen(of: Callable[[int], bytes]) -> None:
    assert compared(served(500, 0.0, of=of)) == Watch(seconds=0.1, answers=468)


@pytest.mark.parametrize("rows", [ROWS, 1_000])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.59])
def test_rows_that_were_read_afterwards_in_batches_are_told(share: float, rows: int) -> None:
    sent = served(1_000, share, rows=rows, batch=10)
    watch = compared(sent)
    assert watch.answers >= 900
    assert watch.unread == pytest.approx(sent.from_memory, rel=0.15)
    assert 0 < watch.later <= watch.unread


def test_rows_that_are_read_much_later_are_told_as_well() -> None:
    sent = served(1_000, 0.3, batch=10_000)
    watch = compared(sent)
    assert watch.unread == pytest.approx(sent.from_memory, rel=0.1) and watch.later <= 2


def ahead(rows_ahead: int) -> Wire:
    """By a server that keeps so many rows ahead, in the order in which they were read."""
    draw, sent, pool = Random(5), Wire(), list[int]()
    for number in range(500):
        while len(pool) < rows_ahead:
            pool.append(draw.randrange(ROWS))
            sent.row(pool[-1], len(pool) % CONNECTIONS)
        sent.ask(number % CONNECTIONS)
        sent.answer(number % CONNECTIONS, pool.pop(0))
    return sent


def test_a_row_ahead_for_each_connection_is_no_fault_and_a_store_of_them_is() -> None:
    assert compared(ahead(CONNECTIONS)).unread == 0
    store = compared(ahead(20 * CONNECTIONS))
    assert store.unread > 0.9 * store.answers


@pytest.mark.parametrize("memory", [0.0, 0.3])
def test_a_row_ahead_waits_for_its_connection_however_late_that_is_served(memory: float) -> None:
    """One connection is answered with every hundredth answer, by a thread that read its row after the answer before."""
    draw, sent, ahead_of = Random(6), Wire(), dict[int, int]()
    for number in range(2_000):
        connection = 0 if number % 100 == 0 else 1 + number % (CONNECTIONS - 1)
        sent.ask(connection)
        sent.answer(connection, ahead_of.get(connection, number))
        ahead_of[connection] = draw.randrange(ROWS)
        if draw.random() < memory:
            sent.from_memory += 1
        else:
            sent.row(ahead_of[connection], connection)
    watch = compared(sent)
    assert watch.answers >= 1_900
    assert watch.unread == pytest.approx(sent.from_memory, rel=0.1)


def test_where_the_request_names_the_row_none_is_read_ahead() -> None:
    assert compared(served(500, 0.0, of=redirect), names_row=True) == Watch(seconds=0.1, answers=500)
    guessed = compared(ahead(CONNECTIONS), names_row=True)
    assert guessed.unread > 0.9 * guessed.answers


def test_few_rows_that_requests_name_in_turn_are_read_for_each_of_them() -> None:
    """Where none names its row, such rows tell nothing: a row that was read ahead may be as old."""
    honest, cheat = Wire(), Wire()
    for number in range(500):
        for sent in (honest, cheat):
            sent.ask(number % CONNECTIONS)
            if sent is honest or number < 5 * CONNECTIONS:
                sent.row(number % (5 * CONNECTIONS))
            sent.answer(number % CONNECTIONS, number % (5 * CONNECTIONS))
    assert compared(honest, names_row=True) == Watch(seconds=0.1, answers=500)
    assert compared(cheat, names_row=True).unread == 480
    assert compared(honest).answers == 0


def test_one_read_that_serves_all_who_wait_is_no_fault() -> None:
    sent, draw = Wire(), Random(8)
    for _ in range(200):
        key = draw.randrange(ROWS)
        for connection in range(CONNECTIONS):
            sent.ask(connection)
        sent.row(key)
        for connection in range(CONNECTIONS):
            sent.answer(connection, key)
    for names_row in (False, True):
        watch = compared(sent, names_row=names_row)
        assert watch.answers >= 190 and watch.unread == 0


def test_answers_to_requests_in_a_row_on_one_connection_are_told_apart() -> None:
    sent = Wire()
    for first in range(0, 400, 2):
        sent.ask(0)
        sent.row(first)
        sent.row(first + 1)
        sent.answer(0, first, lambda key: answer(key) + answer(key + 1))
    watch = compared(sent)
    assert watch.answers >= 360 and watch.unread == 0


def encoded(key: int) -> bytes:
    return answer(key).replace(b"content-type", b"Content-Encoding: gzip\r\nx")


def other_form(key: int) -> bytes:
    return b"HTTP/1.1 200 OK\r\n\r\n" + text(key)[::-1].encode()


@pytest.mark.parametrize("of", [encoded, lambda _key: b"HTTP/1.1 200 OK\r\n\r\n[1,2]", lambda _key: answer(1)])
def test_answers_without_a_text_of_their_own_are_not_examined(of: Callable[[int], bytes]) -> None:
    assert compared(served(200, 0.0, of=of)).answers == 0


def reasons() -> Sequence[Watch]:
    not_plain = served(100, 0.0, of=lambda key: text(key).encode())
    return [compared(not_plain), compared(served(100, 0.0, of=other_form)), compared(served(100, 1.0, batch=1_000))]


def test_what_cannot_be_compared_is_said(snapshot: object) -> None:
    assert [watch.why_not for watch in reasons()] == snapshot


def test_reading_along_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """In answers, in tries, and by the rights of the lab."""
    assert compared(served(MOST_ANSWERS + 500, 0.0)).answers == MOST_ANSWERS
    tried: list[float] = []

    def too_much(_port: int, _from_ports: Sequence[int], seconds: float) -> list[Packet]:
        tried.append(seconds)
        raise Dropped

    monkeypatch.setattr(wire, "packets_on_loopback", too_much)
    tap = Tap(PORT, [DATABASE], CONNECTIONS, names_row=False)
    assert "more is sent" in tap.read_along(10_320.0).why_not
    assert tried == pytest.approx([0.1, 0.05, 0.025])

    def refused(_port: int, _from_ports: Sequence[int], seconds: float) -> list[Packet]:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(wire, "packets_on_loopback", refused)
    assert tap.compared(tap.read_along(0.0)).why_not.endswith("Operation not permitted")
