"""A claim about overhead needs its baseline tried, as it needs the stack it is about."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.experiment.changes import with_stacks
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef


def over(baseline: str) -> dict[str, Any]:
    claim = {
        "id": "adds",
        "kind": "budget",
        "text": "adds little",
        "metric": "overhead",
        "of": "a",
        "baseline": baseline,
        "at_most": "1 s",
    }
    return {
        "name": "x",
        "title": "x",
        "workload": "plaintext",
        "stacks": ["a", "bare"],
        "load": {"kind": "closed"},
        "claims": [claim],
    }


def test_a_baseline_that_is_not_tried_is_an_error_of_the_file(snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        Experiment.model_validate(over("unknown"))
    assert [each["msg"] for each in error.value.errors()] == snapshot


def test_without_its_baseline_a_claim_is_left_out() -> None:
    experiment = Experiment.model_validate(over("bare"))
    assert with_stacks(experiment, [StackRef(name="a")])[1] == ["adds"]
    assert with_stacks(experiment, [StackRef(name="a"), StackRef(name="bare")])[1] == []
