"""A trial without verified answers has no result: zero is never one."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each measured trial with fewer verified answers than the minimum."""
    for trial in case.trials:
        summary = trial.engine
        if summary is not None and summary.verified < case.thresholds["verified"]:
            waiting = f"; {summary.in_flight_at_end:,} still waited at the end" if summary.in_flight_at_end else ""
            yield case.finding(
                trial.index,
                "refusal",
                f"{summary.verified:,} verified answers in {summary.window_seconds:.1f} s{waiting}",
            )


CHECK = Check(
    name="too-few-answers",
    looks_at="the number of verified answers in the window",
    thresholds={
        "verified": Threshold(
            1, "answers", "without an answer there is nothing to measure: a rate of zero is never printed"
        ),
    },
    remedy="look at the errors first; if the workload is slow by nature, lengthen duration_seconds",
    examine=examine,
)
