"""Starting the project of a compose file, finding the processes of all its containers, and removing it."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.compose_override import override
from fairtrial.catalog.stacks.compose_program import ComposeProgram, compose_program
from fairtrial.catalog.stacks.compose_project import PROJECT_FILE, Project
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
    variables_of,
)
from fairtrial.catalog.stacks.container_trouble import with_remedy
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.redaction import NOTHING_SECRET, Redaction
from fairtrial.catalog.stacks.run import await_ready
from fairtrial.experiment.ready import HEALTH, Ready

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


def start_project(
    stack: Stack,
    variant: Variant,
    folder: Path,
    *,
    settings: Mapping[str, str],
    cpus: Sequence[int],
    log: Path,
    ready: Ready = HEALTH,
    redaction: Redaction = NOTHING_SECRET,
) -> RunningContainer:
    """Start the project of a stack's compose file, and return it once the service that answers is ready.

    The arguments are those of `start_container`, and so are the errors; `folder` is that of its images
    (`ready_project`). `process.stop()` ends the project and removes it with its volumes and networks.
    """
    program, name = container_program(), new_name()
    compose = compose_program(program)
    project = Project.model_validate_json((folder / PROJECT_FILE).read_bytes())
    if hashlib.sha256(project.file.read_bytes()).hexdigest() != project.file_sha256:
        raise Problem(f"compose: {project.file} has changed since the run began", "run again, and leave it alone")
    port, where = reached_at(stack.port, project.container_port)
    variables, quiet = variables_of(stack, {**settings, **where})
    log.parent.mkdir(parents=True, exist_ok=True)
    over = log.parent.resolve() / f"{name}.compose.yaml"
    over.touch(mode=0o600)
    over.write_text(
        override(
            project,
            name=name,
            port=port,
            command=[*stack.run, *variant.args],
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
        log=log,
        settings=quiet,
        cpus=cpus,
    )
    running = RunningContainer(process, port, published=project.container_port is not None)
    try:
        ready_at = await_ready(running, stack.ready or ready, stack.ready_within_seconds, log, redaction.hidden)
        running.start_up_seconds = ready_at - began
        containers = _containers(program, name, project.answers)
        pid = find_processes(running, program, containers, token=name, cpus=cpus)
        with suppress(psutil.Error):
            process.first = None if pid is None else psutil.Process(pid)
    except Problem as problem:
        process.stop()
        raise with_remedy(problem) from None
    except BaseException:
        process.stop()
        raise
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
