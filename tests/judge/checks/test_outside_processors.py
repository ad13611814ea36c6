"""Threads outside of the stack's processors refuse the trial, and the stack is named."""

from fairtrial.record.processes import StrayThreads
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found

EXPERIMENT = an_experiment("a").record()


def seen(looks_outside: int) -> StrayThreads:
    (foreign, *_) = EXPERIMENT.placement.load_cpus
    cpus, programs = ([foreign], ["python3"]) if looks_outside else ([], [])
    return StrayThreads(
        looks=12, looks_outside=looks_outside, threads=3 * bool(looks_outside), cpus=cpus, programs=programs
    )


def test_a_thread_on_the_load_engines_processors_refuses_and_names_the_stack(snapshot: object) -> None:
    (finding,) = found(
        "outside-processors", EXPERIMENT, [a_trial().record().model_copy(update={"stray_threads": seen(12)})]
    )
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot


def test_a_stack_that_stays_and_an_older_record_are_silent() -> None:
    trials = [a_trial().record(), a_trial().record().model_copy(update={"stray_threads": seen(0)})]
    assert found("outside-processors", EXPERIMENT, trials) == []
