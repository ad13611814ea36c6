from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord

MIB = 2**20


@check(
    "memory-short",
    looks_at="memory available at the end of the window (MemAvailable), and the control group's limit",
    remedy="give the machine or the container more memory, or the experiment fewer rows, instances or connections",
    available=Threshold(
        0.05,
        "share of the memory",
        "MemAvailable is what can be had without swapping (proc_meminfo(5)); below a twentieth a database's file "
        "pages are dropped, and processes may be killed",
    ),
)
def memory_short(trial: TrialRecord, case: Case, *, available: float) -> Iterator[Finding]:
    """Memory that nearly ran out: the kernel first drops file pages, then kills processes.

    A warning for each of the two.
    """
    for where, machine in case.machines(trial):
        left = {"of the machine": (machine.memory_available_bytes, machine.memory_total_bytes)}
        if machine.memory_limit_bytes is not None and machine.memory_charged_bytes is not None:
            limit = machine.memory_limit_bytes
            left["of the control group's limit"] = (limit - machine.memory_charged_bytes, limit)
        for whose, (free, total) in left.items():
            if total > 0 and free < available * total:
                sizes = f"{free / MIB:,.0f} MiB {whose} of {total / MIB:,.0f} MiB"
                yield finding("warning", f"{where}{sizes} were left at the end of the window")


@check(
    "swapped",
    looks_at="pages swapped in and out in the window (pswpin and pswpout of /proc/vmstat)",
    remedy="give the machine more memory, or stop what uses it; then run again",
    pages_per_second=Threshold(
        100,
        "pages swapped in a second",
        "a process that touches such a page waits 0.1 ms for flash and 10 ms for a disk: 100 a second take 1% of the "
        "time, or all of it",
    ),
)
def swapped(trial: TrialRecord, case: Case, *, pages_per_second: float) -> Iterator[Finding]:
    """On a machine that swaps, the disk is measured.

    A warning for any swapped page, a refusal above the rate.
    """
    for where, machine in case.machines(trial):
        if machine.swapped_in_pages is None or machine.swapped_out_pages is None:
            continue
        if machine.swapped_in_pages + machine.swapped_out_pages > 0:
            rate = machine.swapped_in_pages / machine.window_seconds
            yield finding(
                "refusal" if rate > pages_per_second else "warning",
                f"{where}{machine.swapped_in_pages:,} pages were swapped in and {machine.swapped_out_pages:,} out in "
                f"{machine.window_seconds:.1f} s, by any process of this machine",
            )


@check(
    "pressure",
    looks_at="the kernel's account of stalls for memory in the window (/proc/pressure/memory, `some`), where it keeps "
    "one",
    remedy="give the machine more memory, or stop what uses it",
    memory=Threshold(
        0.01,
        "share of the window",
        "if tasks stall for 1% of the window, a hundredth of the requests is delayed: these make the p99",
    ),
)
def pressure(trial: TrialRecord, case: Case, *, memory: float) -> Iterator[Finding]:
    """Tasks that waited for memory: reclaim and refaults slow every process, whichever caused them.

    A warning for memory alone: a busy server always waits for its processor, and a durable database for its disk.
    """
    for where, machine in case.machines(trial):
        waited, window = machine.pressure_seconds.get("memory"), machine.window_seconds
        if waited is not None and window > 0 and waited >= memory * window:
            evidence = f"{where}some task waited for memory during {waited:.2f} s of {window:.1f} s"
            yield finding("warning", evidence)
