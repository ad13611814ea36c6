"""Threads that leave their processors are seen, also where the first thread of their process stays."""

import os
import sys
import tempfile
from pathlib import Path

from fairtrial.engine.guard import Guarded
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.processes import StrayThreads
from tests.machine.needs import needs

CPUS = sorted(os.sched_getaffinity(0))
SERVES = """
import os, subprocess, sys, threading, time
def serve(cpus):
    os.sched_setaffinity(threading.get_native_id(), cpus)
    print("moved", flush=True)
    time.sleep(60)
threading.Thread(target=serve, args=({cpus},), daemon=True).start()
time.sleep(60)
"""


def looked_at(cpus: set[int], own: set[int], engine: Path) -> StrayThreads:
    """What is seen of a program bound to `own`, one thread of which binds itself to `cpus`, in a process of a shell."""
    assert engine
    command = ["sh", "-c", '"$0" -c "$1" & wait', sys.executable, SERVES.format(cpus=cpus)]
    stray_threads = StrayThreadWatch(own)
    with (
        tempfile.NamedTemporaryFile() as output,
        open(output.name, "wb") as writing,
        Guarded(command, folder=Path("/"), environment={}, output=writing, cpus=sorted(own)) as process,
    ):
        while not output.read():
            assert not process.ends_within(0.01)
        TreeMeter(process.pid, stray_threads=stray_threads).sample_memory()
    return stray_threads.result()


@needs("two-processors")
def test_a_thread_that_moves_away_is_seen_and_its_program_named(engine: Path) -> None:
    first, second = CPUS[:2]
    stray_threads = looked_at({second}, {first}, engine)
    assert (stray_threads.looks, stray_threads.looks_outside, stray_threads.threads, stray_threads.cpus) == (
        1,
        1,
        1,
        [second],
    )
    assert stray_threads.programs[0].startswith("python")


def test_a_thread_that_is_pinned_to_one_of_its_own_processors_is_not(engine: Path) -> None:
    stray_threads = looked_at({CPUS[-1]}, set(CPUS), engine)
    assert (stray_threads.looks, stray_threads.looks_outside, stray_threads.cpus) == (1, 0, [])
