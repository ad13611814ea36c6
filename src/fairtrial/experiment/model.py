"""What an experiment file may say. Loading one from disk, with good errors, is `experiment.load`."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_serializer,
    model_validator,
)

SLUG = r"^[a-z0-9][a-z0-9-]*$"
"""Names of experiments, stacks, variants and claims: they become folder names and JSON keys."""


class Strict(BaseModel):
    """A model that refuses unknown keys and cannot be changed after it was made."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ClosedLoad(Strict):
    """`connections` clients, each of which sends its next request when its last answer is complete."""

    kind: Literal["closed"] = "closed"
    connections: int = Field(16, ge=1, le=60_000)
    warmup_seconds: float = Field(1.0, ge=0, le=3600)
    duration_seconds: float = Field(3.0, gt=0, le=86_400)
    keep_alive: bool = True
    timeout_seconds: float = Field(10.0, gt=0, le=3600)

    def describe(self) -> str:
        """The load in words, as printed beside every figure: `closed, 16 connections, keep-alive`."""
        noun = "connection" if self.connections == 1 else "connections"
        reuse = "keep-alive" if self.keep_alive else "one request a connection"
        return f"{self.kind}, {self.connections} {noun}, {reuse}"

    def lengths(self) -> str:
        """How long it is measured, in words."""
        return f"{self.duration_seconds:g} s after {self.warmup_seconds:g} s of warm-up"

    @property
    def planned_seconds(self) -> float:
        """How long it takes, as far as the plan tells."""
        return self.warmup_seconds + self.duration_seconds


class ProgramLoad(Strict):
    """No load at all: the contender is a program that does its job and ends. It is started anew for each trial."""

    kind: Literal["program"] = "program"
    timeout_seconds: float = Field(600.0, gt=0, le=86_400)

    def describe(self) -> str:
        """As printed beside every figure."""
        return "a program, timed from its start to its end"

    def lengths(self) -> str:
        """How long it is measured, in words."""
        return f"at most {self.timeout_seconds:g} s"

    @property
    def planned_seconds(self) -> float:
        """Nobody knows how long a job takes: nothing, until trials have been seen."""
        return 0.0


def _kind_of_load(value: Any) -> str:
    return str(value.get("kind", "closed")) if isinstance(value, dict) else str(value.kind)


Load = Annotated[
    Annotated[ClosedLoad, Tag("closed")] | Annotated[ProgramLoad, Tag("program")], Discriminator(_kind_of_load)
]


class StackRef(Strict):
    """A contender by name: `node-http`, `node-http:two-workers` for one of its variants, and with `@mariadb` behind it
    on another service than the experiment's."""

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
        named = self.name if self.variant == "default" else f"{self.name}:{self.variant}"
        return f"{named}@{self.service}" if self.service else named


class DatasetOptions(Strict):
    """The rows that every trial starts from."""

    rows: int | None = Field(None, ge=1, le=100_000_000, description="null: the workload's own number")
    seed: int = Field(1, ge=0, lt=2**63)
    gaps: float = Field(0.0, ge=0, lt=0.95, description="share of ids that hold no row")


class ServiceOptions(Strict):
    """How one of an experiment's services is brought up: `[services.NAME]`."""

    variant: str = Field("default", pattern=SLUG)
    url_from: str | None = Field(
        None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="the environment variable that holds the URL of one that runs already; never the URL itself, "
        "which may hold a password and would be recorded",
    )

    @model_validator(mode="after")
    def _no_variant_of_others(self) -> Self:
        if self.url_from is not None and self.variant != "default":
            raise ValueError("variant: settings of a service that is given by URL are its own")
        return self


class RatioClaim(Strict):
    """`metric` of one condition divided by that of another, paired within each block."""

    kind: Literal["ratio"]
    id: str = Field(pattern=SLUG)
    text: str = Field(min_length=1)
    source: str | None = None
    published: float | None = Field(None, description="the ratio that the source gives")
    metric: str = "goodput"
    of: StackRef
    to: StackRef
    at_least: float | None = Field(None, gt=0)
    at_most: float | None = Field(None, gt=0)

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a ratio claim needs at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least is above at_most")
        if self.of == self.to:
            raise ValueError("`of` and `to` name the same stack")
        return self


Claim = Annotated[RatioClaim, Field()]
"""Every kind of claim; becomes a union discriminated by `kind` as kinds are added."""


class Experiment(Strict):
    """One experiment file."""

    name: str = Field(pattern=SLUG)
    title: str = Field(min_length=1)
    summary: str = ""
    workload: str
    service: str = "none"
    cache: str | None = Field(
        None, description="the service that stands beside the database, where the workload has one"
    )
    services: dict[str, ServiceOptions] = Field(default_factory=dict)
    instances: int = Field(1, ge=1, le=64, description="how often each stack is started, behind the balancer")
    balancer: str | None = Field(None, description="what spreads the requests over the instances")
    stacks: list[StackRef] = Field(min_length=1)
    blocks: int = Field(5, ge=1, le=1000)
    seed: int = Field(1, ge=0, lt=2**63)
    options: dict[str, Any] = Field(default_factory=dict, description="the workload's own: docs/workloads.md")
    dataset: DatasetOptions = DatasetOptions.model_construct(rows=None, seed=1, gaps=0.0)
    load: Load
    checks: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="thresholds that differ from a check's own: [checks.NAME] KEY = VALUE",
    )
    claims: list[Claim] = Field(default_factory=list)

    def service_of(self, stack: StackRef) -> str:
        """The service that a stack is tried on."""
        return stack.service or self.service

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.instances > 1 and self.balancer is None:
            raise ValueError("instances: more than one needs a balancer in front: set `balancer`")
        contenders = [str(stack) for stack in self.stacks]
        for name in contenders:
            if contenders.count(name) > 1:
                raise ValueError(f"stacks: {name} is named twice")
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"claims: id {claim.id!r} is used twice")
            seen.add(claim.id)
            for side in (claim.of, claim.to):
                if str(side) not in contenders:
                    raise ValueError(
                        f"claims: {claim.id!r} speaks of {side}, which is not among stacks: {', '.join(contenders)}"
                    )
        return self
