"""Calls by gRPC in the engine's plan; see docs/engine-protocol.md."""

from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict


class GrpcEnd(Strict):
    """How a call must end. An answer that is whole later than the deadline after it was sent is DEADLINE_EXCEEDED."""

    status: list[int]
    deadline_seconds: float | None = None


class FieldPlan(Strict):
    """What must stand in one field of a message: bits of numbers, base64 of texts and bytes, or fields of messages."""

    name: str
    number: int
    kind: str
    occurs: Literal["once", "repeated", "map"] = "once"
    values: "list[int | str | list[FieldPlan]]"


class MessageBody(Strict):
    """The one message of a unary call's answer."""

    fields: list[FieldPlan] = Field(default_factory=list)
    kind: Literal["message"] = "message"
