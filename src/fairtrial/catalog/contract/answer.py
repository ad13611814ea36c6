"""The lab's own requests: few, bounded in size and time."""

import json
import time
from dataclasses import dataclass
from typing import Any

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

LARGEST_BODY_BYTES = 4 << 20
ANSWER_WITHIN_SECONDS = 10.0


@dataclass(frozen=True)
class Answer:
    """A complete answer."""

    status: int
    headers: httpx.Headers
    body: bytes
    seconds: float = 0.0

    def json(self) -> Any:
        """The body, parsed.

        Raises:
            Problem: it is no JSON.
        """
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Problem(f"the body is not JSON: {self.excerpt()}") from error

    def excerpt(self) -> str:
        """The beginning of the body, printable."""
        return printable(self.body[:200].decode(errors="replace"), 120)


def ask(client: httpx.Client, method: str, path: str, **options: Any) -> Answer:
    """Send one request and read its answer.

    Raises:
        httpx.ConnectError: nothing listens there.
        Problem: the answer is not HTTP, larger than 4 MiB, or not complete within 10 s.
    """
    began = time.monotonic()
    deadline = began + ANSWER_WITHIN_SECONDS
    body = bytearray()
    try:
        with client.stream(method, path, **options) as response:
            for chunk in response.iter_raw():
                body += chunk
                if len(body) > LARGEST_BODY_BYTES:
                    raise Problem(f"the answer is larger than {LARGEST_BODY_BYTES} bytes")
                if time.monotonic() > deadline:
                    raise Problem(f"the answer was not complete within {ANSWER_WITHIN_SECONDS:.0f} s")
            seconds = time.monotonic() - began
            return Answer(response.status_code, response.headers, bytes(body), seconds)
    except httpx.ConnectError:
        raise
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Problem(printable(f"{type(error).__name__}: {error}")) from error
