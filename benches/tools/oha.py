"""oha: it can correct percentiles for coordinated omission."""

import json

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth


def base(load: Load) -> list[str]:
    connections, seconds = str(load.connections), f"{load.seconds:g}s"
    return ["oha", "--no-tui", "--output-format", "json", "-c", connections, "-z", seconds]


def cost(load: Load) -> Command:
    body = ["-m", "POST", "-D", str(load.request_body)] if load.request_bytes else []
    return Command([*base(load), *body, load.url])


def http2(load: Load) -> Command:
    return Command([*base(load), "--http2", "-p", str(load.streams), "--insecure", load.url])


def http3(load: Load) -> Command:
    """It has to be built with its feature http3."""
    rate = [] if load.rate_per_second is None else ["-q", f"{load.rate_per_second:g}", "--latency-correction"]
    version = ["--http-version", "3", "-p", str(load.streams), "--insecure"]
    return Command([*base(load), *version, *rate, load.url])


def at_rate(load: Load) -> Command:
    return Command([*base(load), "-q", f"{load.rate_per_second:g}", load.url])


def corrected(load: Load) -> Command:
    return Command([*base(load), "-q", f"{load.rate_per_second:g}", "--latency-correction", load.url])


def answered(finished: Finished) -> int:
    """Answers with 200."""
    return int(json.loads(finished.stdout)["statusCodeDistribution"].get("200", 0))


def percentiles(finished: Finished) -> Percentiles:
    seconds = json.loads(finished.stdout)["latencyPercentiles"]
    return Percentiles(*(seconds[key] * 1e3 for key in ("p50", "p95", "p99", "p99.9")))


TOOL = Tool(
    name="oha",
    version_command=["oha", "--version"],
    cost=cost,
    closed=Truth("oha", cost, percentiles, keeps_rate=False),
    http2=http2,
    sends_bodies=True,
    truths=(
        Truth("oha -q with correction", corrected, percentiles),
        Truth("oha -q", at_rate, percentiles),
    ),
)
