"""The meter of a process tree, on real processes: short ones, and ones that end before it is read."""

import sys
import tempfile
from pathlib import Path

from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import threads_below
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.model import ServerMeter

BURN = "import time\nwhile time.process_time() < 0.3: pass"
MIB = 1 << 20


def metered(program: str, engine: Path) -> ServerMeter:
    """What the meter tells of a Python program that has ended."""
    assert engine
    command = [sys.executable, "-c", program]
    with (
        tempfile.TemporaryFile() as output,
        Guarded(command, folder=Path("/"), environment={}, output=output) as process,
    ):
        meter = TreeMeter(process.pid, every_seconds=0.05, since_start=True)
        meter.open()
        assert process.ends_within(60)
        assert process.ends_within(0), "an end is no news that is told once"
        used = meter.close()
        assert process.status() == 0
        assert process.ends_within(0)
        return used


def test_the_processor_time_of_a_program_that_ended_is_known(engine: Path) -> None:
    assert 0.29 <= metered(BURN, engine).cpu_seconds < 3


def test_so_is_that_of_its_children(engine: Path) -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}], check=True)"
    assert 0.29 <= metered(child, engine).cpu_seconds < 3


def test_so_is_that_of_a_child_that_outlives_its_parent(engine: Path) -> None:
    """Nobody but the guard waits for it; the program goes on until the pipe says that it ended."""
    parent = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}])"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {parent!r}], stdout=subprocess.PIPE)"
    assert metered(program, engine).cpu_seconds >= 0.29


def test_memory_that_was_given_back_is_in_the_peak(engine: Path) -> None:
    """Taken and given back at once: no sample need fall into it, and the kernel has kept the mark."""
    taken = "b = bytearray(96 * 1024 * 1024)\ndel b\nimport time\ntime.sleep(0.3)"
    assert metered(taken, engine).peak_rss_bytes > 96 * MIB


def test_a_program_that_ends_at_once_gives_no_wrong_figure(engine: Path) -> None:
    used = metered("", engine)
    assert used.peak_rss_bytes < 64 * MIB
    assert used.processes == 0


def test_threads_are_counted(engine: Path) -> None:
    assert engine
    program = "import threading, time\nfor _ in range(20): threading.Thread(target=time.sleep, args=(60,)).start()"
    with (
        tempfile.TemporaryFile() as output,
        Guarded([sys.executable, "-c", program], folder=Path("/"), environment={}, output=output) as process,
    ):
        seen = 0
        for _ in range(600):
            seen = threads_below(process.pid)
            if seen >= 21 or process.ends_within(0.05):
                break
        assert seen == 21
