"""Texts that patterns are found in."""

import re
import time

import pytest

from fairtrial_import.pattern_text import text_of


@pytest.mark.parametrize(
    ("pattern", "least", "text"),
    [
        ("^AC[0-9a-fA-F]{32}$", 0, "AC" + "a" * 32),
        (r"^\d+\.\d+\.\d+$", 0, "1.1.1"),
        ("^sha256:[a-f0-9]{64}$", 0, "sha256:" + "a" * 64),
        ("^(?:yes|no)?-(?<name>[A-Z]{2,})/$", 0, "-AA/"),
        ("arn:aws:[a-z0-9-]+:[0-9]+", 0, "arn:aws:a:1"),
        ("[^a]", 0, "1"),
        (r"[\w.]*", 5, "aaaaa"),
        (r"^[a-z]{1,3}$", 3, "aaa"),
        (r"\u0041\x42\$\\", 0, "AB$\\"),
        ("^.$", 0, "a"),
        ("", 0, ""),
    ],
)
def test_what_is_followed(pattern: str, least: int, text: str) -> None:
    assert text_of(pattern, least) == text
    assert re.search(pattern.replace("?<", "?P<"), text)


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        *((pattern, 0) for pattern in ("(?=x)x", r"(a)\1", r"\p{L}", "(a", "a)", "(" * 99, "[", "(?i)a", "*")),
        ("^abc$", 9),
        ("(a{9999}){9999}", 0),
    ],
)
def test_what_is_not_followed(pattern: str, least: int) -> None:
    assert text_of(pattern, least) is None


def test_no_pattern_takes_long() -> None:
    begin = time.monotonic()
    assert text_of("(" * 30 + "a{99999}" + "){99999}" * 30, 0) is None
    text_of("((a*)*)*" * 1000, 50)
    assert time.monotonic() - begin < 5
