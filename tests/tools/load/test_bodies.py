"""Bodies in chunks, and answers without a body: what a workload file says of them, against real servers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tornado.httputil import HTTPFile, parse_body_arguments

from tests.command_line import Finished
from tests.fixtures.hostile import Connection, head, hostile_server, says
from tests.lines import line_with
from tests.tools.load.conftest import Listener

NOT_MODIFIED = head('ETag: "1"', status="304 Not Modified")
WHOLE = head("Content-Length: 2", "Content-Type: text/plain") + b"ok"
WORKLOAD = """
[requests.look]
get = "/"
expect = { status = %s, type = "text/plain", text = "ok" }
"""
ORDER = """
[setup.login]
post = "/login"
json = { name = "ann" }
chunked = true

[requests.order]
post = "/orders"
body = '{"number": {{sequence 1}}, "note": "%s"}'
chunked = true

[requests.empty]
post = "/empty"
body = ""
chunked = true
"""

UPLOAD = """
[requests.upload]
post = "/photos"
multipart.title = "photo {{sequence 1}}"
multipart.photo = { file = "cat.jpg" }
multipart.notes = { file = "cat.jpg", name = "a.txt" }
%s
"""
CAT = bytes(range(256)) * 400
"""With line ends and dashes in it, and longer than a segment of TCP."""

Call = Callable[..., Finished]


def in_turn() -> Callable[[Connection], bool]:
    """A whole answer, then one without a body, and so on."""
    answers = iter([WHOLE, NOT_MODIFIED] * 100)

    def answer(connection: Connection) -> bool:
        connection.sendall(next(answers))
        return True

    return answer


@pytest.mark.parametrize(
    ("statuses", "status", "words"),
    [("[200, 304]", 0, "of 20 right answers to look 10 had no body (304)"), ("200", 3, "status_3xx")],
)
def test_a_load_tells_what_its_goodput_is(call: Call, statuses: str, status: int, words: str) -> None:
    Path("look.workload.toml").write_text(WORKLOAD % statuses)
    with hostile_server(in_turn()) as url:
        finished = call("load", "-f", "look.workload.toml", url, "-c", "1", "-n", "20", "--warmup", "0s", "--plain")
    said = " ".join(finished.out.split())
    assert finished.status == status and words in said, finished.out
    assert ("10 of them 304 without a body" in said) == (status == 0), finished.out
    assert ("mixed-bodies" in said) == (status == 0)


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        ("State: done", 0, "errors: none"),
        ("State: amiss", 4, "state in the trailer is amiss, not done"),
        ("Other: done", 4, "the trailer has no state"),
    ],
)
def test_a_trailer_is_looked_at(call: Call, sent: str, status: int, words: str) -> None:
    expect = 'get = "/"\nheaders = { te = "trailers" }\nexpect = { trailer = { state = "done" }, text = "ok" }\n'
    Path("look.workload.toml").write_text(f"[requests.look]\n{expect}")
    answer = head("Transfer-Encoding: chunked", "Trailer: State") + f"2\r\nok\r\n0\r\n{sent}\r\n\r\n".encode()
    with hostile_server(says(answer)) as url:
        finished = call("load", "-f", "look.workload.toml", url, "-c", "1", "-n", "5", "--warmup", "0s", "--plain")
    assert finished.status == status and words in " ".join(finished.out.split()), finished.out


def test_bodies_in_chunks_arrive_whole(call: Call, listener: Listener) -> None:
    note = "x" * 20_000
    Path("order.workload.toml").write_text(ORDER % note)
    finished = call(
        "load", "-f", "order.workload.toml", listener.url, "-c", "1", "-n", "6", "--warmup", "0s", "--plain"
    )
    assert finished.status == 0, finished.out + finished.err
    login, *others = listener.received
    assert json.loads(login.body) == {"name": "ann"}
    orders = [json.loads(each.body) for each in others if each.path == "/orders"]
    assert orders == [{"number": number, "note": note} for number in range(1, len(orders) + 1)] and len(orders) >= 3
    assert {each.body for each in others if each.path == "/empty"} == {b""}
    for each in listener.received:
        assert each.headers["transfer-encoding"] == "chunked" and "content-length" not in each.headers, each.headers


@pytest.mark.parametrize("more", ["", "chunked = true"], ids=["with a length", "in chunks"])
def test_a_form_of_several_parts_is_read_by_a_server_as_it_was_written(
    call: Call, listener: Listener, more: str
) -> None:
    """By what Tornado reads the forms with that its handlers get."""
    Path("cat.jpg").write_bytes(CAT)
    Path("upload.workload.toml").write_text(UPLOAD % more)
    options = ("-c", "2", "-n", "6", "--warmup", "0s", "--plain")
    finished = call("load", "-f", "upload.workload.toml", listener.url, *options)
    assert finished.status == 0, finished.out + finished.err
    titles = []
    for each in listener.received:
        arguments: dict[str, list[bytes]] = {}
        files: dict[str, list[HTTPFile]] = {}
        parse_body_arguments(each.headers["content-type"], each.body, arguments, files)
        titles += arguments["title"]
        ((photo,), (notes,)) = (files["photo"], files["notes"])
        assert (photo.filename, photo.content_type, photo.body) == ("cat.jpg", "image/jpeg", CAT)
        assert (notes.filename, notes.body) == ("a.txt", CAT)
    assert sorted(titles) == [f"photo {number}".encode() for number in range(1, 7)]


def test_chunks_need_a_body(call: Call, snapshot: object) -> None:
    Path("look.workload.toml").write_text('[requests.look]\npost = "/"\nchunked = true\n')
    finished = call("load", "-f", "look.workload.toml", "-n", "1")
    assert finished.status == 2
    assert line_with(finished.err, "chunked: there is") == snapshot
