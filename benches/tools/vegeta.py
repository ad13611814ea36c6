"""vegeta: its report has no p99.9."""

import json
import subprocess

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

RESULTS = "vegeta.bin"


def base(load: Load) -> list[str]:
    results = str(load.scratch / RESULTS)
    return ["vegeta", "attack", f"-duration={load.seconds:g}s", f"-output={results}"]


def cost(load: Load) -> Command:
    workers = [f"-workers={load.connections}", f"-max-workers={load.connections}"]
    return Command([*base(load), "-rate=0", *workers], f"GET {load.url}\n")


def at_rate(load: Load) -> Command:
    return Command([*base(load), f"-rate={load.rate_per_second:g}"], f"GET {load.url}\n")


def percentiles(finished: Finished) -> Percentiles:
    command = ["vegeta", "report", "-type=json", str(finished.load.scratch / RESULTS)]
    return read_report(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def read_report(text: str) -> Percentiles:
    """Percentiles from the report as JSON, whose times are in nanoseconds."""
    latencies = json.loads(text)["latencies"]
    return Percentiles(latencies["50th"] / 1e6, latencies["95th"] / 1e6, latencies["99th"] / 1e6, None)


TOOL = Tool(
    name="vegeta",
    version_command=["vegeta", "-version"],
    cost=cost,
    closed=Truth("vegeta", cost, percentiles, keeps_rate=False),
    truths=(Truth("vegeta", at_rate, percentiles),),
)
