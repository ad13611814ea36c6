"""Tests that fail beside others get one more try, and no more than that."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

STARVED = """
from pathlib import Path
def test_starved():
    been = Path(__file__).with_name("been")
    again = been.exists()
    been.touch()
    assert again
def test_firm(): ...
"""
BROKEN = """
import pytest
def test_broken(): assert False
@pytest.fixture
def broken(): raise OSError
def test_of_a_broken_fixture(broken): ...
def test_firm(): ...
"""
MANY = """
import pytest
@pytest.mark.parametrize("number", range(6))
def test_broken(number): assert False
"""


WORKERS = pytest.mark.parametrize("workers", [["-p", "no:xdist"], ["--numprocesses=1"]])


def run(folder: Path, files: Mapping[str, str], workers: Sequence[str]) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-m", "tests.second_try", *workers]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.processes
@pytest.mark.parametrize(
    ("tests", "status", "shown", "hidden"),
    [
        (
            STARVED,
            0,
            [
                "once more, alone:",
                "test_starved",
                "Make them firmer:",
                "1 failed, 1 passed",
                "2 passed, 0 skipped, 0 failed",
            ],
            [],
        ),
        (
            BROKEN,
            1,
            ["once more, alone:", "1 failed, 1 passed, 1 error", "1 failed, 1 error in"],
            ["firmer", "2 passed"],
        ),
        (MANY, 1, ["6 failed in"], ["once more"]),
        ("def test_firm(): ...", 0, ["1 passed"], ["once more"]),
        ("", 5, ["no tests ran"], ["once more"]),
    ],
)
@WORKERS
def test_only_what_fails_again_fails(
    tests: str, status: int, shown: list[str], hidden: list[str], workers: list[str], tmp_path: Path
) -> None:
    done = run(tmp_path, {"pytest.ini": "[pytest]", "test_given.py": tests}, workers)
    assert done.returncode == status, done.stdout + done.stderr
    assert [part for part in shown if part not in done.stdout] == []
    assert [part for part in hidden if part in done.stdout] == []


@pytest.mark.processes
@WORKERS
def test_a_file_that_cannot_be_read_gets_no_second_try(workers: list[str], tmp_path: Path) -> None:
    files = {"pytest.ini": "[pytest]", "test_given.py": STARVED, "test_unread.py": "1 /"}
    done = run(tmp_path, files, [*workers, "--continue-on-collection-errors"])
    assert done.returncode == 1, done.stdout + done.stderr
    assert "SyntaxError" in done.stdout and "test_starved" in done.stdout and "once more" not in done.stdout
