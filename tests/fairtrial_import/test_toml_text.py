"""TOML that is written is read back as what it was, whatever it holds."""

import tomllib
from typing import Any

import pytest

from fairtrial.base.printable import CONTROL
from fairtrial_import.toml_text import WIDTH, comments, inline, long_string, string, table_lines

AWKWARD = [
    "",
    " ",
    'a "quoted" one',
    "back\\slash \\n \\u0041",
    '"""',
    '""""',
    'ends with "',
    "'''",
    "a\nb\r\nc\rd\te",
    "\n",
    "\nfirst line empty",
    "trailing backslash\\",
    "line ends in a backslash\\\nnext",
    "".join(map(chr, range(32))),
    "\x7f\x80\x9b31m\x9f",
    "\u200b\u202e\u2066\ufeff",
    "é ü 日本 😀",
    "# no comment",
    "[no.table]",
    "a = 1",
    "{{env X}}",
]


@pytest.mark.parametrize("text", AWKWARD, ids=ascii)
def test_texts(text: str) -> None:
    assert tomllib.loads(f"a = {string(text)}") == {"a": text}
    assert tomllib.loads(f"a = {long_string(text)}\nb = 1") == {"a": text, "b": 1}
    assert tomllib.loads("\n".join(table_lines([text, "x"], {text: text}))) == {text: {"x": {text: text}}}
    assert not CONTROL.search(string(text))
    assert not CONTROL.search(long_string(text).replace("\n", ""))


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    assert tomllib.loads(f"a = {string(chr(0xD800))}") == {"a": "\ufffd"}


@pytest.mark.parametrize(
    "value",
    [
        True,
        0,
        -(2**63),
        2**63 - 1,
        1.0,
        -0.5,
        1e300,
        5e-324,
        1e16,
        [],
        {},
        [1, "a", [True, {}]],
        {"a.b": {"c d": [{"é": 1}]}, "": 2, "bare-key_1": 3},
    ],
    ids=ascii,
)
def test_values(value: Any) -> None:
    read = tomllib.loads(f"a = {inline(value)}")["a"]
    assert read == value and type(read) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        {"long": "x" * 200, "inner": {"text": "y" * 200, "list": ["z" * 50] * 5, "n": 1}, "n": 2},
        {"lines": "\n".join(["a line of text"] * 20), "list": [{"a": "x" * 60}, {"b": "y" * 60}], "n": 1},
    ],
    ids=["tables", "lines and lists"],
)
def test_what_does_not_fit_into_a_line(value: dict[str, Any]) -> None:
    lines = table_lines(["requests", "a"], {"post": "/", "json": value, "expect": {"status": 201}})
    assert tomllib.loads("\n".join(lines)) == {
        "requests": {"a": {"post": "/", "json": value, "expect": {"status": 201}}}
    }
    assert "[requests.a.json]" in lines


def test_comments_stay_comments() -> None:
    lines = comments(["a\nkey = 1 \x1b[31m \x9b2J \u202e", "word " * 100, "  indented"])
    assert tomllib.loads("\n".join(lines)) == {}
    assert all(line.startswith("#") and len(line) <= WIDTH and not CONTROL.search(line) for line in lines)
    assert lines[-1] == "#   indented"
