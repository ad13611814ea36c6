"""A capacity is a rate that was kept up, and that the contender's limit set, not the search's or the generator's."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.capacity import CapacitySearch, Probe


def examine(case: Case) -> Iterator[Finding]:
    """A refusal where no rate was found, or where the generator may have set it; a warning for one without an end."""
    for trial in case.trials:
        search = trial.capacity
        for found in () if search is None else search.found:
            assert search is not None
            if found.rate_per_second is None:
                yield case.finding(trial.index, "refusal", _not_found(search, found.objective))
                continue
            if found.at_the_top:
                yield case.finding(
                    trial.index,
                    "warning",
                    f"{found.objective} still held at {found.rate_per_second:,.0f}/s, the highest rate of the search",
                    "raise highest_per_second: the capacity lies above it",
                )
            failed = _lowest_failure(search, found.objective)
            if failed is not None and failed.busiest_thread_share >= case.thresholds["busy"]:
                yield case.finding(
                    trial.index,
                    "refusal",
                    f"{found.objective} failed at {failed.rate_per_second:,.0f}/s while the load engine's busiest "
                    f"thread was at work for {failed.busiest_thread_share:.0%} of the time: the generator may have "
                    "set the limit",
                    "give the load engine more processors, or the contender fewer",
                )


def _not_found(search: CapacitySearch, objective: str) -> str:
    lowest = min(search.probes, key=lambda probe: probe.rate_per_second)
    why = next((one.why_not for one in lowest.objectives if one.objective == objective), None)
    return f"{objective} did not hold over a full run at any rate from {lowest.rate_per_second:,.0f}/s on" + (
        f": {why}" if why else ""
    )


def _lowest_failure(search: CapacitySearch, objective: str) -> Probe | None:
    failed = [
        probe for probe in search.probes for one in probe.objectives if one.objective == objective and not one.met
    ]
    return min(failed, key=lambda probe: probe.rate_per_second, default=None)


CHECK = Check(
    name="capacity-search",
    looks_at="the probes of a search for the capacity: whether a rate was confirmed, and what set the limit",
    thresholds={
        "busy": Threshold(
            0.95,
            "share of one processor",
            "as of generator-saturated: an engine thread that is so busy cannot have offered 5% more",
        ),
    },
    remedy="lower lowest_per_second, loosen the objective, or look at the errors of the lowest probe",
    examine=examine,
)
