"""The four measurements: cost, sizes, truth, scale."""

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benches.load import Command, Load, Percentiles, Tool
from benches.processes import Target, run
from benches.tools import engine

CONNECTIONS = 64
# Few, so that the bodies on their way stay in the caches of both processors.
SIZES_CONNECTIONS = 16
SIZES_WARMUP_SECONDS = 0.5
DRIVERS = ("io_uring", "epoll")
RATE_PER_SECOND = 2000.0
STALL = "2s:200ms"
# Between the start of the target and of the generator, so that every stall lies completely within the run.
STALL_HEAD_START_SECONDS = 0.8
SCALE_WARMUP_SECONDS = 4.0

# By arithmetic: a request meets a stall with probability 0.1, and then waits for a uniformly distributed 0 to 200 ms.
EXPECTED = Percentiles(None, 100.0, 180.0, 198.0)


@dataclass(frozen=True)
class Bench:
    """The settings that all measurements share."""

    engine: Path
    generator_cpu: int
    target_cpu: int
    rounds: int
    seconds: float
    report: Callable[[str], None]


@dataclass
class CostRow:
    """A tool's cost, per round, in microseconds of processor time per answered request."""

    name: str
    costs_us: list[float] = field(default_factory=list)
    # The first tool's cost over this one's, in the same round.
    ratios: list[float] = field(default_factory=list)

    @property
    def median_us(self) -> float:
        return statistics.median(self.costs_us)

    @property
    def median_ratio(self) -> float:
        return statistics.median(self.ratios)


@dataclass
class SizeRow:
    """What answers with bodies of one size cost the engine, per round and driver, in microseconds of processor time."""

    body_bytes: int
    costs_us: dict[str, list[float]] = field(default_factory=lambda: {driver: [] for driver in DRIVERS})

    @property
    def median_ratio(self) -> float:
        """The cost by io_uring over that by epoll in the same round."""
        io_uring, epoll = (self.costs_us[driver] for driver in DRIVERS)
        return statistics.median(ours / theirs for ours, theirs in zip(io_uring, epoll, strict=True))


@dataclass(frozen=True)
class ScaleRow:
    """A generator with one number of connections.

    The engine's cost is what it reports for its threads in the window. That of other generators is the cost of their
    whole process, including connecting.
    """

    name: str
    connections: int
    threads: int
    cost_us: float
    requests_per_second: float
    most_memory_bytes: int


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder."""
    with tempfile.TemporaryDirectory(prefix="fairtrial-bench-") as folder:
        yield Path(folder)


def measure_cost(bench: Bench, tools: Sequence[Tool]) -> list[CostRow]:
    """Run all tools in turn, in the opposite order in each second round."""
    rows = {tool.name: CostRow(tool.name) for tool in tools if tool.cost}
    for number in range(bench.rounds):
        costs: dict[str, float] = {}
        for tool in tools if number % 2 == 0 else list(reversed(tools)):
            if tool.cost is None:
                continue
            with scratch() as folder, Target(bench.engine, bench.target_cpu) as target:
                load = Load(target.address, CONNECTIONS, bench.seconds, None, folder)
                finished = run(tool.cost(load), load, [bench.generator_cpu])
                costs[tool.name] = finished.cpu_seconds / target.served() * 1e6
            bench.report(f"cost, round {number + 1}: {tool.name} {costs[tool.name]:.2f} µs")
        first = costs[tools[0].name]
        for name, cost in costs.items():
            rows[name].costs_us.append(cost)
            rows[name].ratios.append(first / cost)
    return list(rows.values())


def measure_sizes(bench: Bench, sizes: Sequence[int]) -> list[SizeRow]:
    """The engine by both drivers, in the opposite order in each second round; the cost is that of its threads."""
    rows = [SizeRow(size) for size in sizes]
    for number in range(bench.rounds):
        for row in rows:
            for driver in DRIVERS if number % 2 == 0 else DRIVERS[::-1]:
                row.costs_us[driver].append(_cost_of_size(bench, driver, row.body_bytes))
            bench.report(f"sizes, round {number + 1}: {row}")
    return rows


def _cost_of_size(bench: Bench, driver: str, body_bytes: int) -> float:
    arguments = ["--body-bytes", str(body_bytes)]
    with scratch() as folder, Target(bench.engine, bench.target_cpu, arguments) as target:
        load = Load(target.address, SIZES_CONNECTIONS, bench.seconds, None, folder)
        cpus = [bench.generator_cpu]
        text = engine.sized_plan(load, driver, body_bytes, cpus=cpus, warmup_seconds=SIZES_WARMUP_SECONDS)
        window = engine.summary(run(Command([str(bench.engine), "run"], text), load, cpus).stdout)
    return engine.cost_us(window)


def measure_truth(bench: Bench, tools: Sequence[Tool]) -> list[tuple[str, Percentiles]]:
    """The percentiles that each tool states for a target whose true percentiles are known.

    The first tool also measures a target that never stalls, for the median. `bench.seconds` is a multiple of 2.
    """
    rows = []
    calm = [(tools[0].truths[0], "never stalls")]
    for truth, stall in calm + [(truth, STALL) for tool in tools for truth in tool.truths]:
        arguments = ["--stall", STALL] if stall == STALL else []
        label = truth.label if stall == STALL else f"{truth.label}, the target never stalls"
        with scratch() as folder, Target(bench.engine, bench.target_cpu, arguments) as target:
            load = Load(target.address, CONNECTIONS, bench.seconds, RATE_PER_SECOND, folder)
            command = truth.command(load)
            time.sleep(max(0.0, target.started_at + STALL_HEAD_START_SECONDS - time.monotonic()))
            percentiles = truth.percentiles(run(command, load, [bench.generator_cpu]))
        bench.report(f"truth: {label} {percentiles}")
        rows.append((label, percentiles))
    return rows


def measure_scale(bench: Bench, connections: Sequence[int], others: Sequence[Tool]) -> list[ScaleRow]:
    """The engine with more connections on one thread, then with more threads on more processors; then the other tools.

    The other tools run with more connections too, to separate the kernel's cost of many sockets from a generator's.
    """
    sizes = [(count, 1) for count in connections]
    # The number of connections of each thread stays the same.
    sizes += [(CONNECTIONS * threads, threads) for threads in range(2, len(os.sched_getaffinity(0)) + 1)]
    rows = [_scale_of_engine(bench, count, threads) for count, threads in sizes]
    return rows + [_scale_of_tool(bench, tool, count) for tool in others for count in connections]


def _scale_of_tool(bench: Bench, tool: Tool, connections: int) -> ScaleRow:
    assert tool.cost is not None
    with scratch() as folder, Target(bench.engine, bench.target_cpu) as target:
        load = Load(target.address, connections, bench.seconds, None, folder)
        started_at = time.monotonic()
        finished = run(tool.cost(load), load, [bench.generator_cpu])
        run_seconds = time.monotonic() - started_at
        served = target.served()
    row = ScaleRow(
        name=tool.name,
        connections=connections,
        threads=1,
        cost_us=finished.cpu_seconds / served * 1e6,
        requests_per_second=served / run_seconds,
        most_memory_bytes=finished.most_memory_bytes,
    )
    bench.report(f"scale: {row}")
    return row


def _scale_of_engine(bench: Bench, connections: int, threads: int) -> ScaleRow:
    others = sorted(os.sched_getaffinity(0) - {bench.target_cpu, bench.generator_cpu})
    # With more threads than free processors, the last thread shares the target's processor.
    cpus = [bench.generator_cpu, *others, bench.target_cpu][:threads]
    with scratch() as folder, Target(bench.engine, bench.target_cpu) as target:
        load = Load(target.address, connections, bench.seconds, None, folder)
        # A warm-up, because connecting is not part of the cost of a request.
        text = engine.plan(load, "auto", threads=threads, cpus=cpus, warmup_seconds=SCALE_WARMUP_SECONDS)
        finished = run(Command([str(bench.engine), "run"], text), load, cpus)
    window = engine.summary(finished.stdout)
    row = ScaleRow(
        name="fairtrial",
        connections=connections,
        threads=threads,
        cost_us=engine.cost_us(window),
        requests_per_second=window["goodput_per_second"],
        most_memory_bytes=finished.most_memory_bytes,
    )
    bench.report(f"scale: {row}")
    return row
