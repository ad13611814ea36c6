"""What all tables of docs/benchmarks.md share: the machine's two processors, rounds, and what a table is."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from benches.load import Load, Percentiles, Tool, Truth
from benches.processes import Target, run

Thing = TypeVar("Thing")
BESIDE_A_RUN_SECONDS = 1.0
"""A server's start, and a generator's start and end."""


@dataclass(frozen=True)
class Bench:
    """The settings of one table."""

    engine: Path
    generator_cpu: int
    target_cpu: int
    rounds: int
    seconds: float
    report: Callable[[str], None]
    base: Path | None = None  # an engine of an earlier revision


@dataclass(frozen=True)
class Table:
    """A table of docs/benchmarks.md, between the markers of its name."""

    name: str
    rounds: int
    seconds: float  # of each run
    facts: str  # about the runs, beside rounds and seconds
    runs: int  # in a round, of all generators that it compares
    compares: Callable[[Tool], bool]  # whether a generator is in it
    text: Callable[[Bench, Sequence[Tool]], str]  # measures; the table in Markdown
    keeps_seconds: bool = False  # its arithmetic rests on them
    has_page: bool = True  # else it is printed alone

    @property
    def minutes(self) -> float:
        """About so long it takes, where all generators are installed."""
        return self.rounds * self.runs * (self.seconds + BESIDE_A_RUN_SECONDS) / 60


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="fairtrial-bench-") as folder:
        yield Path(folder)


def in_turn(things: Sequence[Thing], round_number: int) -> list[Thing]:
    """All of them, in the opposite order in every other round."""
    return list(things) if round_number % 2 == 0 else list(reversed(things))


def whole_cost_us(
    bench: Bench, tool: Tool, connections: int, *, answer_bytes: int | None = None, request_bytes: int = 0
) -> float:
    """Processor time of the generator's process, its start and exit included, per request that the target answers.

    Args:
        answer_bytes: of each answer's body; None: the target's own, two bytes.
        request_bytes: of each request's body; 0: a GET.

    Returns:
        Microseconds.
    """
    assert tool.cost is not None
    arguments = [] if answer_bytes is None else ["--body-bytes", str(answer_bytes)]
    with scratch() as folder, Target(bench.engine, bench.target_cpu, arguments) as target:
        load = Load(
            target.address,
            connections,
            bench.seconds,
            None,
            folder,
            answer_bytes=answer_bytes,
            request_bytes=request_bytes,
        )
        finished = run(tool.cost(load), load, [bench.generator_cpu])
        return finished.cpu_seconds / target.served() * 1e6


def stated_percentiles(
    bench: Bench,
    truth: Truth,
    connections: int,
    rate_per_second: float,
    *,
    stall: str | None,
    head_start_seconds: float,
) -> Percentiles:
    """What a generator states of a target that stalls by this plan.

    Args:
        stall: as `fairtrial-engine target --stall` takes it; None: it never stalls.
        head_start_seconds: between the start of the target and of the generator.
    """
    arguments = [] if stall is None else ["--stall", stall]
    with scratch() as folder, Target(bench.engine, bench.target_cpu, arguments) as target:
        load = Load(target.address, connections, bench.seconds, rate_per_second, folder)
        command = truth.command(load)
        time.sleep(max(0.0, target.started_at + head_start_seconds - time.monotonic()))
        return truth.percentiles(run(command, load, [bench.generator_cpu]))
