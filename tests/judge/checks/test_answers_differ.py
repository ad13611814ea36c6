"""Answers that are unequal to the reference's, in the record alone."""

import pytest

from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.answers import smallest_share
from fairtrial.judge.checks.model import Case, Finding
from fairtrial.judge.not_examined import unexamined_notes
from fairtrial.record.comparison import ComparedAnswers, Difference, EqualAnswers, ReferenceRecord
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import a_trial, an_experiment, trials_of

FILE = WorkloadIdentity(
    name="shop.workload.toml", title="", sha256="0" * 64, requests={"look": "GET /items", "order": "POST /orders"}
)
DIFFERENCE = Difference(
    request="look", instance=3, asked="GET /items/9", row="items.csv, line 10", what="/price is 3, not 4"
)


def equal(unequal: int = 0, **compared: int) -> EqualAnswers:
    """So many compared answers by request, of which some to the first one differ."""
    requests = {
        name: ComparedAnswers(compared=number, unequal=unequal if place == 0 else 0)
        for place, (name, number) in enumerate(compared.items())
    }
    return EqualAnswers(requests=requests, differences=[DIFFERENCE] if unequal else [])


def tried(before: EqualAnswers, under_load: EqualAnswers | None) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """An experiment in which `b` is compared with `a`."""
    record = an_experiment("a", "b", blocks=2).record()
    a, b = (condition.id for condition in record.conditions)
    reference = ReferenceRecord(
        contender="a", conditions={a: equal(look=500, order=500), b: before}, under_load=["look"]
    )
    trials = [
        trial.model_copy(update={"equal_answers": under_load if trial.condition == b else equal(look=4000)})
        for trial in trials_of(record, a_trial().serving(4000))
    ]
    return record.model_copy(update={"own_workload": FILE, "reference": reference}), trials


def findings(record: ExperimentRecord, trials: list[TrialRecord]) -> list[Finding]:
    check = all_checks()["answers-differ"]
    return list(check.findings(Case.of(record, trials), {}))


def test_one_unequal_answer_under_load_refuses_its_trial(snapshot: object) -> None:
    record, trials = tried(equal(look=500, order=500), equal(look=4000))
    hit = trials[-1] if trials[-1].condition == record.conditions[1].id else trials[-2]
    trials = [
        trial.model_copy(update={"equal_answers": equal(1, look=4000)}) if trial is hit else trial for trial in trials
    ]
    (refusal,) = [each for each in findings(record, trials) if each.severity == "refusal"]
    assert refusal.trial == hit.index
    assert refusal.evidence == snapshot


def test_answers_that_differed_before_the_load_refuse_all_trials() -> None:
    record, trials = tried(equal(2, look=500, order=500), equal(look=4000))
    refused = [each.trial for each in findings(record, trials) if each.severity == "refusal"]
    assert refused == [trial.index for trial in trials if trial.condition == record.conditions[1].id]


def test_who_could_not_be_asked_is_refused(snapshot: object) -> None:
    record, trials = tried(EqualAnswers(requests={}, not_compared="it did not start"), equal(look=4000))
    refusals = [each.evidence for each in findings(record, trials) if each.severity == "refusal"]
    assert refusals == snapshot


def test_equal_answers_are_counted_in_a_note(snapshot: object) -> None:
    record, trials = tried(equal(look=500, order=500), equal(look=4000))
    first, second = findings(record, trials)
    assert [first.severity, second.severity] == ["note", "note"]
    assert second.evidence == snapshot
    assert second.remedy == "nothing to do"


def test_too_few_answers_ask_for_more_and_none_warn() -> None:
    record, trials = tried(equal(look=500, order=500), equal(look=100))
    assert "compare more answers to look" in findings(record, trials)[1].remedy
    record, trials = tried(equal(look=500), equal(look=4000))
    assert findings(record, trials)[1].severity == "warning"


def test_without_a_reference_nothing_is_said() -> None:
    record = an_experiment("a").record()
    assert findings(record, trials_of(record, a_trial())) == []


def test_what_the_comparison_leaves_out_is_listed() -> None:
    record, _ = tried(equal(look=500, order=500), None)
    said = [each.evidence for each in unexamined_notes(record, []) if each.check == "answers-differ"]
    assert len(said) == 2 and "answers to order under load" in said[0] and "headers" in said[1]


@pytest.mark.parametrize(("compared", "share"), [(0, 1.0), (1, 0.95), (2995, 0.001), (7000, 0.000428)])
def test_the_smallest_share_that_would_have_been_found(compared: int, share: float) -> None:
    assert smallest_share(compared) == pytest.approx(share, rel=1e-3)
