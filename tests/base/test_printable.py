"""Text from a server, made safe to print."""

from pathlib import Path

import pytest

from fairtrial.base.printable import log_tail, printable, printable_end


@pytest.mark.parametrize(
    "text",
    [
        "plain text, with ünïcode – and 漢字",
        "\x1b[31mred\x1b[0m",
        "\x9b2J",
        "one\r\ntwo\tthree",
        "a\x00b\x07c\x7f",
        "\u202eevil\u2066",
        "\ud800",
        "  around  ",
    ],
)
def test_no_character_is_left_that_controls_a_terminal(text: str, snapshot: object) -> None:
    assert printable(text) == snapshot


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert printable("abcdef", 4) == "abc…"
    assert printable("abcd", 4) == "abcd"


def test_the_tail_of_a_log_is_printable(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\n".join(b"line %d \x1b[2J\xff" % number for number in range(1, 10_001)))
    lines = log_tail(log).splitlines()
    assert [line.split(" \\x1b")[0] for line in lines] == [f"line {number}" for number in range(9991, 10_001)]
    assert "\x1b" not in log_tail(log)


def test_a_log_that_is_not_there_has_no_tail(tmp_path: Path) -> None:
    assert log_tail(tmp_path / "absent") == ""


def test_the_end_of_a_text_begins_with_a_whole_word() -> None:
    assert printable_end("Error:\naccess is\nlimited", 100) == "Error: access is limited"
    assert printable_end("access to monitoring is limited", 16) == "… is limited"
    assert printable_end("x" * 50, 10) == "… xxxxxxxx"
