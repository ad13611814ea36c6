"""`fairtrial … | head -1`: a reader that closes standard output early causes no traceback."""

import os
import subprocess
from collections.abc import Callable

import pytest

from fairtrial.base.exit_status import OUTPUT_CLOSED
from tests.builders import a_trial, an_experiment, trials_of
from tests.command_line import Lab
from tests.tools.load.conftest import Target, serve  # noqa: F401 - a fixture

Serve = Callable[..., Target]


def unread(lab: Lab, *arguments: str) -> tuple[int, str]:
    """Exit status and standard error of a command whose standard output is a pipe that is already closed."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            lab.command(*arguments),
            cwd=lab.folder,
            env=lab.environment,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.parametrize("line", ["--help", "--version", "load --help", "list stacks", "list --help"])
def test_text_that_nobody_reads(lab: Lab, line: str) -> None:
    assert unread(lab, *line.split()) == (OUTPUT_CLOSED, "")


@pytest.mark.parametrize("line", ["load -n 20", "load -n 20 --json -", "ab -n 20", "wrk -d 1 -c 2"])
def test_a_load_that_nobody_reads(lab: Lab, serve: Serve, line: str) -> None:  # noqa: F811
    status, errors = unread(lab, *line.split(), serve("--body", "hello").url)
    assert status == OUTPUT_CLOSED
    assert "Traceback" not in errors and "BrokenPipe" not in errors and "Exception" not in errors


def test_files_are_written_all_the_same(lab: Lab, serve: Serve) -> None:  # noqa: F811
    status, _ = unread(lab, "load", "-n", "20", "--csv", "x.csv", serve("--body", "hello").url)
    assert status == OUTPUT_CLOSED
    assert (lab.folder / "x.csv").read_text().startswith("second,")


def test_a_report_that_nobody_reads(lab: Lab) -> None:
    record = an_experiment("a", "b", blocks=1).record()
    lines = [record, *trials_of(record, a_trial())]
    (lab.folder / "record.jsonl").write_text("".join(line.model_dump_json() + "\n" for line in lines))
    assert lab.fairtrial("judge", ".").status == 0
    assert unread(lab, "judge", ".") == (OUTPUT_CLOSED, "")


def test_the_first_line_of_a_load(lab: Lab, serve: Serve) -> None:  # noqa: F811
    url = serve("--body", "hello").url
    command = " ".join([*lab.command("load", "-n", "20"), f"'{url}'", "| head -1"])
    done = subprocess.run(
        command, shell=True, cwd=lab.folder, env=lab.environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == (f"{url}\n", "")


def test_an_error_keeps_its_status_and_its_message(lab: Lab) -> None:
    status, errors = unread(lab, "load", "http://127.0.0.1:9/", "-n", "1")
    assert status == 4
    assert errors.startswith("error: 127.0.0.1:9")


def test_no_standard_output_at_all(lab: Lab) -> None:
    command = " ".join([*lab.command("list", "stacks"), ">&-"])
    done = subprocess.run(
        command, shell=True, cwd=lab.folder, env=lab.environment, stderr=subprocess.PIPE, timeout=60, check=False
    )
    assert b"Traceback" not in done.stderr
