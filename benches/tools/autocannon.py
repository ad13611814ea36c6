"""autocannon: it states p97.5, but no p95."""

import json

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth


def base(load: Load) -> list[str]:
    return ["autocannon", "--json", "--no-progress", "-c", str(load.connections), "-d", f"{load.seconds:g}"]


def cost(load: Load) -> Command:
    return Command([*base(load), load.url])


def at_rate(load: Load) -> Command:
    return Command([*base(load), "-R", f"{load.rate_per_second:g}", load.url])


def percentiles(finished: Finished) -> Percentiles:
    latency = json.loads(finished.stdout)["latency"]
    return Percentiles(latency["p50"], None, latency["p99"], latency["p99_9"])


TOOL = Tool(
    name="autocannon",
    version_command=["autocannon", "--version"],
    cost=cost,
    closed=Truth("autocannon", cost, percentiles, keeps_rate=False),
    truths=(Truth("autocannon -R", at_rate, percentiles),),
    version_pattern=r"(?<=autocannon v)\d+\.\d+\.\d+",
)
