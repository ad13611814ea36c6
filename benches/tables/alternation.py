"""Generators in turn under one load: what a request costs each, and how many it has answered."""

import statistics
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from benches.bench import Bench, Table, in_turn, scratch
from benches.document import milliseconds, table
from benches.load import Command, Load, Tool
from benches.nginx import Nginx
from benches.processes import Target, run


@dataclass(frozen=True)
class Setting:
    """One load, as fast as the answers come."""

    name: str
    connections: int
    streams: int = 0  # of each connection, over HTTP/2; 0: HTTP/1.1
    tls: bool = False
    connection_each: bool = False  # one for each request

    @property
    def needs_nginx(self) -> bool:
        """Whether the engine's own target cannot answer it."""
        return self.tls or self.streams > 0

    def command(self, tool: Tool) -> Callable[[Load], Command] | None:
        """What makes the tool offer this load; None if it cannot."""
        if self.streams:
            return tool.http2
        if (self.tls and not tool.speaks_tls) or (self.connection_each and not tool.opens_for_each):
            return None
        return tool.closed.command if tool.closed else tool.cost

    def server(self, bench: Bench, folder: Path) -> AbstractContextManager[Nginx | Target]:
        """A server for it, on a processor of its own."""
        if self.needs_nginx:
            return Nginx(bench.target_cpu, folder, tls=self.tls)
        return Target(bench.engine, bench.target_cpu)


@dataclass
class Row:
    """A generator under one load, per round.

    `costs_us` is the processor time of its whole process per request that the server answered, `per_second` are those
    requests, and `p50_ms` is the median that it states, if it states one. The ratios are those of the first generator's
    figure to this one's, in the same round.
    """

    name: str
    costs_us: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    p50_ms: list[float] = field(default_factory=list)
    cost_ratios: list[float] = field(default_factory=list)
    rate_ratios: list[float] = field(default_factory=list)


def measure(bench: Bench, setting: Setting, tools: Sequence[Tool]) -> list[Row]:
    """All tools in turn, each of which can offer this load."""
    rows = {tool.name: Row(tool.name) for tool in tools}
    for number in range(bench.rounds):
        for tool in in_turn(tools, number):
            row = rows[tool.name]
            _try_once(bench, setting, tool, row)
            figures = f"{row.costs_us[-1]:.2f} µs, {row.per_second[-1]:,.0f}/s"
            bench.report(f"{setting.name}, round {number + 1}: {tool.name} {figures}")
        first = rows[tools[0].name]
        for row in rows.values():
            row.cost_ratios.append(first.costs_us[-1] / row.costs_us[-1])
            row.rate_ratios.append(first.per_second[-1] / row.per_second[-1])
    return list(rows.values())


def _try_once(bench: Bench, setting: Setting, tool: Tool, row: Row) -> None:
    command = setting.command(tool)
    assert command is not None
    with scratch() as folder, scratch() as of_server, setting.server(bench, of_server) as server:
        load = Load(
            address=server.address,
            connections=setting.connections,
            seconds=bench.seconds,
            rate_per_second=None,
            scratch=folder,
            streams=setting.streams,
            tls=setting.tls,
            connection_each=setting.connection_each,
        )
        finished = run(command(load), load, [bench.generator_cpu])
        served = server.served()
        if tool.closed and command is tool.closed.command:
            p50 = tool.closed.percentiles(finished).p50
            row.p50_ms += [] if p50 is None else [p50]
    row.costs_us.append(finished.cpu_seconds / served * 1e6)
    row.per_second.append(served / bench.seconds)


def spread(values: Sequence[float]) -> str:
    """The lowest and the highest."""
    return f"{min(values):.2f} to {max(values):.2f}"


def markdown(rows: Sequence[Row]) -> str:
    """A row for each generator."""
    over = f"{rows[0].name} over it, paired"
    return table(
        ["generator", "CPU per request, µs (median)", "lowest to highest", over, "answers/s (median)", over, "p50, ms"],
        [
            [
                row.name,
                f"{statistics.median(row.costs_us):.2f}",
                spread(row.costs_us),
                f"{statistics.median(row.cost_ratios):.2f}",
                f"{statistics.median(row.per_second):,.0f}",
                f"{statistics.median(row.rate_ratios):.2f}",
                milliseconds(statistics.median(row.p50_ms) if row.p50_ms else None),
            ]
            for row in rows
        ],
    )


def _text(setting: Setting) -> Callable[[Bench, Sequence[Tool]], str]:
    def text(bench: Bench, tools: Sequence[Tool]) -> str:
        if setting.needs_nginx and not Nginx.is_installed():
            return "Not measured: nginx is not installed."
        return markdown(measure(bench, setting, tools))

    return text


HTTP1 = Setting("HTTP/1.1, 64 connections", 64)
ONE = Setting("HTTP/1.1, one connection, asleep", 1)
HTTP2 = Setting("HTTP/2 over TLS, 4 connections with 10 streams each", 4, streams=10, tls=True)

COST = Table(
    name="cost",
    rounds=5,
    seconds=5.0,
    facts="64 connections",
    runs=10,
    compares=lambda tool: tool.cost is not None and not tool.variant,
    text=_text(HTTP1),
)
ONE_CONNECTION = Table(
    name="one-connection",
    rounds=5,
    seconds=3.0,
    facts="one connection",
    runs=10,
    compares=lambda tool: tool.closed is not None,
    text=_text(ONE),
)
OVER_HTTP2 = Table(
    name="http2",
    rounds=5,
    seconds=2.0,
    facts="4 connections with 10 streams each",
    runs=5,
    compares=lambda tool: tool.http2 is not None,
    text=_text(HTTP2),
)
