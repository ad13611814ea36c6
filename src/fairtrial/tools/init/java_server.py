"""A server on the JVM: how a jar is told where to listen, and the paths of its controllers."""

import re

from fairtrial.tools.init.project_folder import ProjectFolder
from fairtrial.tools.init.proposal import TAKES_PORT, Proposal, Words, paths_in, port_in, through_shell

ROUTES = (
    re.compile(r"""@GetMapping\(\s*(?:(?:value|path)\s*=\s*)?"(/[^"]*)\""""),
    re.compile(r"""@Path\(\s*"(/[^"]*)"\s*\)"""),
    re.compile(r"""\bget\(\s*"(/[^"]*)\""""),
)
ON_SPRING = '--server.address="$HOST" --server.port="$PORT"'
ON_QUARKUS = '-Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT"'


def java_proposal(folder: ProjectFolder, manifest: str, build: Words, jars: str, quarkus: str) -> Proposal:
    """A proposal for a project whose build leaves one jar that can be run.

    Args:
        manifest: the text of the project file.
        jars: the pattern of that jar.
        quarkus: the jar that Quarkus makes.
    """
    sources = folder.sources(".java", ".kt", ".properties", ".yml", ".yaml")
    port = TAKES_PORT
    if "quarkus" in manifest:
        kind, command = "Quarkus", through_shell(f"java {ON_QUARKUS} -jar {quarkus}")
    elif "spring-boot" in manifest or "springframework.boot" in manifest:
        kind, command = "Spring Boot", through_shell(f"java -jar {jars} {ON_SPRING}")
    else:
        kind, command, port = "Java", through_shell(f"java -jar {jars}"), port_in(sources.values())
    return Proposal(kind=kind, command=command, build=(build,), port=port, paths=paths_in(sources.values(), *ROUTES))
