"""What `fairtrial load` says of streams of events that are none, or others than the workload file expects."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Finished
from tests.fixtures.hostile import Answer, Connection, head, hostile_server, says

WORKLOAD = """
[requests.count]
get = "/"
[requests.count.expect.events]
count = 3
sequence = "/number"
last = "[DONE]"
tokens = "/tokens"
"""
LOAD = ("-c", "1", "-n", "1", "--warmup", "0s", "--timeout", "2s", "--plain", "--json", "load.json")
HEAD = head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
END = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def event(number: object) -> bytes:
    tokens = b', "tokens": 3' if number == 2 else b""
    return b'data: {"number": ' + json.dumps(number).encode() + tokens + b"}\n\n"


def chunk(text: bytes) -> bytes:
    return f"{len(text):x}\r\n".encode() + text + b"\r\n"


def streamed(*texts: bytes, end: bytes = END) -> Answer:
    """A whole answer of these texts, each in a chunk of its own."""
    return says(HEAD + b"".join(map(chunk, texts)) + end)


def without_end(piece: bytes, first: bytes = b"") -> Answer:
    """An answer that begins right and goes on with this piece as long as somebody reads."""

    def answer(connection: Connection) -> bool:
        connection.sendall(HEAD + chunk(event(0) + first))
        while True:
            connection.sendall(chunk(piece * 500))

    return answer


THREE = (event(0), event(1), event(2))
HOSTILE = [
    ("one too many", streamed(*THREE, event(3), DONE), "wrong_body", "more than 3 events"),
    ("one too few", streamed(event(0), event(1), DONE), "wrong_body", "2 events, not 3"),
    ("none", streamed(DONE), "wrong_body", "0 events, not 3"),
    ("a gap", streamed(event(0), event(2), event(1), DONE), "wrong_body", "event 2 came where 1 was to come"),
    ("a number twice", streamed(event(0), event(0), event(1), DONE), "wrong_body", "event 0 came where 1 was to come"),
    (
        "a number that is none",
        streamed(event(0), event("one"), event(2), DONE),
        "wrong_body",
        "an event without the number 1",
    ),
    ("no JSON", streamed(event(0), b"data: <html>\n\n", event(2), DONE), "wrong_body", "an event without the number 1"),
    (
        "no UTF-8",
        streamed(event(0), b'data: {"number": "\xff\xfe"}\n\n', DONE),
        "wrong_body",
        "an event without the number 1",
    ),
    ("one behind the last", streamed(*THREE, DONE, event(3)), "wrong_body", "behind the last one"),
    ("no last one", streamed(*THREE), "wrong_body", "the event that ends the stream is missing"),
    ("half of the last one", streamed(*THREE, DONE[:-1]), "wrong_body", "no blank line behind it"),
    ("no tokens", streamed(event(0), event(1), b'data: {"number": 2}\n\n', DONE), "wrong_body", "tokens"),
    ("a line without end", without_end(b"x" * 100, first=b"data: "), "timeout", "timeout"),
    ("a line of 2 MiB", streamed(b"data: " + b"x" * (2 << 20)), "wrong_body", "an event is longer than 1 MiB"),
    ("comments without end", without_end(b": still here\n\n"), "timeout", "timeout"),
    ("silence within", says(HEAD + chunk(event(0))), "timeout", "timeout"),
    ("a cut stream", says(HEAD + chunk(event(0)), stays=False), "closed", "closed"),
    ("a page", says(head("Content-Type: text/html", "Content-Length: 4") + b"<ok>"), "wrong_header", "content type"),
]


@pytest.mark.parametrize(("answer", "kind", "words"), [pytest.param(*each[1:], id=each[0]) for each in HOSTILE])
def test_a_stream_that_is_not_the_expected_one_is_told(
    call: Callable[..., Finished], answer: Answer, kind: str, words: str
) -> None:
    Path("count.workload.toml").write_text(WORKLOAD, encoding="utf-8")
    with hostile_server(answer) as url:
        finished = call("load", "-f", "count.workload.toml", url, *LOAD)
    assert finished.status == 4, finished.out + finished.err
    errors = json.loads(Path("load.json").read_text(encoding="utf-8"))["errors"]
    assert {each: count for each, count in errors.items() if count} == {kind: 1}, finished.out
    assert words in " ".join(finished.out.split()), finished.out


def test_the_right_stream_is_right_however_it_is_cut(call: Callable[..., Finished]) -> None:
    Path("count.workload.toml").write_text(WORKLOAD, encoding="utf-8")
    text = b"\xef\xbb\xbf: hello\r\n\r\n" + b"".join(THREE).replace(b"\n", b"\r\n") + DONE
    with hostile_server(streamed(*(bytes([each]) for each in text))) as url:
        finished = call("load", "-f", "count.workload.toml", url, *LOAD)
    assert finished.status == 0, finished.out + finished.err
