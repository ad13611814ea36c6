import json

import jsonschema_rs

from fairtrial.record.schema import schema
from tests.builders import a_trial, an_experiment, trials_of


def test_lines_of_a_record_are_valid_by_it() -> None:
    record = an_experiment("a", "b").claiming("a", "b", at_least=1).record()
    jsonschema_rs.meta.validate(schema())
    validator = jsonschema_rs.Draft202012Validator(schema())
    for line in (record, *trials_of(record, a_trial()), *trials_of(record, a_trial().failing("start", "it ended"))):
        validator.validate(json.loads(line.model_dump_json()))


def test_it_says_what_keys_mean() -> None:
    keys = schema()["$defs"]["TrialRecord"]["properties"]
    assert keys["log"]["description"].endswith("relative to the results folder")
    assert "verified" in schema()["$defs"]["EngineSummary"]["properties"]
