"""Requests that are messages of a WebSocket, in a workload file."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.experiment.workload_file.model import WorkloadFile

MESSAGE = {"websocket": "/chat", "body": "hello"}


def read(requests: dict[str, Any], **more: Any) -> WorkloadFile:
    return WorkloadFile.model_validate({"requests": requests, **more})


@pytest.mark.parametrize(
    ("requests", "more", "said"),
    [
        ({"a": {"get": "/"}}, {"websocket": {}}, "no request is a message"),
        ({"a": {"get": "/", "expect": {"echo": True}}}, {}, "only a message has an echo"),
        ({"a": MESSAGE, "b": {"get": "/"}}, {}, "requests.b: is no message, as requests.a is"),
        ({"a": MESSAGE, "b": {**MESSAGE, "websocket": "/other"}}, {}, "path and headers are not those of requests.a"),
        ({"a": MESSAGE, "b": {**MESSAGE, "headers": {"X": "1"}}}, {}, "path and headers are not those of requests.a"),
        ({"a": {"websocket": "/chat"}}, {}, "the message is missing"),
        ({"a": {**MESSAGE, "chunked": True}}, {}, "not in chunks"),
        ({"a": {**MESSAGE, "expect": {"status": 200}}}, {}, "expect.status: a message has none"),
        ({"a": {**MESSAGE, "expect": {"type": "text/plain"}}}, {}, "expect.type: a message has none"),
        ({"a": {**MESSAGE, "expect": {"events": {}}}}, {}, "no stream of events"),
        ({"a": {**MESSAGE, "expect": {"echo": True, "text": "hello"}}}, {}, "echo: it says already"),
        ({"a": {**MESSAGE, "take": {"x": "header Location"}}}, {}, "a message has no headers"),
        ({"a": MESSAGE}, {"cookies": "connection"}, "messages have none"),
        ({"a": MESSAGE}, {"websocket": {"in_flight": 0}}, "greater than or equal to 1"),
        ({"a": MESSAGE}, {"websocket": {"id": "id"}}, "no JSON pointer"),
        ({"a": MESSAGE}, {"websocket": {"broadcast": "all"}}, "copies find their message by `id`"),
        (
            {"a": MESSAGE},
            {
                "setup": {"login": {**MESSAGE, "per": "connection"}},
                "websocket": {"id": "/id", "broadcast": "others"},
            },
            "setup.login is sent to one connection",
        ),
        ({"a": MESSAGE}, {"setup": {"login": MESSAGE}}, 'per = "connection"'),
        (
            {"a": MESSAGE},
            {"setup": {"login": {**MESSAGE, "per": "connection"}}, "websocket": {"in_flight": 2}},
            "setup.login is sent first by connections with one message at once",
        ),
    ],
)
def test_what_does_not_fit_is_named(requests: dict[str, Any], more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        read(requests, **more)


def test_messages_of_one_socket_are_a_mix() -> None:
    file = read({"a": MESSAGE, "b": {**MESSAGE, "weight": 3, "expect": {"echo": True}}})
    assert file.sends_messages and file.websocket is None
    assert [entry.method for entry in file.entries().values()] == ["WEBSOCKET", "WEBSOCKET"]
