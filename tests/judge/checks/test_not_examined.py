"""Where nothing is known of a stack's processes, checks that look at them say so and find nothing."""

import pytest

from fairtrial.judge.checks import all_checks, run_checks
from fairtrial.record.model import TrialRecord
from tests.builders import TrialBuilder, a_trial, an_experiment
from tests.builders.figures import calm_machine
from tests.judge.checks.findings import found

OF_PROCESSES = {
    "contender-idle",
    "foreign-load",
    "outside-processors",
    "over-budget",
    "plateau",
    "server-exited",
    "uneven-workers",
}
WHY = "it was running already"


def on_trial(trial: TrialBuilder, why: str) -> TrialRecord:
    return trial.record().model_copy(update={"not_measured": why, **({"server": None, "stop": None} if why else {})})


def test_the_checks_that_look_at_processes() -> None:
    assert {name for name, check in all_checks().items() if check.needs_processes} == OF_PROCESSES


def test_they_say_that_they_were_not_examined_and_others_are() -> None:
    record = an_experiment("a").record()
    findings = list(run_checks(record, [on_trial(a_trial().erring(timeout=900).on_machine().on_network(), WHY)]))
    notes = {each.check: each.evidence for each in findings if each.severity == "note"}
    assert notes == dict.fromkeys(OF_PROCESSES, f"not examined: {WHY}")
    assert {each.check for each in findings if each.severity == "refusal"} == {"errors"}


@pytest.mark.parametrize(
    ("check", "trial"),
    [
        (
            "foreign-load",
            a_trial().but(machine=calm_machine().model_copy(update={"own_server_cpu_seconds": 0.0})),
        ),
        ("server-exited", a_trial().but(exit_status=1)),
        ("contender-idle", a_trial().but(server_cpu=0.1)),
    ],
)
def test_what_would_fire_does_not(check: str, trial: TrialBuilder) -> None:
    record = an_experiment("a").record()
    (fires,) = found(check, record, [on_trial(trial, "")])
    (silent,) = found(check, record, [on_trial(trial, WHY)])
    assert not fires.evidence.startswith("not examined") and silent.evidence == f"not examined: {WHY}"
    assert silent.severity == "note"
