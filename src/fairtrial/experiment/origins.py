"""The five kinds of contenders, each with its keys and what contradicts them: a folder, a command, a URL, an image, a
compose file. stack.toml and `[contenders.NAME]` describe them alike."""

import re
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    Tag,
    model_serializer,
    model_validator,
)

from fairtrial.base.endpoint import AddressChoice
from fairtrial.base.printable import printable
from fairtrial.base.strict import IN_ITS_TABLE, Strict
from fairtrial.experiment.namespaces import Files, Hosts, Network, assert_places
from fairtrial.experiment.ready import Ready

CONTRACT_VARIABLES = frozenset({"HOST", "PORT", "DATABASE_URL", "CACHE_URL", "UPSTREAM_URL"})
"""Which the lab sets for each trial."""


def _not_the_contracts(names: list[str]) -> list[str]:
    for name in names:
        if name in CONTRACT_VARIABLES:
            raise ValueError(f"{name} is set by the lab for each trial: leave it out")
    return names


EnvFrom = Annotated[
    list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]], AfterValidator(_not_the_contracts)
]


OriginKind = Literal["folder", "command", "url", "image", "compose"]
"""The origin of a stack: its folder, which the lab copied and built; a command that is run where it lies; the URL of a
server that ran already; the image of a container, or a compose file: the digests of images are among the versions."""

READY_WITHIN_SECONDS = 30.0
"""Where a file does not say it; up to four times as long while it is at work (`Patience`)."""

OF_CONTAINERS = {
    "compose_service": "it is of a compose file: set `compose`, or leave it out",
    "container_port": "it is of a container: set `image` or the like, or write `port`",
    "container_network": "it is of a container: set `image` or `dockerfile`, or leave it out",
}
OF_A_URL = {"addresses": "they are of the name in a `url`: leave it out"}
"""Why keys are refused that only containers or what runs already have."""

NOT_STARTED = "what runs at `url` is not started: leave it out"
ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class StackOrigin(Strict):
    """Where a contender's program comes from, and how it is reached: what all kinds have in common."""

    kind: ClassVar[OriginKind]
    is_started_here: ClassVar[bool] = True
    """whether the lab starts its command itself, with the files, the variables and the user that it chooses"""
    runs_already: ClassVar[bool] = False
    in_container: ClassVar[bool] = False
    """whether the docker or podman command runs it, alone or as a project of several"""
    why_bound_here: ClassVar[str] = ""
    """why it cannot be sent to another host, as a sentence without its subject; empty if it can"""
    why_labs_user: ClassVar[str] = ""
    """why it is never run as a user of its own; empty if it may be"""
    why_not_built: ClassVar[str] = ""
    """why build commands contradict it; empty if it is built"""
    of_other_kinds: ClassVar[Mapping[str, str]] = {**OF_CONTAINERS, **OF_A_URL}
    """why a key that only other kinds have is refused"""

    port: int | None = Field(None, ge=1, le=65_535, description="on which it always listens; null: what PORT says")
    files: Files = Field(
        default_factory=dict, description="by absolute path, what the program alone finds there, read-only"
    )
    hosts: Hosts = Field(default_factory=dict, description="by host name that the program alone knows, its address")
    env_from: EnvFrom = Field(
        default_factory=list, description="names of variables that it gets from the environment of fairtrial"
    )
    http2: bool = Field(
        False, description="it speaks HTTP/2 beside HTTP/1.1 on its port: with prior knowledge, over TLS by ALPN"
    )
    network: Network | None = Field(
        None, description="own: nothing outside of the run can reach it; null: the machine's"
    )
    ready: Ready | None = Field(None, description="when it counts as ready; null: as the workload says")
    ready_within_seconds: float | None = Field(
        None, gt=0, le=600, description="null: 30, and up to 120 while its processes use a twentieth of a processor"
    )

    @model_validator(mode="before")
    @classmethod
    def _without_keys_of_other_kinds(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        for key in sorted(table.keys() & cls.of_other_kinds.keys()):
            if table[key] != "published":  # the default, which older records have of contenders of all kinds
                raise ValueError(f"{key}: {cls.of_other_kinds[key]}")
        return {key: value for key, value in table.items() if key not in cls.of_other_kinds}

    @model_validator(mode="after")
    def _each_place_once(self) -> Self:
        assert_places(self.files, self.hosts)
        return self

    def assert_variables(self, names: Iterable[str]) -> None:
        """Raise a ValueError if one of these names of variables cannot be passed to it."""

    def located(self) -> tuple[str, Self]:
        """The folder that it names, relative to its file, and the same origin relative to that folder."""
        return ".", self

    def describe(self, _command: Sequence[str]) -> str:
        """The program, or where it runs already, in a few words; empty: what the lab built from its folder."""
        return ""


class FolderOrigin(StackOrigin):
    """A folder, which the lab copies and builds: that of `folder`, or where the stack.toml lies."""

    kind: ClassVar[OriginKind] = "folder"

    build_user: Literal["own"] | None = Field(
        None, description="own: a user of its own builds it where the lab is root; null: the lab's"
    )


class CommandOrigin(StackOrigin):
    """A command that is run where it lies, outside of any build: it is neither copied nor built."""

    kind: ClassVar[OriginKind] = "command"
    why_bound_here: ClassVar[str] = "is run where it lies"
    why_labs_user: ClassVar[str] = "it is run where it lies, in a folder of the lab's user"
    why_not_built: ClassVar[str] = "what has a `directory` is run where it lies"

    directory: str = Field(description="in which the command is run, relative to the file")

    def located(self) -> tuple[str, Self]:
        return self.directory, self.model_copy(update={"directory": "."})

    def describe(self, command: Sequence[str]) -> str:
        return f"not built: {printable(' '.join(command), 80)}"


class UrlOrigin(StackOrigin):
    """A server that runs already, which the lab neither starts nor stops. Only experiments have such contenders."""

    kind: ClassVar[OriginKind] = "url"
    is_started_here: ClassVar[bool] = False
    runs_already: ClassVar[bool] = True
    why_bound_here: ClassVar[str] = "runs already"
    why_labs_user: ClassVar[str] = "it was running already"
    of_other_kinds: ClassVar[Mapping[str, str]] = OF_CONTAINERS

    url: str = Field(description="http://HOST:PORT")
    addresses: AddressChoice = Field(
        "first", description="of its name that are used: the one that takes a connection first, or all, in turn"
    )

    @model_validator(mode="after")
    def _is_not_started(self) -> Self:
        _assert_address(self.url)
        for key in ("env_from", "files", "hosts", "network", "port"):
            if getattr(self, key):
                raise ValueError(f"{key}: {NOT_STARTED}")
        return self

    def located(self) -> tuple[str, Self]:
        return ".", self.model_copy(update={"url": self.url.rstrip("/")})

    def describe(self, _command: Sequence[str]) -> str:
        where = "" if _is_here(self.url) else ": the load leaves this machine"
        addresses = ", at all addresses of its name" if self.addresses == "all" else ""
        return f"runs already at {printable(self.url)}{addresses}, on whatever processors it has{where}"


def _assert_address(url: str) -> None:
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


def _is_here(url: str) -> bool:
    """Whether the host of a URL is this machine by its loopback; other addresses of its own count as elsewhere."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class ContainerOrigin(StackOrigin):
    """A container of docker or podman."""

    is_started_here: ClassVar[bool] = False
    in_container: ClassVar[bool] = True
    why_bound_here: ClassVar[str] = "runs in a container"
    why_labs_user: ClassVar[str] = "its container says who it is"
    why_not_built: ClassVar[str] = "a container is not built by commands"

    container_port: int | None = Field(None, ge=1, le=65_535, description="on which it listens within its network")

    def assert_variables(self, names: Iterable[str]) -> None:
        for name in names:
            if not ENVIRONMENT_NAME.fullmatch(name):
                raise ValueError(f"env: {name!r} is no name of a variable")


class ImageOrigin(ContainerOrigin):
    """A container's image, or a folder with a Dockerfile."""

    kind: ClassVar[OriginKind] = "image"
    of_other_kinds: ClassVar[Mapping[str, str]] = {"compose_service": OF_CONTAINERS["compose_service"], **OF_A_URL}

    image: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._/:@-]*$",  # the container program would take a hyphen for an option
        description="a container's, pulled if it is not on this machine",
    )
    dockerfile: str | None = Field(None, description="a folder with a Dockerfile, relative to the file")
    container_network: Literal["published", "host"] = Field(
        "published", description="its own with one port published on 127.0.0.1, or the host's"
    )

    @model_validator(mode="after")
    def _reached_in_one_way(self) -> Self:
        is_published = self.container_network == "published"
        if not is_published and self.container_port is not None:
            raise ValueError(
                'container_port: with `container_network = "host"` nothing is published: write `port` if it is fixed'
            )
        if is_published and self.network is not None:
            raise ValueError(
                'network: a container has a network of its own: leave it out, or set `container_network = "host"`'
            )
        if is_published and self.container_port is None:
            raise ValueError('container_port: missing; it is the port to publish. Or set `container_network = "host"`')
        if is_published and self.port is not None:
            raise ValueError("port: the lab chooses where a container is published: write `container_port`")
        if is_published and self.ready is not None and self.ready.tcp:
            raise ValueError(
                "ready: a published port accepts connections before the program does: name a path, as in "
                '{ path = "/" }, or set `container_network = "host"`'
            )
        return self

    def located(self) -> tuple[str, Self]:
        return self.dockerfile or ".", self.model_copy(update={"dockerfile": self.dockerfile and "."})

    def describe(self, _command: Sequence[str]) -> str:
        image = self.image or f"built in {Path(self.dockerfile or '.')}"
        return f"in a container: {printable(image, 80)}"


class ComposeOrigin(ContainerOrigin):
    """A compose file, whose services run as one project. One of them answers the load."""

    kind: ClassVar[OriginKind] = "compose"
    of_other_kinds: ClassVar[Mapping[str, str]] = {
        "container_network": "the compose file says it, by `network_mode` of the service",
        **OF_A_URL,
    }

    compose: str = Field(min_length=1, description="a compose file, relative to the file")
    compose_service: str | None = Field(
        None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="that answers; null: it has one alone"
    )

    @model_validator(mode="after")
    def _brings_its_own(self) -> Self:
        if self.files or self.hosts or self.network:
            raise ValueError("files, hosts, network: a compose file says them itself: leave them out")
        return self

    @model_validator(mode="after")
    def _one_port(self) -> Self:
        if self.container_port is not None and self.port is not None:
            raise ValueError("port: `container_port` says it already: leave one of them out")
        return self

    def located(self) -> tuple[str, Self]:
        file = Path(self.compose)
        return str(file.parent), self.model_copy(update={"compose": file.name})

    def describe(self, _command: Sequence[str]) -> str:
        answers = f", of which {self.compose_service} answers" if self.compose_service is not None else ""
        return printable(f"containers of {Path(self.compose)}{answers}", 80)


ORIGINS: Mapping[str, type[StackOrigin]] = {
    "directory": CommandOrigin,
    "url": UrlOrigin,
    "image": ImageOrigin,
    "dockerfile": ImageOrigin,
    "compose": ComposeOrigin,
}
"""By the key that makes a contender one of this kind; without any of them, it is a folder."""

KEYS = FolderOrigin.model_fields.keys() | {key for kind in ORIGINS.values() for key in kind.model_fields}
"""All keys that a kind has."""


def _name_of_kind(origin: Any) -> str:
    if isinstance(origin, StackOrigin):
        return type(origin).__name__
    return next((kind.__name__ for key, kind in ORIGINS.items() if key in origin), FolderOrigin.__name__)


Origin = Annotated[
    Annotated[FolderOrigin, Tag("FolderOrigin")]
    | Annotated[CommandOrigin, Tag("CommandOrigin")]
    | Annotated[UrlOrigin, Tag("UrlOrigin")]
    | Annotated[ImageOrigin, Tag("ImageOrigin")]
    | Annotated[ComposeOrigin, Tag("ComposeOrigin")],
    Discriminator(_name_of_kind),
]


class Described(Strict):
    """A contender in a file, where the keys of its origin stand beside all others; it is written so as well."""

    origin: Origin = Field(json_schema_extra=IN_ITS_TABLE)

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, table: Any) -> Any:
        if not isinstance(table, dict) or isinstance(table.get("origin"), StackOrigin):
            return table
        # A key `origin` of a file goes where it is refused as unknown.
        origin = {key: value for key, value in table.items() if key in {*KEYS, "origin"} and value is not None}
        return {**{key: value for key, value in table.items() if key not in KEYS}, "origin": origin}

    @model_serializer(mode="wrap")
    def _in_one_table(self, own: SerializerFunctionWrapHandler) -> dict[str, Any]:
        table: dict[str, Any] = own(self)
        origin = table.pop("origin", {})
        return {**table, **origin}
