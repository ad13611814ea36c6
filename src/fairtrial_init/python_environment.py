"""The environment of a Python project: what its dependencies are, and how a build installs them."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.proposal import Words

REQUIREMENTS = ("requirements.txt", "requirements/prod.txt", "requirements/base.txt")
VENV = ("python3", "-m", "venv", ".venv")
PIP = (".venv/bin/pip", "install", "--quiet")

GUNICORN = '--bind "$HOST:$PORT" --workers "$WEB_CONCURRENCY" --threads "$MAX_THREADS" --keep-alive 65'
"""Its options. Threads, as a worker without them closes each connection; 65 s, as its own 2 s close connections that
clients still use."""


@dataclass(frozen=True)
class PythonEnvironment:
    """How a Python project is built, and what its programs are called then."""

    build: tuple[Words, ...]
    """empty: the project says nothing of its dependencies, and is run with what `python3` finds"""
    dependencies: str
    """the requirements, as the project writes them"""

    def names(self, package: str) -> bool:
        """Whether the project names this package among its dependencies."""
        return re.search(rf"(?<![\w-]){re.escape(package)}(?![\w-])", self.dependencies, re.IGNORECASE) is not None

    @property
    def python(self) -> str:
        """The interpreter that has the dependencies."""
        return ".venv/bin/python" if self.build else "python3"

    def program(self, package: str) -> str:
        """The command of a package: `.venv/bin/uvicorn`, or `python3 -m uvicorn`."""
        return f".venv/bin/{package}" if self.build else f"python3 -m {package}"

    def with_server(self, package: str, *, included: bool) -> tuple[tuple[Words, ...], tuple[str, ...]]:
        """The build, with a server that the project may not name, and the remarks on that.

        Args:
            included: whether another dependency brings the server along.
        """
        if not self.build or included or self.names(package):
            return self.build, ()
        remark = f"{package} is not among the project's dependencies: name it there, with its version."
        return (*self.build, (*PIP, package)), (remark,)


def python_environment(folder: ProjectFolder) -> PythonEnvironment:
    """The dependencies that a project's files name: uv.lock, requirements.txt or pyproject.toml, in this order."""
    project = _table(folder.text("pyproject.toml"))
    declared = "\n".join(
        _texts([project.get("project", {}).get("dependencies"), project.get("tool", {}).get("poetry")])
    )
    if folder.has("uv.lock"):
        return PythonEnvironment((("uv", "sync", "--frozen", "--quiet"),), declared)
    for name in REQUIREMENTS:
        if folder.has(name):
            return PythonEnvironment((VENV, (*PIP, "--requirement", name)), folder.text(name))
    if "project" in project or "poetry" in project.get("tool", {}):
        return PythonEnvironment((VENV, (*PIP, ".")), declared)
    return PythonEnvironment((), "")


def module_of(path: str) -> tuple[str, str]:
    """A file's module, and the folder from which it is imported: `shop.main` and `src` for `src/shop/main.py`."""
    folder = "src" if path.startswith("src/") else "."
    inner = path.removeprefix("src/") if folder == "src" else path
    return inner.removesuffix(".py").removesuffix("/__init__").replace("/", "."), folder


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _texts(value: Any) -> list[str]:
    """All texts and keys in a value: Poetry's dependencies are keys."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    if isinstance(value, dict):
        return [text for key, each in value.items() for text in [str(key), *_texts(each)]]
    return []
