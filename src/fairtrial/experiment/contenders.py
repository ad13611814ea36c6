"""Contenders that an experiment describes itself: `[contenders.NAME]`, beside those that are stacks by name."""

import re
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from fairtrial.base.printable import printable
from fairtrial.base.strict import LONGEST_TITLE, Strict
from fairtrial.experiment.container import IMAGE, SERVICE, ContainerNetwork, assert_container
from fairtrial.experiment.env_from import EnvFrom
from fairtrial.experiment.ready import Ready
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.untouched import Files, Hosts, Network, assert_places
from fairtrial.experiment.variables import Variables

Words = Annotated[list[str], Field(min_length=1)]
"""A command, word by word: no shell reads it."""

WORKING_TREE = "working-tree"
"""In the place of a commit: the folder as it is, with what is not committed."""


def _no_option(ref: str) -> str:
    """Refuse what git would take for an option, or a terminal for more than text."""
    if ref.startswith("-") or not re.fullmatch(r"[!-~]+", ref):
        raise ValueError("a ref is a branch, a tag or a commit: printable ASCII that does not begin with a hyphen")
    return ref


Ref = Annotated[str, AfterValidator(_no_option)]


def _assert_origin(url: str) -> None:
    """Refuse a URL that says more than where a server is. It may hold a password, and is in no message.

    Raises:
        ValueError: what it asks is the workload's to say, or a password in it would be recorded.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"url: not a URL: {printable(str(error))}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not re.fullmatch(r"[!-~]+", url):
        raise ValueError("url: write http://HOST:PORT or https://HOST")
    if "@" in parts.netloc:
        raise ValueError("url: it holds credentials, which would be recorded: leave them out")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("url: it ends with the port: the paths are the workload's")


class Contender(Strict):
    """One contender: a folder that is built, a command that is run where it lies, the URL of what runs already, or a
    container's image, or a project of several containers."""

    title: str = Field("", max_length=LONGEST_TITLE, description="shown in reports; empty: its name")
    folder: str | None = Field(
        None, description="relative to the experiment's file; it has a stack.toml, or `command` here says how to run it"
    )
    directory: str | None = Field(
        None, description="in which `command` is run, relative to the experiment's file; neither copied nor built"
    )
    url: str | None = Field(None, description="http://HOST:PORT of a server that runs already")
    image: str | None = Field(None, pattern=IMAGE, description="a container's, pulled if it is not on this machine")
    dockerfile: str | None = Field(None, description="a folder with a Dockerfile, relative to the experiment's file")
    compose: str | None = Field(None, min_length=1, description="a compose file, relative to the experiment's file")
    compose_service: str | None = Field(None, pattern=SERVICE, description="that answers; null: it has one alone")
    container_port: int | None = Field(None, ge=1, le=65_535, description="on which it listens within its network")
    container_network: ContainerNetwork = Field(
        "published", description="its own with one port published, or the host's"
    )
    command: Words | None = None
    build: list[Words] = Field(default_factory=list, description="commands that build the copy of `folder`")
    env: Variables = Field(default_factory=dict, description="variables for `command`; they are recorded")
    env_from: EnvFrom = Field(
        default_factory=list, description="names of variables that `command` gets from the environment of fairtrial"
    )
    port: int | None = Field(None, ge=1, le=65_535, description="on which it always listens; null: what PORT says")
    files: Files = Field(
        default_factory=dict, description="by absolute path, what the program alone finds there, read-only"
    )
    hosts: Hosts = Field(default_factory=dict, description="by host name that the program alone knows, its address")
    http2: bool = Field(
        False, description="it speaks HTTP/2 beside HTTP/1.1 on its port: with prior knowledge, over TLS by ALPN"
    )
    network: Network | None = Field(
        None, description="own: nothing outside of the run can reach it; null: the machine's"
    )
    ready: Ready | None = Field(None, description="null: as the workload says")
    ready_within_seconds: float | None = Field(None, gt=0, le=600, description="null: 30, or as its stack.toml says")
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

    @model_validator(mode="after")
    def _of_one_shape(self) -> Self:
        shapes = {"folder": self.folder, "directory": self.directory, "url": self.url}
        shapes |= {"image": self.image, "dockerfile": self.dockerfile, "compose": self.compose}
        shape_names = [name for name, value in shapes.items() if value is not None]
        if len(shape_names) != 1:
            raise ValueError(
                f"set one of {', '.join(shapes)}" + (f", not {' and '.join(shape_names)}" if shape_names else "")
            )
        if self.url is not None:
            _assert_origin(self.url)
        in_container = any(each is not None for each in (self.image, self.dockerfile, self.compose))
        if in_container and self.build:
            raise ValueError("build: a container is not built by commands: leave it out, or write `dockerfile`")
        assert_container(
            in_container=in_container,
            compose=self.compose is not None,
            compose_service=self.compose_service,
            network=self.container_network,
            untouched=bool(self.files or self.hosts or self.network),
            container_port=self.container_port,
            port=self.port,
            ready=self.ready,
            env=self.env,
        )
        if self.directory is not None and self.command is None:
            raise ValueError("command: missing; it says what is run in `directory`")
        described = ("command", "build", "env", "env_from", "port", "files", "hosts", "network")
        keys = {name for name in described if getattr(self, name) not in (None, [], {})}
        if self.url is not None and keys:
            raise ValueError(f"{min(keys)}: what runs at `url` is not started: leave it out")
        if self.directory is not None and self.build:
            raise ValueError("build: what has a `directory` is run where it lies: leave it out, or write `folder`")
        if self.folder is not None and self.command is None:
            keys |= {name for name in ("ready", "ready_within_seconds") if getattr(self, name) is not None}
            keys |= {"http2"} if self.http2 else set()
            if keys:
                raise ValueError(f"{min(keys)}: without `command`, the stack.toml of `folder` says it")
        assert_places(self.files, self.hosts)
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
    def tried_refs(self) -> dict[str, str]:
        """The refs, by the variant that each of them is tried as: `main`, `v1-2`, `feature-x`."""
        refs = self.git.split("..", 1) if self.git is not None else self.refs
        return {slug_of(ref): ref for ref in refs}


def slug_of(ref: str) -> str:
    """A ref as a variant's name: `feature-x` for `feature/x`, `head` for `HEAD`, `head-1` for `HEAD~1`."""
    slug = re.sub(r"[^a-z0-9]+", "-", ref.lower()).strip("-") or "ref"
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
