"""`[reference]` of a workload file, and `reference` of an experiment."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.ab_test import between_refs
from fairtrial.experiment.changes import with_stacks
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.workload_file.normalisation import MOST_POINTERS, Normalisation
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.experiment.workload_file.rows import line_of_row
from fairtrial.plan.make import make_plan
from tests.experiment.workload_file.files import shop

REFERENCE = """
[reference]
volatile = ["/placed_at", "/items/*/etag"]
renamed = ["/id"]
unordered = [""]
text = [{ matches = 'req-[0-9a-f]{12}', is = "req-ID" }]
"""


def test_a_file_says_what_does_not_count(tmp_path: Path) -> None:
    file = shop(tmp_path)
    file.write_text(file.read_text() + REFERENCE)
    declared = read_workload_file(file).model.reference
    assert declared.volatile == ["/placed_at", "/items/*/etag"] and declared.unordered == [""]
    assert '"text":[{"matches":"req-[0-9a-f]{12}","is":"req-ID"}]' in declared.model_dump_json()


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"volatile": ["placed_at"]}, 'write "/placed_at"'),
        ({"text": [{"matches": "(", "is": ""}]}, "no regular expression"),
        ({"renamed": ["/id"] * (MOST_POINTERS + 1)}, "at most 64"),
        ({"ignored": []}, "ignored"),
    ],
)
def test_what_cannot_be_followed_is_an_error(keys: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        Normalisation.model_validate(keys)


def an_experiment(**more: Any) -> Experiment:
    described = {"name": "x", "title": "x", "workload": "plaintext", "load": {"kind": "closed"}, "reference": "a"}
    return Experiment.model_validate(described | {"stacks": ["a", "b"]} | more)


def test_the_reference_is_one_of_the_stacks(snapshot: object) -> None:
    assert str(an_experiment().reference) == "a"
    with pytest.raises(ValidationError) as error:
        an_experiment(reference="c")
    assert [each["msg"] for each in error.value.errors()] == snapshot
    with pytest.raises(Problem) as error:
        with_stacks(an_experiment(), [StackRef(name="b")])
    assert str(error.value) == snapshot
    only, _ = with_stacks(an_experiment(), [StackRef(name="a")])
    assert str(only.reference) == "a"


def test_a_workload_of_the_lab_s_needs_none(snapshot: object) -> None:
    stacks = {"stacks": ["python-threads"], "reference": "python-threads"}
    experiment = an_experiment(workload="random-item", service="sqlite", **stacks)
    with pytest.raises(Problem) as error:
        make_plan(experiment, find_stacks(), "x.toml")
    assert str(error.value) == snapshot


def test_of_two_refs_the_earlier_one_is_the_reference() -> None:
    contenders = {"app": {"folder": ".", "command": ["x"], "refs": ["main", "HEAD"]}}
    experiment = an_experiment(stacks=["app"], contenders=contenders, reference="app:main")
    assert str(between_refs(experiment, "app", "v1", "v2", 0.05).reference) == "app:v1"


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("rows.csv", 'id,name\n1,a\n\n2,"b\nc"\n3,d\n', [2, 4, 6]),
        ("rows.jsonl", '{"id": 1}\n\n{"id": 2}\n', [1, 3]),
    ],
)
def test_a_row_is_found_in_its_file(tmp_path: Path, name: str, text: str, lines: list[int]) -> None:
    (tmp_path / name).write_text(text)
    assert [line_of_row(tmp_path / name, place) for place in range(len(lines))] == lines
