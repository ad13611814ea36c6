"""What two answers differ in, in words."""

import json
from typing import Any

import pytest

from fairtrial.experiment.workload_file.normalisation import Normalisation, TextRule
from fairtrial.lab.equality.answer import GivenAnswer
from fairtrial.lab.equality.difference import difference, json_gaps

NOTHING = Normalisation()


def answer(body: Any, *, status: int = 200, content_type: str = "application/json") -> GivenAnswer:
    """An answer; a body that is no text is sent as JSON."""
    return GivenAnswer(
        status=status, content_type=content_type, body=body if isinstance(body, str) else json.dumps(body)
    )


ITEM = {"id": 7, "price": 3, "tags": ["a", "b"], "more": {"x/y": [1, {"z": None}]}}


@pytest.mark.parametrize(
    "changed",
    [
        ITEM | {"price": 4},
        ITEM | {"price": "3"},
        ITEM | {"price": True},
        ITEM | {"tags": ["b", "a"]},
        ITEM | {"tags": ["a"]},
        ITEM | {"debug": 1},
        {"id": 7, "price": 3, "tags": ["a", "b"]},
        ITEM | {"more": {"x/y": [1, {"z": 0}]}},
        ITEM | {"price": 4, "id": 1234567},
        [],
    ],
)
def test_the_smallest_difference_is_told(changed: Any, snapshot: object) -> None:
    said = difference(answer(changed), answer(ITEM), NOTHING)
    assert said == snapshot


@pytest.mark.parametrize(
    "same",
    [
        dict(reversed(ITEM.items())),
        ITEM | {"id": 7.0},
    ],
)
def test_the_same_in_another_spelling_has_no_difference(same: Any) -> None:
    assert json_gaps(answer(same), answer(ITEM), NOTHING) == []


def test_what_is_declared_does_not_count() -> None:
    declared = Normalisation(volatile=["/at", "/items/*/etag"], renamed=["/id"], unordered=["/items"])
    one = {"id": 1, "at": "a", "items": [{"etag": 1, "n": 1}, {"etag": 2, "n": 2}]}
    other = {"id": 2, "at": "b", "items": [{"etag": 9, "n": 2}, {"etag": 8, "n": 1}]}
    assert json_gaps(answer(one), answer(other), declared) == []
    for changed in (one | {"at": 5}, {"id": 1, "items": one["items"]}, one | {"items": [{"etag": 1, "n": 1}] * 2}):
        assert json_gaps(answer(changed), answer(other), declared)


def test_status_type_and_validity_come_first() -> None:
    right = answer(ITEM)
    assert difference(answer(ITEM, status=404), right, NOTHING) == "status 404, not 200"
    assert difference(answer(ITEM, content_type=""), right, NOTHING) == "type none, not application/json"
    assert difference(answer('{"id": 7, "id": 7}'), right, NOTHING) == "a member occurs twice"
    cut_off = GivenAnswer(status=200, content_type="application/json", body=None, fault="longer than 16 MiB")
    assert difference(cut_off, right, NOTHING) == "longer than 16 MiB"


def test_texts_are_told_from_where_they_differ(snapshot: object) -> None:
    page = "<p>hello</p>\n<p>request req-0f, price 3</p>\n"
    rules = Normalisation(text=[TextRule(matches="req-[0-9a-f]+", stands_for="req-ID")])
    found = page.replace("0f", "1234").replace("price 3", "price 4\x1b[2J")
    said = difference(answer(found, content_type="text/html"), answer(page, content_type="text/html"), rules)
    assert said == snapshot


def test_what_cannot_be_parsed_ends() -> None:
    deep = "[" * 100_000
    assert difference(answer(deep), answer("[" * 100_001), NOTHING).startswith("character ")
