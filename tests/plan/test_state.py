"""The state of a workload, held against the services of an experiment."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.workloads.state import DatabaseState
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.workload_file.state import AuditEntry, Reset
from fairtrial.plan.state import assert_state

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
    ("state", "service", "options", "reason"),
    [
        (DatabaseState(data={"sqlit": SCHEMA}), "sqlite", {}, "there is no service 'sqlit' .did you mean sqlite"),
        (DatabaseState(data={"memcached": SCHEMA}), "sqlite", {}, "memcached cannot be loaded from files"),
        (DatabaseState(data={"sqlite": SCHEMA}), "postgresql", {}, "holds nothing for postgresql"),
        (DatabaseState(data={"postgresql": SCHEMA}), "postgresql", {"url_from": "X"}, "a server of your own"),
        (DatabaseState(reset=Reset(sql="x")), "redis", {}, "reset: Redis takes no SQL"),
        (DatabaseState(audits={"a": AuditEntry(sql="x", equals=1)}), "none", {}, "audit.a: no database takes no SQL"),
    ],
)
def test_what_a_service_cannot_do_is_refused(
    state: DatabaseState, service: str, options: dict[str, str], reason: str
) -> None:
    with pytest.raises(Problem, match=f"orders.workload.toml: .*{reason}") as refused:
        asserted(state, service, **options)
    assert refused.value.remedy or "did you mean" in reason
    assert "url_from" not in options or "`url_from`" in refused.value.remedy
