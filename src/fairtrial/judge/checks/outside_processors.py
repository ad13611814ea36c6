"""A stack whose threads left the processors that it was given."""

from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A refusal that names the program: its time is not in the server's account, and may be the load engine's."""
    for trial in case.trials:
        stray = trial.stray_threads
        if stray is None or stray.looks_outside <= case.thresholds["looks"]:
            continue
        placement = case.record.placement_of(trial)
        stack = next((each.stack for each in case.record.conditions if each.id == trial.condition), "the stack")
        whose = " of the load engine" if set(stray.cpus) & set(placement.load_cpus_here) else ""
        yield case.finding(
            trial.index,
            "refusal",
            f"{count(stray.threads, 'thread')} of {stack} ({', '.join(stray.programs) or 'ended since'}) might run "
            f"on the processors {_numbers(stray.cpus)}{whose}, in {stray.looks_outside} of {stray.looks} looks; "
            f"it was given {_numbers(placement.server_cpus)}",
        )


def _numbers(cpus: list[int]) -> str:
    return ", ".join(map(str, cpus))


CHECK = Check(
    name="outside-processors",
    looks_at="the processors on which each thread of the stack may run (sched_getaffinity), four times a second",
    thresholds={
        "looks": Threshold(
            0,
            "looks at which a thread was outside",
            "a process inherits its processors, so none is outside unless it asked the kernel to be",
        ),
    },
    remedy="leave the processors as they are: take their number from sched_getaffinity or nproc, and pin threads to "
    "these alone",
    examine=examine,
    needs_processes=True,
)
