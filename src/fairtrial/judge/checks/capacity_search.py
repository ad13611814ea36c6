from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.capacity import CapacitySearch, Probe


@check(
    "capacity-search",
    looks_at="the probes of a capacity search: whether a rate was confirmed, and what set the limit",
    remedy="lower lowest_per_second, relax the objective, or look at the errors of the lowest probe",
    of_loads=True,
    busy=Threshold(
        0.95,
        "share of one processor",
        "as for generator-saturated: an engine thread this busy could not have offered 5% more",
    ),
    late=Threshold(
        0.1,
        "share of the percentile that missed the objective",
        "as generator-late warns: a tenth of a percentile is what the generator may add to it unremarked",
    ),
)
def capacity_search(capacity: CapacitySearch, *, busy: float, late: float) -> Iterator[Finding]:
    """A capacity must be a rate that was sustained, limited by the contender and not by the search or the generator.

    A refusal where no rate held or the generator may have set the limit; a warning where the highest rate held.

    Where the generator was only late, no more is lost than that capacity.
    """
    for each in capacity.found:
        objective, rate = each.objective, each.rate_per_second
        if rate is None:
            yield finding("refusal", _not_found(capacity, objective))
            continue
        if each.at_the_top:
            yield finding(
                "warning",
                f"{objective} still held at {rate:,.0f}/s, the highest rate of the search",
                "raise highest_per_second: the capacity lies above it",
            )
        failed = _lowest_failure(capacity, objective)
        if failed is not None and failed.busiest_thread_share >= busy:
            yield finding(
                "refusal",
                f"{objective} failed at {failed.rate_per_second:,.0f}/s while the load engine's busiest "
                f"thread was busy for {failed.busiest_thread_share:.0%} of the time: the generator may have "
                "set the limit",
                "give the load engine more processors, or the contender fewer",
            )
        elif failed is not None and _late_share(failed, objective) >= late:
            yield finding(
                "refusal",
                f"{objective} failed at {failed.rate_per_second:,.0f}/s because the load engine sent "
                f"requests late, although a connection was free: {_late_share(failed, objective):.0%} of "
                "the percentile passed before, and what passed after met the objective",
                "give the load engine processors of its own; see generator-late, foreign-load and stolen",
                metrics=[f"capacity:{objective}", *(["capacity"] if each is capacity.found[0] else [])],
            )


def _late_share(probe: Probe, objective: str) -> float:
    return next((each.late_share for each in probe.objectives if each.objective == objective), None) or 0.0


def _not_found(search: CapacitySearch, objective: str) -> str:
    lowest = min(search.probes, key=lambda probe: probe.rate_per_second)
    why = next((each.why_not for each in lowest.objectives if each.objective == objective), None)
    return f"{objective} did not hold over a full run at any rate from {lowest.rate_per_second:,.0f}/s on" + (
        f": {why}" if why else ""
    )


def _lowest_failure(search: CapacitySearch, objective: str) -> Probe | None:
    failed = [
        probe
        for probe in search.probes
        if any(each.objective == objective and not each.met for each in probe.objectives)
    ]
    return min(failed, key=lambda probe: probe.rate_per_second, default=None)
