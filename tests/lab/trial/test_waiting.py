"""Where the load engine may wait awake, and who keeps it from that."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairtrial.experiment.model import Experiment
from fairtrial.lab.trial.waiting import shared_with, wait_of, why_asleep
from fairtrial.record.placement import Placement
from tests.plan.plans import planned

APART = Placement(load_cpus=[2, 3], server_cpus=[0, 1], disjoint=True)


def siblings(root: Path, *cores: str) -> None:
    """A machine on which these processors, as the kernel lists them, are the core of processor 0, 1, 2 and 3."""
    for cpu, core in enumerate(cores):
        topology = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(f"{core}\n")


def quota(root: Path, text: str) -> None:
    """A control group with this quota of processor time."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text("0::/lab\n")
    (root / "sys/fs/cgroup/lab").mkdir(parents=True)
    (root / "sys/fs/cgroup/lab/cpu.max").write_text(f"{text}\n")


@pytest.mark.parametrize(
    ("prepare", "threads", "placement"),
    [
        (lambda _root: None, 2, APART),
        (lambda _root: None, 3, APART),
        (lambda _root: None, 1, APART.shared()),
        (lambda root: siblings(root, "0-1", "0-1", "2-3", "2-3"), 2, APART),
        (lambda root: siblings(root, "0,2", "1,3", "0,2", "1,3"), 1, APART),
        (lambda root: quota(root, "max 100000"), 2, APART),
        (lambda root: quota(root, "400000 100000"), 2, APART),
        (lambda root: quota(root, "350000 100000"), 2, APART),
    ],
)
def test_with_whom_it_shares(
    tmp_path: Path, prepare: Callable[[Path], None], threads: int, placement: Placement, snapshot: object
) -> None:
    prepare(tmp_path)
    assert shared_with(placement, threads, tmp_path) == snapshot


def why(**more: Any) -> str:
    """Of the first condition of a plan, on two processors of their own each."""
    return why_asleep(planned(**more).conditions[0], APART)


def test_proxies_are_on_its_processors() -> None:
    away = {"service": "postgresql", "services": {"postgresql": {"latency": "1 ms"}}}
    assert why(**away) == "proxies share its processors"
    assert why(service="postgresql") != "proxies share its processors"


def test_more_threads_than_processors_share_one() -> None:
    threads = {"load": {"kind": "closed", "connections": 8, "threads": 8}}
    assert why(**threads) == "its threads share a processor"


def test_an_experiment_may_say_otherwise() -> None:
    assert why(wait="sleep") == "the experiment asks for it"
    away = {"service": "postgresql", "services": {"postgresql": {"latency": "1 ms"}}, "wait": "awake"}
    assert why(**away) == ""
    assert [wait_of(planned(wait=wait).conditions[0], APART) for wait in ("sleep", "awake")] == ["sleep", "awake"]


def test_a_value_of_a_sweep_may_share_the_processors() -> None:
    plan = planned(sweep={"parameter": "placement", "values": ["disjoint", "shared"]})
    reasons = {condition.recorded.at: why_asleep(condition, APART) for condition in plan.conditions}
    assert reasons["shared"] == "the server shares its processors" != reasons["disjoint"]


def test_awake_it_would_leave_a_shared_processor_to_nobody() -> None:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["a"], "load": {"kind": "closed"}}
    with pytest.raises(ValueError, match="wait: awake"):
        Experiment.model_validate(file | {"placement": "shared", "wait": "awake"})
