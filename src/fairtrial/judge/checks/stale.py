from collections.abc import Iterator

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import Freshness, RowChangesSeen

MISSED_SHARE = 0.05
"""Of the trials in which that share of answers came from memory, so many would not have shown it."""

MEASURE_LONGER = "measure longer, or a table of fewer rows: more answers then show a row that changed"


@check(
    "stale",
    looks_at="rows that the lab changed in the database before and while the load ran, and what the stack answered "
    "afterwards",
    remedy="read the row from the database after its request has come, on every request; a cache needs a workload that "
    "allows it",
    share=Threshold(
        0.02,
        "share of the answers",
        "memory behind more of them would have been found with 95%, or it is noted that it would not: 149 answers "
        "that show a changed row are enough, in all trials of a condition together",
    ),
)
def stale(
    trial: TrialRecord,
    case: Case,
    freshness: Freshness | None,
    row_changes: RowChangesSeen | None,
    *,
    share: float,
) -> Iterator[Finding]:
    """An answer that shows a row as it was before it changed comes from a cache, not from the database.

    A refusal where a changed row's old text was answered; a note where too few could tell.
    """
    if freshness is not None and freshness.stale > 0:
        grace = freshness.grace_seconds
        when = f" {grace:g} s after they changed" if grace else ", asked after their change was committed"
        yield finding(
            "refusal",
            f"{freshness.stale} of {freshness.changed} rows were still answered as they had been{when}: "
            f"{freshness.example}",
        )
    if row_changes is not None:
        alike = [each.row_changes for each in case.trials_of(trial.condition) if each.row_changes is not None]
        yield from _of_load(row_changes, sum(each.answers for each in alike), share)


def _of_load(changes: RowChangesSeen, answers: int, share: float) -> Iterator[Finding]:
    """The evidence of the load's own answers; `answers`: how many showed a changed row in all trials of the
    condition."""
    if changes.old:
        yield finding(
            "refusal",
            f"{changes.old:,} of {changes.answers:,} answers to the load that showed a changed row showed it as it had "
            f"been, asked for up to {changes.latest_seconds:.3g} s after the change was committed: {changes.example}",
        )
    elif (least_share := least_share_found(answers)) > share:
        least = f"memory behind less than {figure(100 * least_share)}% of the answers" if answers else "memory"
        yield finding(
            "note",
            f"not examined: {answers} answers to the load showed a row that had changed, too few to find {least}",
            MEASURE_LONGER,
            examined=False,
        )


def least_share_found(answers: int) -> float:
    """The smallest share of answers from memory of which, among so many, one shows with 95%: 1 - 0.05^(1/n).

    With a share s from memory, none of n is with the probability (1 - s)^n.
    """
    return 1 - MISSED_SHARE ** (1 / answers) if answers else 1.0
