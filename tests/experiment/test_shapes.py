"""Files whose values have another shape than is allowed: each is a fault of the file, in words about the file."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from fairtrial.base.fault_words import fault_in_words
from fairtrial.catalog.stacks.model import Stack
from fairtrial.cluster.hosts_file import HostsFile
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.workload_file.model import WorkloadFile
from fairtrial_adopt.source import Source
from fairtrial_cross_examine.statement import Statement

SHAPES: list[Any] = [3, "x", True, [], [3], ["x"], [{}], [[]], {}, {"x": 3}, {"x": {}}, {"x": [{}]}, {"kind": 3}]
OF_PYDANTIC = ("Input should", "Unable to", "discriminator", "valid dictionary", "instance of")
MODELS = [Experiment, WorkloadFile, Stack, HostsFile, Source, Statement]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_value_of_another_shape_is_a_fault_of_the_file(model: type[BaseModel]) -> None:
    """`[[load]]` in place of `[load]` is as easily written as it is meant."""
    riddles = set()
    for key in model.model_fields:
        for shape in SHAPES:
            try:
                model.model_validate({key: shape})
            except ValidationError as error:
                told = {fault_in_words(dict(fault)) for fault in error.errors()}
                riddles |= {(key, words) for words in told if any(each in words for each in OF_PYDANTIC)}
    assert riddles == set()
