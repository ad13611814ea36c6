"""What a Go program printed that allocated a known number of bytes in a second: `go-1.26.txt` says so at its end."""

import os
import re
from pathlib import Path

import pytest

from fairtrial.lab.profile.allocations.go_log import CollectionsInLog, allocated_by_log, go_settings, is_go

PRINTED = (Path(__file__).parents[1] / "outputs" / "go-1.26.txt").read_text()


def test_the_bytes_lie_between_bounds() -> None:
    told = allocated_by_log(PRINTED)
    end = re.search(r"END (\d+) KB ([\d.]+)s", PRINTED)
    assert told is not None and end is not None
    bytes_in_time = 1024 * int(end[1]) * told.seconds / float(end[2])
    assert told.least_bytes < bytes_in_time < told.most_bytes
    assert told.least_bytes > 0.7 * told.most_bytes


def test_lines_of_the_program_in_between_change_nothing() -> None:
    assert allocated_by_log(PRINTED.replace("\ngc ", "\nGET /items 200\ngc ")) == allocated_by_log(PRINTED)


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "gc 1 of what I do\n",
        PRINTED[: PRINTED.index("gc 2 ")],
        PRINTED.replace("gc 5 @", "GET / gc 5 @"),
        PRINTED + PRINTED,
    ],
    ids=["nothing", "other words", "one collection", "a line was cut in two", "of two programs"],
)
def test_nothing_is_told_of_less_or_of_several(printed: str) -> None:
    assert allocated_by_log(printed) is None


def test_only_the_part_of_the_log_counts(tmp_path: Path) -> None:
    log = tmp_path / "log"
    collections = CollectionsInLog(log)
    collections.open()
    assert collections.allocated() is None
    log.write_text(PRINTED)
    collections.open()
    with log.open("a") as file:
        file.write(PRINTED)
        file.flush()
        collections.close()
        file.write(PRINTED)
    assert collections.allocated() == allocated_by_log(PRINTED)


def test_debugging_that_a_program_has_already_is_kept() -> None:
    assert go_settings({}) == {"GODEBUG": "gctrace=1,gcpacertrace=1"}
    assert go_settings({"GODEBUG": "http2server=0"}) == {"GODEBUG": "http2server=0,gctrace=1,gcpacertrace=1"}


def test_a_python_program_is_none_of_go() -> None:
    assert not is_go(os.getpid())
    assert not is_go(2**30)
