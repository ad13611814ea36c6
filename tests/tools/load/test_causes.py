"""A server that does it, the cause that `fairtrial load` names, and one that does nearly the same, of which it is not
named."""

from weakref import WeakKeyDictionary

import pytest

from tests.fixtures.hostile import (
    OK,
    Answer,
    Connection,
    head,
    hostile_server,
    never,
    reset_at_once,
    reset_within_the_body,
    says,
)
from tests.lines import passage
from tests.tools.load.test_hostile_servers import Call, named


def after_two(answer: Answer) -> Answer:
    """Two right answers on each connection, then this one."""
    answered: WeakKeyDictionary[Connection, int] = WeakKeyDictionary()

    def each(connection: Connection) -> bool:
        answered[connection] = answered.get(connection, 0) + 1
        return says(OK)(connection) if answered[connection] < 3 else answer(connection)

    return each


def close(_connection: Connection) -> bool:
    return False


def status(words: str, *lines: str, body: bytes = b"") -> Answer:
    return says(head(*lines, f"Content-Length: {len(body)}", status=words) + body)


BRIEF = ("-n", "3", "-c", "1", "--timeout", "100ms")
LOGIN = "http://elsewhere.example/login"

CAUSES: list[tuple[str, Answer, str, Answer]] = [
    ("401", status("401 No", "WWW-Authenticate: Bearer"), "Bearer, with a token", status("401 No")),
    ("403", status("403 No"), "a missing CSRF token", status("401 No")),
    ("404", status("404 No"), "nothing is there", status("410 Gone")),
    ("405", status("405 No", "Allow: POST"), "it allows POST", status("405 No")),
    ("413", status("413 Long"), "longer than the server takes", status("400 Bad")),
    ("415", status("415 No", "Accept: application/json"), "it takes application/json", status("415 No")),
    ("429", after_two(status("429 No", "Retry-After: 7")), "to wait 7 s", status("429 No")),
    ("429 after answers", after_two(status("429 No")), "2 answers got through", after_two(status("503 No"))),
    ("301", status("301 Moved", "Location: /there"), "it points to /there, on the same host", status("301 Moved")),
    ("302", status("302 Go", f"Location: {LOGIN}"), f"{LOGIN}, on another host", status("302 Go", "Location: /x")),
    ("304", status("304 Same"), "If-None-Match", status("302 Found")),
    ("500", status("500 No", body=b"pool empty\nat 7"), "status_5xx, status 500: pool empty", status("500 No")),
    ("503", status("503 No", "Retry-After: 120"), "to wait 120 s", status("503 No")),
    ("a close after answers", after_two(close), "persistent_timeout", close),
    ("a reset after answers", after_two(reset_at_once), "keepAliveTimeout", after_two(reset_within_the_body)),
    ("a reset before any answer", reset_at_once, "new connections end before any answer", after_two(reset_at_once)),
    ("a reset within an answer", reset_within_the_body, "bodies begin and do not end", reset_at_once),
    ("no length", says(head() + b"ok"), "the head came, the body never ended", says(head("Content-Length: 9") + b"ok")),
    ("a body that stops", says(head("Content-Length: 9") + b"ok"), "bodies begin and do not end", never),
    ("a head that stops", says(b"HTTP/1.1 200 OK\r\nX: y"), "heads begin and do not end", says(head() + b"ok")),
]


@pytest.mark.parametrize(("answer", "words", "nearly"), named(CAUSES))
def test_a_cause_is_named_where_it_is_one(call: Call, answer: Answer, words: str, nearly: Answer) -> None:
    for served, is_cause in ((answer, True), (nearly, False)):
        with hostile_server(served) as url:
            finished = call("load", url, "--plain", *BRIEF)
        assert (words in " ".join(finished.out.split())) == is_cause, finished.out


def test_where_no_answer_ended_in_the_window_the_cause_is_named_all_the_same(call: Call, snapshot: object) -> None:
    with hostile_server(says(head() + b"ok")) as url:
        finished = call("load", url, "--plain", "-c", "2", "-d", "300ms", "--warmup", "0")
    said = " ".join(finished.out.split())
    assert "unanswered: " in said
    assert passage(said, "the head came,", "never ended") == snapshot


@pytest.mark.parametrize(("method", "is_noted"), [("head", True), ("HEAD", False), ("purge", False)])
def test_a_method_in_lower_case_is_noted(call: Call, method: str, is_noted: bool) -> None:
    with hostile_server(says(head("Content-Length: 0"))) as url:
        finished = call("load", url, "--plain", "-n", "2", "-c", "1", "-m", method)
    assert ("methods are case-sensitive" in finished.out) == is_noted, finished.out
