"""No load: the contender is a program."""

from typing import ClassVar, Literal, Never

from pydantic import Field

from fairtrial.load.base import LoadBase
from fairtrial.load.engine_terms import Protocol


class ProgramLoad(LoadBase):
    """No load at all: the contender is a program that does its job and ends. It is started anew for each trial."""

    kind: Literal["program"] = "program"
    timeout_seconds: float = Field(600.0, gt=0, le=86_400)

    connections: ClassVar[int] = 0
    """nobody connects to it, here and below"""
    idle_connections: ClassVar[int] = 0
    threads: ClassVar[int | None] = None
    keep_alive: ClassVar[bool] = True
    protocol: ClassVar[Protocol] = "HTTP/1.1"
    protocol_key: ClassVar[str] = "http2"
    has_streams: ClassVar[bool] = False
    streams: ClassVar[int] = 1
    client_noun: ClassVar[str] = "connection"
    most_in_flight: ClassVar[int] = 0
    trace_share: ClassVar[float] = 0.0
    warmup_seconds: ClassVar[float] = 0.0

    def describe(self) -> str:
        """As printed beside every figure."""
        return "a program, timed from its start to its end"

    def lengths(self) -> str:
        """How long it is measured, in words."""
        return f"at most {self.timeout_seconds:g} s"

    @property
    def planned_seconds(self) -> float:
        """Nobody knows how long a job takes: nothing, until trials have been seen."""
        return 0.0

    def single_run(self, _found_per_second: float | None = None) -> Never:
        """There is none: the plan holds loads and workloads against each other."""
        raise AssertionError("nobody offers a program requests")
