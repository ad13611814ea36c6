"""Calls by gRPC in a workload file: `grpc` of a request, and `expect.grpc`."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from fairtrial.base.registry import did_you_mean
from fairtrial.base.strict import Strict
from fairtrial.base.units import parse_duration
from fairtrial.experiment.workload_file.placeholders import FORMS, placeholders_in
from fairtrial.experiment.workload_file.texts import json_strings, time_between

STATUSES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)  # fmt: skip
"""The names of gRPC's statuses, each at its number."""

PROTO_SUFFIX = ".proto"
"""A file of another name holds a FileDescriptorSet."""

MOST_MESSAGES = 10_000
"""In one call, each way."""

MOST_DIGITS = 8
"""Of the number in grpc-timeout."""


def _status(name: str) -> str:
    if name not in STATUSES:
        hint = did_you_mean(name, STATUSES)
        raise ValueError(f'{name!r} is no status of gRPC{hint}: write one such as "NOT_FOUND"')
    return name


def _message(*names: str) -> AfterValidator:
    """Requires a message, as JSON writes it, that holds placeholders of these names alone."""

    def checked(message: dict[str, Any]) -> dict[str, Any]:
        for pointer, text in json_strings(message):
            for each in placeholders_in(text):
                if each.name not in names:
                    allowed = ", ".join(FORMS[name].pattern for name in names)
                    raise ValueError(f"{pointer}: {each} cannot stand in this message: there are {allowed}")
        return message

    return AfterValidator(checked)


Message = Annotated[dict[str, Any], _message("row", "uniform", "zipf", "env")]
ExpectedMessage = Annotated[dict[str, Any], _message("row", "env")]
Status = Annotated[str, AfterValidator(_status)]
Timeout = Annotated[str, time_between(0.000_001, 10**MOST_DIGITS - 1, 'from 1 us on: write one such as "200 ms"')]


IMPORT = re.compile(r"""^\s*import\s+(?:\w+\s+)?["']([^"'\n]+)["']\s*;""", re.MULTILINE)
CALL_EXPECT_KEYS = ("grpc", "trailer", "events")
"""What can be said of a call's answer."""
COMPRESSION = frozenset({"grpc-encoding", "grpc-accept-encoding"})


def proto_roots(proto: Path) -> Sequence[Path]:
    """The folders in which files that a `.proto` file imports are looked for, in their order."""
    return proto.parent, *proto.parent.parents[:3]


def proto_files(proto: Path) -> list[Path]:
    """A file that describes a service, and those that it imports, however far away; without those of protoc."""
    files = [proto]
    for file in files if proto.suffix == PROTO_SUFFIX else ():  # grows meanwhile
        for name in IMPORT.findall(file.read_text(errors="replace")):
            place = next((root / name for root in proto_roots(proto) if (root / name).is_file()), None)
            if place is not None and place not in files:
                files.append(place)
    return files


def assert_call(
    body_keys: Iterable[str],
    expect_keys: Collection[str],
    take: Collection[str],
    keys: Collection[str],
    headers: Mapping[str, str],
) -> None:
    """Raise a ValueError if a call has what belongs to other requests.

    Args:
        body_keys: what says what its body is.
        expect_keys: what is said of its answer.
        take: the variables that it takes.
        keys: all that it has.
        headers: its own.
    """
    for key in body_keys:
        raise ValueError(f"{key}: the body of a call is its `message`: leave {key} out")
    for key in expect_keys:
        if key not in CALL_EXPECT_KEYS:
            raise ValueError(f"expect.{key}: of a call, `expect.grpc` says what the answer is: leave {key} out")
    if take:
        raise ValueError("take: of calls, no value is taken: leave it out")
    for name, value in headers.items():
        if name.lower() in COMPRESSION and value not in ("", "identity"):
            raise ValueError(f"headers.{name}: messages are sent and read as they are, unpacked: leave it out")
    for key in ("follow_redirects", "renew"):
        if key in keys:
            raise ValueError(f"{key}: a call is sent once, and ends with a status of gRPC: leave it out")


class GrpcCall(Strict):
    """A call of a method."""

    proto: str = Field(min_length=1, description="the .proto file that describes the service, or a FileDescriptorSet")
    method: str = Field(pattern=r"^[A-Za-z_][\w.]*/[A-Za-z_]\w*$", description="`package.Service/Method`")
    message: Message = Field(default_factory=dict, description="as JSON writes such a message")
    messages: list[Message] | None = Field(
        None, max_length=MOST_MESSAGES, description="of a method that takes a stream: all that are sent, at once"
    )
    timeout: Timeout | None = Field(
        None, description="the call's deadline: `grpc-timeout`; a call that passes it is reset, as DEADLINE_EXCEEDED"
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.messages is not None and self.message:
            raise ValueError("message: `messages` says already what is sent: leave one of them out")
        return self

    @property
    def every_message(self) -> list[dict[str, Any]]:
        """The messages that are sent."""
        return [self.message] if self.messages is None else self.messages

    @property
    def path(self) -> str:
        """That is asked by POST."""
        return f"/{self.method}"

    @property
    def timeout_seconds(self) -> float | None:
        """The deadline after the call is sent."""
        return None if self.timeout is None else parse_duration(self.timeout)

    @property
    def timeout_header(self) -> str | None:
        """`grpc-timeout`: at most eight digits, and a unit."""
        if self.timeout_seconds is None:
            return None
        spelled = (
            f"{round(self.timeout_seconds * each)}{unit}" for unit, each in (("u", 1_000_000), ("m", 1000), ("S", 1))
        )
        return next(text for text in spelled if len(text) <= MOST_DIGITS + 1)


class GrpcExpect(Strict):
    """The end that a call must have."""

    status: Status | list[Status] = Field("OK", description="its status, or several that are right")
    message: ExpectedMessage | None = Field(
        None, description="fields of the answer's message, or of each in its stream; others do not matter"
    )
    messages: list[ExpectedMessage] | None = Field(
        None,
        max_length=MOST_MESSAGES,
        description="the same of each message of a stream, by their places; no others come",
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not self.statuses:
            raise ValueError('status: an empty list: name one, or leave it out for "OK"')
        if self.message is not None and self.messages is not None:
            raise ValueError("message: `messages` says already what each is: leave one of them out")
        for key, value in (("message", self.message), ("messages", self.messages)):
            if value is not None and STATUSES.index("OK") not in self.statuses:
                raise ValueError(f'{key}: only calls that end with "OK" have one: leave it out, or add "OK" to status')
        return self

    @property
    def expected(self) -> list[dict[str, Any]]:
        """The messages of which something is expected."""
        return self.messages or ([] if self.message is None else [self.message])

    @property
    def statuses(self) -> list[int]:
        """Their numbers."""
        return [STATUSES.index(name) for name in ([self.status] if isinstance(self.status, str) else self.status)]
