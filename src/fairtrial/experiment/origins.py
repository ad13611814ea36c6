"""The five kinds of contenders, each with its keys and what contradicts them: a folder, a command, a URL, an image, a
compose file. stack.toml and `[contenders.NAME]` describe them alike."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

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
from fairtrial.experiment.contender_url import assert_address, is_here
from fairtrial.experiment.namespaces import Files, Hosts, Network, assert_places
from fairtrial.experiment.ready import Ready

CONTRACT_VARIABLES = frozenset(
    {"HOST", "PORT", "DATABASE_URL", "CACHE_URL", "UPSTREAM_URL", "TLS_CERTIFICATE", "TLS_KEY"}
)
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
OF_A_URL = {
    "addresses": "they are of the name in a `url`: leave it out",
    "http3": "a container is asked without TLS: start it yourself and set `url`, or name its program by `command`",
    "tls": "a container is asked without TLS: leave it out, or name its program by `command`",
}
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
            if table[key] not in ("published", False):  # defaults, which a record may have of contenders of all kinds
                raise ValueError(f"{key}: {cls.of_other_kinds[key]}")
        return {key: value for key, value in table.items() if key not in cls.of_other_kinds}

    @model_validator(mode="after")
    def _each_place_once(self) -> Self:
        assert_places(self.files, self.hosts)
        return self

    @property
    def is_secure(self) -> bool:
        """Whether the lab starts it with a certificate."""
        return False

    @property
    def speaks_http3(self) -> bool:
        """Whether it says so."""
        return False

    def assert_variables(self, names: Iterable[str]) -> None:
        """Raise a ValueError if one of these names of variables cannot be passed to it."""

    def located(self) -> tuple[str, Self]:
        """The folder that it names, relative to its file, and the same origin relative to that folder."""
        return ".", self

    def describe(self, _command: Sequence[str]) -> str:
        """The program, or where it runs already, in a few words; empty: what the lab built from its folder."""
        return ""


class StartedOrigin(StackOrigin):
    """What the lab starts by a command."""

    of_other_kinds: ClassVar[Mapping[str, str]] = {**OF_CONTAINERS, "addresses": OF_A_URL["addresses"]}

    tls: bool = Field(
        False,
        description="it speaks TLS alone, by the certificate and the key in the files that TLS_CERTIFICATE and TLS_KEY "
        "name",
    )
    http3: bool = Field(False, description="it speaks HTTP/3 on its port of UDP as well; with `tls = true`")

    @model_validator(mode="after")
    def _encrypts_http3(self) -> Self:
        if self.http3 and not self.tls:
            raise ValueError("http3: HTTP/3 is always encrypted: set `tls = true` as well, or leave `http3` out")
        return self

    @property
    def is_secure(self) -> bool:
        return self.tls

    @property
    def speaks_http3(self) -> bool:
        return self.http3


class FolderOrigin(StartedOrigin):
    """A folder, which the lab copies and builds: that of `folder`, or where the stack.toml lies."""

    kind: ClassVar[OriginKind] = "folder"

    build_user: Literal["own"] | None = Field(
        None, description="own: a user of its own builds it where the lab is root; null: the lab's"
    )


class CommandOrigin(StartedOrigin):
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
    of_other_kinds: ClassVar[Mapping[str, str]] = {**OF_CONTAINERS, "tls": "the `url` says it, by https: leave it out"}

    url: str = Field(description="http://HOST:PORT")
    addresses: AddressChoice = Field(
        "first", description="of its name that are used: the one that takes a connection first, or all, in turn"
    )
    http3: bool = Field(False, description="it speaks HTTP/3 on its port of UDP; the url begins with https")

    @model_validator(mode="after")
    def _is_not_started(self) -> Self:
        assert_address(self.url)
        if self.http3 and not self.url.startswith("https:"):
            raise ValueError("http3: HTTP/3 is always encrypted: write the url with https, or leave `http3` out")
        for key in ("env_from", "files", "hosts", "network", "port"):
            if getattr(self, key):
                raise ValueError(f"{key}: {NOT_STARTED}")
        return self

    @property
    def speaks_http3(self) -> bool:
        return self.http3

    def located(self) -> tuple[str, Self]:
        return ".", self.model_copy(update={"url": self.url.rstrip("/")})

    def describe(self, _command: Sequence[str]) -> str:
        where = "" if is_here(self.url) else ": the load leaves this machine"
        addresses = ", at all addresses of its name" if self.addresses == "all" else ""
        return f"runs already at {printable(self.url)}{addresses}, on whatever processors it has{where}"


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
