"""Models of the plan that the engine carries out; see docs/engine-protocol.md."""

import re
from collections.abc import Iterator
from typing import Any, Literal, Self

from pydantic import Field, InstanceOf

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.engine.dataset import DatasetSpec
from fairtrial.engine.grpc_plan import FieldPlan, GrpcEnd, MessageBody
from fairtrial.engine.nonce import new_nonce_key
from fairtrial.engine.reference import CompareAnswers, KeepAnswers
from fairtrial.experiment.workload_file.body_check import BodyCheck
from fairtrial.experiment.workload_file.events import Events
from fairtrial.experiment.workload_file.texts import Cookies
from fairtrial.experiment.workload_file.websocket import WebSocket
from fairtrial.load.engine_terms import EngineLoad, Http2, Http3, StopAfterRequests, StopAfterSeconds, Wait


class BodyRange(Strict):
    """Shortest and longest allowed body of an answer, in bytes, both included."""

    min: int
    max: int


class AnyBody(Strict):
    kind: Literal["any"] = "any"


class ChangedText(Strict):
    """Where a row's text stands in a body, in bytes, that becomes another one of the same length during the run."""

    id: int
    at: int
    text: str


class ExactBody(Strict):
    text: str
    changed: list[ChangedText] | None = Field(None, description="from front to back")
    kind: Literal["exact"] = "exact"


class RowBody(Strict):
    """A JSON object with these fields of one row of the plan's dataset."""

    fields: list[str]
    kind: Literal["row"] = "row"


class JsonBody(Strict):
    """A JSON document with these values: by JSON pointer, a JSON text that may hold `{{row …}}`."""

    values: dict[str, str]
    kind: Literal["json"] = "json"


class DigestBody(Strict):
    """A body with this SHA-256 as it comes, compressed or not."""

    sha256: str
    kind: Literal["digest"] = "digest"


class EventsBody(Strict):
    """A stream of events: docs/engine-protocol.md, "Streams of events"."""

    min: int = 0
    max: int | None = None
    sequence: str | None = Field(None, description="`id`, or a JSON pointer: where each has its number")
    first: int = 0
    content: str | None = None
    last: str | None = None
    tokens: str | None = None
    stall_seconds: float = 1.0
    messages: list[list[FieldPlan]] | None = Field(
        None,
        description="the events are a call's messages, and this stands in them by place, the last in all further ones; "
        "pointers lead through numbers of fields. null: they are server-sent",
    )
    kind: Literal["events"] = "events"

    @classmethod
    def of(cls, events: Events) -> Self:
        """What a workload file says of a stream."""
        least, *most = events.count_range
        values = events.model_dump(include={"sequence", "first", "content", "last", "tokens"})
        return cls(min=least, max=most[0] if most else None, stall_seconds=events.stall_seconds, **values)


class EchoBody(Strict):
    """Over WebSocket, the message that was sent."""

    kind: Literal["echo"] = "echo"


class Expectation(Strict):
    """The conditions under which an answer counts as right."""

    status: list[int] | None = None
    content_type: str | None = None
    location_field: str | None = Field(None, description="Location is this field of the row that was asked for")
    trailer: dict[str, str] | None = Field(None, description="fields behind the body, and their values")
    grpc: GrpcEnd | None = None
    body_bytes: BodyRange | None = None
    body: AnyBody | ExactBody | RowBody | JsonBody | DigestBody | MessageBody | EventsBody | EchoBody = AnyBody()
    check_every: int = 16
    keep_bodies: bool | None = Field(None, description="the body of every such answer is handed on, if it is right")


class ChangedRow(Strict):
    """A row of the dataset whose text in one field becomes this one during the run."""

    id: int
    field: str
    text: str


class BaseRequest(Strict):
    """A request as it is sent, and what its answer must be.

    With `template`, `{{…}}` in `path`, header values and `body` are replaced in each request. `body_file` is an
    absolute path, read once by the engine; neither it nor `body_base64` is a template. `body_parts` are a body of texts
    and files, one behind the other. A `chunked` body is sent without its length.
    """

    name: str
    path: str
    method: str = "GET"
    headers: list[tuple[str, str]] = Field(default_factory=list)
    body: str | None = None
    body_file: str | None = None
    body_base64: str | None = None
    body_parts: list[dict[Literal["text", "file"], str]] | None = None
    chunked: bool | None = None
    template: bool = False
    follow_redirects: int | None = Field(None, description="so many redirects to the same origin are followed")
    expect: Expectation = Expectation()


class Take(Strict):
    """Where in an answer a variable stands: at a JSON pointer, or in a header, of which `pattern` has one group."""

    pointer: str | None = None
    header: str | None = None
    pattern: str | None = None


class Request(BaseRequest):
    """One kind of request and its share in the mix."""

    weight: int = 1
    acknowledge: bool | None = Field(
        None, description="report which of its numbers ({{sequence 1}}) had a right answer"
    )
    think_seconds: float | str | None = Field(
        None, description="in place of the load's own think time, or between steps: seconds, or a distribution"
    )
    spot_check_at_seconds: list[float] | None = Field(
        None, description="it is none of the mix: it is sent once at each of these moments of the window"
    )
    journey: str | None = Field(
        None, description="requests of one name that stand one behind the other are the steps of a journey"
    )
    take: dict[str, Take] | None = Field(None, description="by the name of a variable, where in the answer it stands")
    renew: str | None = Field(None, description="the request that is sent anew after a 401, and this one behind it")
    compared: bool | None = Field(None, description="keep or compare its answers, as the plan's `reference` says")
    body_check: InstanceOf[BodyCheck] | None = Field(
        None,
        exclude=True,
        repr=False,
        description="what the lab looks at in the bodies that are handed on. The engine is not told",
    )


class SetupRequest(BaseRequest):
    """A request that each connection sends before any other, and the variables that it takes from the answer."""

    take: dict[str, Take] = Field(default_factory=dict)


class Pick(Strict):
    """The rule by which a request picks its row. `exponent` is that of Zipf's law."""

    kind: Literal["sequential", "random", "zipf", "once"]
    exponent: float | None = None


class GivenRows(Strict):
    """A table of rows that requests take cells of: a JSONL file by its absolute path, or such lines themselves.

    `skip` rows in front are left out.
    """

    pick: Pick
    file: str | None = None
    lines: list[str] | None = None
    skip: int = 0


class Tls(Strict):
    """TLS settings. Files are PEM, by absolute path; without `ca_file` the system's root certificates are trusted."""

    server_name: str
    ca_file: str | None = None
    insecure: bool = False
    resume: bool = False
    certificate_file: str | None = None
    key_file: str | None = None


class Part(Strict):
    """One of several engines that carry out a plan together: its number, from 0, and how many they are."""

    number: int
    of: int


Driver = Literal["auto", "epoll", "io_uring"]


class EnginePlan(Strict):
    """One run of the engine. `requests_per_connection` None: as many as the server allows."""

    address: str
    other_addresses: list[str] | None = Field(
        None, description="further ones of the same server: connections take turns over all of them"
    )
    requests: list[Request]
    load: EngineLoad
    stop: StopAfterSeconds | StopAfterRequests
    warmup_seconds: float = 0.0
    warmup_limit_seconds: float | None = Field(
        None, description="the warm-up goes on until the pace is flat, and no longer than this; null: whatever the pace"
    )
    kept_warmup_seconds: float | None = Field(
        None, description="the warm-up where all connections are there already, of the plan before; null: as without"
    )
    requests_per_connection: int | None = None
    pipeline: int = 1
    http2: Http2 | None = None
    http3: Http3 | None = None
    websocket: WebSocket | None = Field(None, description="requests are messages of a WebSocket; null: HTTP's")
    timeout_seconds: float = 10.0
    drain_seconds: float | None = Field(
        None,
        description="how long answers are awaited after the window; null: as the engine does by itself "
        "(docs/engine-protocol.md, The cohort)",
    )
    deadline_seconds: float | None = Field(
        None, description="an open load's request is not sent later than this after its intended start; null: it is"
    )
    trace_share: float | None = Field(
        None, description="so large a part of the requests has a `traceparent`, from 0 to 1; null: none has"
    )
    threads: int = 1
    cpus: list[int] = Field(default_factory=list)
    seed: int = 1
    nonce_key: str = Field(
        default_factory=new_nonce_key, repr=False, description="the secret of `{{nonce LABEL FROM}}`"
    )
    driver: Driver = "auto"
    wait: Wait = "sleep"
    part: Part | None = None
    tls: Tls | None = None
    host: str | None = None
    dataset: DatasetSpec | None = None
    rows: dict[str, GivenRows] = Field(default_factory=dict)
    setup: list[SetupRequest] = Field(default_factory=list)
    cookies: Cookies | None = Field(None, description="who keeps those that answers set, and sends them; null: nobody")
    secrets: dict[str, str] = Field(
        default_factory=dict,
        exclude=True,
        repr=False,
        description="by the name of an environment variable, its value in the requests: no result may quote it. The "
        "engine is not told which values these are",
    )
    changed_rows: list[ChangedRow] | None = Field(None, description="rows of which both texts are right")
    reference: KeepAnswers | CompareAnswers | None = None
    halts: bool | None = Field(
        None, description="SIGUSR1 and SIGUSR2 have the load stand still: docs/engine-protocol.md, Halts"
    )
    progress_every_seconds: float = 0.25
    protocol: Literal[2] = 2

    @property
    def can_halt(self) -> bool:
        """Whether its load can stand still."""
        has_journeys = any(request.journey is not None for request in self.requests)
        plain = self.pipeline == 1 and self.http2 is None and self.http3 is None and self.websocket is None
        return self.load.kind == "closed" and plain and not has_journeys

    def to_json(self) -> str:
        """Return the plan as the engine reads it. Keys without a value are left out and take its defaults.

        Raises:
            Problem: a text in it holds bytes that are none, as arguments and names of files may in Python.
        """
        if no_text := next(_bytes_in(self.model_dump(exclude_none=True)), None):
            key, text = no_text
            raise Problem(
                f"{key}: {printable(text, 100)}: holds bytes that are no text in the encoding of this locale",
                "write it in UTF-8 where the locale is UTF-8, or send it from a file; rename a file of such a name",
            )
        return self.model_dump_json(exclude_none=True)


def _bytes_in(value: Any, key: str = "plan") -> Iterator[tuple[str, str]]:
    """Texts that hold bytes which Python could not decode, each behind the name of its key."""
    if isinstance(value, str):
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            yield key, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _bytes_in(member, str(name))
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _bytes_in(member, key)
