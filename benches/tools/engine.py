"""This project's engine with all its checks: every status and length, and every 16th body."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benches.load import Command, Finished, Load, Percentiles, Tool, Truth

BODY = "ok"  # what the target answers


def plan(
    load: Load,
    driver: str,
    *,
    wait: str = "sleep",
    threads: int = 1,
    cpus: Sequence[int] = (),
    warmup_seconds: float = 0.0,
    requests: int = 0,
    changes: Mapping[str, Any] | None = None,
) -> str:
    """The engine's plan as JSON. Whatever the target answers is verified: a long body's length, the short one whole.

    Args:
        requests: after so many it ends; 0: after the load's seconds.
        changes: what the plan has besides, or instead.
    """
    expect: dict[str, Any] = {
        "status": [200],
        "content_type": "text/plain",
        "body_bytes": {"min": len(BODY), "max": len(BODY)},
        "body": {"kind": "exact", "text": BODY},
        "check_every": 16,
    }
    if load.answer_bytes is not None:
        expect = {"status": [200], "body_bytes": {"min": load.answer_bytes, "max": load.answer_bytes}}
    request: dict[str, Any] = {"path": "/", "expect": expect}
    if load.request_bytes:
        request |= {"method": "POST", "body_file": str(load.request_body)}
    model: dict[str, Any] = {"kind": "closed", "connections": load.connections}
    if load.rate_per_second is not None:
        model = {"kind": "constant", "rate_per_second": load.rate_per_second, "connections": load.connections}
    more: dict[str, Any] = {"stop": {"kind": "seconds", "seconds": load.seconds}}
    if load.streams:
        more["http2"] = {"streams": load.streams}
    if load.tls:
        more["tls"] = {"insecure": True}
    if load.connection_each:
        more["requests_per_connection"] = 1
    if requests:
        more["stop"] = {"kind": "requests", "requests": requests}
    return json.dumps(
        {
            **more,
            "protocol": 2,
            "address": load.address,
            "driver": driver,
            "wait": wait,
            "requests": [request],
            "load": model,
            "threads": threads,
            "cpus": list(cpus),
            "warmup_seconds": warmup_seconds,
            "progress_every_seconds": 0.0,
            **(changes or {}),
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
    return _in_milliseconds(summary(finished.stdout)["response_time"])


def journey_percentiles(finished: Finished) -> Percentiles:
    """Of the time from a user's arrival to the last answer."""
    return _in_milliseconds(summary(finished.stdout)["journeys"][0]["journey_time"])


def _in_milliseconds(times: Mapping[str, Any]) -> Percentiles:
    return Percentiles(*(times["percentiles"][key] * 1e3 for key in ("50", "95", "99", "99.9")))


def verified(finished: Finished) -> int:
    """Answers that were right."""
    return int(summary(finished.stdout)["verified"])


def tool(path: Path, driver: str, wait: str = "sleep") -> Tool:
    """The engine by this driver; `wait`: what it does while it awaits answers."""
    name = f"fairtrial ({driver})" if wait == "sleep" else f"fairtrial ({driver}, {wait})"

    def command(load: Load) -> Command:
        return Command([str(path), "run"], plan(load, driver, wait=wait))

    variant = wait != "sleep" or driver == "auto"
    truth = Truth(name, command, percentiles)
    return Tool(
        name=name,
        version_command=[str(path), "--version"],
        # Awake, it takes all of its processor whatever a request costs.
        cost=command if wait == "sleep" else None,
        closed=truth if driver != "auto" else None,
        http2=command if wait == "sleep" and driver != "auto" else None,
        truths=() if variant else (truth,),
        sends_bodies=True,
        speaks_tls=True,
        opens_for_each=True,
        is_ours=True,
        variant=variant,
    )
