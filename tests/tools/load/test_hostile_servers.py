"""What `fairtrial load` says of servers that answer as no server should: which status it ends with, and which words.

The outcomes are those that RFC 9110 and 9112 ask of a client, and docs/load.md of this one.
"""

import ssl
from collections.abc import Callable, Sequence

import pytest

from tests.command_line import Finished
from tests.fixtures.hostile import (
    OK,
    Answer,
    by_the_byte,
    head,
    hostile_server,
    http2_says,
    interim_without_end,
    never,
    reset_at_once,
    reset_within_the_body,
    says,
    trickle,
)
from tests.lines import passage
from tests.tools.load.conftest import CERTIFICATES

RIGHT = [
    ("100 interim answers", says(b"HTTP/1.1 100 Continue\r\n\r\n" * 100 + OK)),
    ("an announced close", says(head("Content-Length: 2", "Connection: close") + b"ok", stays=False)),
    ("a byte at a time", by_the_byte),
    ("a head of 32 KiB", says(head(f"X-Long: {'y' * 32_000}", "Content-Length: 2") + b"ok")),
    ("HTTP/1.0", says(head("Content-Length: 2", version="HTTP/1.0") + b"ok", stays=False)),
    ("HTTP/1.0, kept alive", says(head("Content-Length: 2", "Connection: keep-alive", version="HTTP/1.0") + b"ok")),
    ("an end without a length", says(head() + b"ok", stays=False)),
    ("bare line feeds", says(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok")),
    ("equal lengths", says(head("Content-Length: 2", "Content-Length: 2") + b"ok")),
    ("a folded line", says(head("X-Long: y", " z", "Content-Length: 2") + b"ok")),
    (
        "chunks with extensions and a trailer",
        says(head("Transfer-Encoding: chunked") + b"2;a=b\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"),
    ),
    ("70 MB", says(head("Content-Length: 70000000") + bytes(70_000_000))),
]

WRONG = [
    ("two answers at once", says(OK + OK), "protocol", "send one answer to a request"),
    ("two answers, 2 ms apart", says(OK, OK, pause_seconds=0.002), "protocol", "one answer|before anything was asked"),
    ("a length too short", says(head("Content-Length: 1") + b"ok"), "protocol", "longer than its Content-Length"),
    ("a length too long, closed", says(head("Content-Length: 3") + b"ok", stays=False), "closed", "bodies begin"),
    ("a reset within the body", reset_within_the_body, "reset", "bodies begin"),
    ("a head of 290 KB", says(head(*[f"X-{number}: y" for number in range(30_000)])), "protocol", "above 64 KiB"),
    (
        "a chunk's size beyond 64 bits",
        says(head("Transfer-Encoding: chunked") + b"10000000000000005\r\nok\r\n"),
        "protocol",
        "each chunk is its size",
    ),
    (
        "a chunk of 2^64 - 1 bytes",
        says(head("Transfer-Encoding: chunked") + b"ffffffffffffffff\r\nok\r\n"),
        "protocol",
        "hexadecimal digits",
    ),
    ("a status of two digits", says(head("Content-Length: 2", status="99 What") + b"ok"), "protocol", "three digits"),
    (
        "lengths that disagree",
        says(head("Content-Length: 2", "Content-Length: 3") + b"ok"),
        "protocol",
        "one Content-Length",
    ),
    ("status 999", says(head("Content-Length: 2", status="999 What") + b"ok"), "status_5xx", "the server fails"),
    ("an accepted connection reset", reset_at_once, "reset", "new connections end"),
    ("HTTP/2", says(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"), "protocol", "HTTP/2"),
    ("a TLS alert", says(b"\x15\x03\x01\x00\x02\x02\x16", stays=False), "protocol", "TLS"),
    ("a banner", says(b"220 mail ready\r\n"), "protocol", "is this the port of an HTTP server"),
]

SILENT = [
    ("a length too long, kept open", says(head("Content-Length: 3") + b"ok")),
    ("interim answers without end", interim_without_end),
    ("no answer", never),
    ("a head without end, a line at a time", trickle),
]

Call = Callable[..., Finished]
CLOSED = ("-c", "2", "-d", "400ms", "--warmup", "0")
OPEN = ("-r", "50", "-c", "4", "-d", "400ms", "--warmup", "0")


def loaded(call: Call, answer: Answer, options: Sequence[str], **server: object) -> Finished:
    with hostile_server(answer, **server) as url:  # type: ignore[arg-type]
        return call("load", url, "--plain", *options)


def named(cases: Sequence[tuple[object, ...]]) -> list[object]:
    return [pytest.param(*case[1:], id=str(case[0])) for case in cases]


@pytest.mark.parametrize("answer", named(RIGHT))
def test_an_unusual_answer_is_right(call: Call, answer: Answer) -> None:
    finished = loaded(call, answer, CLOSED)
    assert (finished.status, "errors: none" in finished.out) == (0, True), finished.out


@pytest.mark.parametrize(("answer", "kind", "words"), named(WRONG))
def test_a_wrong_answer_is_an_error_with_its_remedy(call: Call, answer: Answer, kind: str, words: str) -> None:
    finished = loaded(call, answer, CLOSED)
    assert finished.status in (3, 4), finished.out
    assert kind in finished.out, finished.out
    assert any(each in finished.out for each in words.split("|")), finished.out


@pytest.mark.parametrize("answer", named(SILENT))
def test_who_does_not_end_an_answer_has_given_none(call: Call, answer: Answer) -> None:
    finished = loaded(call, answer, CLOSED)
    assert finished.status == 4 and "unanswered" in finished.out, finished.out
    patient = loaded(call, answer, [*OPEN, "--timeout", "150ms"])
    assert patient.status == 4 and "timeout" in patient.out, patient.out


def test_two_framings_are_right_and_noted(call: Call) -> None:
    answer = says(head("Content-Length: 2", "Transfer-Encoding: chunked") + b"2\r\nok\r\n0\r\n\r\n")
    finished = loaded(call, answer, CLOSED)
    assert finished.status == 0 and "two-framings" in finished.out, finished.out


def test_who_closes_without_a_word_is_named(call: Call) -> None:
    finished = loaded(call, says(OK, stays=False), ["-c", "2", "-d", "700ms", "--warmup", "0"])
    assert "keep-alive-not-kept" in finished.out and "--no-keepalive" in finished.out, finished.out


DOUBLED = says(OK, OK, pause_seconds=0.005)


@pytest.mark.parametrize(
    ("answer", "server", "options"),
    [
        pytest.param(says(OK), {"first": OK}, OPEN, id="an answer before the first request, open"),
        pytest.param(DOUBLED, {}, OPEN, id="two answers, open"),
        pytest.param(DOUBLED, {}, CLOSED, id="two answers, closed"),
        pytest.param(says(OK, pause_seconds=0.001), {"asks": False}, OPEN, id="answers without end, open"),
    ],
)
def test_what_nobody_asked_for_puts_the_load_in_doubt(
    call: Call, answer: Answer, server: dict[str, object], options: Sequence[str]
) -> None:
    finished = loaded(call, answer, options, **server)
    assert finished.status in (3, 4), finished.out
    assert "protocol" in finished.out or "unasked-bytes" in finished.out, finished.out


@pytest.mark.parametrize(("times", "statuses", "words"), [(1, (0,), "errors: none"), (2, (3, 4), "answers twice")])
def test_over_http_2_a_second_answer_is_one_that_nobody_asked_for(
    call: Call, times: int, statuses: tuple[int, ...], words: str
) -> None:
    finished = loaded(call, http2_says(times), [*CLOSED, "--http2"], asks=False)
    assert finished.status in statuses and words in finished.out, finished.out


def test_what_tls_ends_in_is_told(call: Call, snapshot: object) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    cut = says(head("Content-Length: 9") + b"half", stays=False)
    finished = loaded(call, cut, [*CLOSED, "--insecure"], tls=tls)
    assert finished.status in (3, 4), finished.out
    assert " closed  " in finished.out and "close_notify" in finished.out, finished.out
    assert "--cacert" not in finished.out, finished.out
    refused = loaded(call, says(OK), [*CLOSED, "--insecure", "--http2"], tls=tls)
    assert refused.status == 4
    assert passage(refused.err, "did not agree", "by ALPN") == snapshot
    assert passage(refused.err, "have the server", "by ALPN") == snapshot
