"""The engine's progress events in words, the same in every live view."""

from typing import Any

from fairtrial.base.formatting import figure

NEARLY_FLAT = 0.01
"""A smaller rise is not worth a word."""


def phase(event: dict[str, Any]) -> str:
    """The phase of a progress event: `measuring`, or `warm-up, 3.2 s, pace still rises by 12%`, which is what the last
    doubling of its time brought."""
    if event["phase"] != "warmup":
        return "measuring"
    rise = event.get("rise")
    length = f"warm-up, {event['elapsed_seconds']:.1f} s"
    return length if rise is None or rise < NEARLY_FLAT else f"{length}, pace still rises by {rise:.0%}"


def recent_times(event: dict[str, Any]) -> str:
    """Response times of the last full second, `p50 0.162  p99 0.461 ms`; empty until a second with answers is over."""
    median, tail = event.get("p50_seconds"), event.get("p99_seconds")
    if median is None or tail is None:
        return ""
    return f"p50 {figure(median * 1e3)}  p99 {figure(tail * 1e3)} ms"
