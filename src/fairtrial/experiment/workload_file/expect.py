"""`expect`: the answer that a request of a workload file must get."""

from typing import Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict
from fairtrial.experiment.workload_file.events import Events
from fairtrial.experiment.workload_file.grpc_call import GrpcExpect
from fairtrial.experiment.workload_file.placeholders import placeholders_in
from fairtrial.experiment.workload_file.texts import Json, Template, json_strings


class Expect(Strict):
    """A demand on an answer that counts. Left out: any 2xx, any type, any length, any body."""

    status: int | list[int] | None = Field(None, description="one status or several")
    type: str | None = Field(None, min_length=1, description="the media type; its parameters count if they are named")
    trailer: dict[str, str] | None = Field(None, min_length=1, description="fields behind the body, and their values")
    bytes: int | list[int] | None = Field(None, description="the body's length, or the shortest and the longest")
    text: Template | None = Field(None, description="the body, byte for byte; of placeholders only {{env …}}")
    json_values: dict[str, Json] | None = Field(
        None, alias="json", description="by JSON pointer, the value that stands there; {{row …}} is the request's row"
    )
    json_schema: str | None = Field(
        None, alias="schema", min_length=1, description="FILE#POINTER of the JSON Schema that the body fits"
    )
    matches: dict[str, str] | None = Field(
        None, description="by JSON pointer, a regular expression over the text or the number that stands there"
    )
    html: str | None = Field(None, min_length=1, description="the file of the page that the body says the same as")
    echo: Literal[True] | None = Field(None, description="of a message: its answer is the same message")
    sha256: str | None = Field(
        None, pattern="^[0-9a-fA-F]{64}$", description="of the body as it comes, compressed or not: it is not unpacked"
    )
    events: Events | None = Field(None, description="the stream of events that the body is")
    grpc: GrpcExpect | None = Field(None, description="what a call by gRPC ends with")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for status in self.statuses:
            if not 100 <= status <= 599:
                raise ValueError(f"status: {status} is not from 100 to 599")
        if self.status == []:
            raise ValueError("status: an empty list: name one, or leave it out for any 2xx")
        if isinstance(self.bytes, list) and (len(self.bytes) != 2 or self.bytes[0] > self.bytes[1]):
            raise ValueError("bytes: one number, or the shortest and the longest, such as [10, 4096]")
        if self.bytes is not None and min(self.byte_range or (0, 0)) < 0:
            raise ValueError("bytes: a length is not negative")
        for key, value in {"json": self.json_values, "schema": self.json_schema, "matches": self.matches}.items():
            if self.text is not None and value is not None:
                raise ValueError(f"{key}: `text` says already what the whole body is: leave one of them out")
        if self.sha256 is not None and any(
            getattr(self, name) for kind in BODY_KINDS for name in kind if name != "sha256"
        ):
            raise ValueError("sha256: it says already what the whole body is: leave the others out")
        if self.html is not None and (self.text, self.json_values, self.json_schema, self.matches) != (None,) * 4:
            raise ValueError("html: a page is compared as a whole: leave `text`, `json`, `schema` and `matches` out")
        if self.events is not None and any(getattr(self, name) for kind in BODY_KINDS[:-1] for name in kind):
            raise ValueError("events: a stream is looked at event by event: leave what else is said of the body out")
        if self.echo and any(getattr(self, name) for kind in BODY_KINDS[:-2] for name in kind):
            raise ValueError("echo: it says already what the whole answer is: leave the others out")
        self._assert_text()
        self._assert_json()
        for pointer in self.matches or {}:
            _assert_pointer("matches", pointer)
        return self

    @property
    def statuses(self) -> list[int]:
        """The statuses that are right; none: any 2xx."""
        return [self.status] if isinstance(self.status, int) else list(self.status or [])

    @property
    def byte_range(self) -> tuple[int, int] | None:
        """The shortest and the longest body, in bytes; None: any."""
        if self.bytes is None:
            return None
        shortest, longest = (self.bytes, self.bytes) if isinstance(self.bytes, int) else self.bytes
        return shortest, longest

    @property
    def looks_at_body(self) -> bool:
        """Whether it says what the body holds, beyond its length."""
        return any(getattr(self, name) for kind in BODY_KINDS for name in kind) or self.text is not None

    def over(self, default: "Expect") -> "Expect":
        """This expectation, with the default's where it says nothing. `text`, `html` and what looks into JSON exclude
        one another."""
        values = {name: getattr(self, name) for name in self.model_fields_set}
        for kind in BODY_KINDS:
            if any(getattr(self, name) is not None for name in kind):
                values |= {name: None for other in BODY_KINDS if other is not kind for name in other}
        return default.model_copy(update=values)

    def _assert_text(self) -> None:
        if self.text is not None:
            for each in placeholders_in(self.text):
                if each.name not in ("env", "var"):
                    raise ValueError(f"text: {each} cannot stand here: only {{{{env NAME}}}} and {{{{var NAME}}}}")

    def _assert_json(self) -> None:
        pointers = list(self.json_values or {})
        for pointer, value in (self.json_values or {}).items():
            _assert_pointer("json", pointer)
            inner = next((each for each in pointers if each.startswith(f"{pointer}/")), None)
            if inner is not None:
                raise ValueError(f"json: {inner} lies in {pointer or 'the whole body'}, which has a value, too")
            for at, text in json_strings(value):
                placeholders = [each for each in placeholders_in(text) if each.name not in ("row", "env", "var")]
                if placeholders:
                    raise ValueError(
                        f"json: {pointer}: {placeholders[0]} is drawn anew each time: only {{{{row …}}}}, "
                        f"{{{{env …}}}} and {{{{var …}}}} can be expected"
                    )
                if at and placeholders_in(text):
                    raise ValueError(f"json: {pointer}: a placeholder lies within its value: write {pointer}{at} apart")


def _assert_pointer(key: str, pointer: str) -> None:
    if pointer and not pointer.startswith("/"):
        raise ValueError(f'{key}: {pointer!r} is no JSON pointer: write "/{pointer}" (RFC 6901)')


BODY_KINDS = (("text",), ("html",), ("sha256",), ("json_values", "json_schema", "matches"), ("echo",), ("events",))
"""By what an expectation says what the body holds, by the names of its fields: in one of these ways."""
BODY_KEYS = ("bytes", "trailer", *(name for kind in BODY_KINDS for name in kind))
"""What it says of the body, and of what comes behind it."""
