"""`wrk` (4): its arguments as a load."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.problem import Problem
from fairtrial.tools.load.foreign.arguments import Flag, ForeignTool, Refused, read_arguments, whole
from fairtrial.tools.load.plan.options import LoadOptions
from fairtrial.tools.load.plan.words import parse_duration, parse_header

DEFAULT_CONNECTIONS, DEFAULT_THREADS = 10, 2
DEFAULT_SECONDS, DEFAULT_TIMEOUT_SECONDS = 10.0, 2.0
USAGE = "wrk [-c CONNECTIONS] [-d TIME] [-t THREADS] [-H 'Name: value'] [--latency] [--timeout TIME] URL"

WRK = ForeignTool(
    name="wrk",
    usage=USAGE,
    flags=(
        Flag(("-c", "--connections"), "connections", whole(1)),
        Flag(("-d", "--duration"), "seconds", parse_duration),
        Flag(("-t", "--threads"), "threads", whole(1)),
        Flag(("-H", "--header"), "headers", parse_header, repeated=True),
        Flag(("-L", "--latency"), "latency"),
        Flag(("-T", "--timeout"), "timeout", parse_duration),
    ),
    refused=(
        Refused(
            ("-s", "--script"),
            True,
            "Lua scripts are not run",
            "fairtrial load has -m, -b, -H and --template for what most scripts do",
        ),
        Refused(("-R", "--rate"), True, "that is wrk2's", "use fairtrial load -r RATE, which needs no correction"),
        Refused(("-h",), False, "its help is another's", "fairtrial wrk --help"),
        Refused(("-v", "--version"), False, "this is not wrk itself", "fairtrial --version"),
    ),
)


@dataclass(frozen=True)
class WrkCall:
    """What `wrk` was asked: the load, and whether to print the latency distribution."""

    options: LoadOptions
    with_latency: bool


def read_wrk(arguments: Sequence[str]) -> WrkCall:
    """Read wrk's own arguments.

    Raises:
        Problem: one is unknown, refused or wrong.
    """
    found = read_arguments(WRK, arguments)
    connections, threads = found.connections or DEFAULT_CONNECTIONS, found.threads or DEFAULT_THREADS
    if threads > connections:
        raise Problem(f"wrk: {threads} threads for {connections} connections", "lower -t or raise -c")
    options = LoadOptions(
        url=found.url,
        connections=connections,
        seconds=found.seconds or DEFAULT_SECONDS,
        threads=threads,
        headers=tuple(found.headers or ()),
        timeout_seconds=found.timeout or DEFAULT_TIMEOUT_SECONDS,
        insecure=found.url.startswith("https://"),
    )
    return WrkCall(options, found.latency)
