import json

import jsonschema_rs

from fairtrial.base.document import json_text, schema_text
from fairtrial.judge.judging import judge
from fairtrial.judge.model import SCHEMA, Result
from tests.builders import a_trial, an_experiment, trials_of


def test_the_checked_in_schema_is_the_models() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(Result), "run: python -m fairtrial.judge.model"


def test_results_are_valid_by_it() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema_rs.meta.validate(schema)
    record = an_experiment("a", "b").claiming("a", "b", at_least=1).record()
    for trials in ([], trials_of(record, a_trial()), trials_of(record, a_trial().erring(timeout=900))):
        jsonschema_rs.validate(schema, json.loads(json_text(judge(record, trials, interrupted=not trials))))
