"""The kernel's counters of a real process."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from fairtrial.lab.meters.kernel import KernelWatch
from fairtrial.record.profile import KernelCounters

WORKS = """
import mmap, os, sys, time
zero = os.open("/dev/zero", os.O_RDONLY)
print("begun", flush=True)
for line in sys.stdin:
    if line == "work\\n":
        for _ in range(500):
            os.read(zero, 10)
        for _ in range(50):
            time.sleep(0.0001)
        memory = mmap.mmap(-1, 400 * mmap.PAGESIZE)
        for page in range(400):
            memory[page * mmap.PAGESIZE] = 1
    print("done", flush=True)
"""


@pytest.fixture(scope="module")
def worker() -> Iterator["subprocess.Popen[str]"]:
    """A process that works when it is told to; this one stands for the guard above it."""
    command = [sys.executable, "-c", WORKS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        yield process
        process.stdin.close()


def counted(worker: "subprocess.Popen[str]", what: str) -> KernelCounters:
    """What is counted while the worker does this."""
    assert worker.stdin is not None and worker.stdout is not None
    watch = KernelWatch(os.getpid())
    watch.open()
    worker.stdin.write(f"{what}\n")
    worker.stdin.flush()
    assert worker.stdout.readline() == "done\n"
    return watch.close()


def test_what_a_process_did_is_counted(worker: "subprocess.Popen[str]") -> None:
    did = counted(worker, "work")
    assert (did.read_calls or 0) >= 500
    assert (did.voluntary_switches or 0) >= 50
    assert (did.minor_faults or 0) >= 400
    assert did.involuntary_switches is not None and did.waited_seconds is not None and did.major_faults is not None


def test_what_it_did_before_is_not(worker: "subprocess.Popen[str]") -> None:
    did = counted(worker, "rest")
    assert (did.read_calls or 0) < 50
    assert (did.voluntary_switches or 0) < 50
    assert (did.minor_faults or 0) < 400


def test_without_processes_nothing_is_known() -> None:
    watch = KernelWatch()
    watch.open()
    nothing = watch.close()
    assert nothing.read_calls is None and nothing.waited_seconds is None and nothing.cpu_user_seconds == 0.0
