import pytest

from fairtrial.judge import judging
from fairtrial.judge.judging import judge
from fairtrial.judge.model import Finding, Result
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of

SHORT = ("not-stationary", "note")
"""That windows of three seconds are too short for it."""


def judged(make: TrialBuilder, blocks: int = 5) -> Result:
    record = an_experiment("a", "b", blocks=blocks).record()
    return judge(
        record,
        trials_of(record, lambda name, block: make if (name, block) == ("a", 2) else a_trial().serving(4000 + block)),
        interrupted=False,
    )


def test_an_honest_experiment_is_valid_throughout() -> None:
    result = judged(a_trial())
    assert {condition.outcome for condition in result.conditions} == {"valid"}
    assert [(each.check, each.severity) for each in result.findings] == [SHORT]
    assert (result.blocks_planned, result.blocks_complete) == (5, 5)
    figure = result.conditions[0].figures["goodput_per_second"]
    assert figure is not None and figure.blocks == 5
    assert figure.interval is not None and figure.interval[0] <= figure.estimate <= figure.interval[1]


def test_a_refused_trial_has_no_figures_but_keeps_its_evidence() -> None:
    trial = judged(a_trial().erring(status_5xx=600)).conditions[0].trials[1]
    assert trial.outcome == "refused"
    assert (trial.goodput, trial.response_time, trial.service_time, trial.server) == (None, None, None, None)
    assert trial.errors["status_5xx"] == 600
    assert trial.engine is not None and trial.findings[0].check == "errors"
    assert trial.reason is not None and trial.reason.startswith("errors: 600 of 12,600") and trial.remedy


def test_a_condition_with_a_refused_trial_is_refused_and_its_rivals_are_not() -> None:
    result = judged(a_trial().erring(wrong_body=1))
    refused, other = result.conditions
    assert (refused.outcome, refused.reason) == ("refused", "1 of 5 trials refused: errors")
    assert set(refused.figures.values()) == {None}
    assert refused.trials[0].goodput is not None
    assert other.outcome == "valid"


def test_a_condition_with_a_trial_not_run_rests_on_the_others() -> None:
    """As the start of a record from before it was told whose failure it is, and one that a database made fail."""
    condition = judged(a_trial().failing("start", "it did not answer /health")).conditions[0]
    assert condition.outcome == "valid"
    figure = condition.figures["goodput_per_second"]
    assert figure is not None and figure.blocks == 4


def test_a_condition_that_failed_to_start_by_itself_in_one_block_is_refused(snapshot: object) -> None:
    condition, other = judged(a_trial().failing("start", "it ended", by_contender=True)).conditions
    assert (condition.outcome, condition.reason) == ("refused", "1 of 5 trials refused: start-failed")
    assert set(condition.figures.values()) == {None}
    trial = condition.trials[1]
    assert trial.outcome == "refused"
    assert trial.reason is not None
    assert trial.reason == snapshot
    assert trial.remedy is not None and "ready_within_seconds" in trial.remedy
    assert other.outcome == "valid"


@pytest.mark.parametrize(
    ("stage", "outcome"),
    [
        ("service", "not run"),
        ("requirements", "not run"),
        ("build", "not run"),
        ("start", "not run"),
        ("interrupted", "not run"),
        ("contract", "refused"),
        ("load", "refused"),
    ],
)
def test_outcome_by_the_stage_that_failed(stage: str, outcome: str) -> None:
    trial = judged(a_trial().failing(stage, "because", "do this")).conditions[0].trials[1]
    assert (trial.outcome, trial.reason, trial.remedy) == (outcome, "because", "do this")
    assert trial.goodput is None and trial.engine is None


def test_a_measurement_that_was_cut_short_is_not_run() -> None:
    assert judged(a_trial().but(interrupted=True)).conditions[0].trials[1].outcome == "not run"


def test_nothing_measured_is_not_run() -> None:
    trial = judged(a_trial().but(measured=False)).conditions[0].trials[1]
    assert (trial.outcome, trial.reason) == ("not run", "nothing was measured")


@pytest.mark.parametrize("blocks_failed", [5, 4])
def test_where_every_trial_failed_nothing_is_said_of_the_design(
    monkeypatch: pytest.MonkeyPatch, blocks_failed: int
) -> None:
    """What figures would not show is no matter of a contender that never started."""
    flaw = Finding(check="window-too-short", severity="warning", evidence="1 s", remedy="longer ones")
    monkeypatch.setattr(judging, "design_findings", lambda _: [flaw])
    record, failing = an_experiment("a").record(), a_trial().failing("start", "it ended")
    trials = trials_of(record, lambda _, block: failing if block <= blocks_failed else a_trial().serving(4000))
    found = judge(record, trials, interrupted=False).findings
    assert (flaw in found) == (blocks_failed < 5)


def test_warnings_leave_a_trial_valid() -> None:
    trial = judged(a_trial().but(engine_cpu=0.9)).conditions[0].trials[1]
    assert trial.outcome == "valid"
    assert [finding.severity for finding in trial.findings] == ["warning"]


def test_the_engines_share_is_work_and_its_processor_time_is_all() -> None:
    engine = judged(a_trial().but(engine_cpu=1.0, engine_spinning=0.75)).conditions[0].trials[1].engine
    assert engine is not None
    assert engine.busiest_thread_share == pytest.approx(0.25)
    assert engine.cpu_seconds == pytest.approx(3.0)


def test_the_share_of_a_processor_is_that_of_all_threads_on_it() -> None:
    engine = judged(a_trial().but(engine_cpu=0.2, engine_threads=3)).conditions[0].trials[1].engine
    assert engine is not None
    assert engine.busiest_thread_share == pytest.approx(0.2)
    assert engine.busiest_processor_share == pytest.approx(0.6)


def test_the_gravest_finding_is_the_reason() -> None:
    trial = judged(a_trial().but(engine_cpu=0.9, altered=True)).conditions[0].trials[1]
    assert [finding.severity for finding in trial.findings] == ["refusal", "warning"]
    assert trial.reason is not None and trial.reason.startswith("dataset-altered")


def test_that_a_stack_has_ended_is_the_reason_for_all_that_it_did_not_answer(snapshot: object) -> None:
    trial = judged(a_trial().breaking("health").but(exit_status=0)).conditions[0].trials[1]
    assert trial.reason is not None and trial.reason == snapshot
    assert trial.remedy is not None and "foreground" in trial.remedy


def test_percentiles_without_support_are_null_in_trial_and_condition() -> None:
    condition = judged(a_trial().serving(300)).conditions[0]
    times = condition.trials[1].response_time
    assert times is not None and times.p50_seconds is not None and times.p99_seconds is None and times.samples == 900
    assert condition.figures["response_time_p99_seconds"] is None
    assert condition.figures["response_time_p50_seconds"] is not None


def test_a_condition_that_never_ran_says_why() -> None:
    record = an_experiment("a", "b").record()
    trials = trials_of(
        record, lambda name, block: a_trial().failing("build", "no compiler") if name == "a" else a_trial()
    )
    result = judge(record, trials, interrupted=False)
    assert (result.conditions[0].outcome, result.conditions[0].reason) == ("not run", "no compiler")
    assert result.blocks_complete == 5


def test_an_interrupted_run_counts_its_complete_blocks() -> None:
    record = an_experiment("a", "b").record()
    trials = trials_of(record, lambda name, block: a_trial() if (block, name) < (3, "b") else None)
    result = judge(record, trials, interrupted=True)
    assert (result.interrupted, result.blocks_complete) == (True, 2)


def test_a_condition_that_cannot_run_does_not_make_blocks_incomplete() -> None:
    record = an_experiment("a", "b").record()

    def make(name: str, block: int) -> TrialBuilder | None:
        if name == "b":
            return a_trial()
        return a_trial().failing("requirements", "missing") if block == 1 else None

    assert judge(record, trials_of(record, make), interrupted=False).blocks_complete == 5


def test_without_any_trial_there_is_still_a_result() -> None:
    result = judge(an_experiment("a", "b").claiming("a", "b", at_least=1).record(), [], interrupted=True)
    assert {condition.outcome for condition in result.conditions} == {"not run"}
    assert result.conditions[0].reason == "it was never tried"
    assert result.claims[0].verdict == "undecided"


def test_judging_twice_gives_the_same_to_the_last_digit() -> None:
    assert judged(a_trial()) == judged(a_trial())


def test_unusual_thresholds_are_noted_for_the_experiment() -> None:
    record = an_experiment("a", "b").checking("errors", share=0.5).record()
    result = judge(record, trials_of(record, a_trial()), interrupted=False)
    note, short = result.findings
    assert (short.check, short.severity) == SHORT
    assert (note.check, note.severity, note.evidence) == ("errors", "note", "share is 0.5 here, default 0.001")
