"""Calls by gRPC in the engine's plan; see docs/engine-protocol.md."""

from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict


class GrpcEnd(Strict):
    """How a call must end. An answer that is whole later than the deadline after it was sent is DEADLINE_EXCEEDED."""

    status: list[int]
    deadline_seconds: float | None = None


class FieldPlan(Strict):
    """The value that one field of a message must have: bits of a number, base64 of a text or bytes, or fields."""

    name: str
    number: int
    kind: str
    occurs: Literal["once", "repeated", "map"] = "once"
    values: "list[int | str | list[FieldPlan]]"


class MessageBody(Strict):
    """The one message of a unary call's answer."""

    fields: list[FieldPlan] = Field(default_factory=list)
    kind: Literal["message"] = "message"
