"""The model of `stack.toml`."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.base.strict import LONGEST_TITLE, SLUG, Strict
from fairtrial.catalog.workloads.model import Workload
from fairtrial.experiment.origins import Described
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.stack_class import PRODUCTION, StackClass
from fairtrial.experiment.variables import StartCommand, Variables
from fairtrial.load.engine_terms import Protocol

Command = list[str]


def _no_empty_command(commands: list[Command]) -> list[Command]:
    if any(not command for command in commands):
        raise ValueError("a command is a list of at least one word")
    return commands


IDENTIFIER = r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*"
LICENCE = re.compile(rf"{IDENTIFIER}( (AND|OR|WITH) {IDENTIFIER})*")
"""The form of an SPDX expression (SPDX specification 2.3, annex D); the list of identifiers is not held against it."""


def _is_spdx(licence: str) -> str:
    if licence and not LICENCE.fullmatch(licence):
        raise ValueError("write an SPDX expression, such as MIT or Apache-2.0 OR MIT (spdx.org/licenses)")
    return licence


BuildCommands = Annotated[list[Command], AfterValidator(_no_empty_command)]
"""In these, `{services}` stands for the services that the run uses, separated by commas."""


class Requirement(Strict):
    """A command that must be installed, and how to install it."""

    command: Command = Field(min_length=1)
    minimum: str | None = Field(None, pattern=r"^\d+(\.\d+)*$")
    remedy: str = Field(min_length=1)


class Variant(Strict):
    """Settings under which the same stack can be run, and a build of its own if it has one."""

    title: str = Field("", max_length=LONGEST_TITLE)
    stack_class: StackClass | None = Field(None, alias="class", description="null: the stack's")
    env: Variables = Field(default_factory=dict)
    args: Command = Field(default_factory=list)
    build: BuildCommands | None = Field(None, description="in place of the stack's; null: it shares the stack's build")
    requires: list[Requirement] = Field(default_factory=list, description="what its build needs beside the stack's")
    http2: bool | None = Field(None, description="null: as the stack says")

    @model_validator(mode="after")
    def _requires_for_its_build(self) -> Self:
        if self.requires and self.build is None:
            raise ValueError("`requires` of a variant is about its own build: give it `build`, or the stack `requires`")
        return self


class Checkout(Strict):
    """The source of a variant at one commit of a git repository."""

    folder: Path
    commit: str | None = Field(description="null: the working tree, with what is not committed")


class Stack(Described):
    """One contender, as its folder or an experiment describes it."""

    name: str = Field(pattern=SLUG)
    folder: Path = Field(description="to which its paths are relative")
    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    language: str = ""
    framework: str = ""
    licence: Annotated[str, AfterValidator(_is_spdx)] = Field(
        "", description="of the framework, or of the server where there is none: an SPDX expression; empty: not told"
    )
    server: str = ""
    concurrency: str = ""
    kind: Literal["server", "program"] = "server"
    stack_class: StackClass = Field(PRODUCTION, alias="class", description="docs/stack-contract.md, Classes")
    workloads: list[str] = Field(default_factory=list, description="of the lab's; a workload file needs no name here")
    services: list[str] = Field(min_length=1)
    build: BuildCommands = Field(default_factory=list)
    run: StartCommand = Field(default_factory=list)
    requires: list[Requirement] = Field(default_factory=list)
    variants: dict[Annotated[str, Field(pattern=SLUG)], Variant] = Field(default_factory=dict)
    in_experiment: bool = Field(False, description="an experiment describes it, no stack.toml; only the lab sets it")
    checkouts: dict[str, Checkout] = Field(
        default_factory=dict, description="by variant, where its own source is; only the lab sets it"
    )

    @model_validator(mode="before")
    @classmethod
    def _run_in_one_way(cls, table: Any) -> Any:
        if isinstance(table, dict):
            names = [name for name in ("image", "dockerfile", "compose") if table.get(name) is not None]
            if len(names) > 1:
                raise ValueError(f"{names[1]}: `{names[0]}` says what is run: leave one of them out")
            if names and (table.get("directory") is not None or table.get("kind") == "program"):
                raise ValueError("image: what runs in a container is a server, and has no `directory`")
        return table

    @model_validator(mode="after")
    def _agrees_with_its_origin(self) -> Self:
        origin = self.origin
        if (self.build or any(each.build for each in self.variants.values())) and origin.why_not_built:
            remedy = "leave it out, or write `dockerfile`" if origin.in_container else "leave one of them out"
            raise ValueError(f"build: {origin.why_not_built}: {remedy}")
        if origin.is_started_here and not self.run:
            raise ValueError("run: missing; it must be set")
        origin.assert_variables(name for each in self.variants.values() for name in each.env)
        return self

    def checkout(self, built_apart: str | None) -> Checkout | None:
        """The source that a variant has to itself, or None: it shares the stack's folder."""
        return None if built_apart is None else self.checkouts.get(built_apart)

    def source(self, built_apart: str | None) -> Path:
        """The folder that holds the source of the stack, or of a variant that has one of its own."""
        checkout = self.checkout(built_apart)
        return self.folder if checkout is None else checkout.folder

    def class_of(self, variant: Variant) -> StackClass:
        """The class of one of its variants: the variant's own, or else the stack's."""
        return variant.stack_class or self.stack_class

    def implements(self, workload: Workload | None, service: str) -> bool:
        """Whether the manifest names the workload and the service, and the stack is of the workload's kind.

        Args:
            workload: None: a workload file. Any server can be tried on one, and its manifest need not name it.
        """
        has_workload = workload is None or not workload.services or workload.name in self.workloads
        kind = "server" if workload is None else workload.kind
        return has_workload and service in self.services and self.kind == kind

    def spoken_beside(self, variant: Variant) -> list[Protocol]:
        """What one of its variants says that it speaks beside HTTP/1.1: the variant itself, or else the stack."""
        over_tcp = self.origin.http2 if variant.http2 is None else variant.http2
        spoken: dict[Protocol, bool] = {"HTTP/2": over_tcp, "HTTP/3": self.origin.speaks_http3}
        return [protocol for protocol, speaks in spoken.items() if speaks]

    def variant(self, reference: StackRef) -> Variant:
        """Return the variant that `reference` names.

        Raises:
            Problem: the stack has no such variant.
        """
        if reference.variant == "default":
            return self.variants.get("default", Variant())
        if reference.variant not in self.variants:
            allowed = ["default", *sorted(self.variants.keys() - {"default"})]
            hint = instead_of(reference.variant, allowed)
            raise Problem(f"stack {self.name} has no variant {reference.variant!r}{hint}", "name one of these")
        return self.variants[reference.variant]

    def built_apart(self, variant: str) -> str | None:
        """Return `variant` if it has a build of its own, or None: it shares the stack's build with all others."""
        variant_with_build = self.variants.get(variant)
        return None if variant_with_build is None or variant_with_build.build is None else variant

    def build_name(self, built_apart: str | None) -> str:
        """A build's name: the stack's name, or `NAME:VARIANT` for the one that a variant has to itself."""
        return self.name if built_apart is None else f"{self.name}:{built_apart}"

    def build_commands(self, built_apart: str | None) -> list[Command]:
        """The commands of the stack's build, or of the one that a variant has to itself."""
        variant_build = None if built_apart is None else self.variants[built_apart].build
        return self.build if variant_build is None else variant_build

    def requirements(self, built_apart: str | None) -> list[Requirement]:
        """The stack's requirements, and those of a variant's build beside them."""
        return self.requires if built_apart is None else [*self.requires, *self.variants[built_apart].requires]
