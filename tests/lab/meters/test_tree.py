"""The meter of a process tree, on real processes: short ones, and ones that end before they are sampled."""

import sys
import tempfile
import time
from pathlib import Path

from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import threads_below
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.processes import ServerMeter
from tests.waiting import wait_for

BURN = "import time\nwhile time.process_time() < 0.3: pass"
MIB = 1 << 20


def metered(program: str, engine: Path) -> ServerMeter:
    """What the meter reports of a Python program that has ended."""
    assert engine
    command = [sys.executable, "-c", program]
    with (
        tempfile.TemporaryFile() as output,
        Guarded(command, folder=Path("/"), environment={}, output=output) as process,
    ):
        meter = TreeMeter(process.pid, every_seconds=0.05, since_start=True)
        meter.open()
        assert process.ends_within(60)
        assert process.ends_within(0), "an end is reported more than once"
        usage = meter.close()
        assert process.status() == 0
        assert process.ends_within(0)
        return usage


def test_the_processor_time_of_a_program_that_ended_is_known(engine: Path) -> None:
    assert 0.29 <= metered(BURN, engine).cpu_seconds < 3


def test_the_processor_time_of_its_children_is_known(engine: Path) -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}], check=True)"
    assert 0.29 <= metered(child, engine).cpu_seconds < 3


def test_the_processor_time_of_a_child_that_outlives_its_parent_is_known(engine: Path) -> None:
    """Only the guard waits for the child. The program runs until the pipe says that the child ended."""
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}])"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {parent!r}], stdout=subprocess.PIPE)"
    assert metered(program, engine).cpu_seconds >= 0.29


def test_memory_that_was_freed_is_in_the_peak(engine: Path) -> None:
    """The memory is freed at once: it may fall between two samples, but the kernel keeps the high-water mark."""
    taken = "b = bytearray(96 * 1024 * 1024)\ndel b\nimport time\ntime.sleep(0.3)"
    assert metered(taken, engine).peak_rss_bytes > 96 * MIB


def test_memory_that_is_mapped_and_never_touched_is_address_space_alone(engine: Path) -> None:
    usage = metered("import mmap, time\nm = mmap.mmap(-1, 2 << 30)\nm.close()\ntime.sleep(0.3)", engine)
    assert usage.peak_virtual_bytes is not None
    assert usage.peak_virtual_bytes > 2048 * MIB
    assert usage.peak_rss_bytes < 64 * MIB


def test_a_program_that_ends_at_once_gives_no_wrong_figure(engine: Path) -> None:
    usage = metered("", engine)
    assert usage.peak_rss_bytes < 64 * MIB
    assert usage.processes == 0


def test_threads_are_counted(engine: Path) -> None:
    assert engine
    program = "import threading, time\nfor _ in range(20): threading.Thread(target=time.sleep, args=(60,)).start()"
    with (
        tempfile.TemporaryFile() as output,
        Guarded([sys.executable, "-c", program], folder=Path("/"), environment={}, output=output) as process,
    ):
        threads = 0
        for _ in range(600):
            threads = threads_below(process.pid)
            if threads >= 21 or process.ends_within(0.05):
                break
        assert threads == 21


def test_a_meter_that_is_closed_late_covers_the_time_until_the_load_ended(engine: Path, tmp_path: Path) -> None:
    """The figure is processor time by window: the time in which nobody asked anything more would dilute it. What began
    in the window counts from its start, though the meter looked through the tree before."""
    assert engine
    gate = tmp_path / "gate"
    child = f"{BURN}\nprint(flush=True)\ntime.sleep(60)"
    parent = f"""
import os, subprocess, sys, time
while not os.path.exists({str(gate)!r}): time.sleep(0.005)
subprocess.run([sys.executable, '-c', {child!r}])
"""
    with (
        tempfile.TemporaryFile() as output,
        Guarded([sys.executable, "-c", parent], folder=Path("/"), environment={}, output=output) as process,
    ):
        meter = TreeMeter(process.pid)
        meter.prepare()
        opened = time.monotonic()
        meter.open()
        gate.touch()
        wait_for(lambda: output.seek(0, 2) > 0, "it has worked")
        ended = time.monotonic()
        wait_for(lambda: time.monotonic() - ended > 2 * (ended - opened), "the meter is late")
        usage = meter.close(time.monotonic() - ended)
        assert usage.window_seconds < 1.5 * (ended - opened)
        assert usage.cpu_seconds >= 0.28
