"""The file that the lab lays over a compose file for one trial: what the trial decides, not the user's.

It is JSON, which is YAML, with the tags by which compose replaces a list in place of adding to it.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.stacks.compose_project import ComposeFile, ComposeService
from fairtrial.catalog.stacks.container_program import USER_LABEL

MOST_LOG_MEGABYTES = 8
LOGS = {
    False: {"driver": "json-file", "options": {"max-size": f"{MOST_LOG_MEGABYTES}m", "max-file": "1"}},
    True: {"driver": "k8s-file", "options": {"max-size": f"{MOST_LOG_MEGABYTES}mb"}},
}
"""By whether the container program is podman."""


class _Tagged(str):
    """Text of the file that is not a JSON string."""

    __slots__ = ()


def override(
    project: ComposeFile,
    *,
    name: str,
    port: int,
    command: Sequence[str],
    service_variables: Mapping[str, str],
    of_the_lab: Mapping[str, str],
    by_name: Collection[str],
    cpus: Sequence[int],
    is_podman: bool,
) -> str:
    """The file.

    Args:
        name: of the trial's project. All that is named, containers, volumes and networks, is named after it: a volume
            of the user's, which the end of a trial would remove, is never taken.
        port: at which the answering service is published on 127.0.0.1.
        command: what the answering service runs; empty: what its image or the file says.
        service_variables: variables of the answering service.
        of_the_lab: variables of every service.
        by_name: of these variables the file holds no value: compose takes it from its own environment.
        cpus: the processors of every service; empty: all.
    """
    services = {}
    for each, service in project.services.items():
        definition = _of_any(service, name=f"{name}-{each}", is_podman=is_podman)
        variables = dict(of_the_lab)
        # Podman's containers are bound as what starts them is; to bind them again takes a controller that users lack.
        if cpus and not is_podman:
            definition["cpuset"] = ",".join(map(str, cpus))
        if each == project.answers:
            variables |= service_variables
            if command:
                definition["command"] = [_literal(word) for word in command]
            if project.container_port is not None:
                ports = [f"{LOOPBACK}:{port}:{project.container_port}"]
                definition["ports"] = _Tagged(f"!override {json.dumps(ports)}") if service.publishes else ports
        definition["environment"] = {
            key: None if key in by_name else _literal(value) for key, value in variables.items()
        }
        services[each] = _mapping(definition)
    return _mapping(
        {
            "services": _mapping(services),
            "volumes": {each: {"name": f"{name}_{each}"} for each in project.volumes},
            "networks": {each: {"name": f"{name}_{each}"} for each in project.networks},
            "x-podman": {"in_pod": False},  # a pod would be one more thing to remove
        }
    )


def _of_any(service: ComposeService, *, name: str, is_podman: bool) -> dict[str, Any]:
    definition: dict[str, Any] = {
        "image": service.image,
        "pull_policy": "never",
        "restart": "no",  # a server that ends is a finding, and not started again in silence
        "labels": {USER_LABEL: str(os.geteuid())},
    }
    if service.has_fixed_name:
        definition["container_name"] = name
    if service.publishes:
        definition["ports"] = _Tagged("!reset []")
    if not service.logs_elsewhere:
        definition["logging"] = LOGS[is_podman]
    return definition


def _literal(text: str) -> str:
    """A text in which compose finds no variable to put in."""
    return text.replace("$", "$$")


def _mapping(content: Mapping[str, Any]) -> _Tagged:
    lines = (
        f"{json.dumps(key)}: {value if isinstance(value, _Tagged) else json.dumps(value)}"
        for key, value in content.items()
    )
    return _Tagged("{" + ",\n ".join(lines) + "}")
