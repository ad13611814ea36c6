"""What a request costs each generator."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benches.bench import Bench, Table, in_turn, whole_cost_us
from benches.document import table
from benches.load import Tool

CONNECTIONS = 64


@dataclass
class CostRow:
    """A tool's cost, per round, in microseconds of processor time per answered request."""

    name: str
    costs_us: list[float] = field(default_factory=list)
    # The first tool's cost over this one's, in the same round.
    ratios: list[float] = field(default_factory=list)


def measure(bench: Bench, tools: Sequence[Tool]) -> list[CostRow]:
    """Run all tools in turn."""
    rows = {tool.name: CostRow(tool.name) for tool in tools}
    for number in range(bench.rounds):
        costs: dict[str, float] = {}
        for tool in in_turn(tools, number):
            costs[tool.name] = whole_cost_us(bench, tool, CONNECTIONS)
            bench.report(f"cost, round {number + 1}: {tool.name} {costs[tool.name]:.2f} µs")
        first = costs[tools[0].name]
        for name, cost in costs.items():
            rows[name].costs_us.append(cost)
            rows[name].ratios.append(first / cost)
    return list(rows.values())


def markdown(rows: Sequence[CostRow]) -> str:
    """A row for each generator."""
    return table(
        ["generator", "CPU per request, µs (median)", "lowest to highest", f"{rows[0].name} over it, paired"],
        [
            [
                row.name,
                f"{statistics.median(row.costs_us):.2f}",
                f"{min(row.costs_us):.2f} to {max(row.costs_us):.2f}",
                f"{statistics.median(row.ratios):.2f}",
            ]
            for row in rows
        ],
    )


TABLE = Table(
    name="cost",
    rounds=5,
    seconds=5.0,
    facts=f"{CONNECTIONS} connections",
    compares=lambda tool: tool.cost is not None and not tool.variant,
    text=lambda bench, tools: markdown(measure(bench, tools)),
)
