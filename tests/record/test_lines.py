"""A record on the disk: what was written is read, and what is broken is told with its line."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE, RecordWriter
from tests.builders import a_trial, an_experiment, trials_of

EXPERIMENT = an_experiment("a", "b", blocks=2).record()
TRIALS = trials_of(EXPERIMENT, a_trial())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a record of two blocks."""
    with RecordWriter(tmp_path) as writer:
        lines: list[ExperimentRecord | TrialRecord] = [EXPERIMENT, *TRIALS]
        for line in lines:
            writer.append(line)
    return tmp_path


def test_what_was_written_is_read(folder: Path) -> None:
    assert read_record(folder) == (EXPERIMENT, TRIALS)


def test_each_line_is_there_as_soon_as_it_is_written(tmp_path: Path) -> None:
    with RecordWriter(tmp_path) as writer:
        writer.append(EXPERIMENT)
        assert read_record(tmp_path) == (EXPERIMENT, [])
        writer.append(TRIALS[0])
        assert read_record(tmp_path) == (EXPERIMENT, TRIALS[:1])


def test_a_last_line_that_was_cut_off_is_left_out(folder: Path) -> None:
    path = folder / RECORD_FILE
    path.write_bytes(path.read_bytes()[:-40])
    assert read_record(folder) == (EXPERIMENT, TRIALS[:-1])


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), ('{"kind": "experiment"}\n', "line 1"), ("no JSON\n", "line 1"), ('{"kind"', "empty")],
)
def test_what_is_no_record_is_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / RECORD_FILE).write_text(text)
    with pytest.raises(Problem) as problem:
        read_record(tmp_path)
    assert reason in problem.value.reason
    assert RECORD_FILE in problem.value.reason
    assert problem.value.remedy


def test_a_broken_line_is_told_with_its_number_and_key(folder: Path) -> None:
    path = folder / RECORD_FILE
    path.write_text(path.read_text() + '{"kind": "trial", "index": "first"}\n')
    with pytest.raises(Problem, match=r"line 6: "):
        read_record(folder)


def test_folders_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be read"):
        read_record(tmp_path / "nowhere")
    with pytest.raises(Problem, match="cannot be written"):
        RecordWriter(tmp_path / "nowhere")
