"""Calls by gRPC to servers that break gRPC, and to servers that keep it in odd ways."""

import struct
from pathlib import Path

import pytest
from h2.connection import H2Connection

from tests.tools.load.grpc_load import FILE, Call, load
from tests.tools.load.grpc_servers import DONE, HEAD, ITEM, PROTO, Answer, answer_with, frame, only_head, peer


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.proto").write_text(PROTO)


def reset(code: int) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, HEAD)
        http2.reset_stream(stream, code)

    return answer


def goes_away(code: int) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, HEAD)
        http2.send_data(stream, frame(ITEM)[:9])
        http2.close_connection(error_code=code)

    return answer


def drip(http2: H2Connection, stream: int) -> None:
    """Each byte in a frame of its own, with empty ones between."""
    http2.send_headers(stream, HEAD)
    for byte in frame(ITEM):
        http2.send_data(stream, bytes([byte]))
        http2.send_data(stream, b"")
    http2.send_headers(stream, DONE, end_stream=True)


def interim(http2: H2Connection, stream: int) -> None:
    http2.send_headers(stream, [(":status", "103")])
    RIGHT(http2, stream)


def with_ping(http2: H2Connection, stream: int) -> None:
    http2.ping(b"are you?")
    RIGHT(http2, stream)


RIGHT = answer_with(HEAD, frame(ITEM), DONE)


HOSTILE: dict[str, tuple[Answer, str, str]] = {
    "a page": (
        answer_with([(":status", "200"), ("content-type", "text/html")], b"<html>", None),
        "wrong_header",
        'the content type is "text/html", not application/grpc',
    ),
    "gRPC-Web": (
        answer_with([(":status", "200"), ("content-type", "application/grpc-web")], frame(ITEM), DONE),
        "wrong_header",
        "not application/grpc",
    ),
    "no trailer": (answer_with(HEAD, frame(ITEM), None), "wrong_header", "there is no trailer with grpc-status"),
    "a trailer without a status": (
        answer_with(HEAD, frame(ITEM), [("x", "y")]),
        "wrong_header",
        "there is no trailer with grpc-status",
    ),
    "a status in the head alone": (
        answer_with([*HEAD, *DONE], frame(ITEM), None),
        "wrong_header",
        "grpc-status stands in the head, and behind the messages is no trailer",
    ),
    "a status that is no number": (
        answer_with(HEAD, frame(ITEM), [("grpc-status", "OK")]),
        "wrong_header",
        'grpc-status is "OK"',
    ),
    "only a head, that says OK": (only_head([*HEAD, *DONE]), "wrong_body", "no message came"),
    "a compressed flag": (answer_with(HEAD, b"\1" + frame(ITEM)[1:], DONE), "wrong_body", "a message is compressed"),
    "a flag that is none": (answer_with(HEAD, b"\7" + frame(ITEM)[1:], DONE), "wrong_body", "begins with 7"),
    "a length beyond the bound": (
        answer_with(HEAD, struct.pack(">BI", 0, 0xFFFF_FFFF), DONE),
        "wrong_body",
        "a message of 4294967295 bytes, above 4 MiB",
    ),
    "half a frame": (answer_with(HEAD, frame(ITEM)[:9], DONE), "wrong_body", "4 of a message's"),
    "half a prefix": (answer_with(HEAD, b"\0\0", DONE), "wrong_body", "2 bytes where the 5"),
    "two messages": (answer_with(HEAD, frame(ITEM) * 2, DONE), "wrong_body", "behind the one message of a unary"),
    "a field of another type": (
        answer_with(HEAD, frame(b"\x0a\x01x"), DONE),
        "wrong_body",
        "id has the wire type 2, not 0",
    ),
    "bytes that are no message": (answer_with(HEAD, frame(b"\xff" * 20), DONE), "wrong_body", "the message is cut"),
    "a message in percents": (
        only_head([*HEAD, ("grpc-status", "14"), ("grpc-message", "shop%20closed%0a%1b[31m%zz")]),
        "status_grpc",
        "UNAVAILABLE: shop closed\n\x1b[31m%zz",
    ),
    "a status that has no name": (answer_with(HEAD, b"", [("grpc-status", "77")]), "status_grpc", "status 77"),
    "HTTP's own status": (only_head([(":status", "503")]), "status_5xx", ""),
    "RST_STREAM": (reset(8), "reset", "RST_STREAM CANCEL"),
    "RST_STREAM, refused": (reset(7), "reset", "RST_STREAM REFUSED_STREAM"),
    "GOAWAY in the middle": (goes_away(2), "closed", "GOAWAY INTERNAL_ERROR"),
    "GOAWAY, as if all were done": (goes_away(0), "closed", "GOAWAY NO_ERROR"),
    "GOAWAY of a limiter": (goes_away(11), "closed", "GOAWAY ENHANCE_YOUR_CALM"),
    "a trailer, and no message": (answer_with(HEAD, b"", DONE), "wrong_body", "no message came"),
    "an empty message": (answer_with(HEAD, frame(b""), DONE), "wrong_body", "id is 0, not 7"),
    "no content type": (answer_with([(":status", "200")], frame(ITEM), DONE), "wrong_header", 'content type is ""'),
    "a status of HTTP beside one of gRPC": (
        answer_with([(":status", "404"), *HEAD[1:]], frame(ITEM), DONE),
        "status_4xx",
        "",
    ),
    "two statuses": (
        answer_with(HEAD, frame(ITEM), [*DONE, ("grpc-status", "13")]),
        "wrong_header",
        'grpc-status is "0" and "13"',
    ),
    "a status with a sign": (
        answer_with(HEAD, frame(ITEM), [("grpc-status", "-0")]),
        "wrong_header",
        'grpc-status is "-0"',
    ),
    "a field that runs past its message": (answer_with(HEAD, frame(b"\x12\x7fab"), DONE), "wrong_body", "is cut"),
    "a number of eleven bytes": (
        answer_with(HEAD, frame(b"\x08" + b"\xff" * 10 + b"\x01"), DONE),
        "wrong_body",
        "the message is cut, or none",
    ),
    "groups within groups": (answer_with(HEAD, frame(b"\x0b" * 5000), DONE), "wrong_body", "the message is cut"),
    "a text with control characters": (
        answer_with(HEAD, frame(b"\x08\x07\x12\x05\x1b[31m"), DONE),
        "wrong_body",
        "name is ",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_servers(call: Call, name: str) -> None:
    answer, kind, words = HOSTILE[name]
    with peer(answer) as url:
        finished, measured = load(call, url, FILE)
    assert measured["errors"].get(kind) == 1, (finished.out, finished.err, measured["examples"])
    example = measured["examples"][0]
    assert words in (example["reason"] or example["excerpt"])
    assert "\x1b[31m" not in finished.out


ODD: dict[str, Answer] = {
    "each byte in a frame of its own": drip,
    "an interim head": interim,
    "a ping before the answer": with_ping,
    "fields that nobody knows": answer_with(HEAD, frame(b"\xa2\x06\x80\x20" + bytes(1 << 12) + ITEM), DONE),
    "more in the trailer": answer_with(HEAD, frame(ITEM), [("x-cost", "3"), *DONE, ("grpc-message", "")]),
    "a status of three digits": answer_with(HEAD, frame(ITEM), [("grpc-status", "000")]),
    "a content type with parameters": answer_with(
        [(":status", "200"), ("content-type", "application/grpc+proto; charset=utf-8")], frame(ITEM), DONE
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_and_right_is_verified(call: Call, name: str) -> None:
    with peer(ODD[name]) as url:
        finished, measured = load(call, url, FILE)
    assert (finished.status, measured["verified"]) == (0, 1), (finished.out, finished.err, measured.get("examples"))
