"""Honest trials over all that is shipped: what would be run, and the table of what came of it."""

import json
import tomllib
from argparse import Namespace
from pathlib import Path

import pytest

from benches.honest_trials import Findings, planned, settings, table, toml
from benches.wall_time import WALL, result_of, table_of_runs, wall_seconds
from benches.wall_time import table as table_of_wall_time
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.workloads import workloads
from fairtrial.experiment.model import Experiment
from fairtrial.plan.make import make_plan
from fairtrial.record.write import RecordWriter
from tests.builders import a_trial, an_experiment, trials_of
from tests.report.scene import judged

OPTIONS = Namespace(rows=1000, seconds=2.5, blocks=1)


def test_every_workload_is_tried_on_every_service_that_a_shipped_stack_has(engine: Path) -> None:
    assert engine
    every, stacks = settings(2), find_stacks()
    tried = {(setting.workload.name, setting.service) for setting in every}
    assert tried == {(name, service) for name, workload in workloads().items() for service in workload.services}
    for setting in every:
        keys = tomllib.loads(toml({"name": f"{setting.name}-1", **setting.experiment(OPTIONS)}))
        assert make_plan(Experiment.model_validate(keys), stacks, "here").conditions


def test_rounds_are_added_until_there_are_enough_trials() -> None:
    two = [setting for setting in settings(2, ["plaintext", "fan-out"]) if not setting.load]
    assert [(setting.workload.name, number) for setting, number in planned(two, 7)] == [
        ("fan-out", 1),
        ("plaintext", 1),
        ("fan-out", 2),
        ("plaintext", 2),
    ]
    assert list(planned([], 7)) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of results: one run that was interrupted, and one that came to its end."""
    folder = tmp_path / "results"
    record = an_experiment("a").record()
    for day, interrupted in ((1, True), (2, False)):
        run = folder / f"honest-plaintext-none-1-2026010{day}-000000"
        run.mkdir(parents=True)
        result = json.loads(judged()[0].model_dump_json()) | {"interrupted": interrupted}
        (run / "result.json").write_text(json.dumps(result))
        with RecordWriter(run) as writer:
            writer.append(record)
            for number, trial in enumerate(trials_of(record, a_trial())):
                writer.append(trial.model_copy(update={"started_at": f"2031-05-06T07:08:{10 + 5 * number}Z"}))
    return folder


def test_a_run_that_was_interrupted_is_run_again(folder: Path) -> None:
    found = result_of(folder, "honest-plaintext-none-1")
    assert found is not None and found.name.endswith("0102-000000")
    assert result_of(folder, "honest-plaintext-none-2") is None


def test_refusals_are_counted_by_what_they_say(folder: Path, snapshot: object) -> None:
    plaintext = settings(1, ["plaintext"])[0]
    findings = Findings(wall_seconds=100.0)
    findings.add(result_of(folder, "honest-plaintext-none-1") or folder, plaintext)
    lines = table(findings).splitlines()
    assert lines[0] == snapshot
    assert any(line.startswith("| errors | 2 | ") for line in lines)
    assert lines == snapshot
    assert "With none refused" not in lines[-1]


def test_the_wall_time_is_divided_by_what_it_went_into(folder: Path, snapshot: object) -> None:
    """Each of the five trials takes 4.3 s in its stages, and the next one begins after 5 s."""
    assert table_of_wall_time([folder]) == []
    (folder / WALL).write_text(json.dumps({"honest-plaintext-none-1": 30.0, "honest-plaintext-none-2": 9.0}))
    assert table_of_wall_time([folder, folder]) == snapshot
    assert table_of_runs([folder])[2:] == ["| honest-plaintext-none | 33.3% |"]
    assert sum(wall_seconds(folder).values()) == 39.0
