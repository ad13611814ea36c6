import pytest

from fairtrial.base.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, with ünïcode – and 漢字", "plain text, with ünïcode – and 漢字"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J", "\\x9b2J"),
        ("one\r\ntwo\tthree", "one  two three"),
        ("a\x00b\x07c\x7f", "a\\x00b\\x07c\\x7f"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("  around  ", "around"),
    ],
)
def test_nothing_is_left_that_a_terminal_obeys(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut_with_an_ellipsis() -> None:
    assert printable("abcdef", 4) == "abc…"
    assert printable("abcd", 4) == "abcd"
