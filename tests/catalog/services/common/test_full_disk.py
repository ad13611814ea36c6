"""A full disk in the words of each program."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.full_disk import complaints, with_full_disk

FULL = [
    'FATAL:  could not write to file "base/4/3602_fsm": No space left on device',
    'FATAL:  could not extend file "base/1/1255": wrote only 4096 of 8192 bytes at block 33',
    "[ERROR] InnoDB: preallocating 100663296 bytes for file ./ib_logfile101 failed with error 28",
    "[ERROR] mariadbd: Disk full (/tmp); waiting for someone to free some space... (errno: 28)",
    "Write error saving DB on disk: No space left on device",
]
OTHER = ["FATAL:  role nobody does not exist", "error 281", "wrote 8192 bytes"]


@pytest.mark.parametrize("line", FULL)
def test_a_full_disk_is_the_cause_wherever_the_log_reports_it(line: str, tmp_path: Path) -> None:
    output = "\n".join([line, *(["more"] * 40)])
    shown = complaints(output)
    assert shown.startswith("no space left")
    assert line in shown
    (tmp_path / "server.log").write_text(output)
    problem = with_full_disk(Problem("it refused", "try again"), tmp_path / "server.log")
    assert "no space left" in problem.reason
    assert line in problem.reason
    assert "it refused" in problem.reason
    assert "TMPDIR" in problem.remedy


@pytest.mark.parametrize("line", OTHER)
def test_other_complaints_are_left_as_they_are(line: str, tmp_path: Path) -> None:
    (tmp_path / "server.log").write_text(line)
    problem = Problem("it refused", "try again")
    assert with_full_disk(problem, tmp_path / "server.log") is problem
    assert with_full_disk(problem, tmp_path / "missing.log") is problem
    assert "no space" not in complaints(line)


def test_without_a_complaint_the_last_lines_are_shown() -> None:
    assert complaints("\n".join(map(str, range(30)))).splitlines() == [str(number) for number in range(20, 30)]
