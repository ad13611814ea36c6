from collections import Counter
from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, finding, nothing_to_do
from fairtrial.record.engine_summary import EngineSummary, SpotCheckOutcome
from fairtrial.record.model import Clause
from fairtrial.record.processes import Stop

OWN_REQUEST = "mend what answers, or `expect` of the request in the workload file"


@check(
    "contract",
    looks_at="the clauses tried on the running stack before the load, and how the stack ended on SIGTERM",
    remedy="mend the stack until `fairtrial check STACK` passes every clause",
)
def contract(contract: list[Clause], stop: Stop | None, case: Case) -> Iterator[Finding]:
    """A stack that breaks the contract does other work than the others do.

    A refusal for each clause that failed, and one if SIGTERM did not end the stack.
    """
    own = case.record.own_workload
    for clause in contract:
        if not clause.passed:
            evidence = f"{clause.name}: {clause.requirement}; observed: {clause.evidence}"
            is_own = own is not None and clause.name in own.requests
            yield finding("refusal", evidence, clause.remedy or (OWN_REQUEST if is_own else ""))
    if stop is not None and stop.forced:
        yield finding(
            "refusal",
            f"SIGTERM did not end the stack: it was killed after {stop.seconds:.1f} s",
            "let the program exit on SIGTERM within 5 s: stop listening, finish what is in flight, close the pool",
        )


EXCERPT_CHARACTERS = 120
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500


@check(
    "contract-under-load",
    looks_at="requests of the contract that the load engine sends among its own, at drawn moments of the window and "
    "about drawn rows",
    remedy="answer every request alike, whoever else asks meanwhile: no part of the stack may know that it is measured",
)
def contract_under_load(engine: EngineSummary) -> Iterator[Finding]:
    """A stack that keeps the contract before the load and breaks it under the load.

    A refusal where one was answered wrongly, else a note with their number.
    """
    spot_checks = engine.spot_checks
    wrong = [each for each in spot_checks if each.error is not None and not _is_overload(each, engine)]
    if wrong:
        yield finding("refusal", _evidence(wrong, len(spot_checks)))
    elif spot_checks:
        right = Counter(each.name for each in spot_checks if each.error is None)
        counts = ", ".join(f"{name} {times}" for name, times in sorted(right.items())) or "none"
        failures = len(spot_checks) - right.total()
        beside = f"; {count(failures, 'other')} failed as requests of the load did" if failures else ""
        evidence = f"requests of the contract that were answered rightly under the load: {counts}{beside}"
        yield finding("note", evidence, nothing_to_do("its clauses hold under the load, too"))


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
