"""Asking a server whether it is ready."""

import httpx

from fairtrial.base.loopback import LOOPBACK, listens
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ask
from fairtrial.experiment.ready import Ready

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
        return NOTHING_LISTENS if client.base_url.scheme == "http" else f"no connection: {printable(str(error), 200)}"
    except Problem as problem:
        return f"GET {ready.path}: {problem.reason}"
    return None if ready.status in (None, answer.status) else f"GET {ready.path} answered {answer.status}"
