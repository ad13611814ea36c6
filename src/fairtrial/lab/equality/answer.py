"""Answers as the engine keeps them: docs/engine-protocol.md, "A reference"."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from pydantic import Field

from fairtrial.base.json_members import once_each
from fairtrial.base.strict import Strict

Instance = tuple[str, int]
"""The name of a request, and which of its instances, from 0."""


class GivenAnswer(Strict):
    """A server's answer. All texts come from it."""

    status: int
    content_type: str
    body: str | None = Field(description="null where it was not kept")
    fault: str | None = Field(None, description="why no answer is equal to it; null: one may be")

    @property
    def media_type(self) -> str:
        """Without parameters, in lower case."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def is_json(self) -> bool:
        """Whether it is compared as JSON, if it can be parsed: as the engine decides it."""
        return self.media_type.endswith("json") or (self.body or "").lstrip()[:1] in ("{", "[")

    def value(self) -> Any:
        """The body's JSON.

        Raises:
            ValueError: it is none, or was not kept.
            MemberTwice: an object has two members of one name.
        """
        try:
            return json.loads(self.body or "", object_pairs_hook=once_each)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


class KeptAnswer(GivenAnswer):
    """One line of the engine's file: an answer, and what it answers."""

    request: str
    instance: int
    asked: str
    rows: dict[str, int]
    digest: str | None

    def is_equal(self, other: "KeptAnswer") -> bool:
        """Whether both say the same, as far as the digest tells."""
        return (
            self.digest is not None
            and (self.status, self.media_type, self.digest) == (other.status, other.media_type, other.digest)
        )  # fmt: skip


def read_answers(file: Path, instances: Collection[Instance] | None = None) -> dict[Instance, KeptAnswer]:
    """The answers of a file by what they answer; of an instance that was asked twice, the first.

    Args:
        instances: that are of interest; None: all.
    """
    answers: dict[Instance, KeptAnswer] = {}
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            answer = KeptAnswer.model_validate_json(line)
            instance = (answer.request, answer.instance)
            if instances is None or instance in instances:
                answers.setdefault(instance, answer)
    return answers
