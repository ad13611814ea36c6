"""The model of `stack.toml`."""

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from fairtrial.base.problem import Problem
from fairtrial.base.strict import SLUG, Strict
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.stack_class import PRODUCTION, StackClass

Command = list[str]


class Requirement(Strict):
    """A command that must be installed, and how to install it."""

    command: Command = Field(min_length=1)
    minimum: str | None = Field(None, pattern=r"^\d+(\.\d+)*$")
    remedy: str = Field(min_length=1)


class Variant(Strict):
    """Settings under which the same stack can be run."""

    title: str = ""
    stack_class: StackClass | None = Field(None, alias="class", description="null: the stack's")
    env: dict[str, str] = Field(default_factory=dict)
    args: Command = Field(default_factory=list)


class Stack(Strict):
    """One contender, as its folder describes it.

    In `build`, `{services}` stands for the services that the run uses, separated by commas.
    """

    name: str = Field(pattern=SLUG)
    folder: Path
    title: str = Field(min_length=1)
    language: str
    framework: str
    server: str
    concurrency: str
    kind: Literal["server", "program"] = "server"
    stack_class: StackClass = Field(PRODUCTION, alias="class", description="docs/stack-contract.md, Classes")
    workloads: list[str] = Field(min_length=1)
    services: list[str] = Field(min_length=1)
    build: list[Command] = Field(default_factory=list)
    run: Command = Field(min_length=1)
    ready_within_seconds: float = Field(30.0, gt=0, le=600)
    requires: list[Requirement] = Field(default_factory=list)
    variants: dict[str, Variant] = Field(default_factory=dict)

    @field_validator("build")
    @classmethod
    def _no_empty_command(cls, commands: list[Command]) -> list[Command]:
        if any(not command for command in commands):
            raise ValueError("a command is a list of at least one word")
        return commands

    def class_of(self, variant: Variant) -> StackClass:
        """The class of one of its variants: the variant's own, or else the stack's."""
        return variant.stack_class or self.stack_class

    def variant(self, reference: StackRef) -> Variant:
        """Return the variant that `reference` names.

        Raises:
            Problem: the stack has no such variant.
        """
        if reference.variant == "default":
            return self.variants.get("default", Variant())
        if reference.variant not in self.variants:
            allowed = ", ".join(["default", *sorted(self.variants.keys() - {"default"})])
            raise Problem(f"stack {self.name} has no variant {reference.variant!r}; it has: {allowed}")
        return self.variants[reference.variant]
