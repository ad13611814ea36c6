"""Facts about a process of a cluster: machine, processors, versions, and digests of the lab and of the engine."""

import hashlib
import importlib.metadata
import os
import platform
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.base.locations import PACKAGE as LAB
from fairtrial.base.locations import shipped

PACKAGE = "fairtrial"
ENGINE_SOURCE = ("Cargo.toml", "Cargo.lock", "guard/Cargo.toml", "guard/src", "src")


@dataclass(frozen=True)
class Facts:
    """A process of a cluster. Where its Fairtrial is another version, no more than that is known."""

    versions: Mapping[str, str | None]
    """of Fairtrial and Dask's packages; None: it is not installed"""
    host: str = ""
    boot_id: str = ""
    """the kernel's, which namespaces and containers of one machine share"""
    network: str = ""
    architecture: str = ""
    kernel: str = ""
    cpus: Sequence[int] = ()
    """those that its process may use"""
    python: str = ""
    lab_sha256: str | None = None
    engine_sha256: str | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    """of Dask's configuration, as far as they were asked for"""

    @property
    def is_known(self) -> bool:
        """Whether its Fairtrial could be asked."""
        return bool(self.boot_id)


def facts(settings: Sequence[str] = ()) -> Facts:
    """The facts of this process.

    Args:
        settings: keys of Dask's configuration whose values are returned as well.
    """
    engine = shipped("engine")
    return Facts(
        versions={name: version(name) for name in (PACKAGE, "dask", "distributed")},
        host=socket.gethostname(),
        boot_id=Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip(),
        network=os.readlink("/proc/self/ns/net"),
        architecture=platform.machine(),
        kernel=f"{platform.system()} {platform.release()}",
        cpus=sorted(os.sched_getaffinity(0)),
        python=platform.python_version(),
        lab_sha256=_sha256(LAB, ["."]),
        engine_sha256=_sha256(engine, list(ENGINE_SOURCE)) if engine.is_dir() else None,
        settings=_dask_settings(settings),
    )


def version(name: str) -> str | None:
    """The version of an installed package; None: it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _sha256(folder: Path, parts: list[str]) -> str:
    """SHA-256 over names and bytes of all files of these parts of a folder."""
    digest = hashlib.sha256()
    for part in parts:
        path = folder / part
        files = [path] if path.is_file() else [each for each in path.rglob("*.*") if each.is_file()]
        for file in sorted(files):
            name = file.relative_to(folder)
            if name.parts[0] == "bundled" or name.suffix == ".pyc":
                continue
            content = file.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _dask_settings(keys: Sequence[str]) -> dict[str, object]:
    if not keys:
        return {}
    import dask  # noqa: PLC0415 only inside a worker or a scheduler, which have it

    return {key: dask.config.get(key, None) for key in keys}
