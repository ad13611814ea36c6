"""hey: its rate is per worker."""

import re

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth


def cost(load: Load) -> Command:
    return Command(["hey", "-c", str(load.connections), "-z", f"{load.seconds:g}s", load.url])


def at_rate(load: Load) -> Command:
    rate = (load.rate_per_second or 0.0) / load.connections
    return Command(["hey", "-c", str(load.connections), "-z", f"{load.seconds:g}s", "-q", f"{rate:g}", load.url])


def answered(finished: Finished) -> int:
    """Answers with 200: reads lines such as `  [200]\\t1234 responses`."""
    counts = re.findall(r"^\s+\[200\]\s+(\d+) responses", finished.stdout, re.MULTILINE)
    return sum(map(int, counts))


def percentiles(finished: Finished) -> Percentiles:
    """Reads lines such as `  99% in 0.1781 secs`."""
    lines = re.findall(r"^\s+([\d.]+)%+ in ([\d.]+) secs", finished.stdout, re.MULTILINE)
    milliseconds = {float(percent): float(seconds) * 1e3 for percent, seconds in lines}
    return Percentiles(milliseconds.get(50.0), milliseconds.get(95.0), milliseconds.get(99.0), milliseconds.get(99.9))


TOOL = Tool(
    name="hey",
    # It has no option for its version; its help shows that it is installed.
    version_command=["hey", "-h"],
    cost=cost,
    closed=Truth("hey", cost, percentiles, keeps_rate=False),
    truths=(Truth("hey -q", at_rate, percentiles),),
    version_pattern=r"(?!)",
)
