"""What makes a cluster unfit, what is remarked on, and what is neither."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.cluster.facts import Facts
from fairtrial.cluster.settings import SETTINGS
from fairtrial.tools.cluster.diagnose import diagnose_cluster
from fairtrial.tools.cluster.examine import ExaminedHost, Link
from fairtrial.tools.doctor.model import Diagnosis

WANTED = {each.key: each.value for each in SETTINGS}
HERE = Facts(
    host="here",
    boot_id="here",
    network="net:[1]",
    architecture="x86_64",
    kernel="Linux 6.18",
    cpus=[0, 1],
    python="3.11.7",
    versions={"fairtrial": "0.1.0", "dask": "2026.8.0", "distributed": "2026.8.0"},
    lab_sha256="a" * 64,
    engine_sha256="b" * 64,
    settings=WANTED,
)


def a_host(name: str, *roles: str) -> ExaminedHost:
    """A host at which there is nothing to remark."""
    return ExaminedHost(
        address=f"tls://{name}:1",
        roles=roles,
        resources=roles,
        nanny=False,
        facts=replace(HERE, host=name, boot_id=name),
        clock=ClockOffset(ahead_seconds=0.0002, error_seconds=0.001),
        idle_share=0.0003,
    )


SERVER, LOAD = a_host("s", "server"), a_host("a", "load")


def faults(
    *hosts: ExaminedHost,
    scheduler: Facts = HERE,
    links: Sequence[Link] = (),
    unknown: Mapping[str, Facts] | None = None,
    encrypted: bool = True,
) -> list[Diagnosis]:
    found = diagnose_cluster(HERE, scheduler, hosts, links, unknown=unknown or {}, encrypted=encrypted)
    return [each for each in found if each.health != "good"]


def the_fault(*hosts: ExaminedHost, **others: object) -> Diagnosis:
    (fault,) = faults(*hosts, **others)  # type: ignore[arg-type]
    assert fault.remedy
    return fault


def unfit(fault: Diagnosis) -> bool:
    return fault.health == "missing" and fault.essential


def test_a_fit_cluster_has_no_fault() -> None:
    link = Link(LOAD, SERVER, 0.0001, 1e9)
    assert faults(SERVER, LOAD, links=[link]) == []
    assert faults(SERVER, LOAD, a_host("b", "load"), a_host("d", "service"), a_host("n", "balancer")) == []


@pytest.mark.parametrize(("left", "role"), [(SERVER, "load"), (LOAD, "server")])
def test_without_a_server_or_load_it_is_unfit(left: ExaminedHost, role: str) -> None:
    fault = the_fault(left)
    assert unfit(fault) and fault.subject == f"role {role}" and f"--resources {role}=1" in fault.remedy


def test_without_any_worker_it_is_unfit() -> None:
    assert [fault.subject for fault in faults()] == ["role server", "role load"]


def test_a_misspelt_role_is_named() -> None:
    misspelt = replace(a_host("x"), resources=("sever",))
    fault = the_fault(SERVER, LOAD, misspelt)
    assert fault.health == "poor" and "did you mean server?" in fault.observation


def test_a_worker_without_a_role_is_named() -> None:
    assert "no role" in the_fault(SERVER, LOAD, a_host("x")).observation


def test_load_and_server_on_one_machine_are_remarked_on_and_load_and_service_are_not() -> None:
    beside = replace(LOAD, facts=replace(LOAD.facts, boot_id="s"))
    fault = the_fault(SERVER, beside)
    assert fault.subject == "machines" and not unfit(fault)
    service = a_host("d", "service")
    assert faults(SERVER, LOAD, replace(service, facts=replace(service.facts, boot_id="a"))) == []


@pytest.mark.parametrize(
    "other",
    [
        replace(HERE, python="3.12.7"),
        replace(HERE, lab_sha256="c" * 64),
        replace(HERE, engine_sha256="c" * 64),
        replace(HERE, lab_sha256=None),
        replace(HERE, architecture="aarch64"),
        replace(HERE, versions={**HERE.versions, "distributed": "2026.7.1"}),
        replace(HERE, versions={**HERE.versions, "fairtrial": None}),
    ],
)
def test_a_host_or_scheduler_with_other_versions_is_unfit(other: Facts, snapshot: object) -> None:
    fault = the_fault(SERVER, replace(LOAD, facts=replace(other, boot_id="a")))
    assert unfit(fault) and fault.subject == LOAD.address and fault.observation == snapshot
    assert the_fault(SERVER, LOAD, scheduler=other).subject == "the scheduler"


@pytest.mark.parametrize(("version", "words"), [("0.0.9", "fairtrial 0.0.9, here 0.1.0"), (None, "is not installed")])
def test_a_worker_with_another_fairtrial_is_unfit_and_nothing_else_is_said_of_it(
    version: str | None, words: str
) -> None:
    fault = the_fault(SERVER, LOAD, unknown={"tls://x:1": Facts({"fairtrial": version})})
    assert unfit(fault) and fault.subject == "tls://x:1" and words in fault.observation


def test_another_patch_release_or_kernel_is_no_fault() -> None:
    patched = replace(LOAD.facts, python="3.11.12", kernel="Linux 6.12", cpus=list(range(64)))
    assert faults(SERVER, replace(LOAD, facts=patched)) == []


@pytest.mark.parametrize(
    ("key", "value"), [("allowed-failures", 3), ("work-stealing", True), ("active-memory-manager.start", True)]
)
def test_a_scheduler_that_may_do_something_twice_is_unfit(key: str, value: object) -> None:
    lax = replace(HERE, settings={**WANTED, f"distributed.scheduler.{key}": value})
    fault = the_fault(SERVER, LOAD, scheduler=lax)
    assert unfit(fault) and key in fault.observation


def test_a_nanny_is_remarked_on() -> None:
    assert "--no-nanny" in the_fault(SERVER, replace(LOAD, nanny=True)).remedy


def test_a_loud_worker_is_remarked_on_with_the_settings_that_make_it_loud() -> None:
    key = "distributed.worker.profile.enabled"
    loud = replace(LOAD, idle_share=0.0646, facts=replace(LOAD.facts, settings={**WANTED, key: True}))
    fault = the_fault(SERVER, loud)
    assert fault.health == "poor" and "6.46%" in fault.observation and key in fault.observation
    assert faults(SERVER, replace(loud, idle_share=0.001)) == []


def test_a_worker_that_is_loud_for_another_reason_is_not_told_to_change_settings() -> None:
    fault = the_fault(SERVER, replace(LOAD, idle_share=0.01))
    assert "Set otherwise" not in fault.observation and "settings" not in fault.remedy


@pytest.mark.parametrize("ahead", [-0.2, 0.2])
def test_a_clock_that_ntp_would_step_is_remarked_on_where_it_is_sure(ahead: float) -> None:
    assert "clock" in the_fault(SERVER, replace(LOAD, clock=ClockOffset(ahead, 0.05))).observation
    assert faults(SERVER, replace(LOAD, clock=ClockOffset(ahead, 0.08))) == []


def test_a_link_that_does_not_come_about_makes_it_unfit() -> None:
    fault = the_fault(SERVER, LOAD, links=[Link(LOAD, SERVER, None, None, "timed out")])
    assert unfit(fault) and "timed out" in fault.observation


def test_no_encryption_is_remarked_on() -> None:
    fault = the_fault(SERVER, LOAD, encrypted=False)
    assert fault.subject == "encryption" and not unfit(fault)
