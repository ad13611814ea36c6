import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial.judge.checks import run_checks
from fairtrial.record.engine_summary import Picks
from tests.builders import ROWS, a_trial, an_experiment, tallied, uniform_picks
from tests.judge.checks.findings import in_trial, severities

ANSWERS = 60_000


def draws(seed: int = 2) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, ROWS, ANSWERS)


def picking(ids: NDArray[np.int64]) -> list[str]:
    return severities(in_trial("picks-uniform", a_trial().picking(tallied(ids))))


def with_gaps(share: float) -> NDArray[np.int64]:
    """What "the first id at or after a random one" picks when `share` of the ids are missing, as places of rows."""
    random = np.random.default_rng(4)
    ids = np.flatnonzero(random.random(int(ROWS / (1 - share) * 1.01)) >= share)[:ROWS]
    places: NDArray[np.int64] = np.searchsorted(ids, random.integers(ids[0], ids[-1] + 1, ANSWERS))
    return places


def test_uniform_picks_are_left_alone() -> None:
    for seed in range(20):
        assert picking(draws(seed)) == []


def test_a_reader_of_the_first_hundredth_is_refused_twice(snapshot: object) -> None:
    findings = in_trial("picks-uniform", a_trial().picking(tallied(draws() // 100)))
    assert severities(findings) == ["refusal", "refusal"]
    assert findings[0].evidence == snapshot
    assert "as if 1.0" in findings[1].evidence


def test_a_reader_of_every_hundredth_row_is_refused_by_pairs() -> None:
    (finding,) = in_trial("picks-uniform", a_trial().picking(tallied(draws() // 100 * 100)))
    assert finding.severity == "refusal" and "pairs" in finding.evidence


def test_few_answers_in_as_many_parts_one_after_the_other() -> None:
    """36 answers, one in each of the first 36 of 100 parts: how much of the table that is, they do not tell."""
    (finding,) = in_trial("picks-uniform", a_trial().picking(tallied(np.arange(36) * (ROWS // 100))))
    assert finding.severity == "refusal" and finding.evidence.endswith("64 of 100 parts never")


def test_a_favoured_tenth_is_refused() -> None:
    ids = draws()
    ids[: ANSWERS // 20] //= 10
    assert "refusal" in picking(ids)


def test_small_gaps_warn_and_large_ones_refuse() -> None:
    assert picking(with_gaps(0.0)) == []
    assert picking(with_gaps(0.25)) == ["refusal"]
    assert picking(with_gaps(0.01)) in ([], ["warning"])


def test_a_significant_but_immaterial_excess_is_a_warning() -> None:
    """At 2,000,000 answers, 1% more pairs than expected are far outside chance, and mean 99% of the rows."""
    for share, expected in ((1.01, ["warning"]), (1.05, ["refusal"])):
        picks = uniform_picks(2_000_000).model_dump()
        picks["pairs"] = round(picks["pairs"] * share)
        assert severities(in_trial("picks-uniform", a_trial().picking(Picks(**picks)))) == expected


def test_rows_that_are_walked_are_refused() -> None:
    shuffled = np.random.default_rng(1).permutation(ROWS)[:ANSWERS]
    (finding,) = in_trial("picks-uniform", a_trial().picking(tallied(shuffled)))
    assert finding.severity == "refusal" and "walked" in finding.evidence and "independently" in finding.remedy


def test_an_unknown_id_is_refused() -> None:
    picks = uniform_picks(12_000).model_copy(update={"unknown": 1})
    (finding,) = in_trial("picks-uniform", a_trial().picking(picks))
    assert finding.severity == "refusal" and "does not hold" in finding.evidence


@pytest.mark.parametrize(("answers", "expected"), [(999, ["note"]), (1000, [])])
def test_too_few_answers_are_noted(answers: int, expected: list[str]) -> None:
    assert severities(in_trial("picks-uniform", a_trial().picking(uniform_picks(answers)))) == expected


def test_few_answers_convict_where_they_can() -> None:
    """270 answers from 200 of 20,000 rows: too few to clear anybody, more than enough against this one."""
    few = np.random.default_rng(3).integers(0, 200, 270)
    findings = in_trial("picks-uniform", a_trial().picking(tallied(few, 20_000)), an_experiment("a").but(rows=20_000))
    assert set(severities(findings)) == {"refusal"}


def test_a_workload_without_rows_has_no_picks_to_judge() -> None:
    record = an_experiment("a").record().model_copy(update={"dataset": None})
    trial = a_trial().picking(tallied(draws() // 100)).record()
    assert list(run_checks(record, [trial])) == []


def test_picks_are_held_against_the_rows_of_their_own_condition() -> None:
    """A sweep over the rows: uniform among 1,000,000 is far too few repeats among the first 10,000 of them."""
    record = an_experiment("a").sweeping(1, 2).record()
    assert record.dataset is not None
    few, many = (condition.id for condition in record.conditions)
    small = record.dataset.model_copy(update={"rows": 10_000})
    record = record.model_copy(update={"dataset": None, "datasets": {few: small, many: record.dataset}})
    tallies = tallied(draws())
    trials = [
        a_trial().picking(tallies).record().model_copy(update={"condition": name, "index": index})
        for index, name in enumerate((few, many), 1)
    ]
    findings = [finding for finding in run_checks(record, trials) if finding.check == "picks-uniform"]
    assert {finding.trial for finding in findings} == {1}
    assert "walked" in findings[0].evidence
