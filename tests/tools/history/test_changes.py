"""What a history says of changes: the run, the commits, and what else differed; on the page, too."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairtrial.commands import app
from fairtrial.judge.metrics import METRICS
from fairtrial.record.write import RecordWriter
from fairtrial.tools.history.changes import changes_of
from fairtrial.tools.history.page import history_chart, history_page
from fairtrial.tools.history.table import History, Run, history_of
from tests.tools.history.test_history import Recorded, named, recorded

OLD, NEW = "3f2a91c" + "0" * 33, "88d0b1e" + "0" * 33
SCATTER = [1.0, 1.012, 0.991, 1.005, 0.986, 1.009, 0.996]


def night(day: int, *, refused: bool = False) -> Recorded:
    """From the ninth on, of another commit, which is slower, and on another kernel."""
    is_new = day >= 9
    change = (lambda trial: trial.failing("start", "no <port>")) if refused else (lambda trial: trial)
    record, trials = recorded(day, (3500 if is_new else 4000) * SCATTER[day % 7], "a", "b", change=change)
    stacks = [
        stack.model_copy(update={"head": NEW if is_new else OLD, "has_changes": is_new}) for stack in record.stacks
    ]
    host = record.host.model_copy(update={"kernel": "6.2.0" if is_new else "6.1.0"})
    return record.model_copy(update={"stacks": stacks, "host": host}), trials


@pytest.fixture(scope="module")
def nights() -> History:
    runs = [named(f"night-{day}", night(day, refused=day == 12)) for day in range(1, 17)]
    return history_of(runs, [METRICS["goodput"]])


def test_a_change_is_told_with_its_run_its_commits_and_what_else_differed(nights: History, snapshot: object) -> None:
    changes = changes_of(nights)
    assert [found.run.name for found in changes.steps] == ["night-9", "night-9"]
    words = changes.steps[0].in_words
    figures = r"1[123](\.\d)?% \(.+ to .+\)"
    assert re.search(figures, words), words
    assert re.sub(figures, "1N% (N to N)", words) == snapshot
    assert changes.steps[0].is_worse
    assert changes.steps[0].besides == ["host: kernel was 6.1.0 and is 6.2.0"]
    assert not changes.drifts and not changes.too_short


def test_nothing_is_said_of_nine_runs(nights: History) -> None:
    short = history_of(nights.runs[:9], [METRICS["goodput"]])
    changes = changes_of(short)
    assert not changes.steps and list(changes.too_short) == list(short.columns)


def test_a_commit_that_no_record_knows_is_not_told(nights: History) -> None:
    stacks = [stack.model_copy(update={"head": None}) for stack in nights.runs[0].record.stacks]
    unknown = [Run(run.name, run.record.model_copy(update={"stacks": stacks}), run.result) for run in nights.runs]
    changes = changes_of(history_of(unknown, [METRICS["goodput"]]))
    assert changes.steps[0].in_words.endswith("at run night-9")


def test_the_chart_breaks_its_line_at_a_refused_run_and_marks_the_change(nights: History) -> None:
    spec = history_chart(nights, changes_of(nights), "goodput")
    missing = [point for point in spec["data"]["values"] if point["value"] is None]
    assert [(point["run"], point["condition"]) for point in missing] == [("night-12", "b")]
    assert "no <port>" in missing[0]["why"]
    assert [mark["number"] for mark in spec["layer"][-1]["data"]["values"]] == [8.5, 8.5]


def test_the_page_escapes_what_a_record_says_and_has_a_label_for_each_chart(nights: History) -> None:
    page = history_page(nights, changes_of(nights))
    assert "no <port>" not in page and "no &lt;port&gt;" in page
    assert 'id="chart-goodput" data-label="goodput' in page
    assert json.loads(re.search(r'id="chart-data">(.*?)</script>', page)[1])  # type: ignore[index]
    assert page.count('<tr><th scope="row">') == len(nights.runs)


def test_the_command_says_it_within_a_screen_and_writes_the_page(tmp_path: Path) -> None:
    folders = []
    for day in range(1, 13):
        folders.append(tmp_path / f"night-{day}")
        folders[-1].mkdir()
        record, trials = night(day)
        with RecordWriter(folders[-1]) as writer:
            for line in (record, *trials):
                writer.append(line)
    done = CliRunner().invoke(app, ["history", *map(str, folders), "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "of a fell" in said and "commit 3f2a91c..88d0b1e+" in said and "host: kernel was 6.1.0" in said
    assert len(done.output.splitlines()) <= 24
    (page,) = (tmp_path / "out").glob("*.html")
    assert "worse" in page.read_text()
