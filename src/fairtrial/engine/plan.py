"""What the engine is told to do: the plan of docs/engine-protocol.md, as models."""

from typing import Literal

from pydantic import Field

from fairtrial.engine.dataset import DatasetSpec
from fairtrial.experiment.model import Strict


class BodyRange(Strict):
    """Allowed lengths of an answer's body, both ends included."""

    min: int
    max: int


class AnyBody(Strict):
    kind: Literal["any"] = "any"


class ExactBody(Strict):
    text: str
    kind: Literal["exact"] = "exact"


class RowBody(Strict):
    """A JSON object with these fields of one row of the plan's dataset."""

    fields: list[str]
    kind: Literal["row"] = "row"


class Expectation(Strict):
    """What must be true of an answer for it to count."""

    status: list[int] | None = None
    content_type: str | None = None
    body_bytes: BodyRange | None = None
    body: AnyBody | ExactBody | RowBody = AnyBody()
    check_every: int = 16


class Request(Strict):
    """One kind of request and its share in the mix."""

    name: str
    path: str
    method: str = "GET"
    headers: list[tuple[str, str]] = Field(default_factory=list)
    body: str | None = None
    weight: int = 1
    expect: Expectation = Expectation()


class EngineLoad(Strict):
    connections: int
    kind: Literal["closed"] = "closed"


class StopAfterSeconds(Strict):
    seconds: float
    kind: Literal["seconds"] = "seconds"


class StopAfterRequests(Strict):
    requests: int
    kind: Literal["requests"] = "requests"


class EnginePlan(Strict):
    """One run of the engine."""

    address: str
    requests: list[Request]
    load: EngineLoad
    stop: StopAfterSeconds | StopAfterRequests
    warmup_seconds: float = 0.0
    keep_alive: bool = True
    timeout_seconds: float = 10.0
    threads: int = 1
    cpus: list[int] = Field(default_factory=list)
    seed: int = 1
    host: str | None = None
    dataset: DatasetSpec | None = None
    progress_every_seconds: float = 0.25
    protocol: Literal[1] = 1

    def to_json(self) -> str:
        """The plan as the engine reads it; what is left out takes the engine's default."""
        return self.model_dump_json(exclude_none=True)
