"""This project's engine with all its checks: every status and length, and every 16th body."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

BODY = "ok"  # what the target answers


def plan(load: Load, driver: str, *, threads: int = 1, cpus: Sequence[int] = (), warmup_seconds: float = 0.0) -> str:
    """The engine's plan as JSON."""
    expect = {
        "status": [200],
        "content_type": "text/plain",
        "body_bytes": {"min": len(BODY), "max": len(BODY)},
        "body": {"kind": "exact", "text": BODY},
        "check_every": 16,
    }
    return _plan(load, driver, expect, threads, cpus, warmup_seconds)


def sized_plan(load: Load, driver: str, body_bytes: int, *, cpus: Sequence[int], warmup_seconds: float) -> str:
    """The plan, as JSON, of a load whose answers have bodies of this length, whatever is in them."""
    expect = {"status": [200], "body_bytes": {"min": body_bytes, "max": body_bytes}}
    return _plan(load, driver, expect, 1, cpus, warmup_seconds)


def _plan(
    load: Load, driver: str, expect: dict[str, Any], threads: int, cpus: Sequence[int], warmup_seconds: float
) -> str:
    model: dict[str, Any] = {"kind": "closed", "connections": load.connections}
    if load.rate_per_second is not None:
        model = {"kind": "constant", "rate_per_second": load.rate_per_second, "connections": load.connections}
    return json.dumps(
        {
            "protocol": 2,
            "address": load.address,
            "driver": driver,
            "requests": [{"path": "/", "expect": expect}],
            "load": model,
            "stop": {"kind": "seconds", "seconds": load.seconds},
            "threads": threads,
            "cpus": list(cpus),
            "warmup_seconds": warmup_seconds,
            "progress_every_seconds": 0.0,
        }
    )


def summary(stdout: str) -> dict[str, Any]:
    """The last event of a run.

    Raises:
        ValueError: the engine met errors.
    """
    event: dict[str, Any] = json.loads(stdout.splitlines()[-1])
    errors = {kind: count for kind, count in event["errors"].items() if count}
    if errors:
        raise ValueError(f"the engine met errors: {errors}")
    return event


def cost_us(window: dict[str, Any]) -> float:
    """Processor time of the engine's threads per answer, in microseconds."""
    return float(sum(thread["cpu_seconds"] for thread in window["threads"]) / window["answers"] * 1e6)


def percentiles(finished: Finished) -> Percentiles:
    response = summary(finished.stdout)["response_time"]["percentiles"]
    return Percentiles(*(response[key] * 1e3 for key in ("50", "95", "99", "99.9")))


def tool(path: Path, driver: str) -> Tool:
    def command(load: Load) -> Command:
        return Command([str(path), "run"], plan(load, driver))

    return Tool(
        name=f"fairtrial ({driver})",
        version_command=[str(path), "--version"],
        cost=command,
        truths=(Truth(f"fairtrial ({driver})", command, percentiles),),
    )
