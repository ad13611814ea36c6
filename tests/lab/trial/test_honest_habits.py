"""Honest stacks that do what comes close to a cheat: valid, or told what exactly to change.

docs/proof.md has the whole table; contracts alone are in tests/catalog.
"""

import sys
from pathlib import Path

import pytest

from tests.command_line import CLOSED, Finished, Lab
from tests.machine.needs import needs

HABITS = Path(__file__).parents[2] / "fixtures" / "habits.py"

pytestmark = needs("postgresql")


def named(lab: Lab, habit: str, workload: str) -> str:
    run = [sys.executable, "habits.py", habit]
    return lab.stack(f"{habit}-{workload}", run=run, server=HABITS, workload=workload, service="postgresql")


@pytest.fixture(scope="module")
def reading(shared_lab: Lab) -> Finished:
    """A run of `random-item` with a stack for each habit of reading."""
    names = [named(shared_lab, habit, "random-item") for habit in ("ahead", "together", "background")]
    return shared_lab.fairtrial("run", shared_lab.experiment(*names, service="postgresql"), *shared_lab.named(*names))


def test_rows_read_ahead_by_a_server_of_other_manners_are_valid(reading: Finished) -> None:
    trial = reading.trial("ahead-random-item")
    assert trial["outcome"] == "valid", trial
    (told,) = [each["evidence"] for each in trial["findings"] if each["check"] == "ledger"]
    assert "1.0" in told.partition(" reading statements that looked")[0], told


def test_one_statement_for_several_requests_is_told_where_that_is_allowed(reading: Finished, snapshot: object) -> None:
    trial = reading.trial("together-random-item")
    assert trial["outcome"] == "refused"
    refusals = {each["check"]: each for each in trial["findings"] if each["severity"] == "refusal"}
    assert list(refusals) == ["ledger"], refusals
    assert refusals["ledger"]["remedy"] == snapshot


def test_a_server_that_goes_into_the_background_is_told_to_stay(reading: Finished) -> None:
    trial = reading.trial("background-random-item")
    assert trial["outcome"] == "not run"
    assert "status 0" in trial["reason"]
    assert "stay in the foreground" in trial["remedy"]


def test_a_group_commit_is_valid_where_requests_may_share_one_and_told_so_elsewhere(shared_lab: Lab) -> None:
    name = named(shared_lab, "together", "survey-insert")
    experiment = shared_lab.experiment(
        name,
        workload="survey-insert",
        service="postgresql",
        load=CLOSED.format(seconds=0.5).replace("connections = 4", "connections = 8"),
        data="",
        more='[sweep]\nparameter = "options.mode"\nvalues = ["single", "batched"]\n',
    )
    finished = shared_lab.fairtrial("run", experiment, *shared_lab.named(name))
    by_mode = {each["at"]: each["trials"][0] for each in finished.result["conditions"]}
    assert by_mode["batched"]["outcome"] == "valid", by_mode["batched"]
    refused = [each for each in by_mode["single"]["findings"] if each["severity"] == "refusal"]
    assert {each["check"] for each in refused} == {"ledger"}, refused
    assert all('`mode = "batched"`' in each["remedy"] for each in refused)


def test_a_jvm_that_has_just_started_is_valid(shared_lab: Lab) -> None:
    """It listens on `::ffff:127.0.0.1`, compiles itself while it serves, and has more threads than processors."""
    experiment = shared_lab.experiment("java-spring", service="postgresql", load=CLOSED.format(seconds=2))
    finished = shared_lab.fairtrial("run", experiment)
    trial = finished.trial("java-spring")
    assert trial["outcome"] == "valid", trial
