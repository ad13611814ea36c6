"""Contenders that an experiment describes itself: `[contenders.NAME]`, beside those that are stacks by name."""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from fairtrial.base.strict import LONGEST_TITLE
from fairtrial.experiment.origins import NOT_STARTED, ORIGINS, Described
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.variables import StartCommand, Variables

Words = Annotated[list[str], Field(min_length=1)]
"""A command, word by word: no shell reads it."""

WORKING_TREE = "working-tree"
"""In the place of a commit: the folder as it is, with what is not committed."""

SHORT_HASH = 12
"""Characters of a hash that name a commit in all but the largest repositories, and are short in a table."""


def _no_option(ref: str) -> str:
    """Refuse what git would take for an option, or a terminal for more than text."""
    if ref.startswith("-") or not re.fullmatch(r"[!-~]+", ref):
        raise ValueError("a ref is a branch, a tag or a commit: printable ASCII that does not begin with a hyphen")
    return ref


Ref = Annotated[str, AfterValidator(_no_option)]

NAMED_BY = ("folder", *ORIGINS)
"""The keys of which a contender has one."""


class Contender(Described):
    """One contender that an experiment describes, of whatever kind."""

    title: str = Field("", max_length=LONGEST_TITLE, description="shown in reports; empty: its name")
    folder: str | None = Field(
        None, description="relative to the experiment's file; it has a stack.toml, or `command` here says how to run it"
    )
    command: StartCommand | None = Field(None, min_length=1)
    build: list[Words] = Field(default_factory=list, description="commands that build the copy of `folder`")
    env: Variables = Field(default_factory=dict, description="variables for `command`; they are recorded")
    refs: list[Ref] = Field(default_factory=list, description="commits, branches or tags of the repository of `folder`")
    git: str | None = Field(None, description="two refs, `BEFORE..AFTER`, in place of `refs`")

    @field_validator("git")
    @classmethod
    def _is_a_range(cls, value: str | None) -> str | None:
        if value is None:
            return None
        ends = value.split("..")
        if len(ends) != 2 or not all(ends) or ends[1].startswith("."):
            raise ValueError("write BEFORE..AFTER, such as main..HEAD")
        return "..".join(map(_no_option, ends))

    @model_validator(mode="before")
    @classmethod
    def _named_in_one_way(cls, table: Any) -> Any:
        if isinstance(table, dict):
            names = [name for name in NAMED_BY if table.get(name) is not None]
            if len(names) > 1:
                raise ValueError(f"set one of {', '.join(NAMED_BY)}, not {' and '.join(names)}")
        return table

    @model_validator(mode="after")
    def _agrees_with_its_origin(self) -> Self:
        origin = self.origin
        if origin.kind == "folder" and self.folder is None:
            raise ValueError(f"set one of {', '.join(NAMED_BY)}")
        if self.build and origin.why_not_built:
            instead = "dockerfile" if origin.in_container else "folder"
            raise ValueError(f"build: {origin.why_not_built}: leave it out, or write `{instead}`")
        origin.assert_variables(self.env)
        if origin.kind == "command" and self.command is None:
            raise ValueError("command: missing; it says what is run in `directory`")
        keys = {name for name in ("command", "build", "env") if getattr(self, name)}
        if origin.runs_already and keys:
            raise ValueError(f"{min(keys)}: {NOT_STARTED}")
        if self.has_manifest:
            keys |= {name for name in type(origin).model_fields if getattr(origin, name)}
            if keys:
                raise ValueError(f"{min(keys)}: without `command`, the stack.toml of `folder` says it")
        self._assert_refs()
        return self

    def _assert_refs(self) -> None:
        if self.git is not None and self.refs:
            raise ValueError("git: `refs` says it already: leave one of them out")
        if self.tried_refs and self.folder is None:
            raise ValueError("refs: they are of the repository that `folder` is in: set it")
        slugs = list(self.tried_refs)
        if len(slugs) != (len(self.refs) or (2 if self.git else 0)):
            raise ValueError(f"refs: two of them have one name as a variant: {', '.join(slugs)}")
        if len(slugs) == 1:
            raise ValueError("refs: name two of them or more, to try them against each other")

    @property
    def has_manifest(self) -> bool:
        """Whether the stack.toml of its folder says how it is built and run."""
        return self.folder is not None and self.command is None

    @property
    def tried_refs(self) -> dict[str, str]:
        """The refs, by the variant that each of them is tried as: `main`, `v1-2`, `feature-x`."""
        refs = self.git.split("..", 1) if self.git is not None else self.refs
        return {slug_of(ref): ref for ref in refs}


def short_ref(ref: str) -> str:
    """A ref for readers: of a whole commit id, as CI services give it, as many digits as tell it
    from others."""
    return ref[:SHORT_HASH] if re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", ref) else ref


def slug_of(ref: str) -> str:
    """A ref as a variant's name: `feature-x` for `feature/x`, `head` for `HEAD`, `head-1` for `HEAD~1`."""
    slug = re.sub(r"[^a-z0-9]+", "-", short_ref(ref).lower()).strip("-") or "ref"
    return "ref-default" if slug == "default" else slug


def with_refs(stacks: Any, contenders: Any) -> Any:
    """The `stacks` of an experiment's file, with a contender of several refs in place of its bare name: one for each.

    What does not fit the models is left as it is: they refuse it in words of their own.
    """
    if not isinstance(stacks, list) or not isinstance(contenders, dict):
        return stacks
    expanded: list[Any] = []
    for each in stacks:
        try:
            stack = StackRef.model_validate(each)
            refs = Contender.model_validate(contenders[stack.name]).tried_refs if stack.name in contenders else {}
        except ValueError:
            expanded.append(each)
            continue
        bare = bool(refs) and stack.variant == "default"
        expanded += [stack.model_copy(update={"variant": variant}) for variant in refs] if bare else [each]
    return expanded
