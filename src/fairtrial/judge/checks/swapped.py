"""On a machine that swaps, the disk is measured."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A warning for any swapped page, a refusal above the rate."""
    for trial, where, machine in case.machines:
        if machine.swapped_in_pages is None or machine.swapped_out_pages is None:
            continue
        pages = machine.swapped_in_pages + machine.swapped_out_pages
        if pages > 0:
            rate = machine.swapped_in_pages / machine.window_seconds
            yield case.finding(
                trial.index,
                "refusal" if rate > case.thresholds["pages_per_second"] else "warning",
                f"{where}{machine.swapped_in_pages:,} pages were swapped in and {machine.swapped_out_pages:,} out in "
                f"{machine.window_seconds:.1f} s, by any process of this machine",
            )


CHECK = Check(
    name="swapped",
    looks_at="pages swapped in and out in the window (pswpin and pswpout of /proc/vmstat)",
    thresholds={
        "pages_per_second": Threshold(
            100,
            "pages swapped in a second",
            "a process that touches such a page waits for a read: 0.1 ms from flash and 10 ms from a disk, so 100 a "
            "second "
            "take 1% of the time on flash and all of it on a disk; fewer are a warning",
        ),
    },
    remedy="give the machine more memory, or stop what uses it; then run again",
    examine=examine,
)
