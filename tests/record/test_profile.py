"""`profiles.jsonl` is kept apart: what judges can't read it, and it can't name files elsewhere."""

import json
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.judge.judging import judge_record
from fairtrial.record.profile import PROFILES_FILE, Profile, SampledStacks, read_profiles
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE, RecordWriter
from tests.builders import a_trial, an_experiment, trials_of

PROFILE = Profile(condition="a", contender="a", started_at="2026-01-01T00:00:00Z", load="closed", verified=10**9)


def results(folder: Path, *more: Profile, name: str = RECORD_FILE) -> Path:
    """A results folder with a record of two stacks; `more` are further lines of the file of this name."""
    record = an_experiment("a", "b").claiming("a", "b", at_least=2.0).record()
    with RecordWriter(folder) as writer:
        for line in (record, *trials_of(record, a_trial())):
            writer.append(line)
    with RecordWriter(folder, name) as writer:
        for each in more:
            writer.append(each)
    return folder


def test_a_run_without_such_a_block_has_no_profiles(tmp_path: Path) -> None:
    assert read_profiles(results(tmp_path)).lines == ()


def test_a_line_from_before_there_were_proxies_is_read(tmp_path: Path) -> None:
    load = {"window_seconds": 0.6, "answers": 90, "response_seconds": 0.006, "server": None, "service": None}
    line = json.loads(PROFILE.model_dump_json()) | {"alone": [load]}
    del line["loaded"]
    results(tmp_path)
    (tmp_path / PROFILES_FILE).write_text(json.dumps(line) + "\n")
    (read,) = read_profiles(tmp_path).lines
    assert [each.response_seconds for each in read.alone] == [0.006] and read.loaded == []


def test_a_profile_changes_nothing_that_is_judged(tmp_path: Path) -> None:
    alone, beside = tmp_path / "alone", tmp_path / "beside"
    for folder in (alone, beside):
        folder.mkdir()
    judged = [
        judge_record(*read_record(results(alone))),
        judge_record(*read_record(results(beside, PROFILE, name=PROFILES_FILE))),
    ]
    assert [line.verified for line in read_profiles(beside).lines] == [10**9]
    started = {"started_at": "now"}
    assert judged[0].model_copy(update=started) == judged[1].model_copy(update=started)


def test_a_profile_is_refused_where_trials_are(tmp_path: Path) -> None:
    """Somebody adds a profiled load to the record, as if it were a trial."""
    with pytest.raises(Problem, match="line 12"):
        read_record(results(tmp_path, PROFILE))


def test_a_profile_cannot_be_said_to_count(tmp_path: Path) -> None:
    results(tmp_path)
    (tmp_path / PROFILES_FILE).write_text(PROFILE.model_dump_json().replace('"counted":false', '"counted":true') + "\n")
    with pytest.raises(Problem, match="counted"):
        read_profiles(tmp_path)


@pytest.mark.parametrize(
    "file", ["../secret.folded", "profiles/../../secret.folded", "/etc/passwd", "profiles/.folded"]
)
def test_stacks_are_read_from_the_results_folder_only(file: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        SampledStacks(profiler="perf", samples=1, processes=1, file=file)
    SampledStacks(profiler="perf", samples=1, processes=1, file="profiles/004-a at 16-on-b.perf.folded")


def test_stacks_that_are_missing_are_named(tmp_path: Path) -> None:
    sampled = SampledStacks(profiler="perf", samples=1, processes=1, file="profiles/001-a.perf.folded")
    results(tmp_path, PROFILE.model_copy(update={"stacks": [sampled]}), name=PROFILES_FILE)
    with pytest.raises(Problem, match="001-a"):
        read_profiles(tmp_path)
