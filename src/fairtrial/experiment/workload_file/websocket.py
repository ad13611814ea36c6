"""Requests that are messages of a WebSocket: `websocket = "/path"` in a request, and `[websocket]`."""

from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict
from fairtrial.experiment.workload_file.normalisation import Pointer

LONGEST_MESSAGE_BYTES = 1 << 30


class WebSocket(Strict):
    """How answers find their messages, and how many messages are on their way."""

    id: Pointer | None = Field(
        None,
        description="the JSON pointer at which a message and its answer have the same id; null: they come in order",
    )
    broadcast: Literal["all", "others"] | None = Field(
        None,
        description="the server sends each message on to all connections, or to all but its sender's, and it is "
        "answered when each has its copy; null: to its sender",
    )
    in_flight: int = Field(1, ge=1, le=1000, description="messages at once on each connection")
    message_bytes: int = Field(
        1 << 20, ge=1, le=LONGEST_MESSAGE_BYTES, description="a longer message of the server breaks the connection"
    )

    @model_validator(mode="after")
    def _copies_are_known(self) -> Self:
        if self.broadcast is not None and self.id is None:
            raise ValueError("broadcast: copies find their message by `id`: say where it stands")
        return self


def is_broadcast(websocket: WebSocket | None) -> bool:
    """Whether the server sends messages on; False for requests of HTTP."""
    return websocket is not None and websocket.broadcast is not None


def assert_messages(entries: Iterable[tuple[str, Any]], websocket: WebSocket | None) -> None:
    """Raise a ValueError if requests of one load are no messages of one WebSocket, where some are.

    Args:
        entries: (key, `RequestEntry`) of the mix and of what connections send first, with the defaults.
    """
    all_entries = list(entries)
    first_key, first = next(((key, each) for key, each in all_entries if each.websocket is not None), ("", None))
    if first is None:
        if websocket is not None:
            raise ValueError('websocket: no request is a message: write one with websocket = "/path"')
        if echo := next((key for key, entry in all_entries if entry.expect.echo), None):
            raise ValueError(f"{echo}.expect.echo: only a message has an echo: expect `text`")
        return
    for key, entry in all_entries:
        if entry.websocket is None:
            raise ValueError(f"{key}: is no message, as {first_key} is: write both into files of their own")
        if (entry.websocket, entry.headers) != (first.websocket, first.headers):
            raise ValueError(f"{key}: all messages go by one WebSocket: path and headers are not those of {first_key}")
        _assert_message(key, entry)
    if websocket is not None and (websocket.in_flight > 1 or websocket.broadcast is not None):
        setup = next((key for key, _ in all_entries if key.startswith("setup.")), None)
        if setup is not None and websocket.broadcast is not None:
            raise ValueError(f"websocket.broadcast: {setup} is sent to one connection: leave it out")
        if setup is not None:
            raise ValueError(f"websocket.in_flight: {setup} is sent first by connections with one message at once")


def _assert_message(key: str, entry: Any) -> None:
    """Raise a ValueError for what a message does not have."""
    if entry.multipart is not None:
        raise ValueError(f"{key}.multipart: a message is no form: give json, body or body_file")
    if entry.expect.sha256 is not None:
        raise ValueError(f"{key}.expect.sha256: a message is compared as it is: expect `text` or `echo`")
    if entry.json_body is None and entry.body is None and entry.body_file is None:
        raise ValueError(f"{key}: the message is missing: give json, body or body_file")
    if entry.chunked:
        raise ValueError(f"{key}.chunked: a message is in frames, not in chunks: leave it out")
    expect = entry.expect
    for name, value in {"status": expect.status, "type": expect.type, "trailer": expect.trailer}.items():
        if value is not None:
            raise ValueError(f"{key}.expect.{name}: a message has none: leave it out")
    if expect.events is not None:
        raise ValueError(f"{key}.expect.events: a message is no stream of events: leave it out")
    if any(not text.startswith("/") for text in entry.take.values()):
        raise ValueError(f"{key}.take: a message has no headers: take a JSON pointer")
