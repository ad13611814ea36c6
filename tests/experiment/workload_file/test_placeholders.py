"""Placeholders of a workload file: what they are, and what is said about wrong ones."""

import re

import pytest

from fairtrial.experiment.workload_file.placeholders import Placeholder, parts_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("/items", ["/items"]),
        ("/items/{{row items id}}", ["/items/", Placeholder("row", ("items", "id"))]),
        ("{{ uniform  1 3 }}x", [Placeholder("uniform", ("1", "3")), "x"]),
        ("{{env A}}{{sequence 1}}", [Placeholder("env", ("A",)), Placeholder("sequence", ("1",))]),
        ("{{{{x}} and {y}", ["{{x}} and {y}"]),
        ("{{{{{{{{", ["{{{{"]),
        ('{"a": {"b": {{zipf 9 1.1}}}}', ['{"a": {"b": ', Placeholder("zipf", ("9", "1.1")), "}}"]),
    ],
)
def test_a_text_is_literals_and_placeholders(text: str, parts: list[str | Placeholder]) -> None:
    assert parts_of(text) == parts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{rwo items id}}", "{{rwo items id}} is no placeholder (did you mean row?); there are {{uniform FROM TO}}"),
        ("{{row items}}", "{{row items}}: it needs the name of [rows.NAME] and that of a column; write {{row NAME"),
        ("{{uniform 3 1}}", "FROM is above TO"),
        ("{{uniform -1 1}}", "FROM and TO are whole numbers from 0 on"),
        ("{{uniform 1}}", "FROM and TO"),
        ("{{zipf 0 1}}", "RANKS"),
        ("{{zipf 9 nan}}", "EXPONENT"),
        ("{{sequence 9223372036854775808}}", "FROM is a whole number"),
        ("{{env a-b}}", "it needs the name of an environment variable"),
        ("{{}}", "{{}} is no placeholder"),
        ("a {{env X", "is not closed by }}; for two braces as such, write {{{{"),
    ],
)
def test_a_wrong_placeholder_is_shown_with_what_is_right(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        parts_of(text)


def test_a_placeholder_is_written_as_it_is_read() -> None:
    for text in ("{{row items id}}", "{{uniform 1 3}}", "{{env X}}"):
        assert "".join(map(str, parts_of(text))) == text
