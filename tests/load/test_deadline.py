"""`deadline_seconds`: from when on a request of an open load is not sent any more."""

import pytest
from pydantic import ValidationError

from fairtrial.load.closed import ClosedLoad
from fairtrial.load.open import OpenLoad


def test_an_open_load_may_say_it_and_tells_it(snapshot: object) -> None:
    load = OpenLoad(kind="open", rate_per_second=5, deadline_seconds=0.5)
    assert load.describe() == snapshot
    assert "due for" not in OpenLoad(kind="open", rate_per_second=5).describe()
    assert OpenLoad.model_validate(load.model_dump()) == load


@pytest.mark.parametrize("seconds", [0, -1, 3601, float("inf")])
def test_it_is_seconds_up_to_an_hour(seconds: float) -> None:
    with pytest.raises(ValidationError, match="deadline_seconds"):
        OpenLoad(kind="open", rate_per_second=5, deadline_seconds=seconds)


def test_a_closed_load_has_none() -> None:
    with pytest.raises(ValidationError, match="deadline_seconds"):
        ClosedLoad.model_validate({"deadline_seconds": 1})
