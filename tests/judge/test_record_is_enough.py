"""A record is judged from itself alone: nothing that it names has to exist today."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fairtrial.commands import app
from fairtrial.judge.judging import judge_record
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.proof import Ledger
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of


def results(folder: Path, reads: int, trial: TrialBuilder | None = None, **changes: Any) -> Path:
    """A results folder whose record names a workload, a service, stacks and a dataset that nobody knows.

    Args:
        reads: reading statements that the database counted for 12,000 verified answers.
        trial: every trial; an honest one, if it is not given.
        changes: other keys of the record's first line.
    """
    record = an_experiment("a", "b").stating("budget", of="a", at_least="1/s").record()
    ledger = Ledger(done={"reads": reads, "rows_read": reads}, verified=12_000, answers=12_000)
    trials = [trial.model_copy(update={"ledger": ledger}) for trial in trials_of(record, trial or a_trial())]
    first = json.loads(record.model_dump_json()) | changes
    lines = [json.dumps(first), *(trial.model_dump_json() for trial in trials)]
    text = "".join(f"{line}\n" for line in lines)
    for known, unknown in (("random-item", "no-such-workload"), ("sqlite", "no-such-service")):
        assert known in text
        text = text.replace(known, unknown)
    folder.mkdir(exist_ok=True)
    (folder / RECORD_FILE).write_text(text)
    return folder


def judged(folder: Path) -> tuple[int, Mapping[str, Any]]:
    """The exit status of `fairtrial judge`, and the result that it wrote."""
    finished = CliRunner().invoke(app, ["judge", str(folder)], env={"COLUMNS": "140"})
    assert finished.exception is None or isinstance(finished.exception, SystemExit), finished.output
    return finished.exit_code, json.loads((folder / "result.json").read_text())


def of_the_ledger(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    trials = [trial for condition in result["conditions"] for trial in condition["trials"]]
    findings = [finding for trial in trials for finding in trial["findings"] if finding["check"] == "ledger"]
    assert {finding["trial"] for finding in findings} == {trial["index"] for trial in trials}
    return [(finding["severity"], finding["evidence"]) for finding in findings]


def test_work_that_was_spared_is_found_in_the_record_of_an_unknown_workload(tmp_path: Path) -> None:
    status, result = judged(results(tmp_path, reads=4800))
    assert status == 3
    for severity, evidence in of_the_ledger(result):
        assert severity == "refusal" and "the workload implies at least 1" in evidence
    assert {condition["outcome"] for condition in result["conditions"]} == {"refused"}
    assert result["claims"][0]["verdict"] == "undecided"


def test_work_that_was_done_is_noted(tmp_path: Path) -> None:
    status, result = judged(results(tmp_path, reads=12_000))
    assert status == 0
    assert {severity for severity, _ in of_the_ledger(result)} == {"note"}
    assert result["conditions"][0]["workload"] == "no-such-workload"
    assert result["claims"][0]["verdict"] == "upheld"


def test_a_record_from_before_work_was_recorded_is_judged_with_a_warning(tmp_path: Path) -> None:
    status, result = judged(results(tmp_path, reads=4800, implied_work={}))
    assert status == 0
    assert {severity for severity, _ in of_the_ledger(result)} == {"warning"}
    assert {condition["outcome"] for condition in result["conditions"]} == {"valid"}


def test_conditions_are_told_by_their_fields_and_not_by_their_names(tmp_path: Path) -> None:
    """`contender` and `id` are for people and for keys: renamed, the verdicts are the same."""
    record = (
        an_experiment("a:one", "b")
        .but(noise_floor=True)
        .sweeping(1, 2, 4, 8)
        .claiming("a:one at 2", "b at 2", at_least=1)
    )
    first = record.stating("shape", of="b", shape="flat", within=0.5).record()
    trials = trials_of(first, a_trial())
    names = {condition.id: f"condition-{number}" for number, condition in enumerate(first.conditions)}
    renamed = ExperimentRecord.model_validate(
        first.model_dump()
        | {
            "conditions": [
                condition.model_copy(update={"id": names[condition.id], "contender": names[condition.id]})
                for condition in first.conditions
            ],
            "order": [[names[name] for name in block] for block in first.order],
            "implied_work": {names[name]: work for name, work in first.implied_work.items()},
        }
    )
    before = judge_record(first, trials)
    after = judge_record(renamed, [trial.model_copy(update={"condition": names[trial.condition]}) for trial in trials])
    assert [claim.verdict for claim in after.claims] == ["upheld", "upheld"]
    assert after.claims == before.claims
    assert after.curves == before.curves and [len(curve.at) for curve in after.curves] == [4, 4]
    assert after.noise_floor is not None and before.noise_floor is not None
    assert after.noise_floor.estimate == before.noise_floor.estimate == pytest.approx(1)


def test_the_claims_of_a_file_need_units_and_those_of_an_old_record_do_not(tmp_path: Path, snapshot: object) -> None:
    record, _ = read_record(results(tmp_path / "results", reads=12_000))
    old = json.loads(record.model_dump_json())
    old["experiment"]["claims"][0] |= {"at_least": 1, "published": 2}
    path = results(tmp_path / "results", reads=12_000, experiment=old["experiment"])
    assert judged(path)[1]["claims"][0]["verdict"] == "upheld"
    file = tmp_path / "claims.toml"
    file.write_text(
        'name = "x"\ntitle = "x"\nworkload = "no-such-workload"\nstacks = ["a"]\n[load]\nkind = "closed"\n'
        '[[claims]]\nid = "mine"\nkind = "budget"\ntext = "x"\nof = "a"\nat_least = 1\n'
    )
    finished = CliRunner().invoke(app, ["judge", str(path), "--claims", str(file)], env={"COLUMNS": "200"})
    assert finished.exit_code != 0
    assert f"{finished.output}{finished.exception}".replace(str(tmp_path), "") == snapshot


def test_the_requests_of_an_unknown_workload_are_those_that_its_record_holds(tmp_path: Path, snapshot: object) -> None:
    path = results(tmp_path / "results", 12_000, a_trial().mixing(short=(0.9, 0.001), long=(0.1, 1.0)))
    file = tmp_path / "claims.toml"

    def judged_about(request: str) -> tuple[int, str]:
        file.write_text(
            'name = "x"\ntitle = "x"\nworkload = "no-such-workload"\nstacks = ["a"]\n[load]\nkind = "closed"\n'
            '[[claims]]\nid = "mine"\nkind = "budget"\ntext = "x"\nof = "a"\nmetric = "response_time_p50"\n'
            f'request = "{request}"\nat_most = "5 ms"\n'
        )
        finished = CliRunner().invoke(app, ["judge", str(path), "--claims", str(file)], env={"COLUMNS": "200"})
        return finished.exit_code, f"{finished.output}{finished.exception}"

    assert [judged_about(request)[0] for request in ("short", "long")] == [0, 1]
    status, text = judged_about("quick")
    assert status != 0 and text.replace(str(tmp_path), "") == snapshot
