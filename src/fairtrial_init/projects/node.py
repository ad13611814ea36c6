"""Node.js: the `start` script of package.json, or a file that serves."""

import json
import re
import shlex
from typing import Any

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import StartProposal, Words, paths_in, port_in, prefixes_in

SERVES = re.compile(r"\.listen\(|\bserve\(|\bcreateServer\(")
USUAL_NAMES = ("server.js", "server.mjs", "app.js", "index.js", "index.mjs", "main.js", "src/server.js", "src/index.js")
INSTALLS = {
    "package-lock.json": ("npm", "ci"),
    "pnpm-lock.yaml": ("pnpm", "install", "--frozen-lockfile"),
    "yarn.lock": ("yarn", "install", "--frozen-lockfile"),
}
"""By lock file, the command that installs what it pins."""
NEEDS_A_SHELL = re.compile(r"""[&|;<>$`*?'"\\()]|^\w+=""")
ROUTES = (
    re.compile(r"""\.(?:get|route)\(\s*["'`](/[^"'`]*)["'`]"""),
    re.compile(r"""\b(?:url|pathname|path)\s*===?\s*["'`](/[^"'`]*)["'`]"""),
)

OF_NEST = re.compile(r"""@Get\(\s*(?:["'`]/?([^"'`]*)["'`])?\s*\)""")


def propose(folder: ProjectFolder) -> StartProposal | None:
    """The program that `start` runs, without npm before it where that needs no shell."""
    package = _json(folder.text("package.json"))
    scripts = _objects(package, "scripts")
    sources = folder.sources(".js", ".mjs", ".cjs", ".ts", ".mts")
    command = _command(folder, package, scripts)
    if command is None:
        return None
    remarks: tuple[str, ...] = ()
    build: list[Words] = []
    dependencies = bool(_objects(package, "dependencies") or _objects(package, "devDependencies"))
    pinned = next((install for name, install in INSTALLS.items() if folder.has(name)), None)
    if dependencies:
        build.append(pinned or ("npm", "install"))
    if dependencies and pinned is None:
        remarks = ("There is no lock file: each build may install other versions of what the service depends on.",)
    if "build" in scripts:
        build.append(("npm", "run", "build"))
    return StartProposal(
        kind="Node.js",
        command=command,
        build=tuple(build),
        port=port_in([text for text in sources.values() if SERVES.search(text)] or sources.values()),
        paths=(
            *paths_in(sources.values(), *ROUTES),
            *(f"/{path}" for text in sources.values() for path in OF_NEST.findall(text)),
        ),
        prefixes=prefixes_in(sources.values()),
        remarks=remarks,
    )


def _command(folder: ProjectFolder, package: dict[str, Any], scripts: dict[str, Any]) -> Words | None:
    start = scripts.get("start")
    if isinstance(start, str) and start.strip():
        simple = not NEEDS_A_SHELL.search(start) and shlex.split(start)[0] == "node"
        return tuple(shlex.split(start)) if simple else ("npm", "start")
    main = package.get("main")
    files = [main] if isinstance(main, str) else []
    served = (name for name in [*files, *USUAL_NAMES] if SERVES.search(folder.text(name)))
    file = next(served, None)
    return None if file is None else ("node", file)


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _objects(package: dict[str, Any], name: str) -> dict[str, Any]:
    value = package.get(name)
    return value if isinstance(value, dict) else {}


PROJECT = Project("node", A_LANGUAGE, propose)
