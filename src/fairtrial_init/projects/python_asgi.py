"""FastAPI, Starlette, Litestar or Quart: an application that uvicorn serves."""

import re

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_FRAMEWORK, Project
from fairtrial_init.proposal import (
    TAKES_PORT,
    StartProposal,
    documents_in_source,
    paths_in,
    prefixes_in,
    through_shell,
)
from fairtrial_init.python_environment import module_of, python_environment

APPLICATION = re.compile(r"^(\w+)(?:\s*:\s*[\w.]+)?\s*=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart)\(", re.MULTILINE)
ROUTES = (
    re.compile(r"""^\s*@\w+\.(?:get|route)\(\s*(?:path\s*=\s*)?["']([^"']*)["']""", re.MULTILINE),
    re.compile(r"""^\s*@get\(\s*(?:path\s*=\s*)?["']([^"']*)["']""", re.MULTILINE),
    re.compile(r"""\bRoute\(\s*["']([^"']*)["']"""),
)


def propose(folder: ProjectFolder) -> StartProposal | None:
    """uvicorn with the first application in the sources."""
    sources = folder.sources(".py")
    for path, text in sources.items():
        match = APPLICATION.search(text)
        if match is None:
            continue
        module, beside = module_of(path)
        environment = python_environment(folder)
        brought = re.search(r"fastapi\[(?:standard|all)", environment.dependencies) is not None
        build, remarks = environment.with_server("uvicorn", included=brought)
        uvicorn = environment.program("uvicorn")
        origin = "" if beside == "." else f" --app-dir {beside}"
        command = f'{uvicorn} {module}:{match[1]}{origin} --host "$HOST" --port "$PORT" --no-access-log'
        return StartProposal(
            kind=match[2],
            command=through_shell(command),
            build=build,
            port=TAKES_PORT,
            paths=paths_in(sources.values(), *ROUTES),
            prefixes=prefixes_in(sources.values()),
            documents=documents_in_source(sources.values()),
            remarks=remarks,
        )
    return None


PROJECT = Project("python-asgi", A_FRAMEWORK, propose)
