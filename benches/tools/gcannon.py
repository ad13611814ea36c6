"""gcannon: it uses io_uring and keeps no rate."""

import json

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

LARGE_BYTES = 65_536
"""Of its receive buffers where answers are long, as its manual advises."""


def cost(load: Load) -> Command:
    buffers = ["--recv-buf", str(LARGE_BYTES)] if (load.answer_bytes or 0) > 4096 else []
    return Command(["gcannon", load.url, "-c", str(load.connections), "-t", "1", "-d", f"{load.seconds:g}s", *buffers])


def closed(load: Load) -> Command:
    return Command([*cost(load).arguments, "--json"])


def percentiles(finished: Finished) -> Percentiles:
    """From its JSON, whose times are in microseconds."""
    latency = json.loads(finished.stdout)["latency_us"]
    return Percentiles(latency["p50"] / 1e3, None, latency["p99"] / 1e3, latency["p999"] / 1e3)


TOOL = Tool(
    name="gcannon",
    version_command=["gcannon", "--version"],
    cost=cost,
    closed=Truth("gcannon", closed, percentiles, keeps_rate=False),
)
