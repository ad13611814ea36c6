"""What is proposed to be declared where a reference differs from itself."""

import json
import re
import tomllib
from typing import Any

from fairtrial.experiment.workload_file.normalisation import Normalisation, TextRule
from fairtrial.lab.equality.answer import KeptAnswer
from fairtrial.lab.equality.difference import Renaming, difference, json_gaps, without_what_varies
from fairtrial.lab.equality.proposal import Proposal, proposal


def kept(body: Any, *, status: int = 200, content_type: str = "application/json") -> KeptAnswer:
    """An answer as the engine keeps it."""
    text = body if isinstance(body, str) else json.dumps(body)
    return KeptAnswer(
        request="look", instance=3, asked="GET / HTTP/1.1", rows={}, status=status, content_type=content_type,
        body=text, digest=f"{hash(text):x}",
    )  # fmt: skip


def proposed(one: Any, other: Any, declared: Normalisation | None = None, **more: Any) -> Proposal:
    """From one pair of answers."""
    return proposal([(kept(one, **more), kept(other, **more))], declared or Normalisation())


def declared_by(found: Proposal) -> Normalisation:
    """The lines, read as they would be from a file."""
    return Normalisation.model_validate(tomllib.loads("\n".join(found.toml()))["reference"])


def test_each_difference_is_proposed_as_what_it_is() -> None:
    one = {"placed_at": 1, "items": [{"etag": "a", "n": 1}, {"etag": "b", "n": 2}], "order_id": 5, "tags": [1, 2]}
    other = {"placed_at": 2, "items": [{"etag": "c", "n": 1}, {"etag": "d", "n": 2}], "order_id": 6, "tags": [2, 1]}
    found = proposed(one, other, Normalisation(volatile=["/known"]))
    assert found.toml() == [
        "[reference]",
        'volatile = ["/known", "/items/*/etag", "/placed_at"]',
        'renamed = ["/order_id"]',
        'unordered = ["/tags"]',
    ]
    assert found.examples()[0].startswith("look, instance 3: /items/0/etag is ")
    assert json_gaps(kept(one), kept(other), declared_by(found)) == []


def test_what_is_there_at_times_is_covered_by_what_holds_it() -> None:
    found = proposed({"meta": {"at": 1, "hint": "x"}, "b": 1}, {"meta": {"at": 2}, "b": 1})
    assert found.toml() == ["[reference]", 'volatile = ["/meta"]']
    assert proposed({"a": [1, 2]}, {"a": [1]}).toml() == ["[reference]", 'volatile = ["/a"]']
    assert proposed({"a": None}, {"a": "x"}).toml() == ["[reference]", 'volatile = [""]']


def test_texts_get_an_expression_that_covers_both() -> None:
    pages = [f"<p>Hi</p>\n<p>request req-{number:012x}</p>" for number in (7, 0xABCDEF)]
    found = proposed(pages[0], pages[1], content_type="text/html")
    (rule,) = declared_by(found).text
    assert re.sub(rule.matches, rule.stands_for, pages[0]) == "<p>Hi</p>\n<p>request …</p>"
    assert proposed(pages[0], pages[1], declared_by(found), content_type="text/html").is_needed is False
    (alone,) = declared_by(proposed("17", "18", content_type="text/plain")).text
    assert alone.matches == "(?m)^[0-9]+"


def test_for_bytes_that_are_no_text_nothing_can_be_declared() -> None:
    """The engine replaces nothing in them. An answer is kept with U+FFFD where its bytes are not UTF-8."""
    found = proposed("\ufffd 17", "\ufffd 18", content_type="image/png")
    assert found.text == {} and found.hopeless == ['look, instance 3: character 4: "\ufffd 17", not "\ufffd 18"']
    rule = TextRule(matches=r"\d", stands_for="N")
    assert without_what_varies("7 \u0667", Normalisation(text=[rule])) == "N \u0667"


def test_for_status_and_type_nothing_can_be_declared() -> None:
    found = proposal([(kept({}), kept({}, status=500))], Normalisation())
    assert found.is_needed and found.hopeless == ["look, instance 3: status 200, not 500"]


def test_renamed_values_are_equal_one_to_one(snapshot: object) -> None:
    renaming = Renaming(Normalisation(renamed=["/id", "/items/*/id"]))

    def pair(found: Any, wanted: Any) -> str | None:
        return renaming.contradiction(kept({"id": found}), kept({"id": wanted}))

    assert [pair(1, 11), pair(2, 12), pair(1, 11), pair("x", 13)] == [None] * 4
    assert pair(1, 12) == snapshot
    assert pair(5, 12) == snapshot
    assert difference(kept({"id": 5}), kept({"id": "5"}), Normalisation(renamed=["/id"])) == '/id is 5, not "5"'
