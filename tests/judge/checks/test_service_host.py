"""A host of services: the checks of machines look at it as at the server's, and say which of the two they mean."""

from collections.abc import Sequence
from typing import Any

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.record.lanes import LaneHost, LaneRecord
from fairtrial.record.machine import ProcessorUse
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def lane_host(role: str, machine: str, cpus: Sequence[int]) -> LaneHost:
    return LaneHost(worker=f"tcp://{role}:1", name=role, machine=machine, roles=[role], cpus=list(cpus))


def findings(
    check: str,
    *,
    machine: str = "three",
    cpus: Sequence[int] = (0, 1),
    roles: Sequence[str] = ("service",),
    **there: Any,
) -> list[Finding]:
    """In a trial whose services, or balancer, were on these processors of a machine, with these changes of its meter.

    The server's is machine "one", whose processor 0 it has.
    """
    record = an_experiment("a", "b").record()
    apart = LaneHost(worker="tcp://apart:1", name="apart", machine=machine, roles=list(roles), cpus=list(cpus))
    hosts = [lane_host("server", "one", [0, 1]), lane_host("load", "two", [0]), apart]
    lane = LaneRecord(number=1, hosts=hosts, host=record.host, placement=record.placement)
    metered = a_trial().on_machine(**there).record().machine
    assert metered is not None
    trial = a_trial().on_machine().record().model_copy(update={"lane": 1})
    if machine == "one":  # its meter sees the same machine
        trial.machine = metered.model_copy(update={"own_server_cpu_seconds": 0.0, "own_load_cpu_seconds": 1.0})
    if "service" in roles:
        trial.service_machine = metered
    if "balancer" in roles:
        trial.balancer_machine = metered
    return found(check, record.model_copy(update={"lanes": [lane]}), [trial])


def processors(*busy_seconds: float) -> list[ProcessorUse]:
    return [
        ProcessorUse(cpu=cpu, busy_seconds=busy, interrupt_seconds=0.0, steal_seconds=0.0)
        for cpu, busy in enumerate(busy_seconds)
    ]


def used(busy: float, steal: float = 0.0) -> dict[str, Any]:
    """Of two processors, in a window of 3 s; 2 s of it by the services."""
    cpus = [ProcessorUse(cpu=cpu, busy_seconds=busy / 2, interrupt_seconds=0, steal_seconds=steal) for cpu in (0, 1)]
    return {"processors": cpus, "own_server_cpu_seconds": 2.0, "own_load_cpu_seconds": 0.0}


@pytest.mark.parametrize(("busy", "expected"), [(2.5, []), (2.7, ["warning"]), (3.4, ["warning"]), (3.6, ["refusal"])])
def test_what_others_use_beside_services(busy: float, expected: list[str]) -> None:
    """The figure is that of the services as well: a quarter of their processors refuses it."""
    there = findings("foreign-load", **used(busy))
    assert severities(there) == expected
    assert all("of the service host's processors" in finding.evidence for finding in there)


@pytest.mark.parametrize(("own", "expected"), [(2.0, []), (1.4, ["warning"]), (1.0, ["refusal"])])
def test_on_processors_of_the_server_its_labs_are_nobody_else(own: float, expected: list[str]) -> None:
    """Two seconds of three were used on the server's processor, and so much of it by the lab that runs the services."""
    there = {**used(4.0), "own_server_cpu_seconds": own, "processors": processors(2.0, 1.0)}
    assert severities(findings("foreign-load", machine="one", cpus=[0], **there)) == expected


@pytest.mark.parametrize(("busy", "expected"), [(2.0, []), (2.4, ["warning"]), (2.8, ["refusal"])])
def test_on_other_processors_of_its_machine_it_is_looked_at_by_itself(busy: float, expected: list[str]) -> None:
    """Services that use two seconds of processor 2 hide nothing on processor 0."""
    there = {"own_server_cpu_seconds": 2.0, "own_load_cpu_seconds": 0.0, "processors": processors(0.0, 1.0, busy)}
    assert severities(findings("foreign-load", machine="one", cpus=[2], **there)) == expected
    hidden = {**there, "processors": processors(0.8, 1.0, 2.0)}
    assert severities(findings("foreign-load", machine="one", cpus=[2], **hidden)) == ["refusal"]


def test_a_host_of_services_and_balancer_is_one() -> None:
    """One lab runs both: neither is foreign to the other, and its machine is told of once."""
    assert findings("foreign-load", roles=["service", "balancer"], **used(2.0)) == []
    (finding,) = findings("memory-short", roles=["service", "balancer"], memory_available_bytes=1 << 20)
    assert finding.evidence.startswith("on the service host, ")


@pytest.mark.parametrize(("busy", "expected"), [(2.5, []), (2.7, ["warning"]), (3.6, ["refusal"])])
def test_what_others_use_beside_a_balancer(busy: float, expected: list[str]) -> None:
    there = findings("foreign-load", roles=["balancer"], **used(busy))
    assert severities(there) == expected
    assert all("of the balancer host's processors" in finding.evidence for finding in there)


@pytest.mark.parametrize(("steal", "expected"), [(0.1, []), (0.2, ["warning"]), (0.8, ["refusal"])])
def test_what_the_hypervisor_takes_there(steal: float, expected: list[str]) -> None:
    there = findings("stolen", **used(2.0, steal))
    assert severities(there) == expected
    assert all("of the service host's processors" in finding.evidence for finding in there)


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("swapped", {"swapped_in_pages": 1}),
        ("memory-short", {"memory_available_bytes": 1 << 20}),
        ("pressure", {"pressure_seconds": {"memory": 2.0}}),
        ("throttled", {"thermal_throttles": 2}),
        ("throttled", {"quota_throttled_periods": 3, "quota_throttled_seconds": 1.0}),
        ("meters-late", {"window_seconds": 1.0}),
    ],
)
def test_what_its_machine_did(check: str, changes: dict[str, Any], snapshot: object) -> None:
    (finding,) = findings(check, **changes)
    assert finding.evidence == snapshot
    assert findings(check) == []
