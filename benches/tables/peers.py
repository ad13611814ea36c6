"""The engine beside wrk and h2load in one run: cost and rate by kind of load, a server that pauses, many connects."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from benches.bench import Bench, Table, in_turn, scratch, stated_percentiles
from benches.document import table
from benches.load import Command, Load, Tool
from benches.nginx import Nginx
from benches.processes import Target, run, version
from benches.tables.alternation import HTTP1, HTTP2, ONE, Row, Setting, measure, spread
from benches.tools import engine, h2load, wrk

TLS_EACH = Setting("TLS 1.3, 64 at a time, a connection each", 64, tls=True, connection_each=True)
SETTINGS = (
    HTTP1,
    Setting("HTTP/1.1, 1,000 connections", 1000),
    ONE,
    Setting("TLS 1.3, 64 connections", 64, tls=True),
    TLS_EACH,
    HTTP2,
    Setting("HTTP/2 without TLS, 4 connections with 10 streams each", 4, streams=10),
)
PEERS = (wrk.TOOL, h2load.TOOL, h2load.HTTP2)

RATE_PER_SECOND = 2000.0
OPEN_CONNECTIONS = 64
STALL = "1s:100ms"
# Between the start of the target and of the generator, so that every stall lies completely within the run.
STALL_HEAD_START_SECONDS = 0.5
# By arithmetic: of all requests a tenth are due in a stall, and wait for what is left of it; 1% for longer than this.
STALL_P99_MS = 90.0

CONNECTS = (1000, 14_000, 19_000)
GOAL_MS = 0.02  # to open a connection


def costs(bench: Bench, tools: Sequence[Tool]) -> str:
    """A row for each load and each peer that can offer it."""
    ours, *others = tools
    cells: list[list[str]] = []
    for setting in SETTINGS:
        able = [tool for tool in PEERS if setting.command(tool)]
        nginx_lacks = setting.needs_nginx and not Nginx.is_installed()
        compared = [] if nginx_lacks else [tool for tool in able if tool in others]
        if setting is HTTP1:
            compared += [tool for tool in others if tool.is_ours]
        if compared:
            first, *rest = measure(bench, setting, [ours, *compared])
            cells += [_cells(setting, first, row) for row in rest]
        for tool in able:
            if nginx_lacks or version(tool) is None:
                why = "nginx is not installed" if nginx_lacks else "not installed"
                cells.append([setting.name, f"{tool.name}: {why}", *["–"] * 6])
    return table(
        [
            "load",
            "peer",
            "CPU per request, µs: ours, the peer's (medians)",
            "ours over it, paired",
            "lowest to highest",
            "answers/s: ours, the peer's (medians)",
            "ours over it, paired",
            "lowest to highest",
        ],
        cells,
    )


def _cells(setting: Setting, ours: Row, peer: Row) -> list[str]:
    return [
        setting.name,
        peer.name,
        f"{statistics.median(ours.costs_us):.2f}, {statistics.median(peer.costs_us):.2f}",
        f"{statistics.median(peer.cost_ratios):.2f}",
        spread(peer.cost_ratios),
        f"{statistics.median(ours.per_second):,.0f}, {statistics.median(peer.per_second):,.0f}",
        f"{statistics.median(peer.rate_ratios):.2f}",
        spread(peer.rate_ratios),
    ]


def pauses(bench: Bench, tools: Sequence[Tool]) -> str:
    """The p99 that is stated of a server that pauses, open by ours and closed by wrk."""
    # Twice as long as the others, in whole seconds: each has one pause.
    bench = replace(bench, seconds=float(math.ceil(2 * bench.seconds)))
    truths = [tools[0].truths[0], *(truth for tool in tools if tool == wrk.TOOL for truth in tool.truths)]
    p99_ms: dict[str, list[float]] = {truth.label: [] for truth in truths}
    for number in range(bench.rounds):
        for truth in in_turn(truths, number):
            stated = stated_percentiles(
                bench,
                truth,
                OPEN_CONNECTIONS,
                RATE_PER_SECOND,
                stall=STALL,
                head_start_seconds=STALL_HEAD_START_SECONDS,
            ).p99
            bench.report(f"pauses, round {number + 1}: {truth.label} p99 {stated} ms")
            p99_ms[truth.label] += [] if stated is None else [stated]
    return table(
        ["generator", "p99, ms (median)", "lowest to highest", "by arithmetic"],
        [
            [label, f"{statistics.median(values):.2f}", spread(values), f"{STALL_P99_MS:g}"]
            for label, values in p99_ms.items()
        ],
    )


@dataclass
class Opening:
    """What it took to open so many connections, per round."""

    connections: int
    sources: int = 0
    wall_ms_each: list[float] = field(default_factory=list)
    cpu_ms_each: list[float] = field(default_factory=list)
    p99_ms: list[float] = field(default_factory=list)


def openings(bench: Bench) -> list[Opening]:
    """Each number of connections in turn.

    The target answers a first request on each after as long as another run takes. So the last answer comes as long
    after that time as it took to open all of them.
    """
    rows = [Opening(connections) for connections in CONNECTS]
    delay = ["--delay", f"constant:{bench.seconds * 1000:.0f}ms"]
    for number in range(bench.rounds):
        for row in in_turn(rows, number):
            with scratch() as folder, Target(bench.engine, bench.target_cpu, delay) as target:
                load = Load(target.address, row.connections, bench.seconds, None, folder)
                plan = engine.plan(load, "auto", cpus=[bench.generator_cpu], requests=row.connections)
                finished = run(Command([str(bench.engine), "run"], plan), load, [bench.generator_cpu])
            window = engine.summary(finished.stdout)
            row.sources = window["routes"]["source_addresses"]
            row.wall_ms_each.append(1e3 * (window["window_seconds"] - bench.seconds) / row.connections)
            row.cpu_ms_each.append(1e3 * sum(each["cpu_seconds"] for each in window["threads"]) / row.connections)
            row.p99_ms.append(1e3 * window["connect_time"]["percentiles"]["99"])
            bench.report(f"connects, round {number + 1}: {row.connections:,} in {row.wall_ms_each[-1]:.4f} ms each")
    return rows


def openings_table(rows: Sequence[Opening]) -> str:
    """A row for each number of connections."""

    def cells(row: Opening) -> list[str]:
        return [
            f"{row.connections:,}",
            str(row.sources),
            f"{statistics.median(row.wall_ms_each):.4f}",
            f"{min(row.wall_ms_each):.4f} to {max(row.wall_ms_each):.4f}",
            f"{statistics.median(row.cpu_ms_each):.4f}",
            f"{statistics.median(row.p99_ms):.2f}",
        ]

    return table(
        [
            "connections to one address",
            "source addresses",
            f"to open one, ms (median; the goal is {GOAL_MS})",
            "lowest to highest",
            "CPU of a connection and its request, ms",
            "p99 of a connect, ms",
        ],
        [cells(row) for row in rows],
    )


def text(bench: Bench, tools: Sequence[Tool]) -> str:
    """All of it."""
    return "\n\n".join(
        [
            costs(bench, tools),
            f"Open, {RATE_PER_SECOND:,.0f} requests/s, the server pauses for 100 ms in each second; wrk is closed:",
            pauses(bench, tools),
            "Connects, and one request on each:",
            openings_table(openings(bench)),
        ]
    )


TABLE = Table(
    name="peers",
    rounds=4,
    seconds=2.0,
    facts="one thread; HTTP/1.1 without TLS against `fairtrial-engine target`, the rest against nginx",
    runs=27,  # pauses are twice as long as others
    compares=lambda tool: tool in PEERS or (tool.is_ours and not tool.variant),
    text=text,
)
