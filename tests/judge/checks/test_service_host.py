"""A host of services: the checks of machines look at it as at the server's, and say which of the two they mean."""

from collections.abc import Sequence
from typing import Any

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.record.machine import ProcessorUse
from fairtrial.record.model import LaneHost, LaneRecord, ServerMeter
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def lane_host(role: str, machine: str, cpus: Sequence[int]) -> LaneHost:
    return LaneHost(worker=f"tcp://{role}:1", name=role, machine=machine, roles=[role], cpus=list(cpus))


def findings(check: str, *, same_machine: bool = False, service_seconds: float = 0.0, **changes: Any) -> list[Finding]:
    """In a trial whose services were on processors 0 and 1 of a host of their own, with these changes of its meter."""
    record = an_experiment("a", "b").record()
    machine = "one" if same_machine else "three"
    hosts = [lane_host("server", "one", [0, 1]), lane_host("load", "two", [0]), lane_host("service", machine, [0, 1])]
    lane = LaneRecord(number=1, hosts=hosts, host=record.host, placement=record.placement)
    there = a_trial().on_machine(**changes).record().machine
    trial = a_trial().on_machine().record().model_copy(update={"lane": 1})
    if same_machine:  # which the server's meter sees
        trial.machine = there
    else:
        trial.service_machine = there
    trial.service = ServerMeter(
        window_seconds=3.0, cpu_user_seconds=service_seconds, cpu_system_seconds=0.0, peak_rss_bytes=1, processes=1
    )
    return found(check, record.model_copy(update={"lanes": [lane]}), [trial])


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


def test_services_of_the_servers_machine_are_nobody_else() -> None:
    """Another lab runs them, so that they are not below the one that meters: what they used is known all the same."""
    busy = {"processors": used(4.0)["processors"], "own_server_cpu_seconds": 0.0, "own_load_cpu_seconds": 2.0}
    assert severities(findings("foreign-load", same_machine=True, **busy)) == ["refusal"]
    assert findings("foreign-load", same_machine=True, service_seconds=2.0, **busy) == []


@pytest.mark.parametrize(("steal", "expected"), [(0.1, []), (0.2, ["warning"]), (0.8, ["refusal"])])
def test_what_the_hypervisor_takes_there(steal: float, expected: list[str]) -> None:
    there = findings("stolen", **used(2.0, steal))
    assert severities(there) == expected
    assert all("of the service host's processors" in finding.evidence for finding in there)


@pytest.mark.parametrize(
    ("check", "changes", "words"),
    [
        ("swapped", {"swapped_in_pages": 1}, "on the service host, 1 pages were swapped in"),
        ("memory-short", {"memory_available_bytes": 1 << 20}, "on the service host, 1 MiB of the machine"),
        ("pressure", {"pressure_seconds": {"memory": 2.0}}, "on the service host, some task waited for memory"),
        ("throttled", {"thermal_throttles": 2}, "on the service host, processors were throttled for heat 2 times"),
        (
            "throttled",
            {"quota_throttled_periods": 3, "quota_throttled_seconds": 1.0},
            "on the service host, the processor quota of the lab's control group ran out",
        ),
        ("meters-late", {"window_seconds": 1.0}, "of the service host was measured over 1.00 s"),
    ],
)
def test_what_its_machine_did(check: str, changes: dict[str, Any], words: str) -> None:
    (finding,) = findings(check, **changes)
    assert words in finding.evidence
    assert findings(check) == []
