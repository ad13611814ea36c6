"""The order of trials, and the ends that a run may come to between them."""

import errno
import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.lab.conduct import Conducted, run_trials
from fairtrial.lab.trial.events import unwatched
from fairtrial.lab.trial.flow import new_record
from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import TrialRecord
from fairtrial.record.read import read_record
from fairtrial.record.write import RecordWriter
from tests.builders import an_experiment
from tests.plan.plans import planned, without_spare


class InterruptAfter:
    """The user's Ctrl-C comes between two blocks, when so many trials have ended."""

    def __init__(self, trials: int) -> None:
        self.trials = trials

    def reached(self, trials: Sequence[TrialRecord]) -> bool:
        if len(trials) == self.trials:
            raise KeyboardInterrupt
        return False


def conducted(folder: Path, *, between: int = 0, within: int = 0) -> Conducted:
    """Three blocks of two conditions, interrupted after or within the trial of this number."""
    record = an_experiment("a", "b").record()

    def run(trial: PlannedTrial) -> TrialRecord:
        if trial.index == within:
            raise KeyboardInterrupt
        return new_record(trial)

    with RecordWriter(folder) as writer:
        writer.append(record)
        return run_trials(without_spare(planned(blocks=3)), record, run, writer, unwatched, InterruptAfter(between))


def test_every_trial_is_run_and_recorded(tmp_path: Path) -> None:
    whole = conducted(tmp_path)
    assert [trial.index for trial in whole.trials] == [1, 2, 3, 4, 5, 6]
    assert not whole.interrupted
    assert len((tmp_path / "record.jsonl").read_text().splitlines()) == 7


@pytest.mark.parametrize("trials", [2, 4])
def test_an_interrupt_between_two_trials_keeps_what_was_measured(tmp_path: Path, trials: int) -> None:
    ended = conducted(tmp_path, between=trials)
    assert ended.interrupted
    assert [trial.failure for trial in ended.trials] == [None] * trials


def test_an_interrupt_while_the_disk_is_awaited_does_not_record_a_trial_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awaited = itertools.count()

    def fsync(_descriptor: int) -> None:
        if next(awaited) == 3:  # the experiment's line, two trials, and this one
            raise KeyboardInterrupt

    monkeypatch.setattr("fairtrial.record.write.os.fsync", fsync)
    ended = conducted(tmp_path)
    _, trials = read_record(tmp_path)
    assert ended.interrupted
    assert [trial.index for trial in trials] == [trial.index for trial in ended.trials] == [1, 2, 3]
    assert trials[-1].failure is None


def test_a_trial_that_could_not_be_recorded_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    awaited = itertools.count()

    def fsync(_descriptor: int) -> None:
        if next(awaited) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fairtrial.record.write.os.fsync", fsync)
    ended = conducted(tmp_path)
    assert ended.problem is not None and "No space left" in ended.problem.reason
    assert [trial.index for trial in ended.trials] == [1, 2]


def test_a_trial_that_was_interrupted_is_recorded_as_such(tmp_path: Path) -> None:
    ended = conducted(tmp_path, within=3)
    assert ended.interrupted
    assert [trial.failure and trial.failure.stage for trial in ended.trials] == [None, None, "interrupted"]
