"""`fairtrial cross-examine`, as a user calls it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from tests.fairtrial_cross_examine.formats.texts import AB, HYPERFINE, WRK
from tests.lines import passage

STUDIES = Path(__file__).parent / "data" / "studies"
ENVIRONMENT = {"COLUMNS": "140", "NO_COLOR": "1"}


def test_contradictions_are_status_1(tmp_path: Path) -> None:
    page, data = tmp_path / "page.html", tmp_path / "found.json"
    files = [str(STUDIES / name) for name in ("ggm.toml", "link-too-big.toml")]
    outputs = ["--html", str(page), "--json", str(data)]
    finished = CliRunner().invoke(app, ["cross-examine", *files, *outputs], env=ENVIRONMENT)
    assert finished.exit_code == 1, finished.output
    assert "that were not at work" in finished.output
    content = json.loads(data.read_text())
    assert content["exit_status"] == 1 and len(content["runs"]) == 27
    assert "that were not at work</h2>" in page.read_text()


def test_nothing_found_is_status_0(tmp_path: Path) -> None:
    file = tmp_path / "h.txt"
    file.write_text(HYPERFINE)
    finished = CliRunner().invoke(app, ["cross-examine", str(file)], env=ENVIRONMENT)
    assert finished.exit_code == 0, finished.output
    assert "No contradiction in 2 runs" in finished.output


def test_standard_input_and_output() -> None:
    finished = CliRunner().invoke(app, ["cross-examine", "--json", "-"], input=WRK, env=ENVIRONMENT)
    assert finished.exit_code == 1
    content = json.loads(finished.stdout)
    assert content["runs"][0]["source"] == "standard input"
    assert "contradiction" in finished.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere.txt"],
        ["tried.txt"],
        ["tried.txt", "--json", "-", "--html", "-"],
        ["h.txt", "--html", "absent/page.html"],
    ],
)
def test_what_cannot_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], snapshot: object
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tried.txt").write_text("some prose")
    Path("h.txt").write_text(HYPERFINE)
    problem = CliRunner().invoke(app, ["cross-examine", *arguments], env=ENVIRONMENT).exception
    assert isinstance(problem, Problem)
    assert problem.reason == snapshot and problem.exit_status == 2 and problem.remedy


def test_several_files_are_compared(tmp_path: Path, snapshot: object) -> None:
    (tmp_path / "rails.txt").write_text(AB)
    (tmp_path / "goliath.txt").write_text(AB.replace("601 bytes", "5113 bytes"))
    files = [str(tmp_path / name) for name in ("rails.txt", "goliath.txt")]
    finished = CliRunner().invoke(app, ["cross-examine", *files], env=ENVIRONMENT)
    assert passage(" ".join(finished.output.split()), "has 601 bytes", "5,113") == snapshot
