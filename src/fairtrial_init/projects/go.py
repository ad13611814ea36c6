"""Go: a module with a package `main` at its top or below `cmd/`."""

import re
from collections.abc import Iterable

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import TAKES_PORT, StartProposal, paths_in, port_in, prefixes_in

PROGRAM = "fairtrial-server"
"""The name of the build: one that no folder of the project has."""
MAIN = re.compile(r"^package main\b", re.MULTILINE)
SERVES = re.compile(r"\bListenAndServe|\bnet\.Listen\(|\.(?:Run|Start|Listen)\(")
OF_GIN = re.compile(r"\.Run\(\s*\)")
"""Without an argument Gin reads PORT."""
ROUTES = (
    re.compile(r"""\bHandle(?:Func)?\(\s*"(?:GET )?(/[^"]*)\""""),
    re.compile(r"""\.(?:GET|Get)\(\s*"(/[^"]*)\""""),
)


def propose(folder: ProjectFolder) -> StartProposal | None:
    """`go build` of the package that serves."""
    if not folder.has("go.mod"):
        return None
    sources = {path: text for path, text in folder.sources(".go").items() if not path.endswith("_test.go")}
    mains = [path for path, text in sources.items() if MAIN.search(text)]
    if not mains:
        return None
    main = next((path for path in mains if SERVES.search(sources[path])), mains[0])
    package = f"./{main.rpartition('/')[0]}".rstrip("/")
    return StartProposal(
        kind="Go",
        command=(f"./{PROGRAM}",),
        build=(("go", "build", "-o", PROGRAM, package),),
        port=port_in(sources.values()) or _port_of_gin(sources.values()),
        paths=paths_in(sources.values(), *ROUTES),
        prefixes=prefixes_in(sources.values()),
    )


def _port_of_gin(texts: Iterable[str]) -> str:
    return TAKES_PORT if any("gin-gonic/gin" in text and OF_GIN.search(text) for text in texts) else ""


PROJECT = Project("go", A_LANGUAGE, propose)
