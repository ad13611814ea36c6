"""What a cluster takes of its hosts' processors while a load is measured.

    .venv/bin/python -m benches.cluster_quiet      # some two minutes; prints a table

A scheduler and one worker for each role run on this machine, and a run of one trial on them. From the begin to the end
of its window, less a margin at both ends, the processor time of each process is read (schedstat, in nanoseconds). Run
nothing else meanwhile.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from tests.cluster.clusters import Processes, running

EXPERIMENT = """
name = "quiet"
title = "A load that leaves processors alone"
workload = "random-item"
service = "postgresql"
stacks = ["{stack}"]
blocks = 1
[dataset]
rows = 20_000
[load]
kind = "open"
rate_per_second = {rate}
connections = 16
warmup_seconds = 2.0
duration_seconds = {seconds}
"""
ROLES = ("server=1", "load=1", "service=1")
MARGIN_SECONDS = 5.0
"""At both ends: the warm-up, and meters that are opened and closed."""
STARTED_WITHIN_SECONDS = 600.0
LOOK_EVERY_SECONDS = 0.1


def main() -> None:
    """Run it, and print what each process took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the window (default: 60)")
    parser.add_argument("--rate", type=int, default=200, help="requests a second (default: 200)")
    parser.add_argument("--stack", default="go-nethttp", help="the stack that is tried (default: go-nethttp)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cluster = Processes(folder / "cluster", environment={"FAIRTRIAL_LOCKS": str(folder)})
        cluster.folder.mkdir()
        file = folder / "quiet.toml"
        file.write_text(EXPERIMENT.format(stack=options.stack, rate=options.rate, seconds=options.seconds))
        with running(cluster):
            cluster.start_scheduler()
            workers = {role.partition("=")[0]: cluster.start_worker(role) for role in ROLES}
            cluster.wait_for_workers(len(ROLES))
            command = [sys.executable, "-m", "fairtrial", "run", str(file), "--out", name, "--cluster", cluster.address]
            with subprocess.Popen(
                command,
                env={**os.environ, "FAIRTRIAL_LOCKS": name},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as run:
                await_long_engine(run)
                processes = {
                    "Dask's scheduler": cluster.scheduler.pid,
                    **{f"Dask's worker, {role}": worker.pid for role, worker in workers.items()},
                    **dict(labs_below({role: worker.pid for role, worker in workers.items()})),
                    "`fairtrial run` itself": run.pid,
                }
                before = {what: processor_seconds(pid) for what, pid in processes.items()}
                began = time.monotonic()
                time.sleep(options.seconds - 2 * MARGIN_SECONDS)
                seconds = time.monotonic() - began
                after = {what: processor_seconds(pid) for what, pid in processes.items()}
                if run.wait(STARTED_WITHIN_SECONDS):
                    raise SystemExit(f"the run ended with status {run.returncode}")
    print("| process | of one processor, in the window |\n| --- | --- |")
    for what in processes:
        print(f"| {what} | {(after[what] - before[what]) / seconds:.3%} |")


def await_long_engine(run: "subprocess.Popen[bytes]") -> None:
    """Wait until an engine of this run has been at work for longer than calibrations take."""
    until = time.monotonic() + STARTED_WITHIN_SECONDS
    while time.monotonic() < until and run.poll() is None:
        for process in psutil.process_iter(["cmdline", "create_time"]):
            words = process.info["cmdline"] or []
            age_seconds = time.time() - process.info["create_time"]
            if "run" in words and words[0].endswith("fairtrial-engine") and age_seconds > 2.0 + MARGIN_SECONDS:
                return
        time.sleep(LOOK_EVERY_SECONDS)
    raise SystemExit("no load began")


def labs_below(workers: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """What each lab is for that these workers run, and its process."""
    for role, pid in workers.items():
        for child in psutil.Process(pid).children():
            with suppress(psutil.Error):
                if child.cmdline()[-1] == "lab":
                    yield f"the lab beside {'services' if role == 'service' else 'the stack'}", child.pid


def processor_seconds(pid: int) -> float:
    """What the living threads of a process have used: the first number of their schedstat, in nanoseconds."""
    total = 0
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with suppress(OSError):
            total += int(file.read_text().split()[0])
    return total / 1e9


if __name__ == "__main__":
    main()
