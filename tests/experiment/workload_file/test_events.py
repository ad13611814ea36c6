"""`expect.events` of a workload file."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.experiment.workload_file.events import Events
from fairtrial.experiment.workload_file.expect import Expect


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"count": [5, 3]}, "the fewest and the most"),
        ({"count": -1}, "not negative"),
        ({"sequence": "number"}, '"id", or the JSON pointer'),
        ({"content": "choices"}, "no JSON pointer"),
        ({"stall": "never"}, "no time from 1 ms"),
        ({"stall": "0 ms"}, "no time from 1 ms"),
        ({"first": -1}, "greater than or equal to 0"),
        ({"laste": "x"}, "Extra inputs"),
    ],
)
def test_what_does_not_fit_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Events.model_validate(values)


def test_a_stream_is_nothing_else() -> None:
    with pytest.raises(ValidationError, match="event by event"):
        Expect.model_validate({"events": {}, "json": {"/a": 1}})
    default = Expect.model_validate({"json": {"/a": 1}, "status": 200})
    merged = Expect.model_validate({"events": {"count": [2, 3]}}).over(default)
    assert merged.json_values is None and merged.status == 200
    assert merged.events is not None and merged.events.count_range == (2, 3)
