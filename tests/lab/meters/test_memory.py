"""What a process tree holds, on real processes: each page once, whoever maps it, and also what nobody maps."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from fairtrial.lab.meters.memory import memory_of, process_sizes
from fairtrial.record.processes import MemoryKind, joint_kind
from tests.machine.needs import needs

MIB = 1 << 20
TAKE = """
import mmap, os, sys, time
def fill(memory):
    for at in range(0, len(memory), 4096):
        memory[at] = 1
    return memory
"""
SAY = "\nprint('ready', flush=True)\ntime.sleep(60)"


@contextmanager
def running(program: str) -> Iterator[list[int]]:
    """The processes of a Python program that has done what it says and waits."""
    command = [sys.executable, "-c", TAKE + program + SAY]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        yield [process.pid, *(child.pid for child in psutil.Process(process.pid).children(recursive=True))]
    finally:
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def bare_bytes() -> int:
    """What Python itself holds."""
    with running("") as pids:
        return memory_of(pids).total_bytes


@pytest.mark.parametrize(
    ("program", "mib"),
    [
        # A server that forks its workers after it has loaded all: 1,200 MiB by resident size.
        ("b = fill(bytearray(300 << 20))\nfor _ in range(3):\n  if os.fork() == 0: time.sleep(60)", 300),
        ("m = os.memfd_create('m')\nos.truncate(m, 200 << 20)\nfill(mmap.mmap(m, 200 << 20)).close()", 200),
        ("m = os.memfd_create('m')\nos.truncate(m, 200 << 20)\nb = fill(mmap.mmap(m, 200 << 20))", 200),
        # Half of it is mapped.
        (
            "m = os.memfd_create('m')\nos.truncate(m, 200 << 20)\nfill(mmap.mmap(m, 200 << 20)).close()\n"
            "b = fill(mmap.mmap(m, 100 << 20))",
            200,
        ),
        (
            "m = os.memfd_create('m')\nos.truncate(m, 200 << 20)\nb = fill(mmap.mmap(m, 200 << 20))\n"
            "for _ in range(3):\n  if os.fork() == 0: fill(b); time.sleep(60)",
            200,
        ),
        ("b = fill(mmap.mmap(-1, 200 << 20))", 200),
        ("m = os.open('/dev/shm', os.O_TMPFILE | os.O_RDWR)\nos.write(m, b'x' * (200 << 20))", 200),
    ],
    ids=["forked", "not mapped", "mapped", "half mapped", "mapped by four", "no descriptor", "deleted on a tmpfs"],
)
def test_each_page_counts_once_mapped_or_not(program: str, mib: int, bare_bytes: int) -> None:
    with running(program) as pids:
        reading = memory_of(pids)
    # An interpreter's own pages are shared with all that run beside the test, and with none once these have ended.
    process_bytes = max(bare_bytes, 16 * MIB)
    assert mib * MIB < reading.total_bytes < (mib + 16) * MIB + len(pids) * process_bytes
    assert reading.kind is MemoryKind.PROPORTIONAL


@needs("root")
def test_what_is_no_longer_in_the_page_tables_is_held_all_the_same(bare_bytes: int) -> None:
    """Nobody has a descriptor of it any more, and the kernel counts nothing of it as resident."""
    with running("b = fill(mmap.mmap(-1, 200 << 20))\nb.madvise(mmap.MADV_DONTNEED)") as pids:
        assert 200 * MIB < memory_of(pids).total_bytes < 216 * MIB + bare_bytes


def test_a_segment_of_system_v_counts_to_who_made_it(bare_bytes: int) -> None:
    program = """
import ctypes
c = ctypes.CDLL(None, use_errno=True)
c.shmat.restype = ctypes.c_void_p
segment = c.shmget(0, 64 << 20, 0o1600)
at = c.shmat(segment, None, 0)
ctypes.memset(at, 1, 64 << 20)
c.shmdt(ctypes.c_void_p(at))
print(segment, flush=True)
"""
    command = [sys.executable, "-c", TAKE + program + "time.sleep(60)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        segment = int(process.stdout.readline())
        try:
            held = memory_of([process.pid]).total_bytes
            assert 64 * MIB < held < 80 * MIB + bare_bytes
        finally:
            process.kill()
            subprocess.run(["ipcrm", "-m", str(segment)], check=True)


def test_a_file_that_is_only_read_does_not_count(tmp_path: Path, bare_bytes: int) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"x" * (100 << 20))
    with running(f"f = open({str(file)!r}, 'rb')\nwhile f.read(1 << 20): pass") as pids:
        assert memory_of(pids).total_bytes < bare_bytes + 16 * MIB


def test_who_has_ended_holds_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
        assert memory_of([process.pid]).total_bytes == 0


def test_processes_that_may_not_be_looked_at_count_as_they_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> str:
        raise PermissionError

    monkeypatch.setattr("fairtrial.lab.meters.memory._mapped_memory_files", denied)
    reading = memory_of([os.getpid()])
    assert reading.kind is MemoryKind.RESIDENT
    assert reading.total_bytes == pytest.approx(process_sizes(os.getpid()).resident, rel=0.2)
    assert joint_kind([MemoryKind.PROPORTIONAL, reading.kind]) is MemoryKind.RESIDENT
