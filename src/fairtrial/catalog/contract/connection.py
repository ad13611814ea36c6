"""The state of a connection after an answer, as the client's socket shows it."""

import socket
from collections.abc import Mapping
from typing import Any

import httpx

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer, ask

CLOSED_WITHIN_SECONDS = 0.5
"""A server that closes does so when it has sent its answer; the rest is for a busy machine."""


def ask_to_close(client: httpx.Client, path: str) -> tuple[Answer, bool]:
    """GET with `Connection: close`.

    Returns:
        the answer, and whether the server then closed the connection. That is looked at only if the answer has no
        Connection header: RFC 9112, section 9.6, demands that the server closes, and recommends that it says so.

    Raises:
        httpx.ConnectError, Problem: as `ask`.
    """
    heads: list[httpx.Response] = []
    closed = False

    def at_the_end(event: str, _details: Mapping[str, Any]) -> None:
        nonlocal closed
        if event == "http11.response_closed.started" and heads and "connection" not in heads[0].headers:
            closed = _is_closed(heads[0].extensions["network_stream"].get_extra_info("socket"))

    close = {"connection": "close"}
    answer = ask(client, "GET", path, headers=close, extensions={"trace": at_the_end}, on_head=heads.append)
    return answer, closed


def closed_unasked(client: httpx.Client, path: str) -> str | None:
    """A server that keeps no connection open closes it without being asked (RFC 9112, section 9.3).

    None: a second request went over the connection of the first.

    Raises:
        httpx.ConnectError, Problem: as `ask`, of the first request.
    """
    versions: list[str] = []
    ports: list[int | None] = []

    def note(response: httpx.Response) -> None:
        versions.append(response.http_version)
        ports.append(_local_port(response))

    for number in range(2):
        try:
            answer = ask(client, "GET", path, on_head=note)
        except Problem:  # it closed just when the second request was sent
            if number == 0:
                raise
            break
        if answer.headers.get("connection", "").lower() == "close":
            return "the answer says Connection: close"
    if len(ports) == 2 and ports[0] == ports[1]:
        return None
    return (
        f"the server closed the connection after its answer ({versions[0]}), and did not say so: keep it open, or have "
        "the stack start a proxy that does"
    )


def _local_port(response: httpx.Response) -> int | None:
    stream = response.extensions.get("network_stream")
    address = None if stream is None else stream.get_extra_info("client_addr")
    return None if address is None else int(address[1])


def _is_closed(connection: socket.socket) -> bool:
    """Whether the peer closes the connection soon, without another byte."""
    try:
        connection.settimeout(CLOSED_WITHIN_SECONDS)
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:  # it was reset
        return True
