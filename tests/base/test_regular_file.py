"""Files that somebody else may have put there: nothing is waited for, and nothing is read without an end."""

import os
from pathlib import Path

import pytest

from fairtrial.base.regular_file import open_regular, read_regular


def test_a_file_is_read_as_far_as_it_may_be(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"abcdef")
    (tmp_path / "link").symlink_to(file)
    assert read_regular(file, 10) == b"abcdef"
    assert read_regular(tmp_path / "link", 2) == b"abc"
    with open_regular(file, owner=os.geteuid()) as opened:
        assert opened.read() == b"abcdef"


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "fifo", ".", "nowhere", "loop"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, path: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match=r".") as raised:
        read_regular(tmp_path / path, 10)
    assert raised.value.strerror


def test_links_and_files_of_others_are_refused_on_request(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    (tmp_path / "link").symlink_to(file)
    with pytest.raises(OSError, match=r"symbolic links"):
        open_regular(tmp_path / "link", follow_links=False)
    with pytest.raises(PermissionError, match="Somebody else's"):
        open_regular(file, owner=os.geteuid() + 1)
