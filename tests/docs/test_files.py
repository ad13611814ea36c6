"""docs/files.md: every key of a record is on the page."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from fairtrial.experiment.model import Experiment
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary, EngineThread
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.profile import Profile
from tests.docs.pages import DOCS

PAGE = (DOCS / "files.md").read_text()


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """A model, and all models that its fields hold; without those that other pages describe."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation in (Experiment, EngineSummary, EngineThread, *models_of_loads()):
            return
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for argument in get_args(annotation):
        yield from models(argument)


def models_of_loads() -> list[Any]:
    """Every kind of load: docs/experiments.md describes them."""
    return [get_args(tagged)[0] for tagged in get_args(get_args(Load)[0])]


MODELS = list(dict.fromkeys([*models(ExperimentRecord), *models(TrialRecord), *models(Profile)]))


def test_the_parts_of_a_record_are_found() -> None:
    assert {"ExperimentRecord", "TrialRecord", "Condition", "Ledger", "MachineMeter"} <= {m.__name__ for m in MODELS}
    assert len(models_of_loads()) == 7


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_of_a_record_is_described(model: type[BaseModel]) -> None:
    for key in model.model_fields:
        assert f"`{key}`" in PAGE, f"{model.__name__}.{key}"
