from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import StrayThreads


@check(
    "outside-processors",
    looks_at="the processors on which each thread of the stack may run (sched_getaffinity), four times a second",
    remedy="leave the processors as they are: take their number from sched_getaffinity or nproc, and pin threads to "
    "these alone",
    needs_processes=True,
    looks=Threshold(
        0,
        "looks at which a thread was outside",
        "a process inherits its processors, so none is outside unless it asked the kernel to be",
    ),
)
def outside_processors(
    stray_threads: StrayThreads, trial: TrialRecord, case: Case, *, looks: float
) -> Iterator[Finding]:
    """A stack whose threads left the processors that it was given.

    A refusal that names the program: its time is not in the server's account, and may be the load engine's.
    """
    stray = stray_threads
    if stray.looks_outside <= looks:
        return
    placement = case.record.placement_of(trial)
    stack = case.condition_of(trial).stack
    whose = " of the load engine" if set(stray.cpus) & set(placement.load_cpus_here) else ""
    yield finding(
        "refusal",
        f"{count(stray.threads, 'thread')} of {stack} ({', '.join(stray.programs) or 'ended since'}) might run "
        f"on the processors {_numbers(stray.cpus)}{whose}, in {stray.looks_outside} of {stray.looks} looks; "
        f"it was given {_numbers(placement.server_cpus)}",
    )


def _numbers(cpus: list[int]) -> str:
    return ", ".join(map(str, cpus))
