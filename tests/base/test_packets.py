"""What is read along of real connections over loopback, and streams that are put together of packets."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from fairtrial.base import packets
from fairtrial.base.packets import Dropped, Packet, packets_on_loopback, streams_of
from tests.machine.needs import needs

FLOW = (b"\x7f\0\0\1", 5432, b"\x7f\0\0\1", 40_000)


@contextmanager
def echoing(*answers: bytes) -> Iterator[list[int]]:
    """Servers that answer each message with one of these; one client asks them in turn, all the time."""
    over = Event()
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in answers]

    def serve(listener: socket.socket, answer: bytes) -> None:
        connection, _ = listener.accept()
        with connection:
            while connection.recv(100):
                connection.sendall(answer)

    def ask() -> None:
        clients = [socket.create_connection(listener.getsockname()) for listener in listeners]
        while not over.is_set():
            for client in clients:
                client.sendall(b"ask")
                client.recv(100_000)
        for client in clients:
            client.close()

    threads = [Thread(target=serve, args=pair) for pair in zip(listeners, answers, strict=True)] + [Thread(target=ask)]
    for thread in threads:
        thread.start()
    try:
        yield [listener.getsockname()[1] for listener in listeners]
    finally:
        over.set()
        for thread in threads:
            thread.join(10)
        for listener in listeners:
            listener.close()


@needs("packet-socket")
def test_data_of_some_ports_is_read_along_in_the_order_of_cause_and_effect() -> None:
    with echoing(b"row", b"unasked for", b"answer" * 1_000) as (service, other, port):
        seen = packets_on_loopback(port, [service], 0.1)
    assert len(seen) > 10
    kinds = ["row" if packet.flow[1] == service else "ask" if packet.flow[3] == port else "answer" for packet in seen]
    assert not any(other in packet.flow for packet in seen)
    turn = ["row", "ask", "answer"]
    begin = turn.index(kinds[0])
    assert kinds == [turn[(begin + number) % 3] for number in range(len(kinds))]
    assert {packet.data for packet in seen} == {b"row", b"ask", b"answer" * 1_000}


@needs("packet-socket")
def test_what_does_not_fit_is_not_taken_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "BUFFER_BYTES", 4_096)
    with echoing(b"row", b"answer" * 1_000) as (service, port), pytest.raises(Dropped):
        packets_on_loopback(port, [service], 0.2)


def test_a_stream_is_put_together_by_sequence_numbers() -> None:
    """The third is sent again with more; the numbers begin anew at 2^32; the last comes after a gap."""
    sent = [(2**32 - 4, b"abcd"), (0, b"efgh"), (2, b"ghij"), (2, b"gh"), (20, b"xyz")]
    (stream,) = streams_of(Packet(FLOW, sequence, data) for sequence, data in sent).values()
    assert bytes(stream.data) == b"abcdefghij\0xyz"
    assert [stream.number_at(offset) for offset in (0, 3, 4, 8, 11)] == [0, 0, 1, 2, 4]
    assert stream.last_before(2) == 1 and stream.last_before(0) is None


def test_a_text_counts_where_all_of_it_was_sent_in_between() -> None:
    parts = [b"first te", b"xt", b"second text", b"third"]
    at, sent = 0, list[Packet]()
    for part in parts:
        sent.append(Packet(FLOW, at, part))
        at += len(part)
    (stream,) = streams_of(sent).values()
    assert stream.carried(b"first text", -1, 2)
    assert not stream.carried(b"first text", -1, 1), "its end was not there yet"
    assert not stream.carried(b"first text", 0, 4), "it began before"
    assert stream.carried(b"second text", 1, 3) and not stream.carried(b"second text", 2, 4)
