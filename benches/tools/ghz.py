"""ghz: calls by gRPC, of which it looks at the status alone. It states no p99.9."""

import json
from pathlib import Path

from benches.load import Command, Finished, Load, Percentiles, Tool

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/grpc"
PROTO = EXAMPLE / "aio/shop.proto"
CALL = "shop.Shop/Look"
MESSAGE = {"id": 7}
OK = "OK"


def command(load: Load) -> Command:
    """Workers on as many connections; at a rate, as many calls as are due, whether others are answered or not."""
    workers = load.connections * max(load.streams, 1)
    paced = [] if load.rate_per_second is None else ["--rps", f"{load.rate_per_second:g}", "--async"]
    return Command(
        [
            "ghz", "--insecure", "--cpus", "1", "-O", "json", "--proto", str(PROTO), "--call", CALL,
            "-d", json.dumps(MESSAGE), "-z", f"{load.seconds:g}s", "--duration-stop", "wait",
            "--connections", str(load.connections), "-c", str(workers), *paced, load.address,
        ]
    )  # fmt: skip


def answered(finished: Finished) -> int:
    """Calls that ended with OK."""
    return int(json.loads(finished.stdout)["statusCodeDistribution"].get(OK, 0))


def percentiles(finished: Finished) -> Percentiles:
    """In milliseconds, from its nanoseconds."""
    stated = {each["percentage"]: each["latency"] / 1e6 for each in json.loads(finished.stdout)["latencyDistribution"]}
    return Percentiles(stated.get(50), stated.get(95), stated.get(99), None)


TOOL = Tool(name="ghz", version_command=["ghz", "--version"], cost=None)
