"""The compared generators, in the order of the tables."""

from pathlib import Path

from benches.load import Tool
from benches.tools import autocannon, engine, gcannon, ghz, h2load, hey, k6, locust, oha, vegeta, wrk


def all_tools(engine_path: Path) -> list[Tool]:
    """All generators, the engine first, in several ways."""
    return [
        engine.tool(engine_path, "io_uring"),
        engine.tool(engine_path, "epoll"),
        engine.tool(engine_path, "auto"),
        engine.tool(engine_path, "io_uring", "awake"),
        gcannon.TOOL,
        wrk.TOOL,
        wrk.WRK2,
        h2load.TOOL,
        h2load.HTTP2,
        oha.TOOL,
        autocannon.TOOL,
        hey.TOOL,
        vegeta.TOOL,
        k6.TOOL,
        ghz.TOOL,
        locust.TOOL,
    ]
