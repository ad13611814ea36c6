"""The machine, for the record."""

import os
import platform
from pathlib import Path

import psutil

from fairtrial.record.model import Host


def this_host() -> Host:
    """What bears on the figures; no names of machines or users."""
    return Host(
        system=_operating_system(),
        kernel=platform.release(),
        cpu_model=_cpu_model(),
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=psutil.virtual_memory().total,
        python=platform.python_version(),
    )


def _operating_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )
