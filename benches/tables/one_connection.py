"""One request after the other on a single connection: what the generator itself adds to each."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benches.bench import Bench, Table, in_turn, scratch
from benches.document import milliseconds, table
from benches.load import Load, Tool
from benches.processes import Target, run


@dataclass
class OneRow:
    """A tool's answers per second as the target counts them, and the p50 in milliseconds that it states, per round."""

    name: str
    per_second: list[float] = field(default_factory=list)
    p50_ms: list[float] = field(default_factory=list)
    # Its answers per second over the first tool's, in the same round.
    ratios: list[float] = field(default_factory=list)


def measure(bench: Bench, tools: Sequence[Tool]) -> list[OneRow]:
    """Run all tools in turn."""
    rows = {tool.name: OneRow(tool.name) for tool in tools}
    for number in range(bench.rounds):
        for tool in in_turn(tools, number):
            assert tool.closed is not None
            with scratch() as folder, Target(bench.engine, bench.target_cpu) as target:
                load = Load(target.address, 1, bench.seconds, None, folder)
                percentiles = tool.closed.percentiles(run(tool.closed.command(load), load, [bench.generator_cpu]))
                row, per_second = rows[tool.name], target.served() / bench.seconds
            row.per_second.append(per_second)
            row.p50_ms += [] if percentiles.p50 is None else [percentiles.p50]
            bench.report(f"one connection, round {number + 1}: {tool.name} {per_second:,.0f}/s, {percentiles}")
        for row in rows.values():
            row.ratios.append(row.per_second[-1] / rows[tools[0].name].per_second[-1])
    return list(rows.values())


def markdown(rows: Sequence[OneRow]) -> str:
    """A row for each generator."""
    return table(
        ["generator", "answers/s (median)", f"over {rows[0].name}, paired", "p50, ms"],
        [
            [
                row.name,
                f"{statistics.median(row.per_second):,.0f}",
                f"{statistics.median(row.ratios):.2f}",
                milliseconds(statistics.median(row.p50_ms) if row.p50_ms else None),
            ]
            for row in rows
        ],
    )


TABLE = Table(
    name="one-connection",
    rounds=5,
    seconds=3.0,
    facts="one connection",
    compares=lambda tool: tool.closed is not None,
    text=lambda bench, tools: markdown(measure(bench, tools)),
)
