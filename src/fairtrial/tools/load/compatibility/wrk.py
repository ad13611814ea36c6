"""The arguments of `wrk` (4) as a load."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.problem import Problem
from fairtrial.tools.load.compatibility.arguments import (
    Flag,
    ToolSyntax,
    UnsupportedFlag,
    read_arguments,
    whole_number,
)
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.units import parse_duration
from fairtrial.tools.load.request.values import parse_header

DEFAULT_CONNECTIONS, DEFAULT_THREADS = 10, 2
DEFAULT_SECONDS, DEFAULT_TIMEOUT_SECONDS = 10.0, 2.0
USAGE = "wrk [-c CONNECTIONS] [-d TIME] [-t THREADS] [-H 'Name: value'] [--latency] [--timeout TIME] URL"

WRK = ToolSyntax(
    name="wrk",
    usage=USAGE,
    flags=(
        Flag(("-c", "--connections"), "connections", whole_number(1)),
        Flag(("-d", "--duration"), "seconds", parse_duration),
        Flag(("-t", "--threads"), "threads", whole_number(1)),
        Flag(("-H", "--header"), "headers", parse_header, repeated=True),
        Flag(("-L", "--latency"), "latency"),
        Flag(("-T", "--timeout"), "timeout", parse_duration),
    ),
    unsupported=(
        UnsupportedFlag(
            ("-s", "--script"),
            True,
            "Lua scripts are not run",
            "fairtrial load has -m, -b, -H and --template for what most scripts do",
        ),
        UnsupportedFlag(
            ("-R", "--rate"), True, "only wrk2 has it", "use fairtrial load -r RATE, which needs no correction"
        ),
        UnsupportedFlag(("-h",), False, "this is not wrk itself", "fairtrial wrk --help"),
        UnsupportedFlag(("-v", "--version"), False, "this is not wrk itself", "fairtrial --version"),
    ),
)


@dataclass(frozen=True)
class WrkCall:
    """One call of `wrk`: the load, and whether to print the latency distribution."""

    options: LoadOptions
    with_latency: bool


def read_wrk(arguments: Sequence[str]) -> WrkCall:
    """Read wrk's own arguments.

    Raises:
        Problem: one is unknown, unsupported or wrong.
    """
    values = read_arguments(WRK, arguments)
    connections, threads = values.connections or DEFAULT_CONNECTIONS, values.threads or DEFAULT_THREADS
    if threads > connections:
        raise Problem(f"wrk: {threads} threads for {connections} connections", "lower -t or raise -c")
    options = LoadOptions(
        warmup_seconds=0.0,
        url=values.url,
        connections=connections,
        seconds=values.seconds or DEFAULT_SECONDS,
        threads=threads,
        headers=values.headers or [],
        timeout_seconds=values.timeout or DEFAULT_TIMEOUT_SECONDS,
        insecure=values.url.startswith("https://"),
    )
    return WrkCall(options, values.latency)
