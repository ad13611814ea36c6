"""Django: the WSGI application of its settings, which gunicorn serves in threads."""

import re

from fairtrial.tools.init.project_folder import ProjectFolder
from fairtrial.tools.init.projects.model import A_FRAMEWORK, Project
from fairtrial.tools.init.proposal import TAKES_PORT, Proposal, through_shell
from fairtrial.tools.init.python_environment import GUNICORN, module_of, python_environment

ROUTE = re.compile(r"""\bpath\(\s*["']([^"']*)["']\s*,(?!\s*include)""")


def propose(folder: ProjectFolder) -> Proposal | None:
    """gunicorn with the project's wsgi.py."""
    if not folder.has("manage.py"):
        return None
    sources = folder.sources(".py")
    wsgi_file = next((path for path in sources if path.endswith("/wsgi.py")), None)
    if wsgi_file is None:
        return None
    module, beside = module_of(wsgi_file)
    environment = python_environment(folder)
    build, remarks = environment.with_server("gunicorn", included=False)
    origin = "" if beside == "." else f" --pythonpath {beside}"
    # Only paths of the project's own urls.py stand on their own: those of an app follow the prefix that includes it.
    own = folder.text(wsgi_file.removesuffix("wsgi.py") + "urls.py")
    return Proposal(
        kind="Django",
        command=through_shell(f"{environment.program('gunicorn')} {GUNICORN}{origin} {module}:application"),
        build=build,
        port=TAKES_PORT,
        paths=tuple(dict.fromkeys(f"/{path}" for path in ROUTE.findall(own))),
        remarks=remarks,
    )


PROJECT = Project("python-django", A_FRAMEWORK, propose)
