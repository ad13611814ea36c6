"""What a host is: machine, processors, versions, and digests of the lab and of the engine's source.

It is sent as text, and run inside a worker: standard library only, and nothing that is new in a version of Python.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import socket
import time
from pathlib import Path
from typing import Any

ENGINE_SOURCE = ("Cargo.toml", "Cargo.lock", "guard/Cargo.toml", "guard/src", "src")
PACKAGES = ("fairtrial", "dask", "distributed")


def facts(settings: list[str]) -> dict[str, Any]:
    """Return plain values by name.

    Args:
        settings: keys of Dask's configuration whose values are returned as well.
    """
    lab = _lab_folder()
    return {
        "host": socket.gethostname(),
        "boot_id": Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip(),
        "network": os.readlink("/proc/self/ns/net"),
        "architecture": platform.machine(),
        "kernel": f"{platform.system()} {platform.release()}",
        "cpus": sorted(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "lab_sha256": None if lab is None else _sha256(lab, ["."]),
        "engine_sha256": None if lab is None else _engine_sha256(lab),
        "settings": _dask_settings(settings),
    }


def processor_time() -> list[float]:
    """Seconds of processor time that this process has used, with all its threads; and a clock's seconds beside it."""
    return [time.process_time(), time.monotonic()]


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _lab_folder() -> Path | None:
    spec = importlib.util.find_spec("fairtrial")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _engine_sha256(lab: Path) -> str | None:
    bundled, checkout = lab / "bundled" / "engine", lab.parent.parent / "engine"
    folder = bundled if bundled.is_dir() else checkout
    return _sha256(folder, list(ENGINE_SOURCE)) if folder.is_dir() else None


def _sha256(folder: Path, parts: list[str]) -> str:
    """SHA-256 over names and bytes of all sources of these parts of a folder."""
    digest = hashlib.sha256()
    for part in parts:
        path = folder / part
        files = [path] if path.is_file() else [*path.rglob("*.py"), *path.rglob("*.rs")]
        for file in sorted(files):
            name = file.relative_to(folder)
            if name.parts[0] == "bundled":
                continue
            content = file.read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def _dask_settings(keys: list[str]) -> dict[str, Any]:
    if not keys:
        return {}
    import dask  # noqa: PLC0415 only inside a worker or a scheduler, which have it

    return {key: dask.config.get(key, None) for key in keys}
