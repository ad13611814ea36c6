"""The project of a compose file: what its services are, as the compose command understands them."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairtrial.base.json_or_yaml import BrokenDocument, TooManyValues, as_json, parse_json_or_yaml
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.catalog.stacks.compose_program import ComposeProgram
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.origins import ComposeOrigin

MOST_BYTES = 1 << 20
MOST_VALUES = 100_000


class ComposeService(Strict):
    """A service, as far as the lab changes it for its trials."""

    image: str
    """as the file names it, or for one that is built, as the lab does; in a ready project its digest"""
    is_built: bool
    publishes: bool
    """whether the file publishes ports of it"""
    logs_elsewhere: bool
    """whether the file says where its log goes"""
    has_fixed_name: bool


class ComposeFile(Strict):
    """A compose file, as the lab runs it."""

    file: Path
    file_sha256: str
    answers: str
    """the service that the load is offered to"""
    container_port: int | None
    """the port of it to publish; None: it is in the host's network"""
    services: dict[str, ComposeService]
    volumes: list[str]
    networks: list[str]
    """those that are not external"""

    @property
    def names(self) -> list[str]:
        """The one of its services that answers first."""
        return [self.answers, *sorted(self.services.keys() - {self.answers})]


def read_project(stack: Stack, origin: ComposeOrigin, compose: ComposeProgram) -> ComposeFile:
    """The project of a stack's compose file, as the compose command understands it.

    Raises:
        Problem: the file is refused, or does not go with what the stack says.
    """
    file = (stack.folder / origin.compose).resolve()
    try:
        content = file.read_bytes()
    except OSError as error:
        raise Problem(f"compose: {file}: {error.strerror}", "name the compose file") from error
    output = compose.ask("-f", str(file), "-p", f"fairtrial-{stack.name}", "config", most_bytes=MOST_BYTES)
    try:
        document = as_json(parse_json_or_yaml(output), MOST_VALUES)
    except (BrokenDocument, TooManyValues) as error:
        raise Problem(f"compose: {file}: what `config` prints of it cannot be read: {error}", "simplify it") from error
    services = document.get("services") if isinstance(document, dict) else None
    if not isinstance(services, dict) or not all(isinstance(each, dict) for each in services.values()):
        raise Problem(f"compose: {file} has no services", "name a compose file that has one at least")
    answers = _answering(file, origin, list(services))
    return ComposeFile(
        file=file,
        file_sha256=hashlib.sha256(content).hexdigest(),
        answers=answers,
        container_port=_container_port(file, origin, answers, services[answers]),
        services={name: _service(file, stack.name, name, definition) for name, definition in services.items()},
        volumes=_own(document.get("volumes")),
        networks=_own(document.get("networks")),
    )


def _answering(file: Path, origin: ComposeOrigin, services: list[str]) -> str:
    names = printable(", ".join(sorted(services)), 300)
    if origin.compose_service is None:
        if len(services) == 1:
            return services[0]
        raise Problem(f"compose_service: missing; {file} has several services: {names}", "name the one that answers")
    if origin.compose_service not in services:
        raise Problem(f"compose_service: {file} has no service {origin.compose_service}", f"it has: {names}")
    return origin.compose_service


def _service(file: Path, stack: str, name: str, definition: Mapping[str, Any]) -> ComposeService:
    is_built = definition.get("build") is not None
    image = f"fairtrial/{stack}-{name}".lower() if is_built else definition.get("image")
    if not isinstance(image, str) or image.startswith("-"):
        raise Problem(f"compose: {file}: services.{printable(name, 60)} has no image", "give it `image` or `build`")
    return ComposeService(
        image=image,
        is_built=is_built,
        publishes=bool(definition.get("ports")),
        logs_elsewhere=bool(definition.get("logging")),
        has_fixed_name=bool(definition.get("container_name")),
    )


def _container_port(file: Path, origin: ComposeOrigin, name: str, definition: Mapping[str, Any]) -> int | None:
    """The port of the answering service to publish; None: it is in the host's network."""
    where, mode = f"{file}: services.{name}", definition.get("network_mode")
    if mode == "host":
        if origin.container_port is not None:
            raise Problem(
                f"container_port: {where} has the host's network, where nothing is published",
                "leave it out, and write `port` if the port is fixed",
            )
        return None
    if mode not in (None, "bridge"):
        raise Problem(
            f"compose: {where}.network_mode is {printable(str(mode), 60)}, so that no port of it is published",
            "leave it out, or write `network_mode: host`",
        )
    if origin.port is not None:
        raise Problem(f"port: the lab chooses where {where} is published", "write `container_port`, or leave both out")
    if origin.ready is not None and origin.ready.tcp:
        raise Problem(
            f"ready: a published port of {where} accepts connections before the program does",
            'name a path, as in { path = "/" }',
        )
    deploy = definition.get("deploy")
    replicas = definition.get("scale") or (deploy.get("replicas") if isinstance(deploy, dict) else None)
    if replicas not in (None, 1):
        raise Problem(
            f"compose_service: {where} has {printable(str(replicas), 20)} replicas, which cannot share a port",
            "name the service that stands before them, or leave the replicas out",
        )
    if origin.container_port is not None:
        return origin.container_port
    ports = set(_ports(definition.get("ports")) or _ports(definition.get("expose")))
    if len(ports) == 1 and (port := next(iter(ports))) is not None:
        return port
    raise Problem(
        f"container_port: missing; {where} publishes {'several ports' if ports else 'no port'}",
        "write the one on which the service listens",
    )


def _ports(value: object) -> list[int | None]:
    """The ports within the container, from the short or the long form of `ports` and `expose`; None: a range."""
    ports: list[int | None] = []
    for each in value if isinstance(value, list) else []:
        text = str(each.get("target") if isinstance(each, dict) else each).rpartition(":")[2].partition("/")[0]
        ports.append(int(text) if text.isascii() and text.isdigit() and int(text) <= 65_535 else None)
    return ports


def _own(value: object) -> list[str]:
    """Names of the volumes or networks of a file that are not external."""
    described = value if isinstance(value, dict) else {}
    return [name for name, each in described.items() if not (isinstance(each, dict) and each.get("external"))]
