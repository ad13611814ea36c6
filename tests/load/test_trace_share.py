"""`trace_share`: the part of the requests that have a `traceparent`."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.model import Experiment
from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.fixed import FixedLoad


def test_every_load_may_say_it_and_none_does_by_default() -> None:
    load = FixedLoad(kind="fixed", requests=100, trace_share=0.015)
    assert load.engine_terms()["trace_share"] == 0.015 and load.describe().endswith(", 1.5% of requests traced")
    assert ClosedLoad().engine_terms()["trace_share"] is None and "traced" not in ClosedLoad().describe()
    objective = Objective(name="soon", within_milliseconds=50)
    search = CapacityLoad(kind="capacity", objectives=[objective], trace_share=1)
    assert search.at_rate(10, 1).trace_share == 1 and search.describe().endswith(", 100% of requests traced")


@pytest.mark.parametrize("share", [-0.01, 1.01, float("nan")])
def test_it_is_from_none_to_all(share: float) -> None:
    with pytest.raises(ValidationError, match="trace_share"):
        ClosedLoad(trace_share=share)


def test_answers_to_traced_requests_are_not_compared(tmp_path: Path, snapshot: object) -> None:
    file = tmp_path / "x.toml"
    file.write_text(
        'name = "x"\ntitle = "x"\nworkload = "random-item"\nservice = "sqlite"\nstacks = ["a", "b"]\n'
        'reference = "a"\n[load]\ntrace_share = 0.5\n'
    )
    with pytest.raises(Problem) as caught:
        read_toml(file, Experiment)
    assert caught.value.reason == snapshot
