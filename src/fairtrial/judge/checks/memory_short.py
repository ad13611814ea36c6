"""Memory that nearly ran out: the kernel first drops file pages, then kills processes."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold

MIB = 2**20


def examine(case: Case) -> Iterator[Finding]:
    """A warning for the machine's memory, and one for the control group's limit."""
    for trial, where, machine in case.machines:
        left = {"of the machine": (machine.memory_available_bytes, machine.memory_total_bytes)}
        if machine.memory_limit_bytes is not None and machine.memory_charged_bytes is not None:
            limit = machine.memory_limit_bytes
            left["of the control group's limit"] = (limit - machine.memory_charged_bytes, limit)
        for whose, (free, total) in left.items():
            if total > 0 and free < case.thresholds["available"] * total:
                yield case.finding(
                    trial.index,
                    "warning",
                    f"{where}{free / MIB:,.0f} MiB {whose} of {total / MIB:,.0f} MiB were left at the end of the "
                    "window",
                )


CHECK = Check(
    name="memory-short",
    looks_at="memory available at the end of the window (MemAvailable), and the control group's limit",
    thresholds={
        "available": Threshold(
            0.05,
            "share of the memory",
            "MemAvailable is what can be had without swapping (proc_meminfo(5)); below a twentieth a database's file "
            "pages are dropped while they are needed, and the next allocation may get a process killed",
        ),
    },
    remedy="give the machine or the container more memory, or the experiment fewer rows, instances or connections",
    examine=examine,
)
