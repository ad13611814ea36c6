"""Load generators as values: the load they offer, the command that starts them, and their result."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Load:
    """One run of a generator."""

    address: str  # host:port
    connections: int
    seconds: float
    rate_per_second: float | None  # None: as fast as the answers come
    scratch: Path  # an empty folder for the generator's files
    answer_bytes: int | None = None  # of each answer's body; None: the target's own, two bytes
    request_bytes: int = 0  # of each request's body; 0: a GET
    streams: int = 0  # of each connection, over HTTP/2; 0: HTTP/1.1
    tls: bool = False
    connection_each: bool = False  # one for each request

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.address}/"

    @property
    def request_body(self) -> Path:
        """A file with the body of each request."""
        file = self.scratch / "body"
        file.write_bytes(b"a" * self.request_bytes)
        return file


@dataclass(frozen=True)
class Command:
    """A generator's arguments, and the text of its standard input."""

    arguments: list[str]
    stdin: str = ""


@dataclass(frozen=True)
class Finished:
    """A generator that has ended."""

    stdout: str
    cpu_seconds: float  # user and system, of the process and of its children that it has waited for
    most_memory_bytes: int
    load: Load


@dataclass(frozen=True)
class Percentiles:
    """Response times as a generator states them, in milliseconds; None where it states none."""

    p50: float | None
    p95: float | None
    p99: float | None
    p999: float | None


@dataclass(frozen=True)
class Truth:
    """A way to measure with a generator, and the function that reads its percentiles."""

    label: str
    command: Callable[[Load], Command]
    percentiles: Callable[[Finished], Percentiles]
    keeps_rate: bool = True


@dataclass(frozen=True)
class Tool:
    """A load generator.

    `cost` gives the command for one thread, at the highest rate; None for a tool that keeps a rate. `closed` is such a
    command that states percentiles; None if it states none. `truths` are commands that do, at a given rate. `http2` is
    a command for one thread that speaks HTTP/2, over TLS with any certificate and without; None if it cannot.
    """

    name: str
    version_command: list[str]  # its first element is the program
    cost: Callable[[Load], Command] | None
    truths: tuple[Truth, ...] = ()
    closed: Truth | None = None
    http2: Callable[[Load], Command] | None = None
    sends_bodies: bool = False  # `cost` heeds the bodies of requests
    speaks_tls: bool = False  # `cost` and `closed` do, with any certificate
    opens_for_each: bool = False  # `cost` and `closed` heed `connection_each`
    is_ours: bool = False
    variant: bool = False  # of a tool that is in the list already, for some of the tables
    version_pattern: str = r"\d+\.\d+(?:\.\d+)?"
