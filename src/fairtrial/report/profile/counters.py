"""The counts of the kernel and the database for each contender, per request, beside each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest

from fairtrial.base.formatting import figure
from fairtrial.record.profile import Allocations, HardwareEvents, KernelCounters, Profile, ShortLoad, SystemCalls
from fairtrial.record.proof import Ledger

EXPLANATION = (
    "Counted without a profiler, in one more load of each, which is no trial. Divided by its verified answers: one "
    "measurement each, without an interval; the claims are judged by the trials. System calls by name and the events "
    "of the processors are from loads of their own, under a tool that counts them."
)
MOST_CALLS = 10
"""System calls that have a row of their own."""
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
    intervals: Sequence[str] = ()
    """of the values, each in brackets, or empty"""

    @property
    def cells(self) -> list[str]:
        """The values with their intervals: `612 (598 to 626)`."""
        return [
            f"{value} {interval}".rstrip() for value, interval in zip_longest(self.values, self.intervals, fillvalue="")
        ]


@dataclass(frozen=True)
class _Counter:
    title: str
    unit: str
    of: Callable[[KernelCounters], float | None]
    scale: float = 1.0


def _scaled(name: str) -> Callable[[KernelCounters], float | None]:
    return lambda counted: getattr(counted, name)


READ_AND_WRITE = (
    _Counter("calls of read()", "", _scaled("read_calls")),
    _Counter("calls of write()", "", _scaled("write_calls")),
)
KERNEL = (
    _Counter("CPU, user", "µs", _scaled("cpu_user_seconds"), MICRO),
    _Counter("CPU, system", "µs", _scaled("cpu_system_seconds"), MICRO),
    _Counter("waited for a processor", "µs", _scaled("waited_seconds"), MICRO),
    _Counter("switches, voluntary", "", _scaled("voluntary_switches")),
    _Counter("switches, involuntary", "", _scaled("involuntary_switches")),
    _Counter("page faults, minor", "", _scaled("minor_faults")),
    _Counter("page faults, major", "", _scaled("major_faults")),
    *READ_AND_WRITE,
    _Counter("from disks", "KiB", _scaled("read_bytes"), KIB),
    _Counter("to disks", "KiB", _scaled("written_bytes"), KIB),
)


def counter_rows(profiles: Sequence[Profile]) -> list[CounterRow]:
    """A row for each counter that is known of any contender and is not 0 for all of them."""
    by_name = all(profile.system_calls for profile in profiles if profile.server)
    of_server = [counter for counter in KERNEL if not (by_name and counter in READ_AND_WRITE)]
    rows = [
        *_kernel_rows(profiles, "", of_server, lambda profile: profile.server),
        *_allocation_rows([profile.allocations for profile in profiles]),
        *_system_call_rows(profiles),
        *_hardware_rows(profiles),
        *_kernel_rows(profiles, "database: ", KERNEL, lambda profile: profile.service),
    ]
    for name, title in OF_LEDGER.items():
        rows.append(
            _row(
                f"database: {title}" if name != "calls" else title, "", [_per_answer(p.ledger, name) for p in profiles]
            )
        )
    rows.append(_row("database: round trips", "", [_round_trips_per_answer(profile.loaded) for profile in profiles]))
    return [row for row in rows if set(row.values) - {"–", figure(0)}]


def _kernel_rows(
    profiles: Sequence[Profile],
    of: str,
    counters: Sequence[_Counter],
    counted: Callable[[Profile], KernelCounters | None],
) -> list[CounterRow]:
    rows = []
    for counter in counters:
        values = []
        for profile in profiles:
            kernel = counted(profile)
            value = None if kernel is None else counter.of(kernel)
            values.append(None if value is None or not profile.verified else counter.scale * value / profile.verified)
        rows.append(_row(of + counter.title, counter.unit, values))
    return rows


def _allocation_rows(allocations: Sequence[Allocations | None]) -> list[CounterRow]:
    def row(title: str, unit: str, scale: float, numbers: Callable[[Allocations], Sequence[int | None]]) -> CounterRow:
        values = []
        for each in allocations:
            numbers_each = [] if each is None else [scale * n / each.verified for n in numbers(each) if n is not None]
            values.append(" to ".join(map(figure, numbers_each)) or "–")
        return CounterRow(title, unit, values)

    return [
        row("allocated", "KiB", KIB, lambda each: (each.least_bytes, each.bytes)),
        row("allocated objects", "", 1.0, lambda each: (each.objects,)),
    ]


def _system_call_rows(profiles: Sequence[Profile]) -> list[CounterRow]:
    """All of them, those with most calls for an answer of any contender by name, and the rest."""
    counts = [profile.system_calls for profile in profiles]
    most: dict[str, float] = {}
    for calls in filter(None, counts):
        for name, number in calls.by_name.items():
            most[name] = max(most.get(name, 0.0), number / calls.verified)
    names = sorted(most, key=lambda name: (-most[name], name))[:MOST_CALLS]

    def row(title: str, text: Callable[[SystemCalls], str]) -> CounterRow:
        return CounterRow(title, "", ["–" if calls is None else text(calls) for calls in counts])

    return [
        row("system calls", lambda calls: figure(calls.total / calls.verified)),
        *(row(f"calls of {name}()", partial(_calls_of, name)) for name in names),
        row("other system calls", partial(_without, names)),
    ]


def _calls_of(name: str, calls: SystemCalls) -> str:
    """For an answer; of a name that was not counted, all calls without a name at most."""
    if name in calls.by_name:
        return figure(calls.by_name[name] / calls.verified)
    at_most = _without(list(calls.by_name), calls)
    return at_most if at_most == figure(0) else f"≤ {at_most}"


def _without(names: Sequence[str], calls: SystemCalls) -> str:
    return figure((calls.total - sum(calls.by_name.get(name, 0) for name in names)) / calls.verified)


def _hardware_rows(profiles: Sequence[Profile]) -> list[CounterRow]:
    def row(title: str, event: str, of: str | None = None) -> CounterRow:
        return _row(title, "", [_share(profile.hardware, event, of) for profile in profiles])

    return [
        row("instructions", "instructions"),
        row("cycles", "cycles"),
        row("instructions a cycle", "instructions", "cycles"),
        row("cache misses", "cache-misses"),
        row("branch misses", "branch-misses"),
    ]


def _share(events: HardwareEvents | None, name: str, of: str | None) -> float | None:
    """So many of an event for each of another, or for each answer; None where one of them is not known."""
    if events is None or name not in events.by_name:
        return None
    divisor = events.verified if of is None else events.by_name.get(of)
    return events.by_name[name] / divisor if divisor else None


def _row(title: str, unit: str, values: Sequence[float | None]) -> CounterRow:
    return CounterRow(title, unit, ["–" if value is None else figure(value) for value in values])


def _round_trips_per_answer(loads: Sequence[ShortLoad]) -> float | None:
    """Both windows differ by the moment that the proxy takes to tell."""
    timed = [(load, load.round_trips) for load in loads if load.round_trips is not None]
    trips = sum(trips.count / trips.window_seconds * load.window_seconds for load, trips in timed)
    return trips / sum(load.answers for load, _ in timed) if timed else None


def _per_answer(ledger: Ledger | None, name: str) -> float | None:
    if ledger is None or not ledger.verified or name not in ledger.done:
        return None
    return ledger.done[name] / ledger.verified
