"""The smaller commands, as a user calls them."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.lab import Lab


@pytest.mark.parametrize("command", [[], ["run"], ["load"], ["check"], ["list"], ["doctor"], ["report"]])
def test_help_teaches(lab: Lab, command: list[str]) -> None:
    finished = lab.fairtrial(*command, "--help")
    assert finished.status == 0
    assert "Usage: fairtrial" in finished.out


def test_list(lab: Lab) -> None:
    assert "random-item" in lab.fairtrial("list", "workloads").out
    assert "sqlite" in lab.fairtrial("list", "services").out
    assert "quickstart" in lab.fairtrial("list", "experiments").out
    lab.stack("mine")
    own = lab.fairtrial("list", "stacks", "--stacks", lab.stacks).out
    assert "mine" in own
    assert "go-nethttp" in own


def test_doctor_names_what_is_missing_and_how_to_get_it(lab: Lab) -> None:
    lab.stack("mine", more='[[requires]]\ncommand = ["no-such-runtime"]\nremedy = "apt install no-such-runtime"')
    finished = lab.fairtrial("doctor", "--stacks", lab.stacks)

    assert finished.status == 0
    assert "stack mine" in finished.out
    assert "apt install no-such-runtime" in finished.out
    for subject in ("processors", "open files", "swap", "frequency governor", "load engine", "cache"):
        assert subject in finished.out


def test_doctor_without_a_rust_toolchain(lab: Lab, tmp_path: Path) -> None:
    lab.environment["PATH"] = str(tmp_path)
    finished = lab.fairtrial("doctor")

    assert finished.status == 4
    assert "rustup" in finished.out


def test_check_prints_every_clause(lab: Lab) -> None:
    finished = lab.fairtrial("check", lab.stack("mine"), "--stacks", lab.stacks)

    assert finished.status == 0, finished.out
    for clause in ("health", "keep-alive", "listens-on-host", "random-row", "uuid-row", "uuid-malformed", "stops"):
        assert f"✓ {clause}:" in finished.out


def test_check_takes_a_folder_and_tells_what_is_broken(lab: Lab) -> None:
    lab.stack("mine", "answers-anything")
    finished = lab.fairtrial("check", lab.stacks / "mine")

    assert finished.status == 3
    assert "✗ unknown-path:" in finished.out
    assert "status 200" in finished.out


def test_check_of_a_stack_that_does_not_start(lab: Lab) -> None:
    finished = lab.fairtrial("check", lab.stack("mine", "dies-at-start"), "--stacks", lab.stacks)

    assert finished.status == 4
    assert "the database said" in finished.err
    assert "\x1b" not in finished.err


@pytest.fixture
def url(engine: Path) -> "str":  # type: ignore[misc]
    """A target that answers 200."""
    with subprocess.Popen([engine, "target", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True) as target:
        assert target.stdout
        yield f"http://{json.loads(target.stdout.readline())['address']}/some/path?x=1"
        target.terminate()


def test_load_by_count(lab: Lab, url: str) -> None:
    finished = lab.fairtrial("load", url, "-c", "3", "-n", "200", "--json", "load.json")

    assert finished.status == 0, finished.err
    assert "closed, 3 connections" in finished.out
    assert "200 verified of 200 sent" in finished.out
    summary = json.loads((lab.folder / "load.json").read_text())
    assert summary["verified"] == 200
    assert summary["service_time"]["percentiles"]["50"] > 0


def test_load_by_time(lab: Lab, url: str) -> None:
    finished = lab.fairtrial("load", url, "-d", "300ms")

    assert finished.status == 0
    assert "verified answers/s" in finished.out


def test_report_rebuilds_from_the_record_alone(lab: Lab) -> None:
    finished = lab.run(lab.stack("one"), lab.stack("two"), blocks=3)
    assert finished.results
    before = finished.result
    (finished.results / "result.json").unlink()
    (finished.results / "report.html").unlink()

    rebuilt = lab.fairtrial("report", finished.results)

    assert rebuilt.status == finished.status == 0, finished.out
    assert json.loads((finished.results / "result.json").read_text()) == before
    assert (finished.results / "report.html").exists()
