"""Texts and values of a workload file as templates of the engine."""

import json
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.placeholders import TemplateWriter

TOKEN = 'a b/"{{ü'


def writer(numbers_taken: int = 0) -> TemplateWriter:
    return TemplateWriter("shop.toml: ", {"TOKEN": TOKEN}, numbers_taken)


def test_each_place_spells_values_as_it_needs_them() -> None:
    text = "/x/{{env TOKEN}}/{{row items id}}/{{uniform 1 3}}/{{{{"
    assert writer().path(text, "k") == "/x/a%20b%2F%22%7B%7B%C3%BC/{{row items id}}/{{uniform 1 3}}/{{{{"
    assert writer().text(text, "k") == '/x/a b/"{{{{ü/{{row items id}}/{{uniform 1 3}}/{{{{'
    assert writer().plain("<{{env TOKEN}}{{{{>", "k") == f"<{TOKEN}{{{{>"


@pytest.mark.parametrize(
    ("value", "template"),
    [
        ("{{row items id}}", "{{row items id json}}"),
        ("{{uniform 1 3}}", "{{uniform 1 3}}"),
        ("n-{{uniform 1 3}}", '"n-{{uniform 1 3}}"'),
        ("<{{row items id}}>", '"<{{row items id escaped}}>"'),
        ("{{env TOKEN}}", '"a b/\\"{{{{ü"'),
        ('a "{{{{', '"a \\"{{{{"'),
        ({"a": {"b": [1, 2.5, True, "x"]}}, '{"a":{"b":[1,2.5,true,"x"]}}'),
        ({"{{x": {}}, '{"{{{{x":{}}'),
    ],
)
def test_a_placeholder_that_is_a_whole_text_of_json_takes_its_own_type(value: Any, template: str) -> None:
    assert writer().json(value, "k") == template


def test_without_placeholders_json_stays_what_it_is() -> None:
    value = {"name": "ä \n\u2028 \\", "of": [{"x": -1e-3}, [], {}]}
    assert json.loads(writer().json(value, "k")) == value


def test_numbers_that_were_taken_are_not_given_again() -> None:
    assert writer(1).path("/{{sequence 1}}/{{uniform 1 2}}", "k") == "/{{sequence 2}}/{{uniform 1 2}}"
    assert writer(2).json({"n": "{{sequence 7}}"}, "k") == '{"n":{{sequence 9}}}'


def test_a_variable_that_is_not_set_is_named_with_its_key(snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        writer().text("{{env ABSENT}}", "requests.a.headers.x")
    assert refused.value.reason == snapshot
    assert "export ABSENT=" in refused.value.remedy


def test_the_variables_that_were_written_are_known() -> None:
    used = writer()
    used.text("{{env TOKEN}}", "k")
    assert used.used == {"TOKEN": TOKEN}
