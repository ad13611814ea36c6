"""`fairtrial cross-examine` on the files of boards, as a user calls it."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from tests.fairtrial_cross_examine.boards.files import BY_WRK, arena_framework, arena_profile, benchmarker, text_of
from tests.lines import line_with

HOSTILE = "<script>alert(1)</script>\x1b[2J[red]"
ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1"}


def cross_examine(*arguments: object, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, ["cross-examine", *map(str, arguments)], env=ENVIRONMENT, input=typed)


@pytest.fixture
def boards(tmp_path: Path) -> list[Path]:
    """A board's file with a row that does not stand, one that does, and a file of the same folder that is none."""
    wrong = {"framework": HOSTILE, "avg_latency": "5.20ms"}
    texts = {
        "baseline-512.json": text_of(arena_profile({}, wrong)),
        "data.min.json": text_of(benchmarker(BY_WRK)),
        "current.json": text_of({"cpu": "some"}),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


def test_boards_are_one_screen(boards: list[Path], snapshot: object) -> None:
    finished = cross_examine(*boards)
    assert finished.exit_code == 1, finished.output
    assert "\x1b" not in finished.output
    assert finished.output == snapshot


def test_every_row_is_in_the_documents(boards: list[Path], tmp_path: Path) -> None:
    outputs = {option: tmp_path / f"out.{option}" for option in ("json", "csv", "html")}
    cross_examine(*boards, *(word for option, file in outputs.items() for word in (f"--{option}", file)))

    rows = list(csv.DictReader(outputs["csv"].read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["stands", "contradicts itself", "stands"]
    document = json.loads(outputs["json"].read_text())
    assert [row["contradictions"] for row in document["rows"]] == [[], ["too-much-time"], []]
    assert document["passed_over"] == ["current.json"] and document["runs"] == []
    page = outputs["html"].read_text()
    assert "1 contradiction in 3 rows" in page and '<td data-label="stands">1</td>' in page
    assert "<script>alert" not in page


def test_a_board_that_stands_is_status_0() -> None:
    finished = cross_examine(typed=text_of(arena_framework({"baseline-512": {}})))
    assert finished.exit_code == 0, finished.output


def test_what_only_looks_like_a_board_is_a_problem(snapshot: object) -> None:
    document = benchmarker(BY_WRK)
    document["metrics"] = [each | {"framework_id": "sparrow"} for each in document["metrics"]]
    problem = cross_examine(typed=text_of(document)).exception
    assert isinstance(problem, Problem)
    assert line_with(problem.reason, 'framework_id: "sparrow" is') == snapshot
