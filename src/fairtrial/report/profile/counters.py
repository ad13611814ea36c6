"""The counts of the kernel and the database for each contender, per request, beside each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import figure
from fairtrial.record.profile import KernelCounters, Profile
from fairtrial.record.proof import Ledger

EXPLANATION = (
    "Counted without a profiler, in one more load of each, which is no trial. Divided by its verified answers: one "
    "measurement each, without an interval; the claims are judged by the trials."
)
OF_LEDGER = {
    "statements": "statements",
    "reads": "reading statements",
    "writes": "writing statements",
    "commits": "commits",
    "rows_read": "rows read",
    "rows_written": "rows written",
    "calls": "calls of the upstream",
}
"""The counts of `Ledger.done` that any load can have, in words."""
MICRO = 1e6
KIB = 1 / 1024


@dataclass(frozen=True)
class CounterRow:
    """One counter, for all contenders."""

    title: str
    unit: str
    values: Sequence[str]
    """one per contender, as text; `–` where it is not known"""


@dataclass(frozen=True)
class _Counter:
    title: str
    unit: str
    of: Callable[[KernelCounters], float | None]
    scale: float = 1.0


def _scaled(name: str) -> Callable[[KernelCounters], float | None]:
    return lambda counted: getattr(counted, name)


KERNEL = (
    _Counter("CPU, user", "µs", _scaled("cpu_user_seconds"), MICRO),
    _Counter("CPU, system", "µs", _scaled("cpu_system_seconds"), MICRO),
    _Counter("waited for a processor", "µs", _scaled("waited_seconds"), MICRO),
    _Counter("switches, voluntary", "", _scaled("voluntary_switches")),
    _Counter("switches, involuntary", "", _scaled("involuntary_switches")),
    _Counter("page faults, minor", "", _scaled("minor_faults")),
    _Counter("page faults, major", "", _scaled("major_faults")),
    _Counter("calls of read()", "", _scaled("read_calls")),
    _Counter("calls of write()", "", _scaled("write_calls")),
    _Counter("from disks", "KiB", _scaled("read_bytes"), KIB),
    _Counter("to disks", "KiB", _scaled("written_bytes"), KIB),
)


def counter_rows(profiles: Sequence[Profile]) -> list[CounterRow]:
    """A row for each counter that is known of any contender and is not 0 for all of them."""
    rows = [
        *_kernel_rows(profiles, "", lambda profile: profile.server),
        *_kernel_rows(profiles, "database: ", lambda profile: profile.service),
    ]
    for name, title in OF_LEDGER.items():
        rows.append(
            _row(
                f"database: {title}" if name != "calls" else title, "", [_per_answer(p.ledger, name) for p in profiles]
            )
        )
    return [row for row in rows if set(row.values) - {"–", figure(0)}]


def _kernel_rows(
    profiles: Sequence[Profile], of: str, counted: Callable[[Profile], KernelCounters | None]
) -> list[CounterRow]:
    rows = []
    for counter in KERNEL:
        values = []
        for profile in profiles:
            kernel = counted(profile)
            value = None if kernel is None else counter.of(kernel)
            values.append(None if value is None or not profile.verified else counter.scale * value / profile.verified)
        rows.append(_row(of + counter.title, counter.unit, values))
    return rows


def _row(title: str, unit: str, values: Sequence[float | None]) -> CounterRow:
    return CounterRow(title, unit, ["–" if value is None else figure(value) for value in values])


def _per_answer(ledger: Ledger | None, name: str) -> float | None:
    if ledger is None or not ledger.verified or name not in ledger.done:
        return None
    return ledger.done[name] / ledger.verified
