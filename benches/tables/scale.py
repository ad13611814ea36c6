"""Cost, rate and memory with more connections, and with more threads."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benches.bench import Bench, Table, scratch
from benches.document import table
from benches.load import Command, Load, Tool
from benches.processes import Target, run
from benches.tools import engine

CONNECTIONS = (64, 1000, 16000)
WARMUP_SECONDS = 4.0
OTHERS = ("gcannon", "wrk")


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


def measure(bench: Bench, tools: Sequence[Tool]) -> list[ScaleRow]:
    """The engine with more connections on one thread, then with more threads on more processors; then the other tools.

    The other tools run with more connections too, to separate the kernel's cost of many sockets from a generator's.
    """
    sizes = [(count, 1) for count in CONNECTIONS]
    # The number of connections of each thread stays the same.
    sizes += [(CONNECTIONS[0] * threads, threads) for threads in range(2, len(os.sched_getaffinity(0)) + 1)]
    rows = [_of_engine(bench, count, threads) for count, threads in sizes]
    others = [tool for tool in tools if not tool.is_ours]
    return rows + [_of_tool(bench, tool, count) for tool in others for count in CONNECTIONS]


def _of_tool(bench: Bench, tool: Tool, connections: int) -> ScaleRow:
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


def _of_engine(bench: Bench, connections: int, threads: int) -> ScaleRow:
    others = sorted(os.sched_getaffinity(0) - {bench.target_cpu, bench.generator_cpu})
    # With more threads than free processors, the last thread shares the target's processor.
    cpus = [bench.generator_cpu, *others, bench.target_cpu][:threads]
    with scratch() as folder, Target(bench.engine, bench.target_cpu) as target:
        load = Load(target.address, connections, bench.seconds, None, folder)
        # A warm-up, because connecting is not part of the cost of a request.
        text = engine.plan(load, "auto", threads=threads, cpus=cpus, warmup_seconds=WARMUP_SECONDS)
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


def markdown(rows: Sequence[ScaleRow]) -> str:
    """Cost, rate and memory: a row for each generator and number of connections."""

    def per_connection(row: ScaleRow) -> str:
        smallest = next(other for other in rows if other.name == row.name)
        more = row.connections - smallest.connections
        if more <= 0 or row.threads > 1:
            return "—"
        return f"{(row.most_memory_bytes - smallest.most_memory_bytes) / more:.0f} bytes"

    return table(
        [
            "generator",
            "connections",
            "threads",
            "CPU per request, µs",
            "requests/s",
            "most memory, MiB",
            "per added connection",
        ],
        [
            [
                row.name,
                f"{row.connections:,}",
                str(row.threads),
                f"{row.cost_us:.2f}",
                f"{row.requests_per_second:,.0f}",
                f"{row.most_memory_bytes / 2**20:.1f}",
                per_connection(row),
            ]
            for row in rows
        ],
    )


TABLE = Table(
    name="scale",
    rounds=1,
    seconds=5.0,
    facts="at the highest rate",
    runs=14,  # ten, some as long again for their warm-ups
    compares=lambda tool: tool.name in OTHERS or (tool.is_ours and not tool.variant),
    text=lambda bench, tools: markdown(measure(bench, tools)),
)
