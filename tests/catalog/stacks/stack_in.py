"""Stacks of a few words, for tests that build them."""

from pathlib import Path
from typing import Any

from fairtrial.catalog.stacks.model import Stack


def stack_in(folder: Path, name: str, *build: str, **more: Any) -> Stack:
    """Return a stack whose build commands are shell scripts. Its folder holds one file, with its name in it."""
    (folder / name).mkdir(parents=True)
    (folder / name / "source").write_text(name)
    described: dict[str, Any] = {
        "title": name,
        "language": "sh",
        "framework": "none",
        "server": "none",
        "concurrency": "none",
        "workloads": ["plaintext"],
        "services": ["none", "sqlite", "redis"],
        "run": ["true"],
        "build": [["sh", "-c", script] for script in build],
    }
    return Stack(name=name, folder=folder / name, **(described | more))
