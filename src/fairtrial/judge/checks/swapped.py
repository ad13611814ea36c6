"""A machine that swaps measures its disk."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A warning for any page, a refusal above the rate."""
    for trial in case.trials:
        seen = trial.machine
        if seen is None or seen.swapped_in_pages is None or seen.swapped_out_pages is None:
            continue
        pages = seen.swapped_in_pages + seen.swapped_out_pages
        if pages > 0:
            rate = seen.swapped_in_pages / seen.window_seconds
            yield case.finding(
                trial.index,
                "refusal" if rate > case.thresholds["pages_per_second"] else "warning",
                f"{seen.swapped_in_pages:,} pages were swapped in and {seen.swapped_out_pages:,} out in "
                f"{seen.window_seconds:.1f} s, by whatever process of this machine",
            )


CHECK = Check(
    name="swapped",
    looks_at="pages swapped in and out in the window (pswpin and pswpout of /proc/vmstat)",
    thresholds={
        "pages_per_second": Threshold(
            100,
            "pages swapped in a second",
            "whoever touches such a page waits for a read: 0.1 ms from flash and 10 ms from a disk, so 100 a second "
            "are 1% of the time on the one and all of it on the other; fewer are a warning",
        ),
    },
    remedy="give the machine more memory, or stop what holds it; then run again",
    examine=examine,
)
