"""What is known of a daemon's container: its control group, if it bears the container's id, and never another's."""

import os
from pathlib import Path

import pytest

from fairtrial.engine.container_tree import container_tree

ID = "c0" * 32
PROOF = "FAIRTRIAL_CONTAINER=fairtrial-x"


def a_process(root: Path, cgroup: str, environ: bytes = b"") -> int:
    pid = os.getpid()
    folder = root / "proc" / str(pid)
    folder.mkdir(parents=True)
    (folder / "cgroup").write_text(cgroup)
    (folder / "environ").write_bytes(environ)
    return pid


def test_version_2_counts_processor_time_of_the_group_with_the_id(tmp_path: Path) -> None:
    pid = a_process(tmp_path, f"0::/system.slice/docker-{ID}.scope/init\n")
    group = tmp_path / f"sys/fs/cgroup/system.slice/docker-{ID}.scope"
    (group / "init").mkdir(parents=True)
    (group / "cpu.stat").write_text("usage_usec 3500000\nuser_usec 2000000\nsystem_usec 1500000\n")
    (group / "cgroup.procs").write_text("")
    (group / "init/cgroup.procs").write_text(f"0\n1\n{pid}\n")
    tree = container_tree(pid, ID, PROOF, tmp_path)
    assert tree is not None and tree.cpu_seconds() == (2.0, 1.5)
    assert [each.pid for each in tree.processes()] == [pid]


def test_version_1_counts_it_in_cpuacct(tmp_path: Path) -> None:
    pid = a_process(tmp_path, f"4:cpu,cpuacct:/docker/{ID}\n0::/\n")
    group = tmp_path / f"sys/fs/cgroup/cpuacct/docker/{ID}"
    group.mkdir(parents=True)
    (group / "cpuacct.usage_user").write_text("2000000000")
    (group / "cpuacct.usage_sys").write_text("500000000")
    tree = container_tree(pid, ID, PROOF, tmp_path)
    assert tree is not None and tree.cpu_seconds() == (2.0, 0.5)


@pytest.mark.parametrize("pid", [0, 1, -1])
def test_numbers_below_2_are_no_container(pid: int) -> None:
    assert container_tree(pid, ID, PROOF) is None


def test_a_process_that_proves_nothing_is_another_machines(tmp_path: Path) -> None:
    """Docker in a virtual machine: the number means another process here."""
    pid = a_process(tmp_path, "0::/user.slice\n", environ=b"FAIRTRIAL_CONTAINER=fairtrial-xy\0")
    assert container_tree(pid, ID, PROOF, tmp_path) is None
    (tmp_path / "proc" / str(pid) / "environ").write_bytes(f"A=b\0{PROOF}\0".encode())
    tree = container_tree(pid, ID, PROOF, tmp_path)
    assert tree is not None and (tree.version_2, tree.cpu_accounting) == (None, None)
