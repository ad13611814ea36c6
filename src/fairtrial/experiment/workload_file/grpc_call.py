"""Calls by gRPC in a workload file: `grpc` of a request, and `expect.grpc`."""

from collections.abc import Collection, Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from fairtrial.base.registry import did_you_mean
from fairtrial.base.strict import Strict
from fairtrial.base.units import parse_duration
from fairtrial.experiment.workload_file.placeholders import placeholders_in
from fairtrial.experiment.workload_file.texts import json_strings

STATUSES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)  # fmt: skip
"""The names of gRPC's statuses, each at its number."""

MOST_DIGITS = 8
"""Of the number in grpc-timeout."""


def _status(name: str) -> str:
    if name not in STATUSES:
        hint = did_you_mean(name, STATUSES)
        raise ValueError(f'{name!r} is no status of gRPC{hint}: write one such as "NOT_FOUND"')
    return name


def _timeout(text: str) -> str:
    try:
        seconds = parse_duration(text)
    except ValueError:
        seconds = -1.0
    if not 0.000_001 <= seconds < 10**MOST_DIGITS:
        raise ValueError(f'{text!r} is no time from 1 us on: write one such as "200 ms"')
    return text


def _message(message: dict[str, Any]) -> dict[str, Any]:
    for pointer, text in json_strings(message):
        for each in placeholders_in(text):
            if each.name != "env":
                raise ValueError(f"{pointer}: {each} cannot stand in a message: only {{{{env NAME}}}}")
    return message


Message = Annotated[dict[str, Any], AfterValidator(_message)]
"""As JSON writes it."""
Status = Annotated[str, AfterValidator(_status)]


def assert_call(body_keys: Iterable[str], expect_keys: Collection[str], take: Collection[str]) -> None:
    """Raise a ValueError if a call has what belongs to other requests.

    Args:
        body_keys: what says what its body is.
        expect_keys: what is said of its answer.
        take: the variables that it takes.
    """
    for key in body_keys:
        raise ValueError(f"{key}: the body of a call is its `message`: leave {key} out")
    for key in expect_keys:
        if key not in ("grpc", "trailer"):
            raise ValueError(f"expect.{key}: of a call, `expect.grpc` says what the answer is: leave {key} out")
    if take:
        raise ValueError("take: of calls, no value is taken: leave it out")


class GrpcCall(Strict):
    """A call of a method."""

    proto: str = Field(min_length=1, description="the file that describes the service, relative to the workload file")
    method: str = Field(pattern=r"^[A-Za-z_][\w.]*/[A-Za-z_]\w*$", description="`package.Service/Method`")
    message: Message = Field(default_factory=dict, description="as JSON writes such a message")
    timeout: Annotated[str, AfterValidator(_timeout)] | None = Field(
        None, description="the call's deadline: `grpc-timeout`, and a later answer counts as DEADLINE_EXCEEDED"
    )

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
    """What a call must end with."""

    status: Status | list[Status] = Field("OK", description="its status, or several that are right")
    message: Message | None = Field(
        None, description="fields of the answer's message, as JSON writes them; others do not matter"
    )

    @property
    def statuses(self) -> list[int]:
        """Their numbers."""
        return [STATUSES.index(name) for name in ([self.status] if isinstance(self.status, str) else self.status)]
