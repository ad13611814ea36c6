"""Tasks that waited for memory: reclaim and refaults slow every process, whoever caused them."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """Memory alone: a server at its limit always waits for its processor, and a durable database for its disk."""
    for trial in case.trials:
        seen = trial.machine
        if seen is None or seen.window_seconds <= 0 or "memory" not in seen.pressure_seconds:
            continue
        waited = seen.pressure_seconds["memory"]
        if waited >= case.thresholds["memory"] * seen.window_seconds:
            yield case.finding(
                trial.index,
                "warning",
                f"some task waited for memory during {waited:.2f} s of {seen.window_seconds:.1f} s",
            )


CHECK = Check(
    name="pressure",
    looks_at="the kernel's account of stalls for memory in the window (/proc/pressure/memory, `some`), where it keeps "
    "one",
    thresholds={
        "memory": Threshold(
            0.01,
            "share of the window",
            "a share s in which tasks stall is a share s of requests that are delayed by it: at 1% the p99 is theirs",
        ),
    },
    remedy="give the machine more memory, or stop what holds it",
    examine=examine,
)
