from collections.abc import Iterator, Sequence
from math import comb

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.hold_audit import Hold, HoldAudit

TELLING = 2.0
"""A hold tells something where at its own pace a stack would have answered so many times what it may."""

IN_FLIGHT = 3.0
"""Answers for each request in flight that may come."""

EACH_ANSWERED = 3.0
"""A hold tells something of single connections where at its own pace a stack would have answered so many on each: in
three eighths of it, each connection asks once, and has to have had its answer before any asks again."""

TWICE, TWICE_SHARE = 1.0, 1 / 16
"""Connections that may have two answers to requests of the hold: this number, and a share of those that were asked."""

MISSED_SHARE = 0.05
"""A share of answers from memory is called found if at most this share of its audits would miss it."""

LOOK_AT_LOG = "see the log of the hold audit in the results folder; a stack has to start once more, as for its trial"
TRY_IT = 'let it be tried: hold_audit = "some", under a load of one rate, with services of the lab\'s own'
QUICKER = "fewer connections, or a higher rate: a hold lasts 0.8 s at most"


@check(
    "answered-while-held",
    looks_at="right answers that came while every process of the database, the cache and the upstream was stopped at a "
    "drawn moment, compared with the requests in flight; and connections that had two or more",
    remedy="answer a request when the database has answered what that request asks for, and keep no answers, rows or "
    "results between requests",
    in_flight=Threshold(
        IN_FLIGHT,
        "answers for each request in flight",
        "a reply that lay in a buffer, a row that was read ahead, and a part in a read of another request: nothing "
        "else can be answered without the source",
    ),
    twice=Threshold(
        TWICE, "connections with two answers or more", "room for a process with more rows ahead than connections"
    ),
    twice_share=Threshold(TWICE_SHARE, "of the connections that were asked, as many more", "as for `twice`"),
)
def answered_while_held(case: Case, *, in_flight: float, twice: float, twice_share: float) -> Iterator[Finding]:
    """Answers that came while all that they have to wait for stood still: they did not wait for it.

    Where a load stood still before, rows read ahead, one for each connection, in a pool or not, go with the first
    requests: a second answer is from memory. A share s of memory has two in a row with the probability s².

    A refusal for each trial with a hold in which more was answered than may be, a warning where it could not be tried;
    one note about all.
    """
    trials = [(trial, trial.holds) for trial in case.trials if trial.holds is not None]
    for trial, audit in trials:
        allowed = in_flight * audit.in_flight
        worst = max(audit.holds, key=lambda each: each.answers, default=None)
        connections, again = connections_asked(audit), connections_answered_again(audit)
        if worst is not None and worst.answers > allowed:
            yield finding("refusal", _evidence(worst, audit, allowed), trial=trial.index)
        elif again > (may := allowed_again(connections, twice, twice_share)):
            evidence = (
                f"{again} of {count(connections, 'connection')} had two right answers or more to requests that were "
                f"sent when all that they have to wait for was stopped; {may} may: one each may have been read ahead"
            )
            yield finding("refusal", evidence, trial=trial.index)
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


def connections_asked(audit: HoldAudit) -> int:
    """On how many connections requests were sent while the sources stood still, over all holds that tell of them."""
    return sum(map(sum, _by_connection(audit)))


def connections_answered_again(audit: HoldAudit) -> int:
    """How many of them had two right answers or more."""
    return sum(sum(counts[2:]) for counts in _by_connection(audit))


def _by_connection(audit: HoldAudit) -> list[list[int]]:
    return [each.by_connection for each in audit.holds if each.by_connection and _tells_of_each(each, audit.in_flight)]


def _tells_of_each(hold: Hold, connections: int) -> bool:
    return hold.by_connection is not None and hold.at_its_pace >= EACH_ANSWERED * connections


def allowed_again(connections: int, twice: float = TWICE, twice_share: float = TWICE_SHARE) -> int:
    """How many of so many connections may have two answers or more."""
    return int(twice + twice_share * connections)


def least_share_refused(connections: int) -> float:
    """The smallest share of answers from memory that is refused in 95 of 100 audits with so many connections.

    By the binomial distribution: each has two answers in a row with the probability s². 1: no share is.
    """
    most = allowed_again(connections)

    def missed(share: float) -> float:
        twice = share**2
        return sum(
            comb(connections, k) * twice**k * (1 - twice) ** (connections - k)
            for k in range(min(most, connections) + 1)
        )

    return next((share / 1000 for share in range(1000) if missed(share / 1000) <= MISSED_SHARE), 1.0)


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
    telling = [
        each
        for audit in complete
        for each in audit.holds
        if tells(each, audit.in_flight, in_flight) or _tells_of_each(each, audit.in_flight)
    ]
    if not telling:
        evidence = f"not examined in {of}: too little is answered while database or upstream can be held"
        return finding("note", evidence, QUICKER, examined=False)
    connections = sum(map(connections_asked, complete))
    again = sum(map(connections_answered_again, complete))
    more_than_one = f"; {again:,} of {count(connections, 'connection')} had more than one to requests of then"
    by_connection = more_than_one if connections else ""
    return finding(
        "note",
        f"hold audit tried in {len(complete)} of {of}: {sum(each.answers for each in telling):,} right answers came in "
        f"{count(len(telling), 'moment')} in which all that they have to wait for was stopped, and "
        f"{sum(each.at_its_pace for each in telling):,.0f} are as many as before"
        + by_connection
        + (f"; in others not examined: {reasons}" if reasons else ""),
        nothing_to_do("it was tried under a load of its own, which is in no figure"),
    )
