"""What counts of a program's tasks: those that waited until they were let go."""

import os
import socket
import threading

import pytest

from fairtrial.catalog.workloads import options_of, pick_workload
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.task_evidence import TaskEvidence


class Meter(TreeMeter):
    """Of this process; says when it is asked."""

    def __init__(self) -> None:
        super().__init__(os.getpid())
        self.asked = threading.Event()

    def sample_memory(self) -> int:
        self.asked.set()
        return 0


@pytest.mark.parametrize(("stays", "tasks"), [(True, 2), (False, 0)])
def test_tasks_that_did_not_wait_are_none(stays: bool, tasks: int) -> None:
    workload = pick_workload("task-creation")
    assert isinstance(workload, ProgramWorkload)
    meter = Meter()
    with TaskEvidence(workload, options_of(workload, {"tasks": 2})) as evidence:
        there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with there:
            there.settimeout(30)
            there.connect(evidence.settings["GATHERING"])
            there.sendall(b"..")
            if stays:
                evidence.watch(os.getpid(), meter)
                assert there.recv(1) == b"\n"
        if not stays:  # the lab looks at a program that is gone
            evidence.watch(os.getpid(), meter)
            assert meter.asked.wait(30)
    assert evidence.counted()["tasks"] == tasks
    assert (evidence.held_seconds > 0) is stays
