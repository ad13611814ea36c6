"""A server on the JVM: how a jar is told where to listen, and the paths of its controllers."""

import re
from collections.abc import Iterable, Iterator

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.proposal import (
    TAKES_PORT,
    StartProposal,
    Words,
    documents_in_source,
    paths_in,
    port_in,
    through_shell,
)

ROUTES = (re.compile(r"""\b(?:get|GET)\(\s*"(/[^"]*)\""""),)
"""Calls of routers in code: Javalin, Ktor, Spark, Spring's functional endpoints."""
TYPE = re.compile(r"^(?:(?:@\w+(?:\([^()\n]*\))?|[a-z]+)[ \t]+)*(?P<kind>class|interface)\s+\w+", re.MULTILINE)
"""One that stands in no other."""
ANNOTATION = re.compile(r"@(?P<name>(?:Get|Request)Mapping|Path|GET)\b(?:\s*\((?P<arguments>[^()]*)\))?")
"""Annotations of Spring (`@GetMapping`, `@RequestMapping`) and of JAX-RS (`@GET`, `@Path`)."""
IN_QUOTES_OR_BRACKETS = re.compile(r'"[^"\n]*"|\((?:"[^"\n]*"|[^()"])*\)')
"""Texts that may hold a brace which ends nothing: a path, or a list of them."""
CONTROLLER = re.compile(r"@(?:RestController|Controller|Path|RequestMapping)\b")
PATH_ARGUMENT = re.compile(r"""(?:^\s*|\b(?:value|path)\s*=\s*)[\[{]?\s*"([^"]*)\"""")
OTHER_METHOD = re.compile(r"\bmethod\s*=\s*(?!.*\bGET\b)")
CONTEXT_PATH = re.compile(r"""\b(?:context-path|base-path)\s*[:=]\s*["']?(/[\w./-]+)""")
"""Spring Boot's server.servlet.context-path and spring.webflux.base-path."""
ON_SPRING = '--server.address="$HOST" --server.port="$PORT"'
ON_QUARKUS = '-Dquarkus.http.host="$HOST" -Dquarkus.http.port="$PORT"'


def java_proposal(folder: ProjectFolder, manifest: str, build: Words, jars: str, quarkus: str) -> StartProposal:
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
    return StartProposal(
        kind=kind,
        command=command,
        build=(build,),
        port=port,
        paths=controller_paths(sources.values()),
        documents=documents_in_source(sources.values()),
    )


def controller_paths(texts: Iterable[str]) -> tuple[str, ...]:
    """The paths of all GET requests that controllers and routers answer, with their parameters."""
    sources = list(texts)
    context = next((match[1].rstrip("/") for text in sources if (match := CONTEXT_PATH.search(text))), "")
    paths = [*(path for text in sources for path in _of_controllers(text)), *paths_in(sources, *ROUTES)]
    return tuple(dict.fromkeys(f"{context}{path}" for path in paths if re.fullmatch(r"/[!-~]*", path)))


def _of_controllers(text: str) -> Iterator[str]:
    """For each method that answers GET, the path of its class and its own."""
    for head, body in _types(text):
        if not CONTROLLER.search(head):
            continue
        base = next(
            (_path(each) for each in ANNOTATION.finditer(head) if each["name"] in ("RequestMapping", "Path")), ""
        )
        for match in ANNOTATION.finditer(body):
            arguments = match["arguments"] or ""
            if match["name"] == "Path" or (match["name"] == "RequestMapping" and OTHER_METHOD.search(arguments)):
                continue
            handler = _path(match)
            if match["name"] == "GET":  # JAX-RS has the path beside it, before or after
                after = re.match(r"(?:\s*@\w+(?:\([^()]*\))?)*", body[match.end() :])
                beside = _annotations_before(body, match.start()) + (after[0] if after else "")
                handler = next((_path(each) for each in ANNOTATION.finditer(beside) if each["name"] == "Path"), "")
            yield f"/{'/'.join(part.strip('/') for part in (base, handler) if part.strip('/'))}"


def _types(text: str) -> Iterator[tuple[str, str]]:
    """The annotations of each class, with what else stands before it, and the class."""
    starts = [match.start("kind") for match in TYPE.finditer(text)]
    heads = [_annotations_before(text, start) for start in starts]
    ends = [start - len(head) for start, head in zip(starts, heads, strict=True)]
    for start, head, end in zip(starts, heads, [*ends[1:], len(text)], strict=False):
        yield head, text[start:end]


def _annotations_before(text: str, place: int) -> str:
    """The text before a declaration, from the end of the one before."""
    hidden = IN_QUOTES_OR_BRACKETS.sub(lambda match: " " * len(match[0]), text[:place])
    begin = max(hidden.rfind(each) for each in (";", "}"))
    return text[begin + 1 : place]


def _path(annotation: re.Match[str]) -> str:
    argument = PATH_ARGUMENT.search(annotation["arguments"] or "")
    return argument[1] if argument else ""
