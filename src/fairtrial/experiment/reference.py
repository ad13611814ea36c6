"""How an experiment file names a stack, and a stack at one value of the sweep."""

import re
from typing import Any, Self

from pydantic import Field, model_serializer, model_validator

from fairtrial.base.strict import SLUG, Strict
from fairtrial.experiment.value import Value, format_value, parse_value


class StackRef(Strict):
    """A stack by name: `node-http`; `node-http:two-workers` for one of its variants; `node-http@mariadb` on another
    service than the experiment's."""

    name: str = Field(pattern=SLUG)
    variant: str = Field("default", pattern=SLUG)
    service: str | None = Field(None, pattern=SLUG, description="null: the experiment's")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            parts = re.fullmatch(r"([a-z0-9-]+)(?::([a-z0-9-]+))?(?:@([a-z0-9-]+))?", value)
            if parts is None:
                raise ValueError(
                    "a stack is written NAME, NAME:VARIANT or NAME:VARIANT@SERVICE, in lower-case letters, digits and "
                    "hyphens"
                )
            return {"name": parts[1], "variant": parts[2] or "default", "service": parts[3]}
        return value

    @model_serializer
    def _to_text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        text = self.name if self.variant == "default" else f"{self.name}:{self.variant}"
        return f"{text}@{self.service}" if self.service else text


class ConditionRef(Strict):
    """A condition as a claim names it: `STACK`, or `STACK at VALUE` where the experiment sweeps a parameter."""

    stack: StackRef
    at: Value | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            stack, separator, at = value.partition(" at ")
            if separator and (not at or " " in at):
                raise ValueError(
                    f"`at {at}`: write a value of the sweep after `at`, as in `node-http at 100` or "
                    "`node-http at upsert`"
                )
            return {"stack": stack, "at": parse_value(at) if separator else None}
        return value

    @classmethod
    def of(cls, stack: StackRef, at: Value | None = None) -> Self:
        """The condition of this stack at this value of the sweep."""
        return cls(stack=stack, at=at)

    @model_serializer
    def _to_text(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return str(self.stack) if self.at is None else f"{self.stack} at {format_value(self.at)}"
