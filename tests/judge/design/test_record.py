"""What the design shows is found in the record again: in the findings, and in the sentence of the claim."""

from typing import Any

from fairtrial.judge.design.model import design_of_record
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.plan.design import condition_designs
from fairtrial.record.design import ConditionDesign, RequestWait
from fairtrial.record.model import ExperimentRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.plan.plans import planned


def record_with(record: ExperimentRecord, *facts: ConditionDesign, **of_experiment: Any) -> ExperimentRecord:
    """With these facts of its conditions, one after the other, and other keys of the experiment."""
    designs = {condition.id: of_one for condition, of_one in zip(record.conditions, facts, strict=True)}
    experiment = record.experiment.model_copy(update=of_experiment)
    return record.model_copy(update={"designs": designs, "experiment": experiment})


def judged(record: ExperimentRecord) -> tuple[Result, ClaimResult]:
    result = judge(record, trials_of(record, a_trial().serving(4000)), interrupted=False)
    return result, result.claims[0]


def test_a_sentence_says_what_is_known_of_the_design(snapshot: object) -> None:
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.5).record()
    unequal = ConditionDesign(at_once={"DB_POOL": 12}), ConditionDesign(at_once={"DB_POOL": 1})
    _, claim = judged(record_with(record, *unequal))
    assert claim.sentence == snapshot
    (finding,) = [each for each in claim.findings if each.check == "unequal-budgets"]
    assert (finding.severity, finding.key) == ("warning", "of")
    _, stated = judged(record_with(record, *unequal, unequal_budgets="pools are compared"))
    assert stated.sentence == snapshot


def test_who_went_on_has_the_verdict_and_its_sentence(snapshot: object) -> None:
    record = an_experiment("a").stating("budget", of="a", at_least="9,000/s").record()
    waits = [RequestWait(request=None, share=1.0, seconds=0.010)]
    _, claim = judged(record_with(record, ConditionDesign(waits=waits)))
    assert claim.verdict == "refuted"
    assert claim.sentence == snapshot


def test_a_claim_about_two_processors_is_withheld_on_one() -> None:
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.5, server_processors=9).record()
    _, claim = judged(record)
    assert claim.verdict == "undecided"
    assert "too-few-processors withholds it" in claim.sentence and "about 9 processors" in claim.sentence


def test_an_older_record_is_examined_as_far_as_it_goes(snapshot: object) -> None:
    record = an_experiment("a").stating("budget", metric="response_time_p99", of="a", at_most="50 ms").record()
    assert record.designs == {}
    _, claim = judged(record)
    assert [finding.check for finding in claim.findings] == ["closed-percentile"]
    assert claim.sentence == snapshot


def test_a_record_holds_what_its_plan_says() -> None:
    plan = planned(concurrency_budget=8)
    designs = condition_designs(plan, 2)
    record = an_experiment("a", "b").record().model_copy(update={"designs": designs})
    again = ExperimentRecord.model_validate_json(record.model_dump_json())
    assert design_of_record(again).facts == designs
    assert {design.at_once["MAX_CONCURRENCY"] for design in designs.values()} == {8}
    assert {design.processes for design in designs.values()} == {2}
