"""Ruby: Rails, and other applications of Rack with a config.ru; and Sinatra's file that serves by itself."""

import re
from collections.abc import Iterator, Mapping

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import TAKES_PORT, StartProposal, through_shell

ROUTE = re.compile(r"""^\s*get[\s(]+["'](/?[\w/:.\-]*)["']""", re.MULTILINE)
ROOT = re.compile(r"^\s*root\b", re.MULTILINE)
RESOURCES = re.compile(r"^\s*resources\s+:(\w+)", re.MULTILINE)
NAMESPACE = re.compile(r"""^\s*(?:namespace|scope)[\s(]+[:"']/?([\w/\-]+)""", re.MULTILINE)
ROUTES_OF_RAILS = "config/routes.rb"
SINATRA = re.compile(r"""^\s*require\s+["']sinatra["']""", re.MULTILINE)
BUNDLE = (("bundle", "config", "set", "--local", "path", "vendor/bundle"), ("bundle", "install", "--quiet"))
IN_PRODUCTION = "Rails runs in production: that needs config/master.key, or SECRET_KEY_BASE in `env_from`."


def propose(folder: ProjectFolder) -> StartProposal | None:
    """Puma where the Gemfile names it, otherwise rackup; of Sinatra without a config.ru, its file."""
    if not folder.has("Gemfile"):
        return None
    gems, sources = folder.text("Gemfile"), folder.sources(".rb", ".ru")
    is_rails = re.search(r"""gem\s+["']rails["']""", gems) is not None
    if not folder.has("config.ru"):
        file = next((path for path, text in sources.items() if SINATRA.search(text)), None)
        server = f'ruby {file} -o "$HOST" -p "$PORT" -e production'
        if file is None:
            return None
    elif re.search(r"""gem\s+["']puma["']""", gems):
        server = 'puma --environment production --bind "tcp://$HOST:$PORT" --threads "$MAX_THREADS:$MAX_THREADS"'
    else:
        server = 'rackup --host "$HOST" --port "$PORT" --env production'
    return StartProposal(
        kind="Rails" if is_rails else "Ruby",
        command=through_shell(f"bundle exec {server}"),
        build=BUNDLE,
        port=TAKES_PORT,
        paths=tuple(dict.fromkeys(_paths(sources))),
        prefixes=tuple(f"/{match}" for match in NAMESPACE.findall(sources.get(ROUTES_OF_RAILS, ""))),
        remarks=(IN_PRODUCTION,) if is_rails else (),
    )


def _paths(sources: Mapping[str, str]) -> Iterator[str]:
    """The paths of GET requests: of Rails, also those of resources."""
    for name, text in sources.items():
        yield from (f"/{path.lstrip('/')}" for path in ROUTE.findall(text))
        if name == ROUTES_OF_RAILS:
            yield from ("/" for _ in ROOT.findall(text))
            yield from (f"/{resource}{rest}" for resource in RESOURCES.findall(text) for rest in ("", "/:id"))


PROJECT = Project("ruby", A_LANGUAGE, propose)
