"""Threads of a stack that may run on processors that are not the stack's, as they are recorded."""

from pydantic import Field

from fairtrial.base.strict import Strict


class StrayThreads(Strict):
    """Threads of the stack that may run on other processors than it was given, as each was asked."""

    looks: int = Field(description="how often all threads were asked")
    looks_outside: int = Field(description="in how many of them a thread might run outside of the server's processors")
    threads: int = Field(description="the most such threads in one look")
    cpus: list[int] = Field(description="the processors outside on which one of them might run")
    programs: list[str] = Field(description="names of their processes, as the kernel has them; printable")
