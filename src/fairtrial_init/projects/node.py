"""Node.js: the `start` script of package.json, or a file that serves."""

import json
import re
import shlex
from collections.abc import Collection
from typing import Any

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import TAKES_PORT, StartProposal, Words, paths_in, port_in, prefixes_in, through_shell

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

BY_FASTIFY_CLI = re.compile(r"fastify start\b")
LOADED = re.compile(r"^(?:src/)?routes/(.+)/[^/]+$")
"""A file that @fastify/autoload finds in `routes/`: its folder is the prefix of what it serves."""
PRODUCTION = ("start:prod", "start")
"""Scripts that start a service: the first of NestJS, whose other one compiles and then watches."""

OF_NEST = re.compile(r"""@Get\(\s*(?:["'`]/?([^"'`]*)["'`])?\s*\)""")


def propose(folder: ProjectFolder) -> StartProposal | None:
    """The program that `start` runs, without npm before it where that needs no shell."""
    package = _json(folder.text("package.json"))
    scripts = _objects(package, "scripts")
    sources = folder.sources(".js", ".mjs", ".cjs", ".ts", ".mts")
    command = _command(folder, package, scripts)
    if command is None:
        return None
    started = {word: text for word in command if (text := folder.text(word))}  # `bin/www` has no ending
    by_cli = BY_FASTIFY_CLI.search(" ".join(command)) is not None
    prefixes = prefixes_in(sources.values())
    if by_cli:
        prefixes = (*prefixes, *dict.fromkeys(f"/{match[1]}" for path in sources if (match := LOADED.match(path))))
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
        port=TAKES_PORT if by_cli else _port({**sources, **started}.values()),
        paths=(
            *paths_in(sources.values(), *ROUTES),
            *(f"/{path}" for text in sources.values() for path in OF_NEST.findall(text)),
        ),
        prefixes=prefixes,
        remarks=remarks,
    )


def _command(folder: ProjectFolder, package: dict[str, Any], scripts: dict[str, Any]) -> Words | None:
    for name in PRODUCTION:
        start = scripts.get(name)
        if not isinstance(start, str) or not start.strip():
            continue
        if not NEEDS_A_SHELL.search(start) and shlex.split(start)[0] == "node":
            return tuple(shlex.split(start))
        if not NEEDS_A_SHELL.search(start) and BY_FASTIFY_CLI.match(start):
            return through_shell(f'node_modules/.bin/{start} --address "$HOST" --port "$PORT"')
        return ("npm", "start") if name == "start" else ("npm", "run", name)
    main = package.get("main")
    files = [main] if isinstance(main, str) else []
    served = (name for name in [*files, *USUAL_NAMES] if SERVES.search(folder.text(name)))
    file = next(served, None)
    return None if file is None else ("node", file)


def _port(texts: Collection[str]) -> str:
    """The port of what serves; of a program that calls `listen` with a value from elsewhere, of all sources."""
    return port_in([text for text in texts if SERVES.search(text)]) or port_in(texts)


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
