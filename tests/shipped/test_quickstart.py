"""The shipped experiments, as a newcomer runs them."""

import re

import pytest

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.plan.make import make_plan
from tests.command_line import Lab
from tests.machine.needs import needs


@pytest.mark.parametrize("name", shipped_experiments())
def test_a_shipped_experiment_names_only_what_there_is(name: str) -> None:
    path = shipped_experiments()[name]
    make_plan(load_experiment(path), find_stacks(), path)


def of_others(reason: str | None) -> bool:
    """Refused for nothing but what others did with the processors meanwhile."""
    return bool(reason and re.fullmatch(r"\d+ of \d+ trials refused: (?:(?:foreign-load|stolen)(?:[,;] )?)+", reason))


@needs("rust-axum", "go-nethttp", "node-http", "python-fastapi", "python-flask")
@pytest.mark.measures
def test_the_quickstart_runs_every_stack(lab: Lab) -> None:
    """Whether its claims hold is this machine's affair; that every trial is valid is ours,
    unless somebody else takes the processors."""
    finished = lab.fairtrial("run", "--quick", "--blocks", "1", timeout_seconds=900)

    result = finished.result
    outcomes = {condition["stack"]: (condition["outcome"], condition["reason"]) for condition in result["conditions"]}
    assert all(outcome == "valid" or of_others(reason) for outcome, reason in outcomes.values()), finished.out
    assert len(outcomes) >= 5
    assert all(line["ledger"]["done"]["calls"] >= line["ledger"]["verified"] > 0 for line in finished.record[1:])
    assert {claim["verdict"] for claim in result["claims"]} <= {"upheld", "refuted", "equal", "undecided"}
    assert finished.status in (0, 1, 3)


@needs("go-nethttp")
@pytest.mark.measures
def test_one_connection_of_http2_stands_for_a_pool(lab: Lab) -> None:
    """Calls of 20 ms: sixteen in flight answer up to 800 a second, one at a time up to 50.

    What a busy machine takes from the verdicts is not ours; that all was asked as the experiment says is.
    """
    finished = lab.fairtrial("run", "http2-one-connection", "--quick", "--blocks", "1", timeout_seconds=300)

    (first, *trials) = finished.record
    assert [each["at"] for each in first["conditions"]] == ["pool", "multiplexed", "one-at-a-time"]
    engines = {trial["condition"].rpartition("/")[2]: trial["engine"] for trial in trials}
    assert all(engine["verified"] == engine["answers"] > 0 for engine in engines.values()), finished.out
    assert engines["multiplexed"]["connection_answers"]["connections"] == 1
    assert engines["multiplexed"]["verified"] > 4 * engines["one-at-a-time"]["verified"]
    assert engines["multiplexed"]["verified"] > engines["pool"]["verified"] / 2
