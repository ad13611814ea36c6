"""This engine beside that of an earlier revision."""

from collections.abc import Sequence
from dataclasses import replace

from benches.bench import Bench, Table
from benches.load import Tool
from benches.tables.alternation import HTTP1, markdown, measure
from benches.tools import engine

DRIVERS = ("io_uring", "epoll")


def text(bench: Bench, _: Sequence[Tool]) -> str:
    """A table for each driver."""
    if bench.base is None:
        return "Not measured: no --base REVISION is given."
    parts = []
    for driver in DRIVERS:
        tools = [engine.tool(path, driver) for path in (bench.engine, bench.base)]
        now, base = (replace(tool, name=name) for tool, name in zip(tools, ("this one", "the base"), strict=True))
        parts += [f"{HTTP1.name}, {driver}:", markdown(measure(bench, HTTP1, [now, base]))]
    return "\n\n".join(parts)


TABLE = Table(
    name="before",
    rounds=10,
    seconds=3.0,
    facts="the plain path of HTTP/1.1, this engine and that of --base",
    runs=2 * len(DRIVERS),
    compares=lambda tool: tool.is_ours and not tool.variant,
    text=text,
    has_page=False,
)
