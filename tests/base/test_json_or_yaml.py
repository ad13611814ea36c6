"""Documents in JSON or YAML as plain values."""

import pytest
import yaml

from fairtrial.base.json_or_yaml import LOADER, BrokenDocument, as_json, parse_json_or_yaml


@pytest.mark.parametrize("text", ["2020-01-01", "2020-13-45", "2001-1-2", "2001-12-14t21:59:43.10-05:00"])
def test_a_date_of_yaml_is_the_text_that_stands_there(text: str) -> None:
    document = parse_json_or_yaml(f"info: {{version: {text}}}\nexample: {text}\n{text}: [{text}]\n")
    assert as_json(document, 100) == {"info": {"version": text}, "example": text, text: [text]}


def test_other_values_of_yaml_are_as_they_were() -> None:
    text = "{a: 1, b: 1.5, c: true, d: null, e: 0x1f, f: [x, 'y'], 200: z, <<: {g: 1}}"
    assert parse_json_or_yaml(f"# by libyaml\n{text}") == yaml.safe_load(text)
    assert issubclass(LOADER, yaml.CSafeLoader)


def test_no_object_of_python_is_made() -> None:
    with pytest.raises(BrokenDocument, match="line 1: not valid YAML: could not determine a constructor"):
        parse_json_or_yaml("a: !!python/object/apply:os.getcwd []")
