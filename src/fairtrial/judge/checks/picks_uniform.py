from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.statistics.uniformity import bins_test, pairs_test
from fairtrial.record.engine_summary import EngineSummary, Picks
from fairtrial.record.model import TrialRecord

WALKED = "draw each row independently of the last: do not walk through the table or through a shuffled list"


@check(
    "picks-uniform",
    looks_at="which rows were answered: counts over 100 parts of the table, and pairs of answers with the same row",
    remedy="draw uniformly over the whole range of ids on every request; look for a wrong bound, a cache, or gaps in "
    "the ids that favour the rows behind them",
    alpha=Threshold(
        1e-6,
        "probability",
        "three tests a trial, some thousands of trials in a project's life: an honest stack is refused by chance in "
        "fewer than one project in a hundred",
    ),
    effective_share=Threshold(
        0.98,
        "share of the rows",
        "who reads a share s of the rows has at most (1 - s) / s more of the answers from a cache that cannot hold "
        "all; picking the first id at or after a random one, with a share g of the ids missing, reads as if 1/(1 + "
        "g) of the rows: g = 0.01 warns, g = 0.05 refuses",
    ),
    minimum_answers=Threshold(
        1000,
        "answers",
        "a reader of 1% of 1,000,000 rows shows 50 pairs in 1,000 answers where 0.5 are expected; with fewer a pass "
        "means nothing",
    ),
)
def picks_uniform(
    engine: EngineSummary,
    trial: TrialRecord,
    case: Case,
    *,
    alpha: float,
    effective_share: float,
    minimum_answers: float,
) -> Iterator[Finding]:
    """Every row must be equally likely: a program that reads few rows measures its cache.

    Findings on unknown ids, unequal parts of the table, and too many or too few repeats, in this order.
    """
    picks, dataset = engine.picks, case.record.dataset_of(trial.condition)
    if picks is None or dataset is None or (rows := dataset.rows) < 2:
        return
    if picks.unknown > 0:
        yield finding(
            "refusal",
            f"{picks.unknown:,} answers named an id that the dataset does not hold",
            "read the rows of the database at DATABASE_URL, and no others",
        )
    findings = [*_unequal_parts(picks, rows, alpha), *_repeats(picks, rows, alpha, effective_share)]
    yield from findings
    if not findings and picks.answered < minimum_answers:
        yield finding(
            "note",
            f"not examined: {picks.answered:,} answers are too few to tell whether all {rows:,} rows were equally "
            "likely",
            "lengthen duration_seconds if the pick matters to the claim",
            examined=False,
        )


def _unequal_parts(picks: Picks, rows: int, alpha: float) -> Iterator[Finding]:
    test = bins_test(picks.bins, rows)
    if test is None or test.p_value >= alpha:
        return
    counted = sum(picks.bins)
    empty = sum(1 for count in picks.bins if count == 0)
    within = sum(count * (count - 1) for count in picks.bins)
    # Few answers may lie in as many parts, no two in one: how much of the table they stand for is not known then.
    effective = counted * (counted - 1) / (len(picks.bins) * within) if within else 1.0
    yield finding(
        "refusal",
        f"parts of the table were read unequally: chi-square {test.statistic:,.0f} at {test.degrees} "
        f"degrees of freedom, p {_p(test.p_value)}; {empty} of {len(picks.bins)} parts never"
        + (f"; as if {effective:.1%} of the table were read" if effective < 1 else ""),
    )


def _repeats(picks: Picks, rows: int, alpha: float, effective_share: float) -> Iterator[Finding]:
    identified = picks.answered - picks.unknown
    if identified < 2:
        return
    test = pairs_test(identified, picks.pairs, rows)
    counts = (
        f"{picks.distinct:,} distinct rows in {picks.answered:,} answers; {test.pairs:,} pairs of answers "
        f"with the same row where {test.expected:,.1f} are expected"
    )
    if test.are_too_many(alpha):
        material = test.effective_share < effective_share
        yield finding(
            "refusal" if material else "warning",
            f"{counts}, p {_p(test.p_too_many)}: as if {test.effective_share:.2%} of the {rows:,} rows were read",
        )
    elif test.are_too_few(alpha):
        yield finding("refusal", f"{counts}, p {_p(test.p_too_few)}: rows were walked, not drawn", WALKED)


def _p(value: float) -> str:
    return "below 1e-300" if value < 1e-300 else f"{value:.1g}"
