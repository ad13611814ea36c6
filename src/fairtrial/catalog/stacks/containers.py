"""Contenders in containers, alone or as a project of several: which of the two it is, for those who do not care."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event

from fairtrial.catalog.stacks.compose_program import compose_program
from fairtrial.catalog.stacks.compose_project import ready_project
from fairtrial.catalog.stacks.compose_run import start_project
from fairtrial.catalog.stacks.container_image import ReadyImage, ready_image
from fairtrial.catalog.stacks.container_program import container_program
from fairtrial.catalog.stacks.container_run import RunningContainer, start_container
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.redaction import NOTHING_SECRET, Redaction
from fairtrial.experiment.ready import HEALTH, Ready


def assert_program(stack: Stack) -> None:
    """Find the command that runs the stack's containers.

    Raises:
        Problem: there is none on this machine, or it does not answer.
    """
    program = container_program()
    if stack.compose is not None:
        compose_program(program)


def ready_containers(stack: Stack, log: Path, on_building: Callable[[], None], cancelled: Event) -> ReadyImage:
    """Pull or build what the stack runs. Arguments and errors are those of `ready_image`."""
    ready = ready_image if stack.compose is None else ready_project
    return ready(stack, log, on_building, cancelled)


def start_in_containers(
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
    """Start the stack, and return it once it is ready. Arguments and errors are those of `start_container`."""
    start = start_container if stack.compose is None else start_project
    return start(stack, variant, folder, settings=settings, cpus=cpus, log=log, ready=ready, redaction=redaction)
