import json
from pathlib import Path

import pytest

from fairtrial.base.text_file import write_atomically
from fairtrial.report.files import write_reports
from tests.report.scene import judged


def test_both_files_are_written_and_nothing_else(tmp_path: Path) -> None:
    result, record, trials = judged()
    assert write_reports(result, record, trials, tmp_path) == tmp_path / "report.html"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "result.json"]
    assert json.loads((tmp_path / "result.json").read_text())["claims"][0]["verdict"] == "upheld"
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o644


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="missing"):
        write_atomically(tmp_path / "missing" / "result.json", "text")


def test_a_link_is_written_through_and_stays(tmp_path: Path) -> None:
    """`--json /dev/stderr` with `2> errors.txt` once put a file in the place of /dev/stderr."""
    link = tmp_path / "stderr"
    link.symlink_to(tmp_path / "errors.txt")
    write_atomically(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "errors.txt").read_text() == "text"
