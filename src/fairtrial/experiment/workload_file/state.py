"""The state of a workload: what a database holds before a trial, and what it must hold after it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairtrial.base.registry import did_you_mean
from fairtrial.base.strict import Strict

WITHIN_SECONDS = 60.0
LONGEST_SECONDS = 3600.0
COUNT = re.compile(r"\{\{\s*(acknowledged|sent)\s+(\S+)\s*\}\}")


@dataclass(frozen=True)
class Count:
    """How many requests of one name there were since the reset."""

    which: Literal["acknowledged", "sent"]
    """`acknowledged`: answered as expected; `sent`: handed to the network, answered or not"""
    request: str

    def __str__(self) -> str:
        return f"{{{{{self.which} {self.request}}}}}"


Bound = int | Count


def _bound(text: int | str) -> int | str:
    _bound_of(text)
    return text


def _bound_of(text: int | str) -> Bound:
    """A bound as it stands in the file.

    Raises:
        ValueError: it is neither a whole number nor one of the two placeholders.
    """
    if isinstance(text, int):
        return text
    match = COUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"{text!r:.80} is no bound: write a whole number, {{{{acknowledged NAME}}}} or {{{{sent NAME}}}}, with the "
            "name of a request"
        )
    return Count("acknowledged" if match[1] == "acknowledged" else "sent", match[2])


WrittenBound = Annotated[int | str, AfterValidator(_bound)]
Command = Annotated[list[str], Field(min_length=1)]
Files = str | Annotated[list[str], Field(min_length=1)]


class StateStep(Strict):
    """A step that a database or a program takes."""

    sql: str | None = Field(None, min_length=1)
    command: Command | None = Field(None, description="word by word, run in the folder of the workload file")
    within_seconds: float = Field(WITHIN_SECONDS, gt=0, le=LONGEST_SECONDS, description="how long it may take")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.sql is None) == (self.command is None):
            raise ValueError('name one of `sql` and `command`, such as command = ["./state.sh"]')
        if self.command is not None and not self.command[0]:
            raise ValueError("command: its first word is empty")
        return self


class Reset(StateStep):
    """The way back to the state before each trial: `reset = { sql = "reset.sql" }`. `sql` is a file."""


class AuditEntry(StateStep):
    """The rows demanded after a trial: `[audit.NAME]`. `sql` is one statement that answers with one number."""

    equals: WrittenBound | None = None
    between: list[WrittenBound] | None = Field(None, description="the lowest and the highest number")

    @model_validator(mode="after")
    def _one_expectation(self) -> Self:
        if (self.equals is None) == (self.between is None):
            raise ValueError('name one of `equals` and `between`, such as equals = "{{acknowledged order}}"')
        if self.between is not None and len(self.between) != 2:
            raise ValueError("between: the lowest and the highest number")
        low, high = self.bounds
        if isinstance(low, int) and isinstance(high, int) and low > high:
            raise ValueError(f"between: {low} is above {high}")
        return self

    @property
    def bounds(self) -> tuple[Bound, Bound]:
        """The lowest and the highest number that is right."""
        low, high = (self.equals, self.equals) if self.between is None else self.between
        assert low is not None and high is not None
        return _bound_of(low), _bound_of(high)

    @property
    def proven(self) -> list[str]:
        """The requests of which it proves that they were stored: those whose number is the lowest that is right."""
        low, _ = self.bounds
        return [low.request] if isinstance(low, Count) else []


def files_of(files: Files) -> Sequence[str]:
    """One file or several, in the order in which they are loaded."""
    return [files] if isinstance(files, str) else files


def assert_requests_exist(audits: Mapping[str, AuditEntry], requests: Mapping[str, object]) -> None:
    """Require that audits name requests that there are.

    Raises:
        ValueError: one names another; the message begins with its key.
    """
    for name, audit in audits.items():
        for bound in audit.bounds:
            if isinstance(bound, Count) and bound.request not in requests:
                hint = did_you_mean(bound.request, requests)
                raise ValueError(f"audit.{name}: {bound}: there is no [requests.{bound.request}]{hint}")
