"""What long answers and long requests cost each generator."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benches.bench import Bench, Table, in_turn, whole_cost_us
from benches.document import table
from benches.load import Tool

# Few, so that the bodies on their way stay in the caches of both processors.
CONNECTIONS = 16
SIZES_BYTES = (200, 16 << 10, 64 << 10, 1 << 20)

Cost = Callable[[Bench, Tool, int], float]
"""Microseconds for each request, with bodies of so many bytes."""


@dataclass
class SizeRow:
    """A tool's cost by size of body, per round, in microseconds of processor time per answered request."""

    name: str
    is_ours: bool
    costs_us: dict[int, list[float]] = field(default_factory=dict)


def measure(bench: Bench, tools: Sequence[Tool], sizes_bytes: Sequence[int], cost: Cost) -> list[SizeRow]:
    """Run all tools in turn, with one size after the other."""
    rows = {tool.name: SizeRow(tool.name, tool.is_ours, {size: [] for size in sizes_bytes}) for tool in tools}
    for number in range(bench.rounds):
        for size in sizes_bytes:
            for tool in in_turn(tools, number):
                cost_us = cost(bench, tool, size)
                rows[tool.name].costs_us[size].append(cost_us)
                bench.report(f"sizes, round {number + 1}, {size} bytes: {tool.name} {cost_us:.2f} µs")
    return list(rows.values())


def markdown(rows: Sequence[SizeRow], ours: str) -> str:
    """A row for each generator; then one with the cost of `ours` over the least of the others, in the same round."""
    own = next(row for row in rows if row.name == ours)
    others = [row for row in rows if not row.is_ours]

    def ratio(size: int) -> str:
        if not others:
            return "—"
        least = [min(costs) for costs in zip(*(row.costs_us[size] for row in others), strict=True)]
        return f"{statistics.median(a / b for a, b in zip(own.costs_us[size], least, strict=True)):.2f}"

    sizes = list(own.costs_us)
    return table(
        ["CPU per request, µs (median)", *(f"{size:,} bytes" for size in sizes)],
        [
            *([row.name, *(f"{statistics.median(row.costs_us[size]):.2f}" for size in sizes)] for row in rows),
            [f"{ours} over the least of the others, paired", *map(ratio, sizes)],
        ],
    )


def _of_answers(bench: Bench, tool: Tool, size_bytes: int) -> float:
    return whole_cost_us(bench, tool, CONNECTIONS, answer_bytes=size_bytes)


def _of_requests(bench: Bench, tool: Tool, size_bytes: int) -> float:
    return whole_cost_us(bench, tool, CONNECTIONS, request_bytes=size_bytes)


ANSWERS = Table(
    name="sizes",
    rounds=3,
    seconds=2.0,
    facts=f"{CONNECTIONS} connections",
    runs=44,
    compares=lambda tool: tool.cost is not None,
    text=lambda bench, tools: markdown(measure(bench, tools, SIZES_BYTES, _of_answers), "fairtrial (auto)"),
)
REQUESTS = Table(
    name="request-sizes",
    rounds=3,
    seconds=2.0,
    facts=f"{CONNECTIONS} connections",
    runs=24,
    compares=lambda tool: tool.cost is not None and tool.sends_bodies,
    text=lambda bench, tools: markdown(measure(bench, tools, SIZES_BYTES, _of_requests), "fairtrial (auto)"),
)
