"""A stack that keeps the contract before the load and breaks it under the load."""

from collections import Counter
from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.judge.checks.model import Case, Check, Finding, nothing_to_do
from fairtrial.record.engine_summary import EngineSummary, SpotCheckOutcome

EXCERPT_CHARACTERS = 120
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500


def examine(case: Case) -> Iterator[Finding]:
    """A refusal where a request of the contract was answered wrongly under the load, else a note with their number."""
    for trial in case.trials:
        summary = trial.engine
        if summary is None or not summary.spot_checks:
            continue
        wrong = [
            spot_check
            for spot_check in summary.spot_checks
            if spot_check.error is not None and not _is_overload(spot_check, summary)
        ]
        if wrong:
            yield case.finding(trial.index, "refusal", _evidence(wrong, len(summary.spot_checks)))
            continue
        right = Counter(spot_check.name for spot_check in summary.spot_checks if spot_check.error is None)
        counts = ", ".join(f"{name} {times}" for name, times in sorted(right.items())) or "none"
        failures = len(summary.spot_checks) - right.total()
        beside = f"; {count(failures, 'other')} failed as requests of the load did" if failures else ""
        evidence = f"requests of the contract that were answered rightly under the load: {counts}{beside}"
        yield case.finding(trial.index, "note", evidence, nothing_to_do("its clauses hold under the load, too"))


def _is_overload(spot_check: SpotCheckOutcome, summary: EngineSummary) -> bool:
    """Whether it failed as the load's own requests did: without an answer, or with one that says "too busy"."""
    is_busy = spot_check.status is None or spot_check.status == TOO_MANY_REQUESTS or spot_check.status >= SERVER_ERROR
    return is_busy and sum(summary.errors.values()) > 0


def _evidence(wrong: list[SpotCheckOutcome], checks: int) -> str:
    first = wrong[0]
    what = first.error or ""
    if first.status is not None:
        excerpt = printable(first.excerpt, EXCERPT_CHARACTERS)
        what = f"{what}: status {first.status}, {excerpt!r}" if excerpt else f"{what}: status {first.status}, no body"
    reason = f" ({printable(first.reason, EXCERPT_CHARACTERS)})" if first.reason else ""
    return (
        f"{len(wrong)} of {count(checks, 'request')} of the contract were answered otherwise under the load than "
        f"before it; the first of them {first.name}, {first.sent_seconds:.2f} s into the window: {what}{reason}"
    )


CHECK = Check(
    name="contract-under-load",
    looks_at="requests of the contract that the load engine sends among its own, at drawn moments of the window and "
    "about drawn rows",
    thresholds={},
    remedy="answer every request alike, whoever else asks meanwhile: no part of the stack may know that it is measured",
    examine=examine,
)
