"""A contender that is a compose file: its images are made ready, and its services started as one project."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil

from fairtrial.base.cache.once import made_once
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import run_build_command
from fairtrial.catalog.stacks.compose_override import override
from fairtrial.catalog.stacks.compose_program import ComposeProgram, compose_program
from fairtrial.catalog.stacks.compose_project import ComposeFile, read_project
from fairtrial.catalog.stacks.container_image import digest_of, pulled
from fairtrial.catalog.stacks.container_program import (
    OF_A_PROJECT,
    ContainerProgram,
    container_program,
    new_name,
)
from fairtrial.catalog.stacks.container_run import (
    PROOF,
    GuardedContainer,
    RunningContainer,
    find_processes,
    reached_at,
    removed_on_failure,
    variables_of,
)
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram, StartRequest
from fairtrial.catalog.stacks.run import await_ready
from fairtrial.experiment.origins import ComposeOrigin

PROJECT_FILE = "project.json"
"""Holds the project with the digests of its images, by which they are run whatever their names mean later."""

ENDS_WITHIN_SECONDS = 2
"""Of each container on SIGTERM: compose ends those that depend on others first, one after the other, and has to have
done so within the grace of a stack."""

DOWN_WITHIN_SECONDS = 20.0
SERVICE_LABEL = "com.docker.compose.service"
ENDED = 1


class GuardedProject(GuardedContainer):
    """The compose command, in the foreground below a guard. It goes on when one of its services ends."""

    first: psutil.Process | None = None
    """of the service that answers, once it is known"""

    def status(self) -> int | None:
        """The exit status of the command; 1 when the service that answers has ended; None while both run."""
        status = super().status()
        return ENDED if status is None and self.first is not None and not self.first.is_running() else status


def ready(request: BuildRequest, origin: ComposeOrigin) -> ReadyProgram:
    """Pull and build the images of a project. What dead labs have left is removed.

    Raises:
        Problem: the file is refused, or an image cannot be had.
        BuildCancelled: `cancelled` was set.
    """
    program = container_program()
    compose = compose_program(program)
    program.sweep()
    project = read_project(request.stack, origin, compose)
    is_built = any(service.is_built for service in project.services.values())
    if is_built:
        request.on_building()
        _build(project, compose, request)
    pull = replace(request, on_building=lambda: None) if is_built else request
    digests = {}
    for name, service in project.services.items():
        if not service.is_built:
            pulled(program, service.image, pull)
        digests[name] = digest_of(program, service.image)
    return _ready_project(request.stack, project, digests, program, compose)


def _build(project: ComposeFile, compose: ComposeProgram, request: BuildRequest) -> None:
    """Build the services that have `build`, under names of the lab's: the user's own stay as they are."""
    built = {each: {"image": service.image} for each, service in project.services.items() if service.is_built}
    name, log = request.stack.name, request.log
    over = log.parent.resolve() / f"{log.stem}.compose.json"
    over.write_text(json.dumps({"services": built}), encoding="utf-8")
    try:
        words = ["-f", str(project.file), "-f", str(over), "-p", f"fairtrial-{name}", "build"]
        run_build_command(request, name, [*compose.command, *words])
    finally:
        over.unlink(missing_ok=True)


def _ready_project(
    stack: Stack, project: ComposeFile, digests: Mapping[str, str], program: ContainerProgram, compose: ComposeProgram
) -> ReadyProgram:
    digests_of_images = {f"image {name}": f"sha256:{digests[name]}" for name in project.names}
    pinned = {
        name: service.model_copy(update={"image": f"sha256:{digests[name]}"})
        for name, service in project.services.items()
    }
    text = project.model_copy(update={"services": pinned}).model_dump_json(indent=1)
    content = hashlib.sha256(json.dumps([project.file_sha256, project.answers, digests_of_images]).encode()).hexdigest()
    made_from = hashlib.sha256(f"{compose.command} {text}".encode()).hexdigest()

    def keep(folder: Path) -> None:
        (folder / PROJECT_FILE).write_text(text, encoding="utf-8")

    folder = made_once("projects", stack.name, made_from, keep)
    versions = {"container program": program.version, "compose": compose.version, **digests_of_images}
    return ReadyProgram(folder, content, versions, project.names)


def start(request: StartRequest) -> RunningContainer:
    """Start the project of a compose file, and return it once the service that answers is ready.

    `process.stop()` ends the project and removes it with its volumes and networks. Errors are those of `image.start`; a
    file that has changed is a Problem as well.
    """
    stack, cpus = request.stack, request.cpus
    program, name = container_program(), new_name()
    compose = compose_program(program)
    project = ComposeFile.model_validate_json((request.folder / PROJECT_FILE).read_bytes())
    if hashlib.sha256(project.file.read_bytes()).hexdigest() != project.file_sha256:
        raise Problem(f"compose: {project.file} has changed since the run began", "run again, and leave it alone")
    port, where = reached_at(stack.origin.port, project.container_port)
    variables, quiet = variables_of(stack, {**request.settings, **where})
    request.log.parent.mkdir(parents=True, exist_ok=True)
    over = request.log.parent.resolve() / f"{name}.compose.yaml"
    over.touch(mode=0o600)
    over.write_text(
        override(
            project,
            name=name,
            port=port,
            command=request.command,
            service_variables=variables,
            of_the_lab={PROOF: name},
            by_name=quiet.keys(),
            cpus=cpus,
            is_podman=program.is_podman,
        ),
        encoding="utf-8",
    )
    words = ("-f", str(project.file), "-f", str(over), "-p", name)
    began = time.monotonic()
    process = GuardedProject(
        [*compose.command, *words, "up", "--no-build", "--timeout", str(ENDS_WITHIN_SECONDS)],
        lambda: _remove(program, compose, name, words, over),
        request,
        quiet,
    )
    running = RunningContainer(process, port, published=project.container_port is not None)
    with removed_on_failure(process):
        running.start_up_seconds = await_ready(running, request) - began
        containers = _containers(program, name, project.answers)
        pid = find_processes(running, program, containers, token=name, cpus=cpus)
        with suppress(psutil.Error):
            process.first = None if pid is None else psutil.Process(pid)
    return running


def _containers(program: ContainerProgram, name: str, answers: str) -> list[str]:
    """The containers of the project, that of the answering service first.

    Raises:
        Problem: it does not run.
    """
    ours = ("ps", "-q", "--filter", f"name={name}")
    first = program.ask(*ours, "--filter", f"label={SERVICE_LABEL}={answers}").split()
    if not first:
        raise Problem(
            f"something answers, but the container program says that service {answers} of {name} does not run",
            "another program took the port: run again",
        )
    return [*first, *(each for each in program.ask(*ours).split() if each not in first)]


def _remove(program: ContainerProgram, compose: ComposeProgram, name: str, words: Sequence[str], over: Path) -> None:
    """Remove the project, and see that it has gone."""
    down = ("down", "--volumes", "--remove-orphans", "--timeout", str(ENDS_WITHIN_SECONDS))
    with suppress(Problem):  # what counts is that nothing of it is there
        compose.ask(*words, *down, within_seconds=DOWN_WITHIN_SECONDS)
    try:
        program.remove(name, OF_A_PROJECT)
    finally:
        over.unlink(missing_ok=True)
