"""The engine's progress events in words, the same in every live view."""

from typing import Any

from fairtrial.base.formatting import figure


def phase(event: dict[str, Any]) -> str:
    """The phase of a progress event: `warm-up` or `measuring`."""
    return "warm-up" if event["phase"] == "warmup" else "measuring"


def recent_times(event: dict[str, Any]) -> str:
    """Response times of the last full second, `p50 0.162  p99 0.461 ms`; empty until a second with answers is over."""
    median, tail = event.get("p50_seconds"), event.get("p99_seconds")
    if median is None or tail is None:
        return ""
    return f"p50 {figure(median * 1e3)}  p99 {figure(tail * 1e3)} ms"
