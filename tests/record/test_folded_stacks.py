"""Folded stacks: frames are whatever a contender called its functions."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.record.folded_stacks import MOST_CHARACTERS, MOST_FRAMES, as_stack, read_folded, write_folded


def test_what_is_written_is_read(tmp_path: Path) -> None:
    stacks = {("main", "serve (app.py)"): 7, ("main",): 2}
    write_folded(tmp_path / "a.folded", stacks)
    assert (tmp_path / "a.folded").read_text() == "main;serve (app.py) 7\nmain 2\n"
    assert read_folded(tmp_path / "a.folded") == stacks


def test_no_name_can_end_its_frame_its_line_or_command_a_terminal() -> None:
    assert as_stack(["a;b", "c\nd 9", "\x1b[2J", "", "\u202ee"]) == ("a:b", "c d 9", "\\x1b[2J", "?", "\\u202ee")


def test_names_and_stacks_have_an_end() -> None:
    assert len(as_stack(["x" * 10_000])[0]) == MOST_CHARACTERS
    deep = as_stack([str(depth) for depth in range(5000)])
    assert len(deep) == MOST_FRAMES and deep[0] == "0" and deep[-1] == "…"
    assert as_stack([str(depth) for depth in range(MOST_FRAMES)])[-1] == str(MOST_FRAMES - 1)


def test_a_file_of_another_hand_is_made_printable_again(tmp_path: Path) -> None:
    (tmp_path / "a.folded").write_bytes(b"\x1b]0;title\x07;\xff\xfe 3\nmain 1\ncut off 1")
    assert set(read_folded(tmp_path / "a.folded")) == {("\\x1b]0", "title\\x07", "��"), ("main",)}


def test_a_stack_without_a_frame_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.folded").write_text(" 4\nmain 1\n")
    assert read_folded(tmp_path / "a.folded") == {("?",): 4, ("main",): 1}


@pytest.mark.parametrize("line", ["main", "main -1", "main 1.5", "12", f"main {'9' * 400}", ""])
def test_what_is_no_stack_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.folded").write_text(f"{line}\n")
    with pytest.raises(Problem, match="line 1"):
        read_folded(tmp_path / "a.folded")
