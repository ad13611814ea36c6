"""What a generator is asked to do, how it is called, and what comes of it."""

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

    @property
    def url(self) -> str:
        return f"http://{self.address}/"


@dataclass(frozen=True)
class Command:
    """A generator's arguments, and what it reads."""

    arguments: list[str]
    stdin: str = ""


@dataclass(frozen=True)
class Finished:
    """A generator that has ended."""

    stdout: str
    cpu_seconds: float  # user and system, of the process and of those it has waited for
    most_memory_bytes: int
    load: Load


@dataclass(frozen=True)
class Percentiles:
    """Response times as a generator states them, in milliseconds; None where it says nothing."""

    p50: float | None
    p95: float | None
    p99: float | None
    p999: float | None


@dataclass(frozen=True)
class Truth:
    """A way in which a generator measures at a given rate, and how its percentiles are read."""

    label: str
    command: Callable[[Load], Command]
    percentiles: Callable[[Finished], Percentiles]


@dataclass(frozen=True)
class Tool:
    """A generator. `cost`: 64 connections, one thread, as fast as the answers come."""

    name: str
    version_command: list[str]  # its first element is the program
    cost: Callable[[Load], Command] | None
    truths: tuple[Truth, ...] = ()
    version_pattern: str = r"\d+\.\d+(?:\.\d+)?"
