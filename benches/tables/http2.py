"""HTTP/2 over TLS: a few connections with several streams on each."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from benches.bench import Bench, Table, in_turn, scratch
from benches.document import table
from benches.load import Load, Tool
from benches.nginx import Nginx
from benches.processes import run

CONNECTIONS = 4
STREAMS = 10


@dataclass
class Http2Row:
    """A tool's answers per second as the server counts them, and its processor time for each, per round."""

    name: str
    per_second: list[float] = field(default_factory=list)
    cost_us: list[float] = field(default_factory=list)
    # Its cost over the first tool's, in the same round.
    ratios: list[float] = field(default_factory=list)


def measure(bench: Bench, tools: Sequence[Tool]) -> list[Http2Row]:
    """Run all tools in turn."""
    rows = {tool.name: Http2Row(tool.name) for tool in tools}
    for number in range(bench.rounds):
        for tool in in_turn(tools, number):
            assert tool.http2 is not None
            with scratch() as folder, scratch() as server, Nginx(bench.target_cpu, server) as nginx:
                load = Load(nginx.address, CONNECTIONS, bench.seconds, None, folder, streams=STREAMS)
                finished = run(tool.http2(load), load, [bench.generator_cpu])
                served, row = nginx.served(), rows[tool.name]
            row.per_second.append(served / bench.seconds)
            row.cost_us.append(finished.cpu_seconds / served * 1e6)
            bench.report(
                f"HTTP/2, round {number + 1}: {tool.name} {row.per_second[-1]:,.0f}/s, {row.cost_us[-1]:.2f} µs"
            )
        for row in rows.values():
            row.ratios.append(row.cost_us[-1] / rows[tools[0].name].cost_us[-1])
    return list(rows.values())


def markdown(rows: Sequence[Http2Row]) -> str:
    """A row for each generator."""
    return table(
        ["generator", "answers/s (median)", "CPU per request, µs (median)", f"over {rows[0].name}, paired"],
        [
            [
                row.name,
                f"{statistics.median(row.per_second):,.0f}",
                f"{statistics.median(row.cost_us):.2f}",
                f"{statistics.median(row.ratios):.2f}",
            ]
            for row in rows
        ],
    )


def _text(bench: Bench, tools: Sequence[Tool]) -> str:
    if not Nginx.is_installed():
        return "Not measured: nginx is not installed."
    return markdown(measure(bench, tools))


TABLE = Table(
    name="http2",
    rounds=5,
    seconds=2.0,
    facts=f"{CONNECTIONS} connections with {STREAMS} streams each",
    compares=lambda tool: tool.http2 is not None,
    text=_text,
)
