"""Ruby: an application of Rack (Rails, Sinatra and others) with a config.ru."""

import re

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_LANGUAGE, Project
from fairtrial_init.proposal import TAKES_PORT, StartProposal, paths_in, through_shell

ROUTES = (re.compile(r"""^\s*get[\s(]+["'](/[^"']*)["']""", re.MULTILINE),)
BUNDLE = (("bundle", "config", "set", "--local", "path", "vendor/bundle"), ("bundle", "install", "--quiet"))


def propose(folder: ProjectFolder) -> StartProposal | None:
    """Puma where the Gemfile names it, otherwise rackup."""
    if not folder.has("Gemfile") or not folder.has("config.ru"):
        return None
    gems = folder.text("Gemfile")
    if re.search(r"""gem\s+["']puma["']""", gems):
        server = 'bundle exec puma --bind "tcp://$HOST:$PORT" --threads "$MAX_THREADS:$MAX_THREADS"'
    else:
        server = 'bundle exec rackup --host "$HOST" --port "$PORT" --env production'
    return StartProposal(
        kind="Rails" if re.search(r"""gem\s+["']rails["']""", gems) else "Ruby",
        command=through_shell(server),
        build=BUNDLE,
        port=TAKES_PORT,
        paths=paths_in(folder.sources(".rb", ".ru").values(), *ROUTES),
    )


PROJECT = Project("ruby", A_LANGUAGE, propose)
