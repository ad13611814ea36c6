"""Diagnoses of processors, limits and settings of the machine that affect figures."""

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from fairtrial.base.locations import cache_folder
from fairtrial.catalog.services.common.power import why_no_power_cut
from fairtrial.lab.awake import REQUESTS, idle_limit
from fairtrial.lab.placement import local_placement
from fairtrial.record.placement import cores_shared_in_words, topology_in_words
from fairtrial.tools.doctor.model import Diagnosis

ENOUGH_DESCRIPTORS = 4096
ENOUGH_CACHE_BYTES = 4 << 30
"""Built stacks and a dataset of a million rows take about 2 GiB."""

BUSY_LOAD_SHARE = 0.2
GOVERNORS = Path("/sys/devices/system/cpu")
IDLE_STATES = Path("/sys/devices/system/cpu/cpu0/cpuidle")
GIB = 1 << 30


def diagnose_machine() -> Iterator[Diagnosis]:
    """One diagnosis for each property of the machine that affects figures."""
    yield _processors()
    yield _load_average()
    yield _governor()
    yield _idle_processors()
    yield _swap()
    yield _descriptors()
    yield _cache()
    yield _power_cuts()


def _processors() -> Diagnosis:
    placement, cpus = local_placement(), len(os.sched_getaffinity(0))
    if cores_shared_in_words(placement):
        return Diagnosis(
            "processors",
            "poor",
            "; ".join([f"{cpus}", *topology_in_words(placement)]),
            "use a machine with two or more cores: threads of one core slow each other down",
        )
    if placement.disjoint:
        words = "; ".join([f"{cpus}: load and server have separate ones", *topology_in_words(placement)])
        if len(placement.server_nodes) > 1:
            return Diagnosis(
                "processors",
                "poor",
                words,
                "bind the lab to fewer nodes: taskset --cpu-list or numactl --cpunodebind",
            )
        return Diagnosis("processors", "good", words)
    return Diagnosis(
        "processors",
        "poor",
        "1: load and server share it",
        "use a machine with two or more processors",
    )


def _load_average() -> Diagnosis:
    busy, cpus = os.getloadavg()[0], len(os.sched_getaffinity(0))
    observation = f"load average {busy:.2f} over the last minute"
    if busy <= BUSY_LOAD_SHARE * cpus:
        return Diagnosis("other work", "good", observation)
    return Diagnosis("other work", "poor", observation, "end other programs before a trial; see `top`")


def _governor() -> Diagnosis:
    files = sorted(GOVERNORS.glob("cpu[0-9]*/cpufreq/scaling_governor"))
    governors = {file.read_text().strip() for file in files}
    if not governors:
        return Diagnosis("frequency governor", "good", "not visible (in a virtual machine, the host sets it)")
    if governors == {"performance"}:
        return Diagnosis("frequency governor", "good", "performance")
    return Diagnosis(
        "frequency governor",
        "poor",
        ", ".join(sorted(governors)),
        "as root: cpupower frequency-set -g performance",
    )


def _idle_processors() -> Diagnosis:
    limit = idle_limit()
    observation = f"driver {limit.driver}; in trials they {limit.in_words}"
    if limit.wakes_within_microseconds is not None:
        return Diagnosis("idle processors", "good", observation)
    observation += _deepest_idle_state()
    remedy = f"give this user write access to {REQUESTS}, or run as root outside of a container"
    if limit.driver == "none":
        remedy = "boot a virtual machine with cpuidle_haltpoll.force=1"
    return Diagnosis("idle processors", "poor", observation, remedy)


def _deepest_idle_state() -> str:
    """`; the deepest idle state, C6, takes 133 µs to leave`, by the kernel's own account; empty where it has none."""
    states = []
    for folder in IDLE_STATES.glob("state[0-9]*"):
        with suppress(OSError, ValueError):
            states.append((int((folder / "latency").read_text()), (folder / "name").read_text().strip()))
    if not states:
        return ""
    microseconds, name = max(states)
    return f"; the deepest idle state, {name}, takes {microseconds} µs to leave"


def _swap() -> Diagnosis:
    used = psutil.swap_memory().used
    if used == 0:
        return Diagnosis("swap", "good", "none in use")
    return Diagnosis(
        "swap",
        "poor",
        f"{used / GIB:.1f} GiB in use",
        "free memory, then swapoff -a && swapon -a as root before a trial",
    )


def _descriptors() -> Diagnosis:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    observation = f"{soft} open files (hard limit {hard})"
    if soft >= ENOUGH_DESCRIPTORS:
        return Diagnosis("open files", "good", observation)
    return Diagnosis(
        "open files", "poor", observation, f"ulimit -n {min(hard, 65536)} in the shell that runs the trial"
    )


def _cache() -> Diagnosis:
    folder = cache_folder()
    existing = next(path for path in [folder, *folder.parents] if path.exists())
    free = psutil.disk_usage(str(existing)).free
    observation = f"{folder}, {free / GIB:.0f} GiB free"
    if not os.access(existing, os.W_OK):
        return Diagnosis(
            "cache",
            "missing",
            f"{observation}, not writable",
            "set FAIRTRIAL_CACHE to another folder",
            essential=True,
        )
    if free < ENOUGH_CACHE_BYTES:
        return Diagnosis("cache", "poor", observation, "free space there, or set FAIRTRIAL_CACHE to another folder")
    return Diagnosis("cache", "good", f"{observation}; may be removed at any time")


def _power_cuts() -> Diagnosis:
    reason = why_no_power_cut()
    if not reason:
        return Diagnosis("power cuts", "good", "crash audits cut the power of a disk of the database's own")
    return Diagnosis(
        "power cuts",
        "poor",
        f"not tried: {reason}",
        "run trials of workloads that write as root, on a kernel with loop devices and ext4, with mkfs.ext4 on PATH; "
        "without that, crash audits kill the database and leave it what it had not synced",
    )
