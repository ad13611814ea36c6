"""The two requests that every kind of contender answers: make it ready, and start it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.stacks.certificate import Certificate
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.redaction import NOTHING_SECRET, Redaction
from fairtrial.catalog.stacks.unprivileged_user import RunsAs
from fairtrial.engine.guard import NO_PLACES, Places
from fairtrial.experiment.ready import HEALTH, Ready
from fairtrial.load.engine_terms import Protocol


@dataclass(frozen=True)
class BuildRequest:
    """A stack to be built, pulled or found."""

    stack: Stack
    log: Path
    """takes what the commands print"""
    on_building: Callable[[], None]
    """called if there is something to build or to pull"""
    number: int = 1
    """counted from 1. Each is built apart from the others: whatever differs between builds of the same source (the
    layout of code, say) differs between them"""
    versions: Mapping[str, str] = field(default_factory=dict)
    """what the stack's requirements printed: another toolchain makes another build"""
    built_apart: str | None = None
    """the variant whose own build is made; None: the stack's build"""
    services: Collection[str] | None = None
    """those that the stack will be run on; None: all that its manifest names. A stack whose build commands hold
    `{services}` is built for these alone; to others it makes no difference"""
    cancelled: Event = field(default_factory=Event)
    """ends the build once it is set, from whatever thread"""


@dataclass(frozen=True)
class ReadyProgram:
    """A program, ready to start."""

    folder: Path
    """in which it is run; of an image or a project, that of the cache which holds its digests"""
    sha256: str | None = None
    """of an image or a project; None: of the stack's source"""
    versions: Mapping[str, str] = field(default_factory=dict)
    """beside those of its requirements"""
    services: Sequence[str] = ()
    """of a project, the one that answers first"""


@dataclass(frozen=True)
class StartRequest:
    """A stack that was made ready, to be started once."""

    stack: Stack
    variant: Variant
    folder: Path
    """that of its `ReadyProgram`"""
    settings: Mapping[str, str]
    """the contract's variables beside HOST and PORT, and those of the variant"""
    cpus: Sequence[int]
    """the processors to which it is bound"""
    log: Path
    """takes what it prints"""
    ready: Ready = HEALTH
    """when it counts as ready, unless the stack says so itself"""
    places: Places = NO_PLACES
    """files and host names that it alone sees"""
    redaction: Redaction = NOTHING_SECRET
    """strips what it prints of secrets"""
    user: RunsAs | None = None
    """who it is; None: who the lab is. Containers say it themselves"""
    fault: Callable[[], str | None] = lambda: None
    """how a service ended that it needs; None while all of them run"""
    host: str = LOOPBACK
    """an IPv4 address of this machine, on which it is to listen; a container is reached on 127.0.0.1"""
    certificate: Certificate | None = None
    """by which it speaks TLS; None: it speaks none"""
    over: Protocol = "HTTP/1.1"
    """what the load comes over, and the question whether it is ready"""

    @property
    def command(self) -> list[str]:
        """The command of the stack, with what the variant appends to it."""
        return [*self.stack.run, *self.variant.args]
