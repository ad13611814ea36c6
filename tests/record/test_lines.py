"""A record on the disk: what was written is read, and what is broken is told with its line."""

import lzma
import os
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.record.model import ExperimentRecord, Failure, TrialRecord
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


def test_a_record_is_read_by_its_own_name_as_well(folder: Path) -> None:
    assert read_record(folder / RECORD_FILE) == (EXPERIMENT, TRIALS)


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
    [
        ("", "empty"),
        ('{"kind": "experiment"}\n', "line 1"),
        ("no JSON\n", f"{RECORD_FILE}, line 1: Invalid JSON"),
        ('{"kind"', "empty"),
    ],
)
def test_what_is_no_record_is_told(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / RECORD_FILE).write_text(text)
    with pytest.raises(Problem) as problem:
        read_record(tmp_path)
    assert reason in problem.value.reason
    assert RECORD_FILE in problem.value.reason
    assert problem.value.remedy


def test_a_broken_line_is_told_with_its_number_and_key(folder: Path, snapshot: object) -> None:
    path = folder / RECORD_FILE
    path.write_text(path.read_text() + '{"kind": "trial", "index": "first"}\n')
    with pytest.raises(Problem) as error:
        read_record(folder)
    assert str(error.value) == snapshot


def test_folders_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be read"):
        read_record(tmp_path / "nowhere")
    with pytest.raises(Problem, match="cannot be written"):
        RecordWriter(tmp_path / "nowhere")


EVERY_CHARACTER = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
"""All that a text can hold: everything but surrogates."""


def test_texts_of_any_characters_are_read_as_they_were_written(tmp_path: Path) -> None:
    """A record ends its lines with one character, of the many that end lines elsewhere (U+2028, U+0085, U+000B)."""
    ends_of_lines = "".join(each for each in EVERY_CHARACTER if len(f"a{each}b".splitlines()) > 1)
    experiment = EXPERIMENT.experiment.model_copy(update={"title": ends_of_lines})
    record = EXPERIMENT.model_copy(update={"experiment": experiment})
    failure = Failure(stage="load", reason=EVERY_CHARACTER, remedy="")
    trial = TRIALS[0].model_copy(update={"failure": failure})
    with RecordWriter(tmp_path) as writer:
        writer.append(record)
        writer.append(trial)
    assert read_record(tmp_path) == (record, [trial])


def test_a_folder_without_a_record_is_told(tmp_path: Path, snapshot: object) -> None:
    with pytest.raises(Problem, match=r"holds no record\.jsonl") as raised:
        read_record(tmp_path)
    assert "Errno" not in raised.value.reason and raised.value.reason.count(str(tmp_path)) == 1
    with pytest.raises(Problem, match="is no folder"):
        read_record(tmp_path / "nowhere")
    (tmp_path / "run").mkdir()
    with RecordWriter(tmp_path / "run") as writer:
        writer.append(EXPERIMENT)
    with pytest.raises(Problem) as raised:
        read_record(tmp_path)
    assert raised.value.remedy == snapshot


def test_a_compressed_record_is_read_as_it_is(tmp_path: Path) -> None:
    with RecordWriter(tmp_path) as writer:
        writer.append(EXPERIMENT)
        writer.append(TRIALS[0])
    packed = tmp_path / "it.jsonl.xz"
    packed.write_bytes(lzma.compress((tmp_path / RECORD_FILE).read_bytes()))
    assert read_record(packed) == (EXPERIMENT, [TRIALS[0]])
    packed.write_bytes(b"no such thing")
    with pytest.raises(Problem, match=r"it\.jsonl\.xz"):
        read_record(packed)


@pytest.mark.parametrize("kind", ["fifo", "endless"])
def test_a_record_that_is_no_file_is_neither_read_nor_waited_for(tmp_path: Path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(tmp_path / RECORD_FILE)
    else:
        (tmp_path / RECORD_FILE).symlink_to("/dev/zero")
    with pytest.raises(Problem, match="Not a regular file"):
        read_record(tmp_path)
