"""Streams of calls by gRPC, against grpcio's server and against servers that break gRPC."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from h2.connection import H2Connection

from tests.command_line import Finished
from tests.tools.load.grpc_load import Call
from tests.tools.load.grpc_load import load as load_once
from tests.tools.load.grpc_servers import DONE, HEAD, ITEM, PROTO, Answer, frame, numbered, peer, shop

ITEMS = b"".join(frame(numbered(place)) for place in range(3))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.proto").write_text(PROTO)


def of_call(method: str, call: str, expect: str = "") -> str:
    return f"""
[requests.watch]
grpc = {{ proto = "shop.proto", method = "shop.Shop/{method}", {call} }}
{expect}
"""


WATCH = of_call("Watch", "message = { id = 7 }")


def load(call: Call, url: str, text: str, *options: str) -> tuple[Finished, dict[str, Any]]:
    """Of one call, unless the options say otherwise."""
    return load_once(call, url, text, *(("--http2", "--warmup", "0s", *options) if options else ()))


def test_a_stream_of_messages_has_the_figures_of_events(call: Call) -> None:
    expect = """
expect.grpc.message = { name = "teapot", size.width = -3 }
expect.events = { count = 5, sequence = "/id", tokens = "/id", stall = "100 ms" }
"""
    with shop() as url:
        finished, measured = load(call, url, f"{WATCH}{expect}", "-c", "2", "--streams", "2", "-n", "8")
    assert (finished.status, measured["verified"]) == (0, 8), finished.out + finished.err
    streams = measured["event_streams"]
    assert [streams[key] for key in ("events", "tokens", "streams", "stalled", "broken_off")] == [40, 32, 8, 8, 0]
    assert streams["first_event_time"]["count"] == 8 and streams["event_gap"]["count"] == 32
    assert streams["event_gap"]["max_seconds"] >= 0.199
    assert "of 8 streams 8 stalled, 0 broke off" in finished.out
    assert "expects nothing" not in finished.out + finished.err


def test_each_message_has_its_own_expectation_where_they_are_listed(call: Call) -> None:
    listed = "expect.grpc.messages = [{}]".format(", ".join(f"{{ id = {place} }}" for place in range(5)))
    with shop() as url:
        finished, measured = load(call, url, f"{WATCH}{listed}")
        assert (finished.status, measured["verified"]) == (0, 1), finished.out + finished.err
        _, measured = load(call, url, WATCH + listed.replace("id = 3", "id = 7"))
        assert measured["examples"][0]["reason"] == "message 4: id is 3, not 7"
        _, measured = load(call, url, WATCH + listed.replace(", { id = 4 }", ""))
        assert measured["examples"][0]["reason"] == "more than 4 messages"


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        ("events.count = 6", "5 messages, not 6"),
        ("events.count = [1, 4]", "more than 4 messages"),
        ("events = { sequence = '/id', first = 1 }", "message 0 came where 1 was to come"),
        ("grpc.message.name = 'cup'", 'message 1: name is "teapot", not "cup"'),
        ("events = { content = '/taken/nanos', count = 1 }", "0 messages, not 1"),
    ],
)
def test_what_is_wrong_with_a_stream_is_named(call: Call, expect: str, reason: str) -> None:
    with shop() as url:
        finished, measured = load(call, url, f"{WATCH}expect.{expect}")
    assert measured["errors"]["wrong_body"] == 1, finished.out + finished.err
    assert measured["examples"][0]["reason"] == reason


def test_a_stream_that_ends_with_an_error_has_broken_off(call: Call, snapshot: object) -> None:
    text = of_call("Watch", "message = { id = 9 }")
    with shop() as url:
        _, measured = load(call, url, text)
        assert measured["errors"]["status_grpc"] == 1
        assert measured["examples"][0]["reason"] == snapshot
        streams = measured["event_streams"]
        assert [streams[key] for key in ("events", "streams", "broken_off")] == [3, 1, 1]
        finished, measured = load(call, url, f"{text}expect.grpc.status = 'DATA_LOSS'")
    assert (finished.status, measured["event_streams"]["broken_off"]) == (0, 0)


def test_a_deadline_is_that_of_the_whole_stream(call: Call, snapshot: object) -> None:
    text = of_call("Watch", 'message = { id = 7 }, timeout = "100 ms"')
    with shop() as url:
        _, measured = load(call, url, text)
    assert list(measured["statuses"]) == ["4"]
    with peer(stream_of(ITEMS, end=no_end)) as url:
        _, measured = load(call, url, text)
    assert measured["examples"][0]["reason"] == snapshot
    assert measured["event_streams"]["broken_off"] == 1


@pytest.mark.parametrize(
    ("messages", "expected"), [("[{ id = 1 }, { id = 2 }, { id = 3 }]", 3), ("[]", 0), ("[{}]", 1)]
)
def test_a_fixed_stream_of_messages_is_sent(call: Call, messages: str, expected: int) -> None:
    with shop() as url:
        finished, measured = load(
            call, url, of_call("Count", f"messages = {messages}", f"expect.grpc.message.id = {expected}"), "-n", "20"
        )
    assert (finished.status, measured["verified"]) == (0, 20), finished.out + finished.err


def test_a_fixed_stream_is_answered_by_one(call: Call) -> None:
    Path("items.csv").write_text("id\n5\n6\n")
    text = """
rows.items = { file = "items.csv", pick = "sequential" }
[requests.watch]
grpc = { proto = "shop.proto", method = "shop.Shop/Echo", messages = [{ id = "{{row items id}}" }, { id = 2 }] }
expect.grpc.messages = [{ id = "{{row items id}}" }, { id = 2, name = "teapot" }]
"""
    with shop() as url:
        finished, measured = load(call, url, text, "-n", "20")
        assert (finished.status, measured["verified"]) == (0, 20), finished.out + finished.err
        _, measured = load(call, url, text.replace("{ id = 2, name", "{ id = 3, name"))
    assert measured["examples"][0]["reason"] == "message 2: id is 2, not 3"


def stream_of(*parts: bytes, end: Callable[[H2Connection, int], None]) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, HEAD)
        for part in parts:
            http2.send_data(stream, part)
        end(http2, stream)

    return answer


def trailer(*fields: tuple[str, str]) -> Callable[[H2Connection, int], None]:
    return lambda http2, stream: http2.send_headers(stream, fields, end_stream=True)


def plain_end(http2: H2Connection, stream: int) -> None:
    http2.end_stream(stream)


def no_end(_http2: H2Connection, _stream: int) -> None:
    """What comes next is awaited."""


def page(status: str, text: bytes) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, [(":status", status), ("content-type", "text/html")])
        http2.send_data(stream, text, end_stream=True)

    return answer


HOSTILE: dict[str, tuple[Answer, str, str, int]] = {
    "RST_STREAM after a message": (
        stream_of(frame(ITEM), end=lambda http2, stream: http2.reset_stream(stream, 2)),
        "reset",
        "RST_STREAM INTERNAL_ERROR",
        1,
    ),
    "GOAWAY in mid stream": (
        stream_of(frame(ITEM), frame(ITEM)[:9], end=lambda http2, _: http2.close_connection(error_code=2)),
        "closed",
        "GOAWAY INTERNAL_ERROR",
        1,
    ),
    "no trailer": (stream_of(ITEMS, end=plain_end), "wrong_header", "no trailer with grpc-status; 3 messages came", 1),
    "a status in percents": (
        stream_of(ITEMS, end=trailer(("grpc-status", "13"), ("grpc-message", "%E2%82%AC%ff%4"))),
        "status_grpc",
        "INTERNAL: €\ufffd%4; 3 messages came",
        1,
    ),
    "a length that lies": (stream_of(ITEMS + frame(ITEM)[:9], end=trailer(*DONE)), "wrong_body", "4 of a message's", 1),
    "half a prefix": (stream_of(ITEMS, b"\0\0", end=trailer(*DONE)), "wrong_body", "2 bytes where the 5", 1),
    "a compressed message": (
        stream_of(ITEMS, b"\1" + frame(ITEM)[1:], end=trailer(*DONE)),
        "wrong_body",
        "a message is compressed, and grpc-accept-encoding is identity",
        1,
    ),
    "a message beyond the bound": (
        stream_of(ITEMS, b"\0\x7f\xff\xff\xff", end=trailer(*DONE)),
        "wrong_body",
        "a message of 2147483647 bytes, above 4 MiB",
        1,
    ),
    "text that is no UTF-8": (
        stream_of(frame(b"\x12\x02\xff\xfe"), end=trailer(*DONE)),
        "wrong_body",
        'message 1: name is "\ufffd\ufffd", not "teapot"',
        0,
    ),
    "bytes that are no message": (
        stream_of(frame(ITEM), frame(b"\xff" * 20), end=trailer(*DONE)),
        "wrong_body",
        "message 2: the message is cut, or none",
        1,
    ),
    "empty messages without end": (stream_of(*[frame(b"") * 3000] * 4, end=no_end), "timeout", "", 0),
    "a stream without end": (stream_of(ITEMS, end=no_end), "timeout", "", 1),
    "a page": (page("200", b"<html>"), "wrong_header", 'the content type is "text/html", not application/grpc', 0),
    "a proxy's 502": (page("502", b"<html>bad gateway"), "status_5xx", "bad gateway", 0),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(call: Call, name: str) -> None:
    answer, kind, words, streams = HOSTILE[name]
    with peer(answer) as url:
        options: Sequence[str] = ("-c", "1", "-n", "1", "--timeout", "500ms") if kind == "timeout" else ()
        finished, measured = load(call, url, f"{WATCH}expect.grpc.message.name = 'teapot'", *options)
    assert measured["errors"].get(kind) == 1, (finished.out, finished.err, measured["examples"])
    if words:
        example = measured["examples"][0]
        assert words in (example["reason"] or example["excerpt"])
    assert measured["event_streams"]["streams"] == streams
    broke_off = kind in ("reset", "closed", "wrong_header", "status_grpc") and streams
    assert measured["event_streams"]["broken_off"] == int(bool(broke_off))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (of_call("Look", "messages = [{}]"), "grpc.messages: shop.Shop/Look takes one message"),
        (
            of_call("Look", "message = {}", "expect.events.count = 1"),
            "expect.events: shop.Shop/Look answers with one message",
        ),
        (
            of_call("Look", "message = {}", "expect.grpc.messages = [{}]"),
            "expect.grpc.messages: shop.Shop/Look answers with",
        ),
        (of_call("Count", "message = { id = 1 }, messages = []"), "`messages` says already what is sent"),
        (f"{WATCH}expect.grpc = {{ message = {{}}, messages = [] }}", "`messages` says already what each is"),
        (f"{WATCH}expect.grpc.messages = []\nexpect.events.count = 1", "says already how many come"),
        (f"{WATCH}expect.events.last = 'x'", "expect.events.last: a stream of messages ends with its status"),
        (f"{WATCH}expect.events.sequence = 'id'", "a stream of messages has no ids"),
        (f"{WATCH}expect.events.sequence = '/name'", "/name: no whole number that occurs once in shop.Item"),
        (f"{WATCH}expect.events.sequence = '/size/width'", "/size/width: no whole number"),
        (f"{WATCH}expect.events.content = '/codes'", "/codes: no field that occurs once"),
        (f"{WATCH}expect.events.content = '/id/x'", "/id/x: no field"),
    ],
)
def test_what_does_not_fit_is_refused(call: Call, text: str, reason: str) -> None:
    finished, _ = load(call, "http://127.0.0.1:1", text)
    assert finished.status == 2, finished.out + finished.err
    assert reason in " ".join(finished.err.split())
