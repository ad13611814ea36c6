"""Flask: an application that gunicorn serves, in threads."""

import re

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_FRAMEWORK, Project
from fairtrial_init.proposal import TAKES_PORT, StartProposal, paths_in, prefixes_in, through_shell
from fairtrial_init.python_environment import GUNICORN, module_of, python_environment

APPLICATION = re.compile(r"^(\w+)(?:\s*:\s*[\w.]+)?\s*=\s*(?:\w+\.)?Flask\(", re.MULTILINE)
FACTORY = re.compile(r"^def (create_app|make_app)\(", re.MULTILINE)
ROUTES = (
    re.compile(r"""^\s*@\w+\.get\(\s*["']([^"']*)["']""", re.MULTILINE),
    re.compile(r"""^\s*@\w+\.route\(\s*["']([^"']*)["'](?![^)\n]*methods\s*=\s*[\[(](?!.*GET))""", re.MULTILINE),
)


def propose(folder: ProjectFolder) -> StartProposal | None:
    """gunicorn with the first application, or the first function that makes one."""
    sources = folder.sources(".py")
    for path, text in sources.items():
        if not re.search(r"^\s*(?:from|import) flask\b", text, re.MULTILINE):
            continue
        variable, factory = APPLICATION.search(text), FACTORY.search(text)
        if variable is None and factory is None:
            continue
        application = variable[1] if variable is not None else f"{factory[1]}()" if factory is not None else ""
        module, beside = module_of(path)
        environment = python_environment(folder)
        build, remarks = environment.with_server("gunicorn", included=False)
        origin = "" if beside == "." else f" --pythonpath {beside}"
        return StartProposal(
            kind="Flask",
            command=through_shell(f"{environment.program('gunicorn')} {GUNICORN}{origin} '{module}:{application}'"),
            build=build,
            port=TAKES_PORT,
            paths=paths_in(sources.values(), *ROUTES),
            prefixes=prefixes_in(sources.values()),
            remarks=remarks,
        )
    return None


PROJECT = Project("python-flask", A_FRAMEWORK, propose)
