"""Command lines as bash splits them."""

import subprocess

import pytest

from fairtrial.base.problem import Problem
from fairtrial_import.shell_words import Operator, shell_words

LINES = [
    r"""curl 'a b' "c d" e\ f '' x""",
    r"""a'b'"c"d""",
    r'''"\$x \`y\` \" \\ \n \z"''',
    r"""$'tab\there\nquote\' \x41\101 \u00e9 \U0001F600 \\ \q'""",
    r"""$'\xc3\xa9'""",
    "one \\\n two 'three\\\nfour' \"five\\\nsix\"",
    "'a\nb' \"c\nd\"",
    "tabs\tand  spaces ",
]


def test_words_are_those_of_bash() -> None:
    for line in LINES:
        printed = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
        )
        assert shell_words(line, "x") == printed.stdout.decode().split("\0")[:-1], line


def test_operators() -> None:
    words = shell_words("a ; b | c && d > e 2>&1 ';' '|' \"\\\n\"\nf", "x")
    assert [word for word in words if isinstance(word, Operator)] == [";", "|", "&&", ">", "2>&1", "\n"]
    assert words[-5:] == [";", "|", "", "\n", "f"]


def test_a_character_in_two_halves_as_browsers_write_it() -> None:
    assert shell_words(r"$'\ud83d\ude00'", "x") == ["😀"]


@pytest.mark.parametrize("line", ["'a", '"a', "$'a", "a \\"])
def test_what_is_not_closed(line: str) -> None:
    with pytest.raises(Problem, match="is not closed"):
        shell_words(line, "the curl command")
