"""The proposal for a service, from what its folder holds."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

TAKES_PORT = "PORT"
"""In the place of a port: the one that the variable PORT says."""

Words = tuple[str, ...]
"""A command, word by word: no shell reads it."""

PORT_IS_READ = re.compile(
    r"""process\.env(?:\.PORT\b|\[\s*["']PORT["'])|environ(?:\.get\(|\[)\s*["']PORT["']|getenv\(\s*["']PORT["']"""
    r"""|ENV(?:\.fetch\(|\[)\s*["']PORT["']|Getenv\("PORT"\)|LookupEnv\("PORT"\)|env::var\("PORT"\)|\$\{?PORT\b"""
)
"""How programs read the variable PORT, in the languages whose projects are recognised."""

WRITTEN_PORTS = (
    re.compile(r"""\blisten\(\s*(?:\{[^}]*\bport:\s*)?(\d{2,5})\b"""),
    re.compile(r"""["'](?:[\w.\-]*|\[::\]):(\d{2,5})["']"""),
    re.compile(r"""\b(?:server\.)?port\b["']?\s*(?::\s*\w+\s*)?[=:]\s*["']?(\d{2,5})\b""", re.IGNORECASE),
    re.compile(r"""["'](?:127\.0\.0\.1|0\.0\.0\.0|localhost|::)?["']\s*,\s*(\d{2,5})\s*\)"""),
)
"""How programs write the port on which they listen, the surest first."""

PREFIXES = (
    re.compile(r"""\.use\(\s*["'`](/[\w./-]+)["'`]\s*,"""),  # Express, Koa
    re.compile(r"""\b(?:url_)?prefix\s*[=:]\s*["'](/[\w./-]+)["']"""),  # Flask, FastAPI, Fastify
    re.compile(r"""\bpath\(\s*["']([\w./-]+)["']\s*,\s*include\("""),  # Django
    re.compile(r"""\.(?:Group|Route|Mount|PathPrefix|nest|scope)\(\s*"(/[\w./-]+)\""""),  # Gin, Echo, chi, mux, axum
    re.compile(r"""@Controller\(\s*["'`]([\w./-]+)["'`]"""),  # NestJS
    re.compile(r"""\bsetGlobalPrefix\(\s*["'`]([\w./-]+)["'`]"""),
)
MOST_PREFIXES = 8
DOCUMENT = re.compile(r"""(?:\bopenapi_url\s*=|\bspringdoc\.api-docs\.path\s*[=:])\s*["']?(/[^\s"']+)""")
"""FastAPI's argument, and springdoc's property."""

LEAST_PORT, LARGEST_PORT = 80, 65_535


@dataclass(frozen=True, kw_only=True)
class StartProposal:
    """How a service is built and started, where it listens, and what it can be asked."""

    kind: str
    """the kind of project, in words: `FastAPI`"""
    command: Words
    build: tuple[Words, ...] = ()
    port: str = ""
    """a number; or PORT: it takes the one that this variable says; empty: it is not known"""
    paths: tuple[str, ...] = ()
    """paths of its GET requests, as its source writes them, with their parameters"""
    prefixes: tuple[str, ...] = ()
    """below which the source puts some of its paths"""
    documents: tuple[str, ...] = ()
    """paths at which the source says that it serves an OpenAPI document"""
    remarks: tuple[str, ...] = ()
    """remarks on the commands for a reader of the experiment"""


def port_in(texts: Iterable[str]) -> str:
    """Where a program listens, from its source: `PORT`, a number, or empty if the source does not say."""
    sources = list(texts)
    if any(PORT_IS_READ.search(text) for text in sources):
        return TAKES_PORT
    for form in WRITTEN_PORTS:
        for text in sources:
            for match in form.finditer(text):
                if LEAST_PORT <= int(match[1]) <= LARGEST_PORT:
                    return match[1]
    return ""


def paths_in(texts: Iterable[str], *forms: re.Pattern[str]) -> tuple[str, ...]:
    """The paths that these forms find in the sources, each once, in their order.

    Args:
        forms: their first group is the path.
    """
    paths = (match[1] for text in texts for form in forms for match in form.finditer(text))
    return tuple(dict.fromkeys(path for path in paths if re.fullmatch(r"/[!-~]*", path)))


def prefixes_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The prefixes below which sources put paths: of routers that are mounted, groups, blueprints, and so on."""
    prefixes = (match[1].strip("/") for text in texts for form in PREFIXES for match in form.finditer(text))
    return tuple(dict.fromkeys(f"/{prefix}" for prefix in prefixes if prefix))[:MOST_PREFIXES]


def documents_in_source(texts: Iterable[str]) -> tuple[str, ...]:
    """The paths at which sources say that an OpenAPI document is served."""
    return paths_in(texts, DOCUMENT)


def through_shell(command: str) -> Words:
    """A command in which a shell replaces variables, and then gives way to the program."""
    return ("sh", "-c", f"exec {command}")
