from collections.abc import Iterator, Sequence
from math import comb

from fairtrial.base.formatting import count
from fairtrial.judge.checks.answered_while_held import MISSED_SHARE
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.hold_audit import Watch

SHARE, FEW = 0.01, 2.0
ENOUGH = 250.0

MORE = "more answers in two seconds, or rows with longer texts; the lab needs CAP_NET_RAW to read along"


@check(
    "answered-before-read",
    looks_at="what database and cache sent over loopback before each answer began, in some milliseconds of a hold "
    "audit",
    remedy="answer a request when the database has answered what that request asks for, and keep no answers, rows or "
    "results between requests",
    share=Threshold(
        SHARE,
        "of the answers",
        "half of what `ledger` leaves; an honest server has none",
    ),
    few=Threshold(FEW, "answers", "of hardly any, more than that share"),
    enough=Threshold(ENOUGH, "answers", "of so many, memory behind 2.5% shows with 95%"),
)
def answered_before_read(case: Case, *, share: float, few: float, enough: float) -> Iterator[Finding]:
    """Answers that showed a row before the database had sent it: they are from memory.

    A refusal for each trial with more of them; one note about all.
    """
    watches = [(trial, trial.holds.watch) for trial in case.trials if trial.holds and trial.holds.watch]
    for trial, watch in watches:
        if watch.unread > max(few, share * watch.answers):
            evidence = (
                f"{watch.unread:,} of {count(watch.answers, 'answer')} showed a text that the database, or the cache, "
                f"had not sent right before; of {watch.later:,} it came afterwards"
            )
            yield finding("refusal", evidence, trial=trial.index)
    if watches:
        yield _summary([watch for _, watch in watches], enough)


def least_share_found(answers: int) -> float:
    """The smallest share of answers from memory that is refused in 95 of 100 audits with so many answers.

    By the binomial distribution. 1: no share is.
    """
    most = int(max(FEW, SHARE * answers))

    def missed(memory: float) -> float:
        return sum(comb(answers, k) * memory**k * (1 - memory) ** (answers - k) for k in range(most + 1))

    return next((each / 1000 for each in range(1000) if missed(each / 1000) <= MISSED_SHARE), 1.0)


def _summary(watches: Sequence[Watch], enough: float) -> Finding:
    of = count(len(watches), "hold audit")
    telling = [watch for watch in watches if watch.answers >= enough]
    reasons = "; ".join(dict.fromkeys(watch.why_not or "too few answers" for watch in watches if watch not in telling))
    if not telling:
        return finding("note", f"not examined in {of}: {reasons}", MORE, examined=False)
    return finding(
        "note",
        f"read along in {len(telling)} of {of}: {sum(each.unread for each in telling):,} of "
        f"{count(sum(each.answers for each in telling), 'answer')} showed a text that had not been sent right before"
        + (f"; in others not examined: {reasons}" if reasons else ""),
        nothing_to_do("it was tried under a load of its own, which is in no figure"),
    )
