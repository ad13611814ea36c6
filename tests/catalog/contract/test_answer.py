"""The lab's own requests: what an answer may be, and how large and how late."""

import time
from collections.abc import Sequence

import httpx
import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract import answer as answers
from fairtrial.catalog.contract.answer import LARGEST_BODY_BYTES, Answer, ask, client_of
from tests.catalog.contract.scripted import answer, answering


def answer_of(*pieces: bytes, pause_seconds: float = 0.0) -> Answer:
    """The answer to one request of a server that sends these pieces."""

    def reply(_line: str, _headers: str) -> Sequence[bytes]:
        return pieces

    with (
        answering(reply, lambda: time.sleep(pause_seconds)) as url,
        httpx.Client(base_url=url, trust_env=False, timeout=5) as client,
    ):
        return ask(client, "GET", "/")


def test_an_answer_is_whole_and_timed() -> None:
    whole = answer_of(b"HTTP/1.1 201 X\r\nContent-Length: 6\r\nX-Kind: a\r\n\r\nabc", b"def", pause_seconds=0.05)
    assert (whole.status, whole.body, whole.headers["x-kind"]) == (201, b"abcdef", "a")
    assert 0.05 <= whole.seconds < 5


def test_the_largest_body_is_read_and_one_byte_more_is_not() -> None:
    assert len(answer_of(answer(200, b"x" * LARGEST_BODY_BYTES)).body) == LARGEST_BODY_BYTES
    with pytest.raises(Problem, match=f"larger than {LARGEST_BODY_BYTES} bytes"):
        answer_of(answer(200, b"x" * (LARGEST_BODY_BYTES + 1)))


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "ANSWER_WITHIN_SECONDS", 0.3)


@pytest.mark.usefixtures("little_time")
def test_a_body_that_trickles_is_given_up() -> None:
    """No single pause is long; the answer as a whole is. Its end is never waited for."""
    start = time.monotonic()
    with pytest.raises(Problem, match=r"not complete within 0\.3 s"):
        answer_of(b"HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 100, pause_seconds=0.1)
    assert time.monotonic() - start < 5


@pytest.mark.usefixtures("little_time")
def test_headers_that_come_late_count_as_well() -> None:
    with pytest.raises(Problem, match=r"not complete within 0\.3 s"):
        answer_of(b"HTTP/1.1 200 X\r\n", b"X-A: a\r\n", b"Content-Length: 0\r\n\r\n", pause_seconds=0.2)


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([b"220 this is mail\r\n\r\n"], "RemoteProtocolError"),
        ([b"HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc", b""], "RemoteProtocolError"),
        ([b""], "RemoteProtocolError"),
    ],
    ids=["not HTTP", "cut short", "nothing"],
)
def test_an_incomplete_answer_is_a_problem(pieces: list[bytes], reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        answer_of(*pieces)


def test_a_refused_connection_is_an_error_of_its_own(unused_port: int) -> None:
    """So that the lab can tell a stack that is not up yet from one that answers wrongly."""
    client = httpx.Client(base_url=f"http://127.0.0.1:{unused_port}", trust_env=False)
    with client, pytest.raises(httpx.ConnectError):
        ask(client, "GET", "/")


def test_a_path_that_is_no_url_is_a_problem() -> None:
    client = httpx.Client(base_url="http://127.0.0.1:1", trust_env=False)
    with client, pytest.raises(Problem, match="InvalidURL"):
        ask(client, "GET", "/\x00")


def test_a_probe_has_the_headers_that_the_engine_sends() -> None:
    """Host and no other: httpx by itself adds four."""
    heads: list[str] = []

    def reply(line: str, headers: str) -> Sequence[bytes]:
        heads.append(headers)
        return [answer(200)]

    with answering(reply) as url, client_of(url) as client:
        ask(client, "GET", "/")
        ask(client, "GET", "/", headers={"Connection": "close"})
    host = f"Host: {url.removeprefix('http://')}"
    assert [head.split("\r\n") for head in heads] == [[host], [host, "Connection: close"]]


def of(body: bytes) -> Answer:
    return Answer(200, httpx.Headers(), body)


def test_a_body_is_parsed_as_json() -> None:
    assert of(b'{"units":3}').json() == {"units": 3}


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000], ids=["empty", "cut", "binary", "deep"])
def test_a_body_that_is_not_json_is_a_problem(body: bytes) -> None:
    with pytest.raises(Problem, match="the body is not JSON"):
        of(body).json()


def test_an_excerpt_is_short_and_printable() -> None:
    assert of(b"\x1b[31mred\n" + b"y" * 500).excerpt() == "\\x1b[31mred " + "y" * 107 + "…"
    assert of("né\u202eà".encode() + b"\xff").excerpt() == "né\\u202eà\ufffd"
