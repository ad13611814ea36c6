"""The clauses of the workload `stream`, whose answers are about time: real servers keep them or break them."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.clause import StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import implied_work, options_of, pick_workload
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.catalog.workloads.stream import MEDIA_TYPE, Event, events_of, parsed

Pieces = Iterator[str]
Stream = Callable[[int, float], Pieces]
"""From the number of events and the seconds of a pause, what is sent, piece by piece."""


def event(number: int, *, text: str = "Hello, World!") -> str:
    return f'id: {number}\ndata: {{"number":{number},"text":"{text}"}}\n\n'


def honest(count: int, pause: float, write: Callable[[int], str] = event) -> Pieces:
    for number in range(count):
        time.sleep(pause if number else 0)
        yield write(number)
    yield "data: [DONE]\n\n"


def otherwise_written(count: int, pause: float) -> Pieces:
    """All that the standard leaves open: comments, a field `event`, CRLF, no blank behind a colon."""

    def write(number: int) -> str:
        return (
            event(number).replace(": ", ":", 1).replace("\n", "\r\n")
            if number % 2
            else f"event: message\n{event(number)}"
        )

    yield ": hello\n\n"
    yield from honest(count, pause, write)


def held_back(count: int, pause: float) -> Pieces:
    """Through a buffer that is sent when it ends."""
    yield "".join(honest(count, pause))


def in_pairs(count: int, pause: float) -> Pieces:
    """Every second event with the one before."""
    events = list(map(event, range(count)))
    for number in range(0, count, 2):
        time.sleep(2 * pause if number else 0)
        yield "".join(events[number : number + 2])
    time.sleep(0 if count % 2 else pause)
    yield "data: [DONE]\n\n"


def late_one_by_one(count: int, pause: float) -> Pieces:
    """All pauses first, and then each event by itself."""
    time.sleep((count - 1) * pause)
    yield from honest(count, 0)


def without_pauses(count: int, _pause: float) -> Pieces:
    return honest(count, 0)


def one_less(count: int, pause: float) -> Pieces:
    return honest(count - 1, pause) if count > 1 else honest(count, pause)


def endless(count: int, pause: float) -> Pieces:
    return (piece for piece in honest(count, pause) if "DONE" not in piece)


def from_one(count: int, pause: float) -> Pieces:
    return honest(count, pause, lambda number: event(number + 1))


def without_ids(count: int, pause: float) -> Pieces:
    return honest(count, pause, lambda number: event(number).partition("\n")[2])


def another_text(count: int, pause: float) -> Pieces:
    return honest(count, pause, lambda number: event(number, text="Hello, World?"))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        _, _, events, milliseconds = self.path.split("/")
        in_range = (
            events.isdigit()
            and milliseconds.isdigit()
            and 1 <= int(events) <= 1000
            and 1 <= int(milliseconds) <= 10_000
        )
        if not self.server.takes_all and not in_range:
            self.send_response(400)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        with self.server.places:
            self._send(int(events) if in_range else 1, int(milliseconds) / 1e3 if in_range else 0.0)

    def _send(self, events: int, pause: float) -> None:
        self.send_response(200)
        self.send_header("content-type", self.server.media_type)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in self.server.stream(events, pause):
            try:
                self.wfile.write(f"{len(piece):x}\r\n{piece}\r\n".encode())
            except OSError:
                if not self.server.notices_nothing:
                    self.close_connection = True
                    return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    takes_all = notices_nothing = False
    media_type = MEDIA_TYPE
    stream: Stream = staticmethod(honest)
    places: threading.Semaphore

    def handle_error(self, *_: Any) -> None:
        """A client that went away."""


@contextmanager
def served(**attributes: Any) -> Iterator[httpx.Client]:
    """A client of a server with these attributes."""
    server = Server(("127.0.0.1", 0), Handler)
    server.places = threading.Semaphore(16)
    for name, value in attributes.items():
        setattr(server, name, value)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}", timeout=2.0) as client:
            yield client
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def violations(**attributes: Any) -> dict[str, str]:
    """The clauses that such a server breaks, and the evidence of each."""
    workload = pick_workload("stream")
    assert isinstance(workload, ServerWorkload)
    broken = {}
    with served(**attributes) as client:
        stack = StackUnderTest(client, Data(), options_of(workload, {}), set())
        for clause in workload.clauses:
            try:
                violation = clause.violation(stack)
            except Problem as problem:
                violation = str(problem)
            if violation is not None:
                broken[clause.name] = violation
    return broken


@pytest.mark.parametrize("stream", [honest, otherwise_written])
def test_an_honest_stack_keeps_every_clause(engine: object, stream: Stream) -> None:
    assert violations(stream=stream) == {}


FAULTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "as text": ({"media_type": "text/plain"}, "stream stream-paced", "content type text/plain"),
    "one event less": ({"stream": one_less}, "stream stream-paced", "not Event(id="),
    "without its end": ({"stream": endless}, "stream stream-paced", "event 1 is nothing"),
    "from one": ({"stream": from_one}, "stream stream-paced", "event 0 is Event(id='1'"),
    "without ids": ({"stream": without_ids}, "stream stream-paced", "event 0 is Event(id='', data="),
    "another text": ({"stream": another_text}, "stream", "Hello, World?"),
    "held back": ({"stream": held_back}, "stream-paced stream-left", "0 ms after the one before, not 40"),
    "in pairs": ({"stream": in_pairs}, "stream-paced", "ms after the one before, not 40"),
    "late, one by one": ({"stream": late_one_by_one}, "stream-paced stream-left", "ms after the one before, not 40"),
    "without pauses": ({"stream": without_pauses}, "stream-paced", "with 4 pauses of 40 ms"),
    "clients that left are served on": ({"notices_nothing": True}, "stream-left", "ReadTimeout"),
    "any number": ({"takes_all": True}, "stream-in-range", "'1001/1': 200"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_breaks_its_clauses_and_no_other(engine: object, name: str) -> None:
    attributes, clauses, evidence = FAULTS[name]
    broken = violations(**attributes)
    assert " ".join(broken) == clauses, broken
    assert any(evidence in each for each in broken.values()), broken


def test_every_clause_is_broken_by_some_fault() -> None:
    workload = pick_workload("stream")
    assert isinstance(workload, ServerWorkload)
    assert {name for _, names, _ in FAULTS.values() for name in names.split()} == {
        each.name for each in workload.clauses
    }


@pytest.mark.parametrize(
    ("body", "events"),
    [
        ("data: a\ndata: b\n\n", [Event("", "a\nb")]),
        ("id: 7\ndata\n\n: only a comment\n\n", [Event("7", "")]),
        ("\ufeffid:7\r\rdata:  x\r\n\r\ndata: cut off\n", [Event("", " x")]),
    ],
)
def test_events_are_told_apart_as_the_standard_says(body: str, events: list[Event]) -> None:
    assert parsed(body) == events


def test_a_stream_takes_its_pauses_at_least() -> None:
    workload = pick_workload("stream")
    options = options_of(workload, {"events": 11, "pause_milliseconds": 30})
    assert implied_work(workload, options).least_answer_seconds == {"stream": pytest.approx(0.3)}
    assert len(events_of(11)) == 12
