"""A Python program that serves by itself: http.server, aiohttp, Tornado, Sanic, Bottle and others."""

import re

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_FILE, Project
from fairtrial_init.proposal import StartProposal, paths_in, port_in
from fairtrial_init.python_environment import python_environment

SERVES = re.compile(r"\bserve_forever\(|\bHTTPServer\(|\brun_app\(|\buvicorn\.run\(|\.listen\(|\b(?:app|server)\.run\(")
USUAL_NAMES = ("app.py", "main.py", "server.py", "run.py", "__main__.py")
ROUTES = (
    re.compile(r"""\bself\.path\s*==\s*["']([^"']*)["']"""),
    re.compile(r"""\badd_get\(\s*["']([^"']*)["']"""),
    re.compile(r"""^\s*@\w+\.(?:get|route)\(\s*["']([^"']*)["']""", re.MULTILINE),
)


def propose(folder: ProjectFolder) -> StartProposal | None:
    """`python3` with a file that serves, one of the usual names first."""
    serving = {path: text for path, text in folder.sources(".py").items() if SERVES.search(text)}
    if not serving:
        return None
    usual = [path for name in USUAL_NAMES for path in serving if path.rpartition("/")[2] == name]
    path = [*usual, *serving][0]
    environment = python_environment(folder)
    return StartProposal(
        kind="Python",
        command=(environment.python, path),
        build=environment.build,
        port=port_in([serving[path]]),
        paths=paths_in([serving[path]], *ROUTES),
    )


PROJECT = Project("python-script", A_FILE, propose)
