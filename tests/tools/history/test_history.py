"""A history of runs: its lines and columns, and the files that the command writes."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.judge.judging import judge_record
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import Result
from fairtrial.record.processes import MemoryKind
from fairtrial.record.write import RecordWriter
from fairtrial.tools.history.table import Run, history_csv, history_of
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of

NOISE = [1.0, 1.004, 0.997, 1.002, 0.999]
Recorded = tuple[Any, list[Any]]


def recorded(
    day: int, rate: float, *stacks: str, change: Callable[[TrialBuilder], TrialBuilder] = lambda it: it
) -> Recorded:
    """A run that began on this day of November, in which every stack serves about `rate`."""
    record = an_experiment(*stacks).record().model_copy(update={"started_at": f"2026-11-{day:02}T01:00:00Z"})

    def make(contender: str, block: int) -> TrialBuilder:
        trial = a_trial().serving(rate * NOISE[block % 5]).taking(16 / rate)
        return change(trial) if contender.startswith("b") else trial

    return record, trials_of(record, make)


def judged(run: Recorded) -> Result:
    return judge_record(*run)


def named(name: str, run: Recorded) -> Run:
    return Run(name, run[0], judged(run))


def test_a_line_is_a_run_and_the_earliest_comes_first() -> None:
    history = history_of(
        [named("later", recorded(9, 3000, "a")), named("earlier", recorded(2, 4000, "a"))],
        [METRICS["goodput"], METRICS["response_time_p50"]],
    )
    lines = list(csv.DictReader(history_csv(history).splitlines()))
    assert [line["run"] for line in lines] == ["earlier", "later"]
    assert [line["time"] for line in lines] == ["2026-11-02T01:00:00Z", "2026-11-09T01:00:00Z"]
    (goodput, p50) = [name for name in lines[0] if name not in ("time", "run")]
    assert goodput.endswith(" goodput_per_second") and p50.endswith(" response_time_p50_seconds")
    assert [float(line[goodput]) for line in lines] == pytest.approx([4000, 3000], rel=0.01)


def test_runs_of_two_experiments_are_no_history() -> None:
    run = named("two", recorded(3, 4000, "a"))
    other = replace(run, result=run.result.model_copy(update={"name": "other"}))
    with pytest.raises(Problem, match=r"runs of 2 experiments: .*, other"):
        history_of([named("one", recorded(2, 4000, "a")), other], [METRICS["goodput"]])


def test_memory_that_was_read_in_two_ways_is_no_history(snapshot: object) -> None:
    record, trials = recorded(3, 4000, "a")
    now = [
        trial.model_copy(update={"server": trial.server.model_copy(update={"memory_kind": MemoryKind.PROPORTIONAL})})
        for trial in trials
    ]
    runs = [named("old", recorded(2, 4000, "a")), named("new", (record, now))]
    with pytest.raises(Problem) as error:
        history_of(runs, [METRICS["peak_rss"]])
    assert str(error.value) == snapshot
    assert history_of(runs, [METRICS["goodput"]]).columns
    assert history_of(runs[1:], [METRICS["peak_rss"]]).columns


def test_a_figure_that_nobody_measured_is_named() -> None:
    refused = recorded(2, 4000, "a", "b", change=lambda trial: trial.failing("start", "no port"))
    run = named("one", refused)
    only_b = replace(run, result=run.result.model_copy(update={"conditions": run.result.conditions[1:]}))
    with pytest.raises(Problem, match="no run has") as caught:
        history_of([only_b], [METRICS["goodput"]])
    assert "goodput" in caught.value.remedy and "--metric" in caught.value.remedy


def test_the_command_writes_what_otava_reads(tmp_path: Path) -> None:
    runs = [recorded(day, 4000, "a", "b") for day in (1, 2)]
    refused = recorded(3, 4000, "a", "b", change=lambda trial: trial.failing("start", "no port"))
    folders = []
    for number, (record, trials) in enumerate([*runs, refused]):
        folders.append(tmp_path / f"night-{number}")
        folders[-1].mkdir()
        with RecordWriter(folders[-1]) as writer:
            for line in (record, *trials):
                writer.append(line)
    done = CliRunner().invoke(app, ["history", *map(str, folders), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    (test,) = yaml.safe_load((tmp_path / "out" / "otava.yaml").read_text())["tests"].values()
    lines = list(csv.DictReader(Path(test["file"]).read_text().splitlines()))
    assert [line["run"] for line in lines] == ["night-0", "night-1", "night-2"]
    (kept,) = test["metrics"].values()
    assert kept["direction"] == 1 and all(float(line[kept["column"]]) > 0 for line in lines)
    (gap,) = [name for name in lines[0] if name not in ("time", "run", kept["column"])]
    assert [bool(line[gap]) for line in lines] == [True, True, False]
    assert f"as crosses: {gap} in 1" in " ".join(done.output.split())
