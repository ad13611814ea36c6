"""The model of a workload file. `experiment.workload_file.read` reads one from disk, with the rows that it names."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from fairtrial.base.http_syntax import RESERVED_HEADERS, TOKEN
from fairtrial.base.registry import did_you_mean
from fairtrial.base.strict import Strict
from fairtrial.experiment.ready import ANSWERED, Ready
from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.experiment.workload_file.placeholders import (
    Placeholder,
    is_exponent,
    parts_of,
    placeholders_in,
)
from fairtrial.experiment.workload_file.state import AuditEntry, Files, Reset, assert_requests_exist
from fairtrial.experiment.workload_file.variables import SetupTexts, assert_variables, parse_taken

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
"""The keys of a request that name its method; the value is its path."""

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"
"""Of requests and rows: without spaces, as placeholders and claims name them."""

DEEPEST_JSON = 64
ZIPF = "zipf "


def _template(text: str) -> str:
    parts_of(text)
    return text


def _target(text: str) -> str:
    literals = "".join(part for part in parts_of(text) if isinstance(part, str))
    if not text.startswith("/"):
        raise ValueError("a path begins with /; the server's address is no part of it")
    if not literals.isascii() or not literals.isprintable() or " " in literals:
        raise ValueError("a path holds visible ASCII characters only: percent-encode others")
    return text


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not TOKEN.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a header")
        if name.lower() in (*RESERVED_HEADERS, "host"):
            raise ValueError(f"{name}: is set by Fairtrial: leave it out")
        if any((ord(character) < 32 and character != "\t") or ord(character) == 127 for character in value):
            raise ValueError(f"{name}: the value holds a control character: write it on one line")
    lower = [name.lower() for name in headers]
    twice = next((name for name in lower if lower.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is there twice: names of headers are the same in any case")
    return headers


def _taken(text: str) -> str:
    parse_taken(text)
    return text


def _json(value: Any) -> Any:
    for pointer, text in json_strings(value):
        try:
            parts_of(text)
        except ValueError as error:
            raise ValueError(f"{pointer or '/'}: {error}") from None
    return value


def json_strings(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """(JSON pointer, text) of each string in a value. Keys of objects are no templates.

    Raises:
        ValueError: something in it is no JSON, such as a date, or it is nested too deeply.
    """
    if pointer.count("/") > DEEPEST_JSON:
        raise ValueError(f"nested more than {DEEPEST_JSON} deep")
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from json_strings(each, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from json_strings(each, f"{pointer}/{place}")
    elif not isinstance(value, bool | int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"{pointer or '/'}: {value} is no JSON: write it as a text, in quotes")


Template = Annotated[str, AfterValidator(_template)]
Target = Annotated[str, AfterValidator(_target)]
Headers = Annotated[dict[str, Template], AfterValidator(_headers)]
Json = Annotated[Any, AfterValidator(_json)]
Take = Annotated[str, AfterValidator(_taken)]


class Rows(Strict):
    """Rows of a file, of which each request that names them takes one: `[rows.NAME]`."""

    file: str = Field(min_length=1, description="a CSV or JSONL file, relative to the workload file")
    pick: str = Field("random", description="which row a request takes: sequential, random, `zipf S` or once")

    @model_validator(mode="after")
    def _known_pick(self) -> Self:
        zipf = self.pick.startswith(ZIPF) and is_exponent(self.pick.removeprefix(ZIPF))
        if self.pick not in ("sequential", "random", "once") and not zipf:
            hint = did_you_mean(self.pick, ("sequential", "random", "once"))
            raise ValueError(
                f'pick: {self.pick!r} is none{hint}; there are "sequential", "random", "once" and "zipf S" with S from '
                "0.01 to 20"
            )
        return self

    @property
    def zipf_exponent(self) -> float | None:
        """S of `zipf S`; None for the other picks."""
        return float(self.pick.removeprefix(ZIPF)) if self.pick.startswith(ZIPF) else None


class Expect(Strict):
    """What an answer must be like to count. Left out: any 2xx, any type, any length, any body."""

    status: int | list[int] | None = Field(None, description="one status or several")
    type: str | None = Field(None, min_length=1, description="the media type; its parameters count if they are named")
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
        return self.text is not None or bool(self.json_values or self.matches) or self.json_schema is not None

    def over(self, default: "Expect") -> "Expect":
        """This expectation, with the default's where it says nothing. `text` and what looks into JSON exclude each
        other."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if self.text is not None:
            given |= dict.fromkeys(("json_values", "json_schema", "matches"))
        if (self.json_values, self.json_schema, self.matches) != (None, None, None):
            given["text"] = None
        return default.model_copy(update=given)

    def _assert_text(self) -> None:
        if self.text is not None:
            for placeholder in placeholders_in(self.text):
                if placeholder.name not in ("env", "var"):
                    raise ValueError(
                        f"text: {placeholder} cannot stand here: only {{{{env NAME}}}} and {{{{var NAME}}}}"
                    )

    def _assert_json(self) -> None:
        pointers = list(self.json_values or {})
        for pointer, value in (self.json_values or {}).items():
            _assert_pointer("json", pointer)
            inner = next((each for each in pointers if each.startswith(f"{pointer}/")), None)
            if inner is not None:
                raise ValueError(f"json: {inner} lies in {pointer or 'the whole body'}, which has a value, too")
            for at, text in json_strings(value):
                found = [each for each in placeholders_in(text) if each.name not in ("row", "env", "var")]
                if found:
                    raise ValueError(
                        f"json: {pointer}: {found[0]} is drawn anew each time: only {{{{row …}}}}, {{{{env …}}}} "
                        "and {{{{var …}}}} can be expected"
                    )
                if at and placeholders_in(text):
                    raise ValueError(f"json: {pointer}: a placeholder lies within its value: write {pointer}{at} apart")


def _assert_pointer(key: str, pointer: str) -> None:
    if pointer and not pointer.startswith("/"):
        raise ValueError(f'{key}: {pointer!r} is no JSON pointer: write "/{pointer}" (RFC 6901)')


BODY_KEYS = ("bytes", "text", "json_values", "json_schema", "matches")
"""What an expectation says of the body, by the names of its fields."""


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
    headers: Headers = Field(default_factory=dict, description='in place of the defaults; "" leaves a default out')
    json_body: Json | None = Field(None, alias="json", description="the body, as a value")
    body: Template | None = Field(None, description="the body, as a text")
    body_file: str | None = Field(
        None, min_length=1, description="the file that is the body as it is, relative to the workload file"
    )
    expect: Expect = Expect()

    @model_validator(mode="after")
    def _one_request(self) -> Self:
        named = [method for method in METHODS if getattr(self, method) is not None]
        if len(named) != 1:
            which = f"{' and '.join(named)} are" if named else "none is"
            raise ValueError(f'{which} given: name one method with its path, such as get = "/items"')
        bodies = {"json": self.json_body, "body": self.body, "body_file": self.body_file}
        given = [key for key, value in bodies.items() if value is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)}: a request has one body: leave one of them out")
        return self

    @property
    def method(self) -> str:
        """In upper case, as it is sent."""
        return next(method.upper() for method in METHODS if getattr(self, method) is not None)

    @property
    def path(self) -> str:
        """A template."""
        return str(getattr(self, self.method.lower()))

    def over(self, defaults: "Defaults") -> Self:
        """The request with the defaults where it says nothing; of its headers those that are not empty."""
        own = {name.lower() for name in self.headers}
        inherited = {name: value for name, value in defaults.headers.items() if name.lower() not in own}
        headers = {name: value for name, value in {**inherited, **self.headers}.items() if value}
        default = defaults.expect
        if self.method == "HEAD":  # its answer has no body
            default = default.model_copy(update=dict.fromkeys(BODY_KEYS))
        return self.model_copy(update={"headers": headers, "expect": self.expect.over(default)})

    def sent_texts(self) -> Iterator[tuple[str, str]]:
        """(key, template) of each text that is sent."""
        yield self.method.lower(), self.path
        for name, value in self.headers.items():
            yield f"headers.{name}", value
        if self.body is not None:
            yield "body", self.body
        if self.json_body is not None:
            for pointer, text in json_strings(self.json_body):
                yield f"json {pointer}".rstrip(), text

    def expected_texts(self) -> Iterator[tuple[str, str]]:
        """(key, template) of each text that is expected."""
        if self.expect.text is not None:
            yield "expect.text", self.expect.text
        for pointer, value in (self.expect.json_values or {}).items():
            for _, text in json_strings(value):
                yield f"expect.json {pointer}".rstrip(), text


class SetupEntry(RequestEntry):
    """A request that is sent once, before the others: `[setup.NAME]`."""

    take: dict[Annotated[str, Field(pattern=NAME)], Take] = Field(
        default_factory=dict, description="by the name of a variable, where in the answer its value stands"
    )

    @model_validator(mode="after")
    def _no_part_of_the_mix(self) -> Self:
        if "weight" in self.model_fields_set:
            raise ValueError("weight: a setup request is sent once: leave it out")
        if self.method == "HEAD" and any(text.startswith("/") for text in self.take.values()):
            raise ValueError("take: an answer to HEAD has no body: take a header")
        return self

    def variable_texts(self) -> SetupTexts:
        """What it sends, expects and takes."""
        return SetupTexts(list(self.sent_texts()), list(self.expected_texts()), list(self.take))


class Defaults(Strict):
    """What all requests have in common, as far as they do not say otherwise."""

    headers: Headers = Field(default_factory=dict)
    expect: Expect = Expect()


class WorkloadFile(Strict):
    """A workload file."""

    title: str = ""
    ready: Ready = ANSWERED
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
            sent = {each.arguments[0] for _, each in rows_in(entry.sent_texts())}
            for key, each in [*rows_in(entry.sent_texts()), *rows_in(entry.expected_texts())]:
                table = each.arguments[0]
                if table not in self.rows:
                    hint = did_you_mean(table, self.rows)
                    raise ValueError(f"{name}.{key}: {each}: there is no [rows.{table}]{hint}")
                if table not in sent:
                    raise ValueError(f"{name}.{key}: {each}: the request itself holds no row of {table}")
            used |= sent
            if entry.method == "HEAD" and entry.expect.looks_at_body:
                raise ValueError(f"{name}.expect: an answer to HEAD has no body")
        if unused := self.rows.keys() - used:
            raise ValueError(f"rows.{min(unused)}: no request takes a row of it: leave it out, or name it in one")
        assert_requests_exist(self.audit, self.requests)
        requests = {name: [*each.sent_texts(), *each.expected_texts()] for name, each in self.entries().items()}
        assert_variables({name: each.variable_texts() for name, each in self.setup_entries().items()}, requests)
        return self

    def setup_entries(self) -> Mapping[str, SetupEntry]:
        """The setup requests by name, in their order, each with the defaults."""
        return {name: entry.over(self.defaults) for name, entry in self.setup.items()}

    def all_entries(self) -> Iterator[tuple[str, RequestEntry]]:
        """(key, request) of those before the load and of the mix."""
        yield from ((f"setup.{name}", entry) for name, entry in self.setup_entries().items())
        yield from ((f"requests.{name}", entry) for name, entry in self.entries().items())

    def entries(self) -> Mapping[str, RequestEntry]:
        """The requests by name, each with the defaults."""
        return {name: entry.over(self.defaults) for name, entry in self.requests.items()}

    def as_written(self) -> dict[str, Any]:
        """The keys that were set, as they stand in a file."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def rows_of_requests(self) -> set[str]:
        """The rows that requests of the mix take."""
        return {each.arguments[0] for entry in self.entries().values() for _, each in rows_in(entry.sent_texts())}

    def columns(self) -> dict[str, dict[str, str]]:
        """By rows, the columns that requests name, each with the key that names it first."""
        columns: dict[str, dict[str, str]] = {name: {} for name in self.rows}
        for name, entry in self.all_entries():
            for key, each in [*rows_in(entry.sent_texts()), *rows_in(entry.expected_texts())]:
                table, column = each.arguments
                columns[table].setdefault(column, f"{name}.{key}")
        return columns


def rows_in(texts: Iterator[tuple[str, str]]) -> list[tuple[str, Placeholder]]:
    """(key, placeholder) of each `{{row …}}` in some (key, template)."""
    return [(key, each) for key, text in texts for each in placeholders_in(text) if each.name == "row"]
