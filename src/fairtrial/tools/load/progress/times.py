"""The response times of a progress event, in words."""

from typing import Any

from fairtrial.base.formatting import figure


def recent_times(event: dict[str, Any]) -> str:
    """`p50 0.162  p99 0.461 ms`, of the last full second; empty as long as there is none with answers."""
    median, highest = event.get("p50_seconds"), event.get("p99_seconds")
    if median is None or highest is None:
        return ""
    return f"p50 {figure(median * 1e3)}  p99 {figure(highest * 1e3)} ms"
