from collections.abc import Iterator, Sequence

from fairtrial.base.printable import printable
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, LoadCase, Threshold, finding
from fairtrial.judge.checks.ports_crowded import ports_crowded
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.load_hosts import LoadHostAccount


@check(
    "generator-saturated",
    looks_at="processor time that the load took on the busiest of the engine's processors, over the window",
    remedy="give the load engine more threads and processors of its own, or the contender fewer, or a heavier workload",
    of_loads=True,
    warn=Threshold(
        0.80,
        "share of one processor",
        "a thread busy for a share u of the window could offer at most 1/u times as much: from 0.80 its ceiling "
        "is within 25% of the figure, and by the M/D/1 queue a request waits two service times for it (u / "
        "(2(1 - u)))",
    ),
    refuse=Threshold(
        0.95,
        "share of one processor",
        "the ceiling 1/u is within 5% of the figure, less than the differences that claims are about; two "
        "contenders that both reach it look equal, however unlike they are",
    ),
)
def generator_saturated(
    engine: EngineSummary, load_hosts: list[LoadHostAccount], case: LoadCase, *, warn: float, refuse: float
) -> Iterator[Finding]:
    """A load generator that is fully busy measures itself.

    A warning or a refusal, by that share.
    """
    share = engine.busiest_processor_share(case.processors)
    if share < min(warn, refuse):
        return
    refused = share >= refuse
    yield finding(
        "refusal" if refused else "warning",
        f"the load engine's {_used(len(engine.threads), case.processors, share)}"
        + _where(load_hosts, case.processors)
        + ": "
        + (
            "the generator, not the contender, may set this figure"
            if refused
            else f"at most {1 / share:.2f} times this rate could have been offered, and response times "
            "include waiting in the generator"
        ),
    )


def _where(hosts: Sequence[LoadHostAccount], processors: int) -> str:
    """The one of several load hosts whose engine was busiest, as the end of a clause about it."""
    if not hosts:
        return ""
    of_host = processors // len(hosts)
    busiest = max(hosts, key=lambda host: host.busiest_processor_share(of_host))
    return f", on the load host {printable(busiest.worker, 60)}"


def _used(threads: int, processors: int, share: float) -> str:
    if not processors or threads <= processors:  # without any, threads are bound to none
        return f"busiest thread used {share:.1%} of a processor"
    return f"{threads} threads used {share:.1%} of their busiest processor"


def generator_remedy(engine: EngineSummary, processors: int) -> str:
    """The remedy where the load engine itself may have made requests wait; empty where it had time and ports enough.

    Args:
        processors: of the load engine; 0: its threads are bound to none.
    """
    if engine.routes is not None and engine.routes.connections_each > engine.routes.ports_each:
        return ports_crowded.remedy
    is_busy = engine.busiest_processor_share(processors) >= generator_saturated.thresholds["warn"].value
    return generator_saturated.remedy if is_busy else ""
