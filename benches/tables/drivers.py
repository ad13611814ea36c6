"""io_uring or epoll: what a request costs with either, and what start and end take, by number of connections."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benches.bench import Bench, Table, in_turn, scratch
from benches.document import table
from benches.load import Command, Load
from benches.processes import Target, run
from benches.tools import engine

# Above some 14,000 connections between two addresses, Linux looks for a local port at length.
CONNECTIONS = (64, 1000, 13000)
DRIVERS = ("io_uring", "epoll")
WARMUP_SECONDS = 3.0  # connecting is no part of the cost of a request


@dataclass
class DriverRow:
    """One driver with one number of connections, per round.

    `costs_us` is the processor time of the engine's thread per answer of the window; `beyond_seconds` is the time from
    the command to the process's end beside warm-up and window.
    """

    driver: str
    connections: int
    costs_us: list[float] = field(default_factory=list)
    beyond_seconds: list[float] = field(default_factory=list)


def measure(bench: Bench) -> list[DriverRow]:
    """Both drivers in turn with each number of connections."""
    rows = [DriverRow(driver, connections) for connections in CONNECTIONS for driver in DRIVERS]
    for number in range(bench.rounds):
        for row in in_turn(rows, number):
            with scratch() as folder, Target(bench.engine, bench.target_cpu) as target:
                load = Load(target.address, row.connections, bench.seconds, None, folder)
                cpus = [bench.generator_cpu]
                plan = engine.plan(load, row.driver, cpus=cpus, warmup_seconds=WARMUP_SECONDS)
                started_at = time.monotonic()
                finished = run(Command([str(bench.engine), "run"], plan), load, cpus)
                row.beyond_seconds.append(time.monotonic() - started_at - WARMUP_SECONDS - bench.seconds)
            row.costs_us.append(engine.cost_us(engine.summary(finished.stdout)))
            bench.report(
                f"drivers, round {number + 1}: {row.driver}, {row.connections:,} connections: "
                f"{row.costs_us[-1]:.2f} µs, {row.beyond_seconds[-1]:.2f} s beyond the window"
            )
    return rows


def markdown(rows: Sequence[DriverRow]) -> str:
    """A row for each number of connections."""
    ours, theirs = ([row for row in rows if row.driver == driver] for driver in DRIVERS)

    def cells(uring: DriverRow, epoll: DriverRow) -> list[str]:
        ratios = [one / other for one, other in zip(uring.costs_us, epoll.costs_us, strict=True)]
        return [
            f"{uring.connections:,}",
            f"{statistics.median(uring.costs_us):.2f}",
            f"{statistics.median(epoll.costs_us):.2f}",
            f"{statistics.median(ratios):.2f}",
            f"{min(ratios):.2f} to {max(ratios):.2f}",
            f"{statistics.median(uring.beyond_seconds):.2f}",
            f"{statistics.median(epoll.beyond_seconds):.2f}",
        ]

    return table(
        [
            "connections",
            "io_uring: CPU per request, µs (median)",
            "epoll",
            "io_uring over epoll, paired",
            "lowest to highest",
            "io_uring: beyond the window, s",
            "epoll",
        ],
        [cells(uring, epoll) for uring, epoll in zip(ours, theirs, strict=True)],
    )


TABLE = Table(
    name="drivers",
    rounds=7,
    seconds=3.0,
    facts=f"one thread, at the highest rate, after {WARMUP_SECONDS:g} s of warm-up",
    runs=12,  # six, as long again for their warm-ups
    compares=lambda tool: tool.is_ours and not tool.variant,
    text=lambda bench, _: markdown(measure(bench)),
)
