"""`fairtrial import`, as a user calls it."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairtrial.base.printable import CONTROL
from fairtrial.base.problem import Problem
from fairtrial.commands import app
from tests.fairtrial_import.imported import DATA

ENVIRONMENT = {"COLUMNS": "140", "NO_COLOR": "1"}


def test_to_standard_output() -> None:
    finished = CliRunner().invoke(app, ["import", "curl -H 'authorization: Bearer SECRET' http://h/a"], env=ENVIRONMENT)
    assert finished.exit_code == 0, finished.output
    assert tomllib.loads(finished.stdout)["requests"]["get-a"]["get"] == "/a"
    assert "standard output: 1 request" in finished.stderr and "API_TOKEN" in finished.stderr
    assert "SECRET" not in finished.output


def test_from_standard_input() -> None:
    content = (DATA / "access.log").read_text()
    finished = CliRunner().invoke(app, ["import", "-"], input=content, env=ENVIRONMENT)
    assert finished.exit_code == 0, finished.output
    assert "items-id" in tomllib.loads(finished.stdout)["rows"]
    assert "4 files of rows not written" in finished.stderr
    assert "import again with -o" in finished.stdout


def test_files_are_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call = ["import", str(DATA / "access.log"), "-o", "shop.workload.toml"]
    finished = CliRunner().invoke(app, call, env=ENVIRONMENT)
    assert finished.exit_code == 0 and finished.stdout == ""
    rows = tmp_path / "shop.items-id.csv"
    assert "shop.workload.toml: 5 requests" in finished.stderr and rows.name in finished.stderr
    assert "next: fairtrial load -f shop.workload.toml http://" in finished.stderr

    Path("shop.workload.toml").unlink()
    rows.write_text("mine")
    problem = CliRunner().invoke(app, call, env=ENVIRONMENT).exception
    assert isinstance(problem, Problem) and problem.exit_status == 2
    assert "shop.items-id.csv" in problem.reason and "is there already" in problem.reason
    assert rows.read_text() == "mine" and not Path("shop.workload.toml").exists()

    assert CliRunner().invoke(app, [*call, "--force"], env=ENVIRONMENT).exit_code == 0
    assert rows.read_text() != "mine"


def test_what_a_server_sent_cannot_control_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "hostile.http"
    awkward = "\x1b]0;x\x07\x9b2J\u202e"
    file.write_text(
        f"### {awkward}\n# @name {awkward}\nGET http://h/{awkward}?{awkward}={awkward}\n"
        f"x-a: {awkward}\nx-{awkward}: 1\n"
        f"content-type: text/plain\n\n{awkward}\n"
    )
    finished = CliRunner().invoke(app, ["import", str(file)], env=ENVIRONMENT)
    assert finished.exit_code == 0, finished.output
    assert not CONTROL.search(finished.stdout.replace("\n", "")) and not CONTROL.search(
        finished.stderr.replace("\n", "")
    )
    (request,) = tomllib.loads(finished.stdout)["requests"].values()
    assert request["body"] == awkward


@pytest.mark.parametrize(
    "arguments",
    [["absent.har"], ["curl http://h/", "--from", "hra"], ["curl http://h/", "-o", "absent/x.toml"]],
)
def test_what_cannot_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], snapshot: object
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = CliRunner().invoke(app, ["import", *arguments], env=ENVIRONMENT).exception
    assert isinstance(problem, Problem) and problem.exit_status == 2
    assert problem.reason == snapshot and problem.remedy
