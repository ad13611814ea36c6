"""The model of `stack.toml`."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairtrial.base.problem import Problem
from fairtrial.base.strict import SLUG, Strict
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.stack_class import PRODUCTION, StackClass

Command = list[str]


def _no_empty_command(commands: list[Command]) -> list[Command]:
    if any(not command for command in commands):
        raise ValueError("a command is a list of at least one word")
    return commands


BuildCommands = Annotated[list[Command], AfterValidator(_no_empty_command)]
"""In these, `{services}` stands for the services that the run uses, separated by commas."""


class Requirement(Strict):
    """A command that must be installed, and how to install it."""

    command: Command = Field(min_length=1)
    minimum: str | None = Field(None, pattern=r"^\d+(\.\d+)*$")
    remedy: str = Field(min_length=1)


class Variant(Strict):
    """Settings under which the same stack can be run, and a build of its own if it has one."""

    title: str = ""
    stack_class: StackClass | None = Field(None, alias="class", description="null: the stack's")
    env: dict[str, str] = Field(default_factory=dict)
    args: Command = Field(default_factory=list)
    build: BuildCommands | None = Field(None, description="in place of the stack's; null: it shares the stack's build")
    requires: list[Requirement] = Field(default_factory=list, description="what its build needs beside the stack's")

    @model_validator(mode="after")
    def _requires_for_its_build(self) -> Self:
        if self.requires and self.build is None:
            raise ValueError("`requires` of a variant is about its own build: give it `build`, or the stack `requires`")
        return self


class Stack(Strict):
    """One contender, as its folder describes it."""

    name: str = Field(pattern=SLUG)
    folder: Path
    title: str = Field(min_length=1)
    language: str
    framework: str
    server: str
    concurrency: str
    kind: Literal["server", "program"] = "server"
    stack_class: StackClass = Field(PRODUCTION, alias="class", description="docs/stack-contract.md, Classes")
    workloads: list[str] = Field(default_factory=list, description="of the lab's; a workload file needs no name here")
    services: list[str] = Field(min_length=1)
    build: BuildCommands = Field(default_factory=list)
    run: Command = Field(min_length=1)
    ready_within_seconds: float = Field(30.0, gt=0, le=600)
    requires: list[Requirement] = Field(default_factory=list)
    variants: dict[str, Variant] = Field(default_factory=dict)

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

    def built_apart(self, variant: str) -> str | None:
        """Return `variant` if it has a build of its own, or None: it shares the stack's build with all others."""
        named = self.variants.get(variant)
        return None if named is None or named.build is None else variant

    def build_name(self, built_apart: str | None) -> str:
        """What to call a build: the stack's name, or `NAME:VARIANT` for the one that a variant has to itself."""
        return self.name if built_apart is None else f"{self.name}:{built_apart}"

    def build_commands(self, built_apart: str | None) -> list[Command]:
        """The commands of the stack's build, or of the one that a variant has to itself."""
        own = None if built_apart is None else self.variants[built_apart].build
        return self.build if own is None else own

    def requirements(self, built_apart: str | None) -> list[Requirement]:
        """What the stack requires, and what the build of a variant requires beside it."""
        return self.requires if built_apart is None else [*self.requires, *self.variants[built_apart].requires]
