"""Processor time of processes that are alike, on real ones."""

import sys
import tempfile
import time
from pathlib import Path

from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import cpu_seconds_below, processes_below
from fairtrial.lab.meters.tree import TreeMeter

PROGRAM = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
for number in range(3):
    if os.fork() == 0:
        while number < 2: pass
        time.sleep(60)
time.sleep(60)
"""
"""Three workers of which one rests, and a helper that is none of them."""


def until(condition: bool, deadline: float) -> bool:
    """False until the condition holds; a test that waits in vain fails."""
    assert condition or time.monotonic() < deadline
    return condition


def test_workers_are_told_from_their_parent_and_its_helpers(engine: Path) -> None:
    assert engine
    with (
        tempfile.TemporaryFile() as output,
        Guarded([sys.executable, "-c", PROGRAM], folder=Path("/"), environment={}, output=output) as process,
    ):
        deadline = time.monotonic() + 30
        while not until(len(processes_below(process.pid)) == 5, deadline):
            process.ends_within(0.01)
        meter = TreeMeter(process.pid, every_seconds=0.05)
        meter.open()
        before = sum(cpu_seconds_below(process.pid))
        while not until(sum(cpu_seconds_below(process.pid)) >= before + 0.3, deadline):
            process.ends_within(0.02)
        workers = meter.close().workers
    assert workers is not None
    assert (workers.processes, workers.at_work) == (3, 2)
    assert workers.program.startswith("python")
    assert (
        workers.least_cpu_seconds < 0.05 < workers.most_cpu_seconds <= workers.cpu_seconds - workers.least_cpu_seconds
    )


def test_a_program_of_one_process_has_none(engine: Path) -> None:
    assert engine
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    with (
        tempfile.TemporaryFile() as output,
        Guarded(command, folder=Path("/"), environment={}, output=output) as process,
    ):
        meter = TreeMeter(process.pid, every_seconds=0.05)
        meter.open()
        assert meter.close().workers is None
