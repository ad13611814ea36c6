"""The options of a load: one definition for `fairtrial load`, `ab` and `wrk`.

Each field is declared as a parameter of a Typer command is, so that this is the command line of `fairtrial load`, too.
Little is imported here: `fairtrial --help` reads this module.
"""

from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer
from typer.models import OptionInfo

from fairtrial.base.problem import Problem
from fairtrial.tools.load.request.expected_figure import ExpectedFigure, parse_expected_figure, parse_objective
from fairtrial.tools.load.request.values import (
    ConnectTo,
    Header,
    RateRamp,
    RateStep,
    duration_option,
    parse_connect_to,
    parse_header,
    parse_ramp,
    parse_statuses,
    parse_steps,
    parse_time_or_zero,
    rate_option,
)

OUTPUT = "Output"
USUAL_SERVER = "http://127.0.0.1:8080/"
"""What a workload file is aimed at without a URL: where stacks listen by default."""


def _option(panel: str, usage: str, text: str, **settings: Any) -> Any:
    """An option in one panel of the help.

    Args:
        usage: its names, and what stands for its value: `-n,--requests N`.
        settings: further ones of `typer.Option`.
    """
    names, _, metavar = usage.partition(" ")
    return typer.Option(*names.split(","), metavar=metavar or None, help=text, rich_help_panel=panel, **settings)


_load, _request, _expectation = (partial(_option, panel) for panel in ("Load", "Request", "Expectation"))
_goal, _connection, _output = (partial(_option, panel) for panel in ("Goal", "Connection", OUTPUT))


def option_name(option: Field[Any]) -> str:
    """The first name on the command line of a field that declares an option: `-c`."""
    info: OptionInfo = get_args(option.type)[1]
    return str(info.default)  # where Typer keeps the first positional argument until it reads the command


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """One load on one URL, or the requests of a workload file on one server.

    Times are seconds, rates requests per second; None stands for the default in the help.
    `body` and `expect_body` are texts, or `@FILE`. `seconds` and `requests` exclude each other; `steps` take the place
    of both.
    """

    url: Annotated[
        str,
        typer.Argument(
            help="What to request: http://HOST[:PORT]/PATH, or https://…; with -f, the server alone "
            f"(default: {USUAL_SERVER}).",
            show_default=False,
        ),
    ] = ""

    connections: Annotated[
        int | None,
        _load(
            "-c,--connections N",
            "Connections; in an open load at most so many. [default: 16, in an open load 64]",
            min=1,
            max=60_000,
        ),
    ] = None
    idle_connections: Annotated[
        int,
        _load(
            "--idle-connections N",
            "With -f, of messages of a WebSocket: open so many further connections before the load. They answer pings, "
            "and carry no messages.",
            min=0,
            max=1_000_000,
            hidden=True,
        ),
    ] = 0
    requests: Annotated[int | None, _load("-n,--requests N", "Stop after this many requests.", min=1)] = None
    seconds: Annotated[
        float | None,
        _load("-d,--duration TIME", "Stop after this time: 10s, 500ms, 2m. [default: 10s]", parser=duration_option),
    ] = None
    rate: Annotated[
        float | None,
        _load(
            "-r,--rate RATE",
            "Open load: offer this many requests per second (2000, 2k, 90/m), however fast the answers come.",
            parser=rate_option,
        ),
    ] = None
    arrival: Annotated[
        Literal["constant", "poisson"] | None,
        _load(
            "--arrival HOW",
            "How requests of -r arrive: constant (evenly spaced), or poisson (at random, as from many clients). "
            "[default: constant]",
            hidden=True,
        ),
    ] = None
    ramp: Annotated[
        RateRamp | None,
        _load(
            "--ramp FROM:TO",
            "Open load: a rate that goes from one to the other over the duration.",
            hidden=True,
            parser=parse_ramp,
        ),
    ] = None
    steps: Annotated[
        tuple[RateStep, ...] | None,
        _load(
            "--steps RATE:TIME,…",
            "Open load: one rate after the other, each for its time: 500:10s,1k:10s,2k:10s. Takes no -d.",
            hidden=True,
            parser=parse_steps,
        ),
    ] = None
    think_seconds: Annotated[
        float | None,
        _load(
            "--think TIME",
            "Closed load: pause after each answer before the next request.",
            parser=duration_option,
            hidden=True,
        ),
    ] = None
    warmup_seconds: Annotated[
        float | None,
        _load(
            "--warmup TIME",
            "At least this long, and until the pace is flat, load is not measured yet; 0: all is. [default: 1s; with "
            "-n, --ramp and --steps: 0s]",
            parser=parse_time_or_zero,
        ),
    ] = None
    warmup_limit_seconds: Annotated[
        float | None,
        _load(
            "--warmup-limit TIME",
            "Measure after this long, even if the pace is not flat. [default: 30s, or twice --warmup]",
            parser=duration_option,
            hidden=True,
        ),
    ] = None
    drain_seconds: Annotated[
        float | None,
        _load(
            "--drain TIME",
            "Open load: await the answers that are owed at the end for at most this long; 0: not at all. [default: 2s, "
            "or --timeout if that is shorter]",
            parser=parse_time_or_zero,
            hidden=True,
        ),
    ] = None
    deadline_seconds: Annotated[
        float | None,
        _load(
            "--deadline TIME",
            "Open load: do not send a request that is due for longer than this. It is an error of the kind deadline. "
            "[default: send it, however late]",
            parser=duration_option,
            hidden=True,
        ),
    ] = None
    threads: Annotated[
        int | None,
        _load(
            "--threads N",
            "Threads of the load generator. [default: one for each of its own processors]",
            min=1,
            max=1024,
            hidden=True,
        ),
    ] = None
    driver: Annotated[
        Literal["auto", "epoll", "io_uring"],
        _load("--driver NAME", "How sockets are driven: auto, epoll, io_uring.", hidden=True),
    ] = "auto"
    wait: Annotated[
        Literal["sleep", "awake"],
        _load(
            "--wait HOW",
            "While answers are awaited, sleep; or stay awake, which takes all of the generator's processors, and "
            "leaves its own wake-up out of times: keep the server off them.",
            hidden=True,
        ),
    ] = "sleep"

    trace_share: Annotated[
        float,
        _request(
            "--trace-share SHARE",
            "Send a traceparent with this share of the requests, drawn at random: 0.01. A server that traces then "
            "works more. --verbose, --json and --html have the trace ids of the slowest.",
            min=0,
            max=1,
            hidden=True,
            show_default=False,
        ),
    ] = 0.0

    file: Annotated[
        Path | None,
        _request("-f,--file FILE", "Send the requests of a workload file, and expect of the answers what it says."),
    ] = None
    headers: Annotated[
        list[Header],
        _request("-H,--header 'Name: value'", "Add a header. May be repeated.", parser=parse_header),
    ] = field(default_factory=list)
    method: Annotated[str | None, _request("-m,--method M", "[default: GET, with -b POST]")] = None
    body: Annotated[str | None, _request("-b,--body TEXT|@FILE", "Send a body; @- is standard input.")] = None
    template: Annotated[
        bool,
        _request(
            "--template",
            "Replace {{uniform 1 1000}}, {{zipf 1000 1.1}}, {{sequence 1}} in path, headers and body.",
            hidden=True,
        ),
    ] = False
    timeout_seconds: Annotated[
        float,
        _request(
            "--timeout TIME",
            "Give up on a request after this time. [default: 10s]",
            hidden=True,
            parser=duration_option,
        ),
    ] = 10.0

    expect_status: Annotated[
        tuple[int, ...],
        _expectation(
            "--expect-status LIST",
            "Statuses that are right: 200,404 or 2xx,3xx. [default: 2xx]",
            hidden=True,
            parser=parse_statuses,
        ),
    ] = ()
    expect_body: Annotated[
        str | None,
        _expectation("--expect-body TEXT|@FILE", "The body that is right, compared in every answer.", hidden=True),
    ] = None
    expect_length: Annotated[
        int | None, _expectation("--expect-length N", "Length of the body in bytes.", min=0, hidden=True)
    ] = None

    no_keepalive: Annotated[bool, _connection("--no-keepalive", "A new connection for every request.")] = False
    requests_per_connection: Annotated[
        int | None,
        _connection("--requests-per-connection N", "Close a connection after this many requests.", min=1, hidden=True),
    ] = None
    pipeline: Annotated[
        int, _connection("--pipeline N", "Requests in flight on one connection.", min=1, max=64, hidden=True)
    ] = 1
    http2: Annotated[bool, _connection("--http2", "HTTP/2: for https by ALPN, for http with prior knowledge.")] = False
    http3: Annotated[bool, _connection("--http3", "HTTP/3, over QUIC.")] = False
    streams: Annotated[
        int | None,
        _connection(
            "--streams N",
            "With --http2 or --http3: requests in flight on one connection (default: 1).",
            min=1,
            hidden=True,
        ),
    ] = None
    insecure: Annotated[bool, _connection("--insecure", "Accept any certificate.")] = False
    ca_file: Annotated[
        Path | None,
        _connection("--cacert FILE", "Trust the authorities in this PEM file instead of the system's.", hidden=True),
    ] = None
    certificate_file: Annotated[
        Path | None, _connection("--cert FILE", "The client's own certificate (PEM).", hidden=True)
    ] = None
    key_file: Annotated[Path | None, _connection("--key FILE", "The key of --cert (PEM).", hidden=True)] = None
    unix_socket: Annotated[
        Path | None, _connection("--unix PATH", "Connect to this Unix socket instead.", hidden=True)
    ] = None
    connect_to: Annotated[
        list[ConnectTo],
        _connection(
            "--connect-to HOSTS",
            "HOST:PORT:OTHER:PORT: connect to the other for the first; requests stay as they are. May be repeated.",
            parser=parse_connect_to,
            hidden=True,
        ),
    ] = field(default_factory=list)
    addresses: Annotated[
        Literal["first", "all"],
        _connection(
            "--addresses WHICH",
            "Of several addresses of a name, use the first that takes a connection, or all in turn.",
            hidden=True,
        ),
    ] = "first"
    tls_resume: Annotated[
        bool, _connection("--tls-resume", "Take up TLS sessions again; without, handshakes are full.", hidden=True)
    ] = False

    def __post_init__(self) -> None:
        if not self.url and self.file is None:
            raise Problem(
                "there is no URL to request", f"write one, such as {USUAL_SERVER}, or a workload file with -f"
            )
        if not self.url:
            object.__setattr__(self, "url", USUAL_SERVER)


@dataclass(frozen=True, kw_only=True)
class GoalOptions:
    """The goals that the figures of a load have to reach, and the search for the highest rate at which they do."""

    expect: Annotated[
        list[ExpectedFigure],
        _goal(
            "--expect 'FIGURE<BOUND'",
            "Judge a figure: 'p99<50ms', 'max<1s', 'mean<=5ms', 'rate>=2,000/s', 'errors<=0.1%'; of one request of -f, "
            "'order: p99<50ms'. May be repeated. Exit status 1 if one is refuted.",
            parser=parse_expected_figure,
        ),
    ] = field(default_factory=list)
    capacity: Annotated[
        list[ExpectedFigure],
        _goal(
            "--capacity 'pN<TIME'",
            "Search for the highest rate at which this holds without an error, such as 'p99<50ms', and confirm it over "
            "-d. May be repeated.",
            parser=parse_objective,
        ),
    ] = field(default_factory=list)
    between: Annotated[
        RateRamp | None,
        _goal(
            "--between LOW:HIGH",
            "The lowest and the highest rate that --capacity tries. [default: 50:200k]",
            parser=parse_ramp,
            hidden=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """The files to write, None for none; `-` is standard output, which only one of them can have."""

    json: Annotated[Path | None, _output("--json FILE", "Write all figures as JSON; - is standard output.")] = None
    csv: Annotated[
        Path | None, _output("--csv FILE", "Write a line for each second; - is standard output.", hidden=True)
    ] = None
    hdr: Annotated[
        Path | None,
        _output("--hdr FILE", "Write the percentile distribution for HdrHistogram's plotters (.hgrm).", hidden=True),
    ] = None
    html: Annotated[Path | None, _output("--html FILE", "Write a page with charts that opens offline.")] = None

    @property
    def paths(self) -> Mapping[str, Path | None]:
        """By the name of each option, the file."""
        return {f"--{name}": path for name, path in asdict(self).items()}
