"""The arguments of `wrk` (4) as a load."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.problem import Problem
from fairtrial.tools.load.compatibility.arguments import ToolParser, whole_number
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.values import parse_duration, parse_header

DEFAULT_CONNECTIONS, DEFAULT_THREADS = 10, 2
DEFAULT_SECONDS, DEFAULT_TIMEOUT_SECONDS = 10.0, 2.0
USAGE = "wrk [-c CONNECTIONS] [-d TIME] [-t THREADS] [-H 'Name: value'] [--latency] [--timeout TIME] URL"


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
    values = _parser().read(arguments)
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


def _parser() -> ToolParser:
    parser = ToolParser("wrk", USAGE)
    parser.takes("-c", "--connections", to="connections", parse=whole_number(1))
    parser.takes("-d", "--duration", to="seconds", parse=parse_duration)
    parser.takes("-t", "--threads", to="threads", parse=whole_number(1))
    parser.takes("-H", "--header", to="headers", parse=parse_header, repeated=True)
    parser.takes("-L", "--latency", to="latency")
    parser.takes("-T", "--timeout", to="timeout", parse=parse_duration)
    parser.refuses(
        "-s",
        "--script",
        reason="Lua scripts are not run",
        remedy="fairtrial load has -m, -b, -H and --template for what most scripts do",
    )
    parser.refuses(
        "-R", "--rate", reason="only wrk2 has it", remedy="use fairtrial load -r RATE, which needs no correction"
    )
    parser.refuses("-h", reason="this is not wrk itself", remedy="fairtrial wrk --help", takes_value=False)
    parser.refuses("-v", "--version", reason="this is not wrk itself", remedy="fairtrial --version", takes_value=False)
    return parser
