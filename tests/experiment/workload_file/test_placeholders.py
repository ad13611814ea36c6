"""Placeholders of a workload file: what they are, and what is said about wrong ones."""

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
    "text",
    [
        "{{rwo items id}}",
        "{{row items}}",
        "{{uniform 3 1}}",
        "{{uniform -1 1}}",
        "{{uniform 1}}",
        "{{zipf 0 1}}",
        "{{zipf 9 nan}}",
        "{{sequence 9223372036854775808}}",
        "{{env a-b}}",
        "{{}}",
        "a {{env X",
    ],
)
def test_a_wrong_placeholder_is_shown_with_what_is_right(text: str, snapshot: object) -> None:
    with pytest.raises(ValueError) as error:
        parts_of(text)
    assert str(error.value) == snapshot


def test_a_placeholder_is_written_as_it_is_read() -> None:
    for text in ("{{row items id}}", "{{uniform 1 3}}", "{{env X}}"):
        assert "".join(map(str, parts_of(text))) == text
