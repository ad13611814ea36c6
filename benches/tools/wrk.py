"""wrk, and wrk2, which keeps a constant rate."""

import json
import re
from pathlib import Path

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

UNITS_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 60e3}


def cost(load: Load) -> Command:
    script = ["-s", str(posting(load))] if load.request_bytes else []
    return Command(["wrk", "-t1", f"-c{load.connections}", f"-d{load.seconds:g}s", *script, load.url])


def posting(load: Load) -> Path:
    """A script that makes each request a POST."""
    file = load.scratch / "post.lua"
    body = json.dumps(str(load.request_body))
    file.write_text(f'wrk.method = "POST"\nwrk.body = io.open({body}, "rb"):read("*a")\n')
    return file


def closed(load: Load) -> Command:
    closing = ["-H", "Connection: close"] if load.connection_each else []
    return Command([*cost(load).arguments[:-1], *closing, "--latency", load.url])


def at_rate(load: Load) -> Command:
    rate = f"-R{load.rate_per_second:g}"
    return Command(["wrk2", "-t1", f"-c{load.connections}", f"-d{load.seconds:g}s", rate, "--latency", load.url])


def answered(finished: Finished) -> int:
    """Reads a line such as `  58306 requests in 1.01s, 3.67MB read`."""
    (count,) = re.findall(r"^\s+(\d+) requests in ", finished.stdout, re.MULTILINE)
    return int(count)


def percentiles(finished: Finished) -> Percentiles:
    """Reads lines such as `     99%  178.21ms` and ` 99.900%  198.01ms`."""
    lines = re.findall(r"^\s+([\d.]+)%\s+([\d.]+)(us|ms|s|m)\s*$", finished.stdout, re.MULTILINE)
    milliseconds = {float(percent): float(value) * UNITS_MS[unit] for percent, value, unit in lines}
    return Percentiles(milliseconds.get(50.0), milliseconds.get(95.0), milliseconds.get(99.0), milliseconds.get(99.9))


TOOL = Tool(
    name="wrk",
    version_command=["wrk", "-v"],
    cost=cost,
    truths=(Truth("wrk, closed, 64", closed, percentiles, keeps_rate=False),),
    closed=Truth("wrk", closed, percentiles, keeps_rate=False),
    sends_bodies=True,
    speaks_tls=True,
    opens_for_each=True,
)
WRK2 = Tool(
    name="wrk2",
    version_command=["wrk2", "-v"],
    cost=None,
    truths=(Truth("wrk2", at_rate, percentiles),),
)
