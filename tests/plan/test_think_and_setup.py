"""Think times, and what connections send first, held against the load of an experiment."""

from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import SetupRequest
from fairtrial.experiment.model import Experiment
from fairtrial.plan.conditions import assert_think_and_setup

OPEN = {"kind": "open", "rate_per_second": 10.0}
LOGIN = SetupRequest(name="login", path="/login")


def asserted(load: dict[str, Any], *, thinks: bool = False, logs_in: bool = False, **keys: Any) -> None:
    workload: Any = SimpleNamespace(
        name="a.workload.toml", thinking=["look"] if thinks else [], setup=[LOGIN] if logs_in else []
    )
    described = {"name": "a", "title": "a", "workload": "plaintext", "service": "none", "stacks": ["a"]}
    assert_think_and_setup(workload, Experiment.model_validate({**described, "load": load, **keys}))


def test_what_fits_is_accepted() -> None:
    asserted({"kind": "closed"}, thinks=True, logs_in=True)
    asserted({"kind": "fixed", "requests": 100}, thinks=True, logs_in=True)
    asserted(OPEN, logs_in=True)
    asserted({"kind": "closed", "keep_alive": False}, thinks=True)


@pytest.mark.parametrize(
    ("load", "keys"),
    [
        (OPEN, {"thinks": True}),
        ({"kind": "closed", "keep_alive": False}, {"logs_in": True}),
        ({"kind": "closed", "local_ports": 9}, {"logs_in": True}),
        ({"kind": "closed"}, {"logs_in": True, "reference": "a"}),
    ],
)
def test_what_does_not_is_refused_with_a_remedy(load: dict[str, Any], keys: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        asserted(load, **keys)
    assert str(refused.value) == snapshot
    assert refused.value.remedy
