"""The folder that a run leaves behind, or does not."""

from pathlib import Path

import pytest

from fairtrial.base.exit_status import INTERRUPTED
from fairtrial.base.problem import Problem
from fairtrial.lab.results_folder import earlier_runs, new_results_folder, results_folder


def test_what_was_written_stays_and_an_empty_folder_goes(tmp_path: Path) -> None:
    with results_folder(tmp_path, "kept") as kept:
        (kept / "record.jsonl").write_text("{}\n")
    with results_folder(tmp_path, "empty") as empty:
        assert (empty / "logs").is_dir()
    assert (kept / "record.jsonl").exists()
    assert not empty.exists()


def test_earlier_runs_of_an_experiment_are_counted(tmp_path: Path) -> None:
    """Those of its name that have a trial: an experiment whose name only begins like it is another."""
    for name, lines in {"x": 2, "x-long": 2, "begun": 1, "y": 3}.items():
        (new_results_folder(tmp_path, name) / "record.jsonl").write_text("{}\n" * lines)
    (new_results_folder(tmp_path, "x") / "record.jsonl").write_text("{}\n" * 9)
    this = new_results_folder(tmp_path, "x")
    (this / "record.jsonl").write_text("{}\n{}\n")
    assert [earlier_runs(this, name) for name in ("x", "x-long", "begun", "y", "z")] == [2, 1, 0, 1, 0]


def test_two_runs_in_one_second_have_a_folder_each(tmp_path: Path) -> None:
    folders = {new_results_folder(tmp_path, "x") for _ in range(5)}
    assert len(folders) == 5


def test_an_interrupt_before_anything_was_measured_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="nothing was measured") as raised, results_folder(tmp_path, "x"):
        raise KeyboardInterrupt
    assert raised.value.exit_status == INTERRUPTED
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_after_the_last_trial_names_what_is_kept(tmp_path: Path) -> None:
    def interrupted_at_the_report() -> None:
        with results_folder(tmp_path, "x") as folder:
            (folder / "record.jsonl").write_text("{}\n{}\n")
            raise KeyboardInterrupt

    with pytest.raises(Problem, match="before the report was written") as raised:
        interrupted_at_the_report()
    (kept,) = tmp_path.iterdir()
    assert raised.value.exit_status == INTERRUPTED
    assert f"fairtrial judge {kept}" in raised.value.remedy


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(Problem, match="results cannot be written to"):
        new_results_folder(file, "x")
