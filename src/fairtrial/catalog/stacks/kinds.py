"""The kinds of contenders: how each is made ready, and how it is started. Each has a file of its own."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.catalog.stacks import command, compose, folder, image, url
from fairtrial.catalog.stacks.container_program import container_program
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram, StartRequest
from fairtrial.catalog.stacks.run import RunningStack, start_process
from fairtrial.record.identity import Origin


@dataclass(frozen=True)
class Kind:
    """A kind of contender."""

    ready: Callable[[BuildRequest], ReadyProgram]
    """builds, pulls or finds the program; raises a Problem if that fails, and BuildCancelled"""
    start: Callable[[StartRequest], RunningStack] | None
    """returns it once it is ready; raises a Problem otherwise, and leaves nothing of it. None: it runs already, and is
    found by `find_running`"""
    assert_program: Callable[[], object] = lambda: None
    """raises a Problem if the command that runs contenders of this kind is missing, or does not answer"""


KINDS: Mapping[Origin, Kind] = {
    "folder": Kind(folder.ready, start_process),
    "command": Kind(command.ready, start_process),
    "url": Kind(url.ready, None),
    "image": Kind(image.ready, image.start, container_program),
    "compose": Kind(compose.ready, compose.start, compose.assert_program),
}


def stack_sha256(stack: Stack, built_apart: str | None = None) -> str:
    """The SHA-256 of a stack's source, manifest included, as hex.

    Of a program that is not built, it is that of the command, of the URL, or of the image's or file's name alone.

    Args:
        built_apart: the variant whose source it is, if it has one of its own.
    """
    if stack.origin == "folder":
        return folder_sha256(stack.source(built_apart))
    started_by = [stack.origin, stack.url or stack.image or str(stack.dockerfile or stack.compose or "") or stack.run]
    return hashlib.sha256(json.dumps(started_by).encode()).hexdigest()
