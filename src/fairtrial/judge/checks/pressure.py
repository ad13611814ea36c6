"""Tasks that waited for memory: reclaim and refaults slow every process, whichever caused them."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A warning for memory alone: a busy server always waits for its processor, and a durable database for its disk."""
    for trial, where, machine in case.machines:
        if machine.window_seconds <= 0 or "memory" not in machine.pressure_seconds:
            continue
        waited = machine.pressure_seconds["memory"]
        if waited >= case.thresholds["memory"] * machine.window_seconds:
            yield case.finding(
                trial.index,
                "warning",
                f"{where}some task waited for memory during {waited:.2f} s of {machine.window_seconds:.1f} s",
            )


CHECK = Check(
    name="pressure",
    looks_at="the kernel's account of stalls for memory in the window (/proc/pressure/memory, `some`), where it keeps "
    "one",
    thresholds={
        "memory": Threshold(
            0.01,
            "share of the window",
            "if tasks stall for a share s of the window, a share s of the requests is delayed: at 1% these make the "
            "p99",
        ),
    },
    remedy="give the machine more memory, or stop what uses it",
    examine=examine,
)
