"""The state of a workload, held against the services of an experiment."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.workloads.model import DatabaseState
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.workload_file.state import AuditEntry, Reset
from fairtrial.plan.conditions import assert_state

SCHEMA = [Path("schema.sql")]


def asserted(state: DatabaseState, service: str, **options: Any) -> None:
    """Hold the state against a service of an experiment with these options of it."""
    workload: Any = SimpleNamespace(name="orders.workload.toml", state=state)
    described = {"name": "a", "title": "a", "workload": "plaintext", "service": service, "stacks": ["a"]}
    services = {service: options} if options else {}
    load = {"kind": "closed"}
    experiment = Experiment.model_validate({**described, "load": load, "services": services})
    assert_state(workload, experiment, pick_service(service))


def test_every_database_can_be_loaded_and_the_sql_ones_asked() -> None:
    for service in ("sqlite", "postgresql", "mariadb"):
        asked = AuditEntry(sql="SELECT 1", equals=1)
        asserted(DatabaseState(data={service: SCHEMA}, reset=Reset(sql="x"), audits={"a": asked}), service)
    for service in ("mongodb", "redis", "none"):
        asserted(DatabaseState(reset=Reset(command=["x"])), service)
    for service in ("mongodb", "redis"):
        asserted(DatabaseState(data={service: SCHEMA, "sqlite": SCHEMA}), service)
    asserted(DatabaseState(data={"sqlite": SCHEMA}), "none")


@pytest.mark.parametrize(
    ("state", "service", "options"),
    [
        (DatabaseState(data={"sqlit": SCHEMA}), "sqlite", {}),
        (DatabaseState(data={"memcached": SCHEMA}), "sqlite", {}),
        (DatabaseState(data={"sqlite": SCHEMA}), "postgresql", {}),
        (DatabaseState(data={"postgresql": SCHEMA}), "postgresql", {"url_from": "X"}),
        (DatabaseState(reset=Reset(sql="x")), "redis", {}),
        (DatabaseState(audits={"a": AuditEntry(sql="x", equals=1)}), "none", {}),
    ],
)
def test_what_a_service_cannot_do_is_refused(
    state: DatabaseState, service: str, options: dict[str, str], snapshot: object
) -> None:
    with pytest.raises(Problem) as refused:
        asserted(state, service, **options)
    assert (refused.value.reason, refused.value.remedy) == snapshot
