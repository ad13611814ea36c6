"""The slowest of the requests that had a `traceparent`, by which a tracing backend finds them."""

from collections.abc import Iterable, Sequence

from pydantic import Field

from fairtrial.base.formatting import figure
from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict

MOST_SLOWEST = 10
"""As the engine keeps of a window: docs/engine-protocol.md."""


class TracedAnswer(Strict):
    """The right answer to a traced request."""

    trace_id: str = Field(description="32 hexadecimal digits: the trace id of W3C Trace Context")
    response_seconds: float
    name: str = Field(description="of the request")
    status: int

    @property
    def in_words(self) -> str:
        """`212 ms, trace 4bf9…, GET /items, status 200`, with all of the id; printable."""
        time = f"{figure(self.response_seconds * 1e3)} ms"
        return f"{time}, trace {printable(self.trace_id)}, {printable(self.name)}, status {self.status}"


def slowest_of(windows: Iterable[Sequence[TracedAnswer]]) -> list[TracedAnswer]:
    """The slowest ones of several windows, the slowest first."""
    answers = (answer for window in windows for answer in window)
    return sorted(answers, key=lambda answer: -answer.response_seconds)[:MOST_SLOWEST]
