"""What a balancer is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.catalog.services.model import Missing


@dataclass(frozen=True)
class Balancer:
    """A reverse proxy that spreads requests over several servers on loopback, each in its turn.

    `configuration(port, backends)` is the text of its file; `command(file)` runs it in the foreground, in the folder of
    that file.
    """

    name: str
    title: str
    configuration: Callable[[int, Sequence[int]], str]
    command: Callable[[str], list[str]]
    missing: Callable[[], Missing | None]
    version: Callable[[], str | None]
