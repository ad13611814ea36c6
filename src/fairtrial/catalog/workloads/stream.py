"""Workload `stream`: server-sent events with a pause between them, which the stack keeps and sends each event after."""

import random
from dataclasses import dataclass

from pydantic import Field

from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.exact_json import compact
from fairtrial.catalog.workloads.model import ServerWorkload, no_tables
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import BodyRange, EventsBody, Expectation, Request
from fairtrial.engine.run import run_engine
from fairtrial.experiment.workload_file.events import MEDIA_TYPE
from fairtrial.load.engine_terms import Closed, StopAfterRequests

STREAM = "/stream/{events}/{milliseconds}"
TEXT = "Hello, World!"
LAST = "[DONE]"
MOST_EVENTS = 1000
BESIDE_DATA_BYTES = 64
"""The most bytes of an event beside its data, such as a field `event`."""

CHECKED_EVENTS = range(2, 40)
TIMED_EVENTS, TIMED_MILLISECONDS = 5, 40
TRIES = 5
"""Of a stream's pace: on a busy machine an event comes late and the next at once, and hardly so in each of them."""

LEFT, LEFT_AFTER_SECONDS, LEFT_MILLISECONDS = 20, 0.3, 100
"""Streams that clients leave at the beginning. Whole ones last ten times as long as an answer is waited for."""

OUT_OF_RANGE = ("0/1", "1001/1", "x/1", "-1/1", "1/0", "1/10001", "1/x")


class Options(Strict):
    """`[options]` of stream."""

    events: int = Field(20, ge=1, le=MOST_EVENTS, description="of a stream, before its end")
    pause_milliseconds: int = Field(20, ge=1, le=10_000, description="before each event but the first")

    @property
    def least_seconds(self) -> float:
        """For how long a stream pauses."""
        return (self.events - 1) * self.pause_milliseconds / 1e3


@dataclass(frozen=True)
class Event:
    """An event as its fields `id` and `data` say; an id that it has not is empty."""

    id: str
    data: str


def _path(events: int, milliseconds: int) -> str:
    return STREAM.format(events=events, milliseconds=milliseconds)


def events_of(count: int) -> list[Event]:
    """The events of a stream, its end included."""
    numbered = [Event(str(number), compact({"number": number, "text": TEXT})) for number in range(count)]
    return [*numbered, Event("", LAST)]


def requests(_data: Data, options: Options) -> list[Request]:
    """The same stream in every request: the engine looks at the number in each event, and at the length of all."""
    bare_bytes = sum(len(f"id:{event.id}\ndata:{event.data}\n\n") for event in events_of(options.events))
    body = EventsBody(min=options.events, max=options.events, sequence="/number", last=LAST)
    lengths = BodyRange(min=bare_bytes - len("id:\n"), max=bare_bytes + options.events * BESIDE_DATA_BYTES)
    expect = Expectation(status=[200], content_type=MEDIA_TYPE, body_bytes=lengths, body=body)
    return [Request(name="stream", path=_path(options.events, options.pause_milliseconds), expect=expect)]


def parsed(body: str) -> list[Event]:
    """The events in a body, told apart as the HTML standard says (section 9.2.6). One that is cut off is none."""
    lines = body.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    events, data, own_id = list[Event](), list[str](), ""
    for line in lines[:-1]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line == "" and data:
            events.append(Event(own_id, "\n".join(data)))
        if line == "":
            data, own_id = [], ""
        elif name == "data":
            data.append(value)
        elif name == "id":
            own_id = value
    return events


def _is_exact(stack: StackUnderTest) -> str | None:
    for count in (1, random.SystemRandom().choice(CHECKED_EVENTS)):
        answer = ask(stack.client, "GET", _path(count, 1))
        difference = mismatch(STREAM, answer)
        if difference or answer.status != 200:
            return difference or f"status {answer.status}"
        expected, actual = events_of(count), parsed(answer.body.decode(errors="replace"))
        if actual != expected:
            return f"{count} events asked for: {_first_difference(actual, expected)}"
    return None


def _first_difference(actual: list[Event], expected: list[Event]) -> str:
    differing = (at for at, pair in enumerate(zip(actual, expected, strict=False)) if pair[0] != pair[1])
    at = next(differing, min(len(actual), len(expected)))
    came = str(actual[at]) if at < len(actual) else "nothing"
    return f"event {at} is {printable(came, 120)}, not {expected[at] if at < len(expected) else 'nothing'}"


def _is_paced(stack: StackUnderTest) -> str | None:
    options = Options(events=TIMED_EVENTS, pause_milliseconds=TIMED_MILLISECONDS)
    shortest_milliseconds = 0.0
    for _ in range(TRIES):
        summary = run_engine(stack.plan_of(*requests(stack.data, options)), lambda _event: None)
        stack.on_summary(summary)
        if not summary.verified or summary.event_streams is None:
            return next((f"{each.what}: {printable(each.excerpt, 120)}" for each in summary.examples), "no answer")
        seconds = summary.response_time.max_seconds or 0.0
        if seconds < options.least_seconds:
            return f"it ended after {1e3 * seconds:.0f} ms, with {options.events - 1} pauses of {TIMED_MILLISECONDS} ms"
        gap_milliseconds = 1e3 * (summary.event_streams.event_gap.min_seconds or 0.0)
        if gap_milliseconds >= TIMED_MILLISECONDS / 2:
            return None
        shortest_milliseconds = max(shortest_milliseconds, gap_milliseconds)
    return (
        f"an event came {shortest_milliseconds:.3g} ms after the one before, not {TIMED_MILLISECONDS}: send each when "
        "its pause is over, past every buffer"
    )


def _outlives_clients(stack: StackUnderTest) -> str | None:
    (request,) = requests(stack.data, Options(events=MOST_EVENTS, pause_milliseconds=LEFT_MILLISECONDS))
    update = {
        "load": Closed(connections=LEFT),
        "stop": StopAfterRequests(requests=LEFT),
        "timeout_seconds": LEFT_AFTER_SECONDS,
    }
    stack.on_summary(run_engine(stack.plan_of(request).model_copy(update=update), lambda _event: None))
    answer = ask(stack.client, "GET", _path(1, 1))
    return None if answer.status == 200 else f"status {answer.status}"


def _out_of_range(stack: StackUnderTest) -> str | None:
    statuses = {wrong: ask(stack.client, "GET", f"/stream/{wrong}").status for wrong in OUT_OF_RANGE}
    return None if set(statuses.values()) == {400} else f"statuses {statuses}"


WORKLOAD = ServerWorkload(
    name="stream",
    title="server-sent events with a pause between them",
    services=("none",),
    options=Options,
    data=no_tables,
    requests=requests,
    only_waits=lambda options: options.events > 1,
    least_answer_seconds=lambda options: {"stream": options.least_seconds},
    clauses=(
        ClauseTest(
            "stream",
            f"GET {STREAM} answers so many events with their ids and data, and then {LAST}, as {MEDIA_TYPE}",
            _is_exact,
        ),
        ClauseTest("stream-paced", "each event is sent as soon as the pause before it is over", _is_paced),
        ClauseTest(
            "stream-left", f"after {LEFT} clients have left their streams the next one is served", _outlives_clients
        ),
        ClauseTest("stream-in-range", f"{', '.join(OUT_OF_RANGE)} answer 400", _out_of_range),
    ),
)
