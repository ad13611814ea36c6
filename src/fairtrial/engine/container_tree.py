"""The processes of a container that a daemon started, so that no guard is above them, and what they used."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

MICRO, NANO = 1e-6, 1e-9
LOWEST_PID = 2
"""`inspect` says 0 for a container that failed, and 1 is the machine's own first process: neither is a container's."""


@dataclass(frozen=True)
class ContainerTree:
    """A container by its first process, and by its control group if it has one to itself. Nothing is written there.

    Attributes:
        pid: of its first process, as the lab sees it.
        version_2, cpu_accounting: its folders in the unified hierarchy and in that of cpuacct (cgroups(7)); None: it
            has none to itself there.
    """

    pid: int
    version_2: Path | None = None
    cpu_accounting: Path | None = None

    def processes(self) -> list[psutil.Process]:
        """Its live processes: those in its group, or else its first one and those below."""
        pids: set[int] = set()
        group = self.version_2 or self.cpu_accounting
        if group is not None:
            for file in [group / "cgroup.procs", *group.glob("*/**/cgroup.procs")]:
                with suppress(OSError, ValueError):  # it ended meanwhile
                    pids |= {int(line) for line in file.read_text().split()}
        processes: list[psutil.Process] = []
        for pid in sorted(pid for pid in pids if pid >= LOWEST_PID):
            with suppress(psutil.Error):
                processes.append(psutil.Process(pid))
        if not processes:
            with suppress(psutil.Error):
                first = psutil.Process(self.pid)
                processes = [first, *first.children(recursive=True)]
        return processes

    def cpu_seconds(self) -> tuple[float, float]:
        """User and system seconds so far: of its group, ended processes included, or else of its processes.

        Version 2 counts them without any controller (`cpu.stat`, cgroup-v2.rst of Linux); version 1 in `cpuacct`.
        """
        if self.version_2 is not None:
            with suppress(OSError, ValueError, KeyError):
                lines = (line.split() for line in (self.version_2 / "cpu.stat").read_text().splitlines())
                used = {name: int(value) for name, value in lines}
                return used["user_usec"] * MICRO, used["system_usec"] * MICRO
        if self.cpu_accounting is not None:
            with suppress(OSError, ValueError):
                user, system = (
                    int((self.cpu_accounting / f"cpuacct.usage_{each}").read_text()) * NANO for each in ("user", "sys")
                )
                return user, system
        return used_by(self.processes())


def used_by(processes: Iterable[psutil.Process]) -> tuple[float, float]:
    """The CPU seconds in user and in system mode of these processes so far, with those of their ended children."""
    user = system = 0.0
    for process in processes:
        with suppress(psutil.Error):
            times = process.cpu_times()
            user += times.user + times.children_user
            system += times.system + times.children_system
    return user, system


def container_tree(pid: int, container: str, token: str, root: Path = Path("/")) -> ContainerTree | None:
    """The container whose first process this is, or None if the process is not that of the container.

    A daemon may run on another machine, or in a virtual one, where its numbers mean other processes. So the process
    must prove what it is: its control group bears the container's id, or its environment holds the token.

    Args:
        pid: as `inspect` says.
        container: the id, 64 hexadecimal digits.
        token: `NAME=VALUE`, which the container alone was given.
    """
    if pid < LOWEST_PID:
        return None
    folder = root / "proc" / str(pid)
    groups = dict(_groups(folder / "cgroup", container)) if container else {}
    if not groups:
        with suppress(OSError):
            if token.encode() in (folder / "environ").read_bytes().split(b"\0"):
                return ContainerTree(pid)
        return None
    base = root / "sys/fs/cgroup"
    return ContainerTree(
        pid,
        version_2=_folder([base, base / "unified"], groups.get(""), "cpu.stat"),
        cpu_accounting=_folder([base / "cpuacct", base / "cpu,cpuacct"], groups.get("cpuacct"), "cpuacct.usage_user"),
    )


def _groups(file: Path, container: str) -> Iterator[tuple[str, str]]:
    """(controller, path) of the groups that bear the container's id; version 2 has an empty controller.

    The path is cut at the folder with the id: what the container makes below is the container's as well.
    """
    with suppress(OSError):
        for line in file.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            parts = path.strip("/").split("/")
            at = next((place for place, part in enumerate(parts) if container in part), None)
            if at is None or ".." in parts:
                continue
            for controller in controllers.split(","):
                yield controller, "/".join(parts[: at + 1])


def _folder(bases: list[Path], path: str | None, holds: str) -> Path | None:
    folders = [base / path for base in bases] if path is not None else []
    return next((folder for folder in folders if (folder / holds).is_file()), None)
