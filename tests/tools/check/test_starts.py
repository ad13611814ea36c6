"""Which workloads `fairtrial check` tries on one start of a server, and which starts share a service."""

from pathlib import Path

import pytest

from fairtrial.experiment.reference import StackRef
from fairtrial.plan.plan import Plan
from fairtrial.tools.check.attempt import ContractAttempt
from fairtrial.tools.check.starts import (
    Start,
    Subject,
    environment_of,
    groups_to_start,
    on_one_service,
    plan_for,
    with_tables_of_all,
)
from tests.plan.plans import a_stack

EVERY_WORKLOAD = [
    "plaintext",
    "fan-out",
    "random-item",
    "query-mix",
    "similar-items",
    "matching-mix",
    "transaction-mix",
    "survey-insert",
    "page",
]
EVERY_JOB = ["query-batch", "transaction-batch"]


def plans(*pairs: tuple[str, str]) -> list[Plan]:
    """Plans for pairs of workload and service."""
    stacks = {
        "server": a_stack("server", workloads=EVERY_WORKLOAD, services=["none", "postgresql", "mariadb"]),
        "program": a_stack("program", kind="program", workloads=EVERY_JOB, services=["postgresql"]),
    }
    return [
        plan_for(Subject(stacks[kind], StackRef(name=kind)), workload, service)
        for workload, service in pairs
        for kind in ["program" if workload in EVERY_JOB else "server"]
    ]


def starts(*pairs: tuple[str, str]) -> list[Start]:
    """A start for each pair of workload and service."""
    subject = Subject(a_stack("server", workloads=EVERY_WORKLOAD), StackRef(name="server"))
    return [Start(subject, ContractAttempt("server", "stack server"), Path(), Path(), [plan]) for plan in plans(*pairs)]


def sharing(*pairs: tuple[str, str]) -> list[list[str]]:
    """The workloads of the starts that share a service."""
    return [[start.plans[0].workload.name for start in group] for group in on_one_service(starts(*pairs))]


def grouped(*pairs: tuple[str, str]) -> list[list[str]]:
    return [[plan.workload.name for plan in group] for group in groups_to_start(plans(*pairs))]


@pytest.mark.usefixtures("engine")
def test_workloads_that_only_read_share_a_start() -> None:
    assert grouped(("random-item", "postgresql"), ("query-mix", "postgresql")) == [["random-item", "query-mix"]]


@pytest.mark.usefixtures("engine")
def test_the_one_that_needs_a_cache_or_an_upstream_comes_first() -> None:
    assert grouped(("random-item", "mariadb"), ("page", "mariadb")) == [["page", "random-item"]]
    assert grouped(("plaintext", "none"), ("fan-out", "none")) == [["fan-out", "plaintext"]]


@pytest.mark.usefixtures("engine")
def test_one_that_writes_comes_last() -> None:
    assert grouped(("transaction-mix", "postgresql"), ("random-item", "postgresql")) == [
        ["random-item", "transaction-mix"]
    ]
    assert grouped(("survey-insert", "mariadb"), ("query-mix", "mariadb"), ("page", "mariadb")) == [
        ["page", "query-mix", "survey-insert"]
    ]


@pytest.mark.usefixtures("engine")
def test_the_stack_gets_the_variables_of_all_its_workloads() -> None:
    (group,) = groups_to_start(plans(("survey-insert", "postgresql"), ("random-item", "postgresql")))
    assert environment_of(group) == {"BATCH_SIZE": "8"}


@pytest.mark.usefixtures("engine")
def test_matches_are_tried_on_the_articles_of_the_others() -> None:
    assert grouped(("matching-mix", "postgresql"), ("similar-items", "postgresql")) == [
        ["matching-mix", "similar-items"]
    ]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "pairs",
    [
        (("random-item", "postgresql"), ("random-item", "mariadb")),
        (("survey-insert", "mariadb"), ("transaction-mix", "mariadb")),
        (("query-batch", "postgresql"), ("transaction-batch", "postgresql")),
    ],
    ids=["services", "two that write", "programs"],
)
def test_these_do_not(pairs: tuple[tuple[str, str], ...]) -> None:
    assert sorted(grouped(*pairs)) == sorted([workload] for workload, _ in pairs)


@pytest.mark.usefixtures("engine")
def test_the_service_of_a_group_holds_the_tables_of_all() -> None:
    (group,) = groups_to_start(plans(("query-mix", "postgresql"), ("random-item", "postgresql")))
    (alone,) = plans(("random-item", "postgresql"))
    assert group[0].workload.name == "query-mix"
    names = [table.name for table in with_tables_of_all(group).conditions[0].point.data.tables]
    assert names == [table.name for table in alone.points[0].data.tables]
    assert names


@pytest.mark.usefixtures("engine")
def test_starts_on_one_service_share_it_and_those_that_write_come_last() -> None:
    pairs = [("transaction-mix", "postgresql"), ("random-item", "postgresql"), ("query-mix", "postgresql")]
    assert sharing(*pairs) == [["random-item", "query-mix", "transaction-mix"]]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "pairs",
    [
        (("random-item", "postgresql"), ("random-item", "mariadb")),
        (("random-item", "postgresql"), ("page", "postgresql")),
    ],
    ids=["services", "a cache beside it"],
)
def test_starts_on_other_services_do_not(pairs: tuple[tuple[str, str], ...]) -> None:
    assert sharing(*pairs) == [[workload] for workload, _ in pairs]
