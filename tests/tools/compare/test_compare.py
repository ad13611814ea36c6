"""Two results side by side: the logic on synthetic records, and the command on records in folders."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console
from scipy import stats
from typer.testing import CliRunner

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.commands.compare import sides
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.statistics import unpaired
from fairtrial.judge.statistics.holm import step_down
from fairtrial.judge.statistics.unpaired import unpaired_ratio
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.processes import MemoryKind
from fairtrial.record.write import RecordWriter
from fairtrial.tools.compare.comparison import JudgedRun, RunComparison, compare_runs, judge_run
from fairtrial.tools.compare.differences import changed_settings
from fairtrial.tools.compare.outputs import levels_in_words
from fairtrial.tools.compare.table import print_comparison
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of
from tests.command_line import Lab

NOISE = [1.0, 1.004, 0.997, 1.002, 0.999]
Run = tuple[ExperimentRecord, list[TrialRecord]]


def run(rate: float, builder: ExperimentBuilder | None = None, **changes: object) -> Run:
    """An experiment in which every stack serves about `rate`."""
    record = (builder or an_experiment("a")).record()

    def make(contender: str, block: int) -> TrialBuilder:
        return a_trial().serving(rate * NOISE[block % 5]).taking(16 / rate).but(**changes)

    return record, trials_of(record, make)


def compared(before: Run, after: Run, *metrics: str, margin: float = 0.05, run_spread: float = 0.0) -> RunComparison:
    """Two single runs, of which whole ones do not scatter."""
    chosen = [METRICS[name] for name in metrics or ["goodput"]]
    return compare_runs([judge_run(*before)], [judge_run(*after)], chosen, margin, run_spread)


@pytest.mark.parametrize(
    ("rate", "change"),
    [(3000, "regression"), (5000, "improvement"), (4020, "within the margin"), (3816, "~"), (3700, "regression")],
)
def test_a_change_of_goodput(rate: float, change: str) -> None:
    (row,) = compared(run(4000), run(rate)).rows
    assert row.change == change
    assert row.ratio is not None and row.ratio.estimate == pytest.approx(rate / 4000, rel=0.001)
    assert (row.before, row.after) == pytest.approx((4000, rate), rel=0.01)


def test_a_margin_is_what_was_asked_for() -> None:
    assert compared(run(4000), run(3600), margin=0.05).regressions
    assert not compared(run(4000), run(3600), margin=0.2).regressions


def test_lower_may_be_better() -> None:
    comparison = compared(run(4000), run(3000), "response_time_p50")
    (row,) = comparison.rows
    assert row.ratio is not None and row.ratio.estimate == pytest.approx(4 / 3, rel=0.01)
    assert comparison.regressions == [row]
    assert compared(run(3000), run(4000), "response_time_p50").rows[0].change == "improvement"


@pytest.mark.parametrize(("metric", "change"), [("peak_rss", "not compared"), ("goodput", "within the margin")])
def test_memory_that_was_read_in_another_way_is_not_compared(metric: str, change: str, snapshot: object) -> None:
    before, (record, trials) = run(4000), run(4000)
    now = [
        trial.model_copy(update={"server": trial.server.model_copy(update={"memory_kind": MemoryKind.PROPORTIONAL})})
        for trial in trials
        if trial.server is not None
    ]
    (row,) = compared(before, (record, now), metric).rows
    assert row.change == change
    if row.reason is not None:
        assert row.reason == snapshot
    (same,) = compared((record, now), (record, now), metric).rows
    assert same.change != "not compared"


SLOW_DAY = 0.9
"""Of a machine on which a neighbour is at work during a whole run."""


def test_what_moves_a_whole_run_is_in_the_intervals_of_several() -> None:
    """Of the same program: one pair of runs looks like a regression where whole runs are taken not to scatter; with
    what they are known to do it does not, and neither do three runs of each."""
    days = [1.0, SLOW_DAY, 1.02], [SLOW_DAY, 1.01, 0.99]
    assert compared(run(4000), run(4000 * SLOW_DAY)).regressions
    assert not compared(run(4000), run(4000 * SLOW_DAY), run_spread=0.05).regressions
    assert compared(run(4000), run(3000), run_spread=0.05).regressions
    before, after = ([judge_run(*run(4000 * day)) for day in of_side] for of_side in days)
    comparison = compare_runs(before, after, [METRICS["goodput"]], 0.05, 0.0)
    (row,) = comparison.rows
    assert row.change == "~" and comparison.runs == (3, 3)
    assert row.ratio is not None and row.ratio.blocks == 3


def test_several_runs_show_a_change_that_is_larger_than_what_moves_them() -> None:
    before, after = ([judge_run(*run(rate * day)) for day in (1.0, 0.97, 1.02)] for rate in (4000, 3200))
    (row,) = compare_runs(before, after, [METRICS["goodput"]], 0.05, 0.0).rows
    assert row.change == "regression" and row.ratio is not None
    assert row.ratio.estimate == pytest.approx(0.8, rel=0.01)
    assert (row.before, row.after) == pytest.approx((4000, 3200), rel=0.01)


def test_a_run_of_several_without_the_condition_is_named() -> None:
    whole, other = judge_run(*run(4000)), judge_run(*run(4000, an_experiment("b")))
    rows = compare_runs([whole, whole, other], [whole] * 3, [METRICS["goodput"]], 0.05, 0.0).rows
    assert "before: run 3: no such condition" in (rows[0].reason or "")


@pytest.mark.parametrize(
    "runs",
    [
        ["a"],
        ["a", "b", "c"],
        ["a", "vs", "b", "vs", "c"],
        ["vs", "b"],
        ["a", "b", "vs", "c", "d"],
        ["a", "b", "c", "vs", "d"],
    ],
)
def test_runs_have_two_sides(runs: list[str], snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        sides(runs)
    assert str(error.value) == snapshot


def test_the_command_takes_several_runs(tmp_path: Path) -> None:
    before = [str(folder(tmp_path / f"before-{n}", run(4000 * day))) for n, day in enumerate((1.0, 0.98, 1.01))]
    after = [str(folder(tmp_path / f"after-{n}", run(3000 * day))) for n, day in enumerate((1.0, 0.98, 1.01))]
    finished = CliRunner().invoke(app, ["compare", *before, "vs", *after], env={"COLUMNS": "140"})
    assert finished.exit_code == 1, finished.output
    assert "3 and 3 runs is one" in " ".join(finished.output.split())
    single = CliRunner().invoke(app, ["compare", before[0], "vs", after[0]], env={"COLUMNS": "140"})
    assert "whole runs scatter by 5%" in " ".join(single.output.split())


def test_many_rows_share_the_error() -> None:
    builder = an_experiment("a", "b", "c", "d", "e")
    comparison = compared(run(4000, builder), run(4000, builder), "goodput", "peak_rss")
    assert len(comparison.rows) == 10
    assert [row.level for row in comparison.rows] == [pytest.approx(0.995)] * 10


def test_changes_that_are_found_leave_the_error_to_the_other_rows(snapshot: object) -> None:
    """Holm's procedure: of six rows five have changed beyond doubt, and the sixth is judged as if it were alone."""
    record = an_experiment("a", "b", "c", "d", "e", "f").record()
    loud = [0.95, 1.06, 0.99, 1.02, 0.98]

    def trials(factor: float, doubtful: float) -> list[TrialRecord]:
        return trials_of(
            record,
            lambda name, block: a_trial().serving(4000 * loud[block % 5] * (doubtful if name == "f" else factor)),
        )

    comparison = compared((record, trials(1, 1)), (record, trials(0.5, 0.93)))
    assert [row.level for row in comparison.rows] == [pytest.approx(1 - 0.05 / 6)] * 5 + [pytest.approx(0.95)]
    assert [row.change for row in comparison.rows] == ["regression"] * 6
    assert levels_in_words(comparison) == snapshot
    # All six at the level of the first step would have left it open.
    at_first = unpaired_ratio([0.93 * each for each in loud], loud, 1 - 0.05 / 6)
    assert at_first.interval is not None and at_first.interval[1] > 1


def test_what_is_within_the_margin_leaves_nothing_to_the_others() -> None:
    """It is no decision against "no change": were it one, the rows that remain would be called a change too soon."""
    comparison = compared(run(4000, an_experiment("a", "b")), run(4010, an_experiment("a", "b")))
    assert [row.change for row in comparison.rows] == ["within the margin"] * 2
    assert [row.level for row in comparison.rows] == [pytest.approx(0.975)] * 2


def test_of_many_rows_without_a_change_one_is_called_a_change_in_five_of_a_hundred_comparisons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And so where half of the rows did change, which leaves the others a higher level each.

    Student's quantiles are scipy's, which are those of the lab (tests of distributions), and faster.
    """
    monkeypatch.setattr(
        unpaired, "student_quantile", lambda probability, degrees: float(stats.t.ppf(probability, degrees))
    )
    draw = np.random.default_rng(20261125)
    wrong = {0: 0, 5: 0}
    repetitions = 400
    for changed in wrong:
        for _ in range(repetitions):
            sides = np.exp(0.03 * draw.standard_normal((2, 10, 5)))
            sides[1, :changed] *= 2
            judged = step_down(
                list(range(10)),
                0.95,
                lambda row, level, _, sides=sides: unpaired_ratio([*sides[1, row]], [*sides[0, row]], level).interval,
                lambda interval: interval is not None and not interval[0] <= 1 <= interval[1],
            )
            wrong[changed] += any(
                interval is not None and not interval[0] <= 1 <= interval[1] for interval in judged[changed:]
            )
    # At 5%, more than 33 of 400 come in one of a thousand series.
    assert max(wrong.values()) <= 33, wrong
    # Where half of the rows are decided, the others are not judged at a tenth of the error.
    assert wrong[5] >= 5, wrong


def test_noise_alone_is_no_regression() -> None:
    loud = [0.7, 1.4, 1.0, 0.8, 1.3]
    record = an_experiment("a").record()
    before = trials_of(record, lambda _, block: a_trial().serving(4000 * loud[block % 5]))
    after = trials_of(record, lambda _, block: a_trial().serving(3600 * loud[(block * 2) % 5]))
    (row,) = compared((record, before), (record, after)).rows
    assert row.change == "~"


def test_a_refused_condition_is_not_compared() -> None:
    record, trials = run(4000)
    refused = trials_of(record, a_trial().serving(4000).erring(status_5xx=5000))
    (row,) = compared((record, trials), (record, refused)).rows
    assert row.change == "not compared"
    assert row.reason is not None and row.reason.startswith("after: refused")
    assert row.ratio is None and row.before is None


def test_conditions_of_one_side_only_are_told() -> None:
    comparison = compared(run(4000, an_experiment("a", "b")), run(4000, an_experiment("a", "c")))
    changes = {row.contender: (row.change, row.reason) for row in comparison.rows}
    assert changes["a"][0] == "within the margin"
    assert changes["b"] == ("not compared", "after: no such condition")
    assert changes["c"] == ("not compared", "before: no such condition")


def test_two_blocks_are_not_compared() -> None:
    (row,) = compared(run(4000, an_experiment("a", blocks=2)), run(3000)).rows
    assert row.change == "not compared" and "at least 3" in (row.reason or "")


def test_what_was_not_measured_is_not_compared() -> None:
    (row,) = compared(run(4000), run(4000), "service_cpu_per_1000_requests").rows
    assert row.change == "not compared" and "not measured" in (row.reason or "")


def changed(change: Callable[[ExperimentRecord], ExperimentRecord]) -> list[str]:
    record, trials = run(4000)
    return list(compared((record, trials), (change(record), trials)).warnings)


def test_equal_settings_give_no_warning() -> None:
    assert changed(lambda record: record) == []
    assert changed(lambda record: an_experiment("a").but(title="Other words", seed=99).record()) == []


def test_another_host_is_a_warning() -> None:
    warnings = changed(lambda record: record.model_copy(update={"host": record.host.model_copy(update={"cpus": 64})}))
    assert warnings == ["host: cpus was 2 and is 64"]


def test_other_settings_are_warnings(snapshot: object) -> None:
    assert any("disjoint" in words for words in changed(lambda _: an_experiment("a").sharing_processors().record()))
    assert any("keep_alive" in words for words in changed(lambda _: an_experiment("a").but(keep_alive=False).record()))
    rows = changed(lambda _: an_experiment("a").but(rows=5).record())
    assert any(words.startswith("dataset: rows was 1000000 and is 5") for words in rows)
    versions = changed(lambda _: an_experiment("a").but(versions={"--version": "9"}).record())
    assert versions == snapshot


def test_another_workload_file_is_a_warning(snapshot: object) -> None:
    requests = {"look": "GET /items"}
    own = WorkloadIdentity(name="shop.workload.toml", title="", sha256="1", requests=requests)
    before = run(4000)[0].model_copy(update={"own_workload": own})
    after = before.model_copy(update={"own_workload": own.model_copy(update={"sha256": "2"})})
    assert changed_settings(before, before) == []
    assert changed_settings(before, after) == snapshot


def test_another_network_is_a_warning(snapshot: object) -> None:
    before = run(4000)[0]
    after = before.model_copy(update={"own_network": True})
    assert changed_settings(before, after) == snapshot


def folder(path: Path, recorded: Run) -> Path:
    path.mkdir()
    with RecordWriter(path) as writer:
        for line in (recorded[0], *recorded[1]):
            writer.append(line)
    return path


@pytest.mark.parametrize(
    ("after", "status", "words"),
    [
        (lambda: run(3000), 1, ["regression", "0.750", "1 regression"]),
        (lambda: run(4000), 0, ["~", "0 regressions"]),
        (lambda: run(4000, an_experiment("a", "b")), 3, ["no such condition"]),
        (lambda: run(4000, an_experiment("b")), 4, ["not compared"]),
        (lambda: run(4000, an_experiment("a").sharing_processors()), 0, ["Not only the programs differ", "disjoint"]),
    ],
)
def test_the_command(tmp_path: Path, after: Callable[[], Run], status: int, words: list[str]) -> None:
    folders = folder(tmp_path / "before", run(4000)), folder(tmp_path / "after", after())
    finished = CliRunner().invoke(app, ["compare", *map(str, folders)], env={"COLUMNS": "140"})
    assert finished.exit_code == status, finished.output
    for said in words:
        assert said in finished.output


def test_files_for_ci_and_review(tmp_path: Path) -> None:
    folders = folder(tmp_path / "before", run(4000)), folder(tmp_path / "after", run(3000))
    files = {"--junit": tmp_path / "out.xml", "--markdown": tmp_path / "out.md"}
    options = [str(part) for pair in files.items() for part in pair]
    assert CliRunner().invoke(app, ["compare", *map(str, folders), *options]).exit_code == 1
    case = ElementTree.parse(files["--junit"]).find("testsuite/testcase/failure")
    assert case is not None and "0.750" in case.get("message", "")
    row = next(line for line in files["--markdown"].read_text().splitlines() if "regression" in line)
    assert "4,000/s" in row and "3,000/s" in row and "0.750" in row


def test_a_metric_that_means_nothing_under_the_load_is_not_compared(snapshot: object) -> None:
    (row,) = compared(run(4000), run(4000), "elapsed").rows
    assert row.change == "not compared" and row.reason == snapshot


def test_wrong_use(lab: Lab) -> None:
    before = folder(lab.folder / "before", run(4000))
    assert lab.fairtrial("compare", before, lab.folder / "nowhere").status == 2
    unknown = lab.fairtrial("compare", before, before, "--metric", "goodputt")
    assert unknown.out == "" and unknown.status == 2 and "did you mean goodput" in unknown.err


def test_a_judged_record_has_its_result() -> None:
    one = judge_run(*run(4000))
    assert isinstance(one, JudgedRun) and not one.result.interrupted
    record, trials = run(4000)
    assert judge_run(record, trials[:-1]).result.interrupted


@pytest.mark.parametrize("width", [62, 80, 140])
def test_no_name_is_broken(width: int) -> None:
    text, name = StringIO(), "python-fastapi"
    before, after = run(4000, an_experiment(name)), run(3600, an_experiment(name))
    print_comparison(compared(before, after, "goodput"), Console(width=width, file=text))
    for words in (f"{name}/default", "goodput", "regression"):
        assert words in text.getvalue()
    assert max(map(len, text.getvalue().splitlines())) <= width
