"""Django: the WSGI application of its settings, which gunicorn serves in threads."""

import re

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_FRAMEWORK, Project
from fairtrial_init.proposal import TAKES_PORT, StartProposal, prefixes_in, through_shell
from fairtrial_init.python_environment import GUNICORN, module_of, python_environment

ROUTE = re.compile(r"""\bpath\(\s*["']([^"']*)["']\s*,(?!\s*include|\s*admin\.)""")
OF_ROUTER = re.compile(r"""\brouter\.register\(\s*r?["']([^"']*)["']""")
"""A router of Django REST framework, which adds the slash."""
DOCSTRING = re.compile(r'"""[\s\S]*?"""')
"""Django's generator writes examples of routes into it."""
DEBUG = re.compile(r"^DEBUG\s*=\s*True\b", re.MULTILINE)
DATABASE = re.compile(r"""django\.db\.backends\.(\w+)""")


def propose(folder: ProjectFolder) -> StartProposal | None:
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
    if set(DATABASE.findall("".join(sources.values()))) == {"sqlite3"}:
        build = (*build, (environment.python, "manage.py", "migrate", "--noinput"))
        remarks = (
            *remarks,
            "The copy's SQLite file gets its tables from the last command: put rows in, if it has none.",
        )
    if any(DEBUG.search(text) for path, text in sources.items() if path.endswith("settings.py")):
        remarks = (*remarks, "The settings have DEBUG = True: Django keeps every query in memory. Measure without.")
    urls = "".join(DOCSTRING.sub("", text) for path, text in sources.items() if path.endswith("urls.py"))
    paths = [f"/{path}" for path in ROUTE.findall(urls)] + [f"/{path}/" for path in OF_ROUTER.findall(urls)]
    return StartProposal(
        kind="Django",
        command=through_shell(f"{environment.program('gunicorn')} {GUNICORN}{origin} {module}:application"),
        build=build,
        port=TAKES_PORT,
        paths=tuple(dict.fromkeys(paths)),
        prefixes=prefixes_in([urls]),
        remarks=remarks,
    )


PROJECT = Project("python-django", A_FRAMEWORK, propose)
