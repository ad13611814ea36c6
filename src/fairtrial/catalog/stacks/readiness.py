"""Asking a server whether it is ready."""

import ssl

import httpx

from fairtrial.base.loopback import LOOPBACK, listens
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ask
from fairtrial.experiment.ready import Ready
from fairtrial.record.openssl_causes import handshake_cause, handshake_words
from fairtrial.record.protocol_causes import TLS_REMEDIES

ANSWER_WITHIN_SECONDS = 2.0
"""A server that is ready answers at once; one that is not is asked again."""

NOTHING_LISTENS = "nothing listened on its port"


def seen_instead(ready: Ready, client: httpx.Client, port: int, host: str = LOOPBACK) -> str | None:
    """Ask once. Returns what was seen instead of a server that is ready, or None if it is.

    Args:
        client: speaks to the server.
        port, host: where a connection is tried, if nothing else is asked for.
    """
    if ready.tcp:
        return None if listens(port, host) else NOTHING_LISTENS
    assert ready.path is not None
    try:
        answer = ask(client, "GET", ready.path)
    except httpx.ConnectError as error:
        return NOTHING_LISTENS if client.base_url.scheme == "http" else f"no connection: {_why(error)}"
    except Problem as problem:
        return f"GET {ready.path}: {problem.reason}"
    return None if ready.status in (None, answer.status) else f"GET {ready.path} answered {answer.status}"


def _why(error: BaseException) -> str:
    """Why TLS failed, and what helps, where that is behind the error; else the error itself."""
    each: BaseException | None = error
    while each is not None and not isinstance(each, ssl.SSLError):
        each = each.__cause__ or each.__context__
    if each is None:
        return printable(str(error), 200)
    words = f"TLS: {printable(handshake_words(each), 200)}"
    remedy = TLS_REMEDIES.get(handshake_cause(each) or "")
    return words if remedy is None else f"{words}; {remedy}"
