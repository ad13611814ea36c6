from collections.abc import Iterator, Sequence

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.hold_audit import Hold, HoldAudit

TELLING = 2.0
"""A hold tells something where at its own pace a stack would have answered so many times what it may."""

IN_FLIGHT = 3.0
"""Answers for each request in flight that may come."""

LOOK_AT_LOG = "see the log of the hold audit in the results folder; a stack has to start once more, as for its trial"
TRY_IT = 'let it be tried: hold_audit = "some", under a load of one rate, with services of the lab\'s own'
QUICKER = "fewer connections, or a higher rate: a hold lasts 0.8 s at most"


@check(
    "answered-while-held",
    looks_at="right answers that came while every process of the database, the cache and the upstream was stopped at a "
    "drawn moment, compared with the requests in flight",
    remedy="answer a request when the database has answered what that request asks for, and keep no answers, rows or "
    "results between requests",
    in_flight=Threshold(
        IN_FLIGHT,
        "answers for each request in flight",
        "a reply that lay in a buffer, a row that was read ahead, and a part in a read of another request: nothing "
        "else can be answered without the source",
    ),
)
def answered_while_held(case: Case, *, in_flight: float) -> Iterator[Finding]:
    """Answers that came while all that they have to wait for stood still: they did not wait for it.

    A refusal for each trial with a hold in which more was answered than may be, a warning where it could not be tried;
    one note about all.
    """
    trials = [(trial, trial.holds) for trial in case.trials if trial.holds is not None]
    for trial, audit in trials:
        allowed = in_flight * audit.in_flight
        worst = max(audit.holds, key=lambda each: each.answers, default=None)
        if worst is not None and worst.answers > allowed:
            yield finding("refusal", _evidence(worst, audit, allowed), trial=trial.index)
        elif audit.is_drawn and audit.why_not:
            yield finding("warning", f"not examined: {audit.why_not}", LOOK_AT_LOG, examined=False, trial=trial.index)
    if trials:
        yield _summary([audit for _, audit in trials], in_flight)


def tells(hold: Hold, requests: int, in_flight: float = IN_FLIGHT) -> bool:
    """Whether a stack would have answered so much in a hold, at its own pace, that the hold tells something.

    Args:
        requests: that were in flight.
        in_flight: the check's threshold.
    """
    return hold.at_its_pace >= TELLING * in_flight * requests


def _evidence(worst: Hold, audit: HoldAudit, allowed: float) -> str:
    return (
        f"{worst.answers:,} right answers came within {worst.seconds * 1e3:.0f} ms in which all that they have to wait "
        f"for was stopped, {worst.after_seconds:.2f} s into a load; {allowed:,.0f} may, with "
        f"{count(audit.in_flight, 'request')} in flight, and {worst.at_its_pace:,.0f} are as many as before"
    )


def _summary(audits: Sequence[HoldAudit], in_flight: float) -> Finding:
    of = count(len(audits), "trial")
    complete = [audit for audit in audits if audit.holds]
    reasons = "; ".join(dict.fromkeys(audit.why_not for audit in audits if audit.why_not))
    if not complete:
        return finding("note", f"not examined in {of}: {reasons or 'none was drawn'}", TRY_IT, examined=False)
    telling = [each for audit in complete for each in audit.holds if tells(each, audit.in_flight, in_flight)]
    if not telling:
        evidence = f"not examined in {of}: too little is answered while database or upstream can be held"
        return finding("note", evidence, QUICKER, examined=False)
    return finding(
        "note",
        f"hold audit tried in {len(complete)} of {of}: {sum(each.answers for each in telling):,} right answers came in "
        f"{count(len(telling), 'moment')} in which all that they have to wait for was stopped, and "
        f"{sum(each.at_its_pace for each in telling):,.0f} are as many as before"
        + (f"; in others not examined: {reasons}" if reasons else ""),
        nothing_to_do("it was tried under a load of its own, which is in no figure"),
    )
