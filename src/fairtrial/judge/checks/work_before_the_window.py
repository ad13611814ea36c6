import math
from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.ledger import NOUNS
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import Ledger, WindowWork

LATE = ("commits", "rows_read.", "rows_written.", "statement_milliseconds")
"""How names begin of what a database counts late while sessions are open, or when a long statement ends."""


@check(
    "work-before-the-window",
    looks_at="what the database counted from when a window had opened until its load ended, compared with the verified "
    "answers of that time; and the upstream's processor time in it, compared with that of all its calls",
    remedy="do the work of an answer when it is asked for: what was done in the warm-up, or in the probes of a search, "
    "pays for no later answer",
    share=Threshold(
        0.2,
        "share of the implied work",
        "the window opens some milliseconds before the counters are read, and its pace varies meanwhile",
    ),
    upstream=Threshold(
        0.25,
        "of the processor time that its calls took on average",
        "a call among many costs a server a third of one alone, which wakes it",
    ),
)
def work_before_the_window(
    window_work: list[WindowWork], trial: TrialRecord, case: Case, *, share: float, upstream: float
) -> Iterator[Finding]:
    """Work that was done before anybody measured does not pay for the answers of the window.

    A refusal for each kind of work of which less was done in a window than its answers imply.
    """
    work = case.record.implied_work.get(trial.condition)
    if work is None:
        return
    implied = work.least_per_answer
    for window in window_work:
        answers = window.answers
        for name, least in implied.items():
            if name not in window.counts or name.startswith(LATE) or _was_never_done(trial.ledger, name, least, share):
                continue
            if window.counts[name] < least * answers * (1 - share):
                kind, _, table = name.partition(".")
                where = f" in {table}" if table else ""
                yield finding(
                    "refusal",
                    f"{window.counts[name]:,} {NOUNS[kind]}{where} in {window.seconds:.2f} s of the window, in which "
                    f"some {answers:,.0f} requests were answered; the workload implies at least {least:g} each",
                )
        calls = 0 if trial.ledger is None else trial.ledger.done.get("calls", 0)
        if window.upstream_share is None or not implied.get("calls") or not calls:
            continue
        paid_calls = window.upstream_share * calls
        if paid_calls < implied["calls"] * answers * upstream:
            yield finding(
                "refusal",
                f"the upstream used {window.upstream_share:.1%} of its processor time in {window.seconds:.2f} s of the "
                f"window, which is that of {paid_calls:,.0f} of its {calls:,} calls; some {answers:,.0f} requests were "
                "answered in that time",
            )


def _was_never_done(ledger: Ledger | None, name: str, least: float, share: float) -> bool:
    """Whether so much work was not done at any other time either, which the check `ledger` says."""
    return ledger is not None and ledger.done.get(name, math.inf) < least * ledger.verified * (1 - share)
