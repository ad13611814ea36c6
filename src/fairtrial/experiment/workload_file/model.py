"""The model of a workload file. `experiment.workload_file.read` reads one from disk, with the rows that it names."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.formatting import enumeration
from fairtrial.base.registry import did_you_mean
from fairtrial.base.strict import Strict
from fairtrial.experiment.ready import ANSWERED, Ready
from fairtrial.experiment.workload_file.body_check import Pattern
from fairtrial.experiment.workload_file.expect import BODY_KEYS, Expect
from fairtrial.experiment.workload_file.grpc_call import CALL_EXPECT_KEYS, GrpcCall, assert_call
from fairtrial.experiment.workload_file.journeys import JourneyStep, assert_journeys, assert_renewals
from fairtrial.experiment.workload_file.multipart import FORM_METHODS, FilePart
from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.experiment.workload_file.placeholders import Placeholder, placeholders_in
from fairtrial.experiment.workload_file.rows_entry import Rows
from fairtrial.experiment.workload_file.state import AuditEntry, Files, Reset, assert_requests_exist
from fairtrial.experiment.workload_file.texts import Cookies, Headers, Json, Take, Target, Template, Think, json_strings
from fairtrial.experiment.workload_file.think import engine_think
from fairtrial.experiment.workload_file.variables import EntryTexts, assert_variables, parse_taken
from fairtrial.experiment.workload_file.websocket import WebSocket, assert_messages

MOST_REDIRECTS = 20
"""As the engine: as a browser follows (Fetch standard, section 4.4)."""
REDIRECTS = (301, 302, 303, 307, 308)
UNAUTHORIZED = 401

METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "websocket")
"""The keys of a request that name its method, or that it is a message; the value is its path."""
KEYS_ELSEWHERE = ("path", "url", "method")
"""What other tools' files have beside each other."""

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"
"""Of requests and rows: without spaces, as placeholders and claims name them."""


class RequestEntry(Strict):
    """One request of the mix: `[requests.NAME]`."""

    weight: int = Field(1, ge=1, le=65_536, description="its share is the weight over the sum of all")
    get: Target | None = None
    head: Target | None = None
    post: Target | None = None
    put: Target | None = None
    patch: Target | None = None
    delete: Target | None = None
    options: Target | None = None
    websocket: Target | None = Field(None, description="the path of a WebSocket, by which the body goes as a message")
    grpc: GrpcCall | None = Field(None, description="in place of a method: a call by gRPC, over HTTP/2")
    headers: Headers = Field(default_factory=dict, description='in place of the defaults; "" leaves a default out')
    json_body: Json | None = Field(None, alias="json", description="the body, as a value")
    body: Template | None = Field(None, description="the body, as a text")
    body_file: str | None = Field(
        None, min_length=1, description="the file, beside this one, that is the body as it is"
    )
    multipart: dict[str, Template | FilePart] | None = Field(
        None, min_length=1, description="the body, as multipart/form-data: by field, a text or a file"
    )
    chunked: bool = Field(False, description="the body is sent in chunks, without its length")
    think: Think | None = Field(
        None, description="how long a user waits after the answer, or its distribution; in place of the load's own"
    )
    follow_redirects: int = Field(
        0, ge=0, le=MOST_REDIRECTS, description="so many redirects to the same server are followed"
    )
    renew: str | None = Field(
        None,
        description="the request that is sent anew after a 401: an earlier step, or a connection's setup request",
    )
    expect: Expect = Expect()
    journey: str | None = Field(
        None,
        pattern=NAME,
        description="requests of one name that stand one below the other are sent by one user, in this order",
    )
    take: dict[Annotated[str, Field(pattern=NAME)], Take] = Field(
        default_factory=dict, description="by the name of a variable, where in the answer its value stands"
    )

    @model_validator(mode="before")
    @classmethod
    def _method_with_its_path(cls, values: Any) -> Any:
        """Said before the key is unknown: `patch` is what it would be taken for."""
        apart = [key for key in KEYS_ELSEWHERE if isinstance(values, dict) and key in values]
        if apart:
            raise ValueError(f'{enumeration(apart)}: the method is the key of the path: get = "/items"')
        return values

    @model_validator(mode="after")
    def _one_request(self) -> Self:
        methods = [method for method in (*METHODS, "grpc") if getattr(self, method) is not None]
        if len(methods) != 1:
            which = f"{' and '.join(methods)} are" if methods else "none is"
            raise ValueError(f'{which} given: name one method with its path, such as get = "/items"')
        bodies = {
            "json": self.json_body,
            "body": self.body,
            "body_file": self.body_file,
            "multipart": self.multipart,
        }
        body_keys = [key for key, value in bodies.items() if value is not None]
        if self.grpc is not None:
            assert_call(body_keys, self.expect.model_fields_set, self.take, self.model_fields_set, self.headers)
        elif self.expect.grpc is not None:
            raise ValueError("expect.grpc: the request is no call: leave it out, or write `grpc` in place of a method")
        if len(body_keys) > 1:
            raise ValueError(f"{' and '.join(body_keys)}: a request has one body: leave one of them out")
        if self.chunked and not body_keys:
            raise ValueError("chunked: there is no body to send in chunks: give json, body, body_file or multipart")
        if self.multipart is not None and self.method not in FORM_METHODS and self.websocket is None:
            raise ValueError(f"multipart: {self.method} sends no form: write post, put or patch")
        if self.multipart is not None and any(name.lower() == "content-type" for name in self.headers):
            raise ValueError("multipart: it has a content-type of its own, with the boundary: leave that header out")
        self._assert_one_exchange_is_judged()
        if self.method == "HEAD" and any(text.startswith("/") for text in self.take.values()):
            raise ValueError("take: an answer to HEAD has no body: take a header")
        return self

    def _assert_one_exchange_is_judged(self) -> None:
        for key, value, statuses in (
            ("follow_redirects", self.follow_redirects, REDIRECTS),
            ("renew", self.renew, (UNAUTHORIZED,)),
        ):
            right = next((status for status in self.expect.statuses if status in statuses), None)
            if value and right is not None:
                raise ValueError(f"{key}: {right} is expected, and right as it is: leave one of them out")
            if value and self.websocket is not None:
                raise ValueError(f"{key}: a message has no status: leave it out")
            if value and self.expect.events is not None:
                raise ValueError(f"{key}: the times of events are those of one answer: leave it out")

    @property
    def method(self) -> str:
        """In upper case, as it is sent; of a message WEBSOCKET."""
        return next((method.upper() for method in METHODS if getattr(self, method) is not None), "POST")

    @property
    def path(self) -> str:
        """A template."""
        return str(getattr(self, self.method.lower())) if self.grpc is None else self.grpc.path

    @property
    def in_words(self) -> str:
        """`GET /items`, `message to /chat`, `call of /shop.Shop/Look`."""
        if self.grpc is not None:
            return f"call of {self.path}"
        return f"{self.method if self.websocket is None else 'message to'} {self.path}"

    @property
    def think_seconds(self) -> float | str | None:
        """Its own think time, as the engine takes it; None: that of the load."""
        return None if self.think is None else engine_think(self.think)

    def over(self, defaults: "Defaults", *left_out: str) -> Self:
        """The request with the defaults where it says nothing, but for expectations that are `left_out`; of its headers
        those that are not empty."""
        names = {name.lower() for name in self.headers}
        inherited = {name: value for name, value in defaults.headers.items() if name.lower() not in names}
        headers = {name: value for name, value in {**inherited, **self.headers}.items() if value}
        left_out = (*left_out, *(BODY_KEYS if self.method == "HEAD" else ()))  # its answer has no body
        default = defaults.expect.model_copy(update=dict.fromkeys(left_out))
        return self.model_copy(update={"headers": headers, "expect": self.expect.over(default)})

    def sent_texts(self) -> Iterator[tuple[str, str]]:
        """(key, template) of each text that is sent."""
        yield self.method.lower(), self.path
        for name, value in self.headers.items():
            yield f"headers.{name}", value
        if self.body is not None:
            yield "body", self.body
        for name, part in (self.multipart or {}).items():
            if isinstance(part, str):
                yield f"multipart.{name}", part
        if self.json_body is not None:
            for pointer, text in json_strings(self.json_body):
                yield f"json {pointer}".rstrip(), text
        if self.grpc is not None:
            for message in self.grpc.every_message:
                for pointer, text in json_strings(message):
                    yield f"grpc.message {pointer}", text

    def expected_texts(self) -> Iterator[tuple[str, str]]:
        """(key, template) of each text that is expected."""
        if self.expect.text is not None:
            yield "expect.text", self.expect.text
        for pointer, value in (self.expect.json_values or {}).items():
            for _, text in json_strings(value):
                yield f"expect.json {pointer}".rstrip(), text
        for message in self.expect.grpc.expected if self.expect.grpc is not None else ():
            for pointer, text in json_strings(message):
                yield f"expect.grpc.message {pointer}", text

    def variable_texts(self) -> EntryTexts:
        """The texts it sends, expects and takes."""
        return EntryTexts(list(self.sent_texts()), list(self.expected_texts()), list(self.take), journey=self.journey)

    def assert_taken_by_engine(self, prefix: str = "") -> None:
        """Raise a ValueError if its body is to be seen by the lab as well, or the engine cannot read a pattern."""
        self.assert_body_is_not_shown(prefix)
        for name, text in self.take.items():
            pattern = parse_taken(text).pattern
            if pattern is not None:
                try:
                    Pattern(pattern.pattern)
                except ValueError as error:
                    raise ValueError(f"{prefix}take.{name}: {error}") from None

    def assert_body_is_not_shown(self, prefix: str = "") -> None:
        """Raise a ValueError if an expectation is one whose fault quotes the body."""
        for key in ("schema", "matches", "html"):
            if getattr(self.expect, "json_schema" if key == "schema" else key) is not None:
                reason = "a body of which values are taken is shown to nobody: expect `json`"
                raise ValueError(f"{prefix}expect.{key}: {reason}")

    @property
    def cells(self) -> list[tuple[str, Placeholder]]:
        """(key, placeholder) of each `{{row …}}` in what is sent and expected."""
        texts = [*self.sent_texts(), *self.expected_texts()]
        return [(key, each) for key, text in texts for each in placeholders_in(text) if each.name == "row"]

    @property
    def row_tables(self) -> set[str]:
        """The names of the rows of which it takes one when it is sent."""
        return {each.arguments[0] for each in self._sent_placeholders() if each.name == "row"}

    def sends(self, *names: str) -> bool:
        """Whether what is sent holds a placeholder of one of these names."""
        return any(each.name in names for each in self._sent_placeholders())

    def _sent_placeholders(self) -> Iterator[Placeholder]:
        return (each for _, text in self.sent_texts() for each in placeholders_in(text))


class SetupEntry(RequestEntry):
    """A request that is sent before the others, once or by each connection: `[setup.NAME]`."""

    per: Literal["load", "connection"] = Field("load", description="sent once, or by each connection for itself")

    @model_validator(mode="after")
    def _no_part_of_the_mix(self) -> Self:
        if "weight" in self.model_fields_set:
            raise ValueError("weight: a setup request is sent once: leave it out")
        if self.grpc is not None:
            raise ValueError("grpc: setup requests are sent over HTTP/1.1, and calls over HTTP/2: leave it out")
        if self.renew is not None:
            raise ValueError("renew: it is sent before the load: write it in the requests that its value expires for")
        if self.follow_redirects and self.per == "load":
            raise ValueError('follow_redirects: of setup requests, those with per = "connection" follow them')
        if self.think is not None:
            raise ValueError("think: a setup request is no part of the load: leave it out")
        if self.journey is not None:
            raise ValueError("journey: a setup request comes before any: leave it out")
        if self.websocket is not None and self.per == "load":
            raise ValueError('websocket: only connections send messages first: write per = "connection"')
        if self.per == "connection":
            self.assert_taken_by_engine()
            return self
        self.assert_body_is_not_shown()
        for key in ("trailer", "events"):
            if getattr(self.expect, key) is not None:
                raise ValueError(f'expect.{key}: of setup requests, those with per = "connection" have it looked at')
        return self

    def variable_texts(self) -> EntryTexts:
        """The texts it sends, expects and takes."""
        return replace(super().variable_texts(), per=self.per)


class Defaults(Strict):
    """Keys common to all requests, as far as they do not say otherwise."""

    headers: Headers = Field(default_factory=dict)
    expect: Expect = Expect()


class WorkloadFile(Strict):
    """A workload file."""

    title: str = ""
    ready: Ready = ANSWERED
    cookies: Cookies | None = Field(None, description="who keeps those that answers set, and sends them")
    websocket: WebSocket | None = Field(None, description="how answers find their messages")
    defaults: Defaults = Defaults()
    rows: dict[Annotated[str, Field(pattern=NAME)], Rows] = Field(default_factory=dict)
    setup: dict[Annotated[str, Field(pattern=NAME)], SetupEntry] = Field(default_factory=dict)
    requests: dict[Annotated[str, Field(pattern=NAME)], RequestEntry] = Field(min_length=1)
    data: dict[str, Files] = Field(default_factory=dict, description="by service, the files that it is loaded from")
    reset: Reset | None = None
    audit: dict[Annotated[str, Field(pattern=NAME)], AuditEntry] = Field(default_factory=dict)
    reference: Normalisation = Field(
        default_factory=Normalisation, description="what does not count when answers are compared"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        used: set[str] = set()
        for name, entry in self.all_entries():
            self._assert_defaults_apply(name, entry)
            row_tables = entry.row_tables
            for key, each in entry.cells:
                table = each.arguments[0]
                if table not in self.rows:
                    hint = did_you_mean(table, self.rows)
                    raise ValueError(f"{name}.{key}: {each}: there is no [rows.{table}]{hint}")
                if table not in row_tables:
                    raise ValueError(f"{name}.{key}: {each}: the request itself holds no row of {table}")
            if isinstance(entry, SetupEntry) and entry.per == "connection":
                once = sorted(table for table in row_tables if self.rows[table].pick == "once")
                if once:
                    raise ValueError(
                        f"{name}: rows.{once[0]} is taken once, and a connection that is opened again takes its row "
                        f'again: write pick = "sequential" there'
                    )
            used |= row_tables
            keeps_cookies = self.cookies is not None and not (isinstance(entry, SetupEntry) and entry.per == "load")
            if keeps_cookies and any(header.lower() == "cookie" for header in entry.headers):
                raise ValueError(f"{name}.headers: `cookies` says which are sent: leave it or Cookie out")
            if entry.method == "HEAD" and (entry.expect.looks_at_body or entry.expect.trailer):
                raise ValueError(f"{name}.expect: an answer to HEAD has no body, and nothing behind it")
        if unused := self.rows.keys() - used:
            raise ValueError(f"rows.{min(unused)}: no request takes a row of it: leave it out, or name it in one")
        of_connections = [
            (f"setup.{name}", each) for name, each in self.setup_entries().items() if each.per == "connection"
        ]
        of_mix = [(f"requests.{name}", each) for name, each in self.entries().items()]
        assert_messages([*of_mix, *of_connections], self.websocket)
        if self.sends_messages and self.cookies is not None:
            raise ValueError("cookies: messages have none: leave it out")
        assert_requests_exist(self.audit, self.requests)
        steps = {
            name: JourneyStep(each.journey, frozenset(each.model_fields_set)) for name, each in self.requests.items()
        }
        assert_journeys(steps)
        assert_renewals(
            {name: (each.renew, each.journey, bool(each.take)) for name, each in self.requests.items()},
            {name: each.per for name, each in self.setup.items() if each.take},
        )
        for name, entry in self.entries().items():
            if entry.take:
                entry.assert_taken_by_engine(f"requests.{name}.")
        assert_variables(
            {name: each.variable_texts() for name, each in self.setup_entries().items()},
            {name: each.variable_texts() for name, each in self.entries().items()},
        )
        return self

    def _assert_defaults_apply(self, name: str, entry: RequestEntry) -> None:
        for key in sorted(self.defaults.expect.model_fields_set):
            if entry.grpc is not None and key not in CALL_EXPECT_KEYS:
                alias = Expect.model_fields[key].alias or key
                raise ValueError(f"defaults.expect.{alias}: {name} is a call, which has none: write it in each request")
            if entry.grpc is None and key == "grpc":
                raise ValueError(f"defaults.expect.grpc: {name} is no call: write it in each call")

    def setup_entries(self) -> Mapping[str, SetupEntry]:
        """The setup requests by name, in their order, each with the defaults, but for expectations whose faults would
        quote a credential. The lab itself looks at no trailer and no events."""
        quoting = ["json_schema", "matches", "html"]
        left_out = {"load": [*quoting, "trailer", "events"], "connection": quoting}
        return {name: entry.over(self.defaults, *left_out[entry.per]) for name, entry in self.setup.items()}

    def all_entries(self) -> Iterator[tuple[str, RequestEntry]]:
        """(key, request) of those before the load and of the mix."""
        yield from ((f"setup.{name}", entry) for name, entry in self.setup_entries().items())
        yield from ((f"requests.{name}", entry) for name, entry in self.entries().items())

    def entries(self) -> Mapping[str, RequestEntry]:
        """The requests by name, each with the defaults."""
        return {name: entry.over(self.defaults) for name, entry in self.requests.items()}

    @property
    def sends_messages(self) -> bool:
        """Whether its requests are messages of a WebSocket."""
        return any(entry.websocket is not None for entry in self.requests.values())

    def as_written(self) -> dict[str, Any]:
        """The keys that were set, as they stand in a file."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def columns(self) -> dict[str, dict[str, str]]:
        """By rows, the columns that requests name, each with the key that names it first."""
        columns: dict[str, dict[str, str]] = {name: {} for name in self.rows}
        for name, entry in self.all_entries():
            for key, each in entry.cells:
                table, column = each.arguments
                columns[table].setdefault(column, f"{name}.{key}")
        return columns
