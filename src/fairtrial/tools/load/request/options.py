"""The options of a load: one definition for `fairtrial load`, `ab` and `wrk`.

Each field is declared as a parameter of a Typer command is, so that this is the command line of `fairtrial load`, too.
Little is imported here: `fairtrial --help` reads this module.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from fairtrial.base.problem import Problem
from fairtrial.tools.load.request.expected_figure import ExpectedFigure, parse_expected_figure, parse_objective
from fairtrial.tools.load.request.values import (
    ConnectTo,
    Header,
    RateRamp,
    RateStep,
    parse_connect_to,
    parse_duration,
    parse_header,
    parse_ramp,
    parse_rate,
    parse_statuses,
    parse_steps,
    parse_time_or_zero,
)

LOAD, REQUEST, EXPECTATION = "Load", "Request", "Expectation"
GOAL, CONNECTION, OUTPUT = "Goal", "Connection", "Output"
"""The panels of the help."""
STDOUT = Path("-")
USUAL_SERVER = "http://127.0.0.1:8080/"
"""What a workload file is aimed at without a URL: where stacks listen by default."""


def _option(
    panel: str,
    *names: str,
    metavar: str | None = None,
    text: str | None = None,
    least: int | None = None,
    most: int | None = None,
    parser: Callable[[str], Any] | None = None,
) -> Any:
    """An option in one panel of the help."""
    return typer.Option(*names, metavar=metavar, help=text, min=least, max=most, parser=parser, rich_help_panel=panel)


def _time(panel: str, *names: str, text: str) -> Any:
    return _option(panel, *names, metavar="TIME", text=text, parser=parse_duration)


def _file(panel: str, name: str, text: str) -> Any:
    return _option(panel, name, metavar="FILE", text=text)


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
        _option(
            LOAD,
            "-c",
            "--connections",
            metavar="N",
            least=1,
            most=60_000,
            text="Connections; in an open load the most that may be open. [default: 16, in an open load 64]",
        ),
    ] = None
    requests: Annotated[
        int | None,
        _option(LOAD, "-n", "--requests", metavar="N", least=1, text="Stop after this many requests."),
    ] = None
    seconds: Annotated[
        float | None, _time(LOAD, "-d", "--duration", text="Stop after this time: 10s, 500ms, 2m. [default: 10s]")
    ] = None
    rate: Annotated[
        float | None,
        _option(
            LOAD,
            "-r",
            "--rate",
            metavar="RATE",
            parser=parse_rate,
            text="Open load: offer this many requests per second (2000, 2k, 90/m), however fast the answers come.",
        ),
    ] = None
    arrival: Annotated[
        Literal["constant", "poisson"] | None,
        _option(
            LOAD,
            "--arrival",
            metavar="HOW",
            text="How requests of -r arrive: constant (evenly spaced), or poisson (at random, as from many clients). "
            "[default: constant]",
        ),
    ] = None
    ramp: Annotated[
        RateRamp | None,
        _option(
            LOAD,
            "--ramp",
            metavar="FROM:TO",
            parser=parse_ramp,
            text="Open load: a rate that goes from one to the other over the duration.",
        ),
    ] = None
    steps: Annotated[
        tuple[RateStep, ...] | None,
        _option(
            LOAD,
            "--steps",
            metavar="RATE:TIME,…",
            parser=parse_steps,
            text="Open load: one rate after the other, each for its time: 500:10s,1k:10s,2k:10s. Takes no -d.",
        ),
    ] = None
    think_seconds: Annotated[
        float | None, _time(LOAD, "--think", text="Closed load: pause after each answer before the next request.")
    ] = None
    warmup_seconds: Annotated[
        float | None,
        _option(
            LOAD,
            "--warmup",
            metavar="TIME",
            parser=parse_time_or_zero,
            text="Offer load at least this long before measuring, until the pace is flat; 0: measure from the first "
            "request on. [default: 1s; with -n, --ramp and --steps: 0s]",
        ),
    ] = None
    warmup_limit_seconds: Annotated[
        float | None,
        _time(
            LOAD,
            "--warmup-limit",
            text="Measure after this long, even if the pace is not flat. [default: 30s, or twice --warmup]",
        ),
    ] = None
    drain_seconds: Annotated[
        float | None,
        _option(
            LOAD,
            "--drain",
            metavar="TIME",
            parser=parse_time_or_zero,
            text="Open load: await the answers that are owed at the end for at most this long; 0: not at all. "
            "[default: 2s, or --timeout if that is shorter]",
        ),
    ] = None
    deadline_seconds: Annotated[
        float | None,
        _time(
            LOAD,
            "--deadline",
            text="Open load: do not send a request that is due for longer than this. It is an error of the kind "
            "deadline. [default: send it, however late]",
        ),
    ] = None
    threads: Annotated[
        int | None,
        _option(
            LOAD,
            "--threads",
            metavar="N",
            least=1,
            most=1024,
            text="Threads of the load generator. [default: one for each of its own processors]",
        ),
    ] = None
    driver: Annotated[
        Literal["auto", "epoll", "io_uring"],
        _option(LOAD, "--driver", metavar="NAME", text="How sockets are driven: auto, epoll, io_uring."),
    ] = "auto"
    wait: Annotated[
        Literal["sleep", "awake"],
        _option(
            LOAD,
            "--wait",
            metavar="HOW",
            text="While answers are awaited, sleep; or stay awake, which takes all of the generator's processors, and "
            "leaves its own wake-up out of times: keep the server off them.",
        ),
    ] = "sleep"

    file: Annotated[
        Path | None,
        _option(
            REQUEST,
            "-f",
            "--file",
            metavar="FILE",
            text="Send the requests of a workload file, and expect of the answers what it says.",
        ),
    ] = None
    headers: Annotated[
        list[Header],
        _option(
            REQUEST,
            "-H",
            "--header",
            metavar="'Name: value'",
            parser=parse_header,
            text="Add a header. May be repeated.",
        ),
    ] = field(default_factory=list)
    method: Annotated[
        str | None, _option(REQUEST, "-m", "--method", metavar="M", text="[default: GET, with -b POST]")
    ] = None
    body: Annotated[
        str | None,
        _option(REQUEST, "-b", "--body", metavar="TEXT|@FILE", text="Send a body; @- is standard input."),
    ] = None
    template: Annotated[
        bool,
        _option(
            REQUEST,
            "--template",
            text="Replace {{uniform 1 1000}}, {{zipf 1000 1.1}}, {{sequence 1}} in path, headers and body.",
        ),
    ] = False
    timeout_seconds: Annotated[
        float, _time(REQUEST, "--timeout", text="Give up on a request after this time. [default: 10s]")
    ] = 10.0

    expect_status: Annotated[
        tuple[int, ...],
        _option(
            EXPECTATION,
            "--expect-status",
            metavar="LIST",
            parser=parse_statuses,
            text="Statuses that are right: 200,404 or 2xx,3xx. [default: 2xx]",
        ),
    ] = ()
    expect_body: Annotated[
        str | None,
        _option(
            EXPECTATION,
            "--expect-body",
            metavar="TEXT|@FILE",
            text="The body that is right, compared in every answer.",
        ),
    ] = None
    expect_length: Annotated[
        int | None,
        _option(EXPECTATION, "--expect-length", metavar="N", least=0, text="Length of the body in bytes."),
    ] = None

    no_keepalive: Annotated[bool, _option(CONNECTION, "--no-keepalive", text="A new connection for every request.")] = (
        False
    )
    requests_per_connection: Annotated[
        int | None,
        _option(
            CONNECTION,
            "--requests-per-connection",
            metavar="N",
            least=1,
            text="Close a connection after this many requests.",
        ),
    ] = None
    pipeline: Annotated[
        int,
        _option(CONNECTION, "--pipeline", metavar="N", least=1, most=64, text="Requests in flight on one connection."),
    ] = 1
    http2: Annotated[
        bool, _option(CONNECTION, "--http2", text="HTTP/2: for https by ALPN, for http with prior knowledge.")
    ] = False
    streams: Annotated[
        int | None,
        _option(
            CONNECTION,
            "--streams",
            metavar="N",
            least=1,
            text="With --http2: requests in flight on one connection (default: 1).",
        ),
    ] = None
    insecure: Annotated[bool, _option(CONNECTION, "--insecure", text="Accept any certificate.")] = False
    ca_file: Annotated[
        Path | None,
        _file(CONNECTION, "--cacert", "Trust the authorities in this PEM file instead of the system's."),
    ] = None
    certificate_file: Annotated[Path | None, _file(CONNECTION, "--cert", "The client's own certificate (PEM).")] = None
    key_file: Annotated[Path | None, _file(CONNECTION, "--key", "The key of --cert (PEM).")] = None
    unix_socket: Annotated[
        Path | None,
        _option(CONNECTION, "--unix", metavar="PATH", text="Connect to this Unix socket instead."),
    ] = None
    connect_to: Annotated[
        list[ConnectTo],
        _option(
            CONNECTION,
            "--connect-to",
            metavar="HOSTS",
            parser=parse_connect_to,
            text="HOST:PORT:OTHER:PORT: connect to the other for the first; requests stay as they are. May be "
            "repeated.",
        ),
    ] = field(default_factory=list)
    tls_resume: Annotated[
        bool, _option(CONNECTION, "--tls-resume", text="Take up TLS sessions again; without, handshakes are full.")
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
    """What the figures of a load have to reach, and the search for the highest rate at which they do."""

    expect: Annotated[
        list[ExpectedFigure],
        _option(
            GOAL,
            "--expect",
            metavar="'FIGURE<BOUND'",
            parser=parse_expected_figure,
            text="Judge whether a figure was reached: 'p99<50ms', 'max<1s', 'mean<=5ms', 'rate>=2,000/s', "
            "'errors<=0.1%'; of one request of -f, 'order: p99<50ms'. May be repeated. Exit status 1 if one was not.",
        ),
    ] = field(default_factory=list)
    capacity: Annotated[
        list[ExpectedFigure],
        _option(
            GOAL,
            "--capacity",
            metavar="'pN<TIME'",
            parser=parse_objective,
            text="Search for the highest rate at which this holds without an error, such as 'p99<50ms' (or, with -f, "
            "'order: p99<50ms'), and confirm it over -d. May be repeated.",
        ),
    ] = field(default_factory=list)
    between: Annotated[
        RateRamp | None,
        _option(
            GOAL,
            "--between",
            metavar="LOW:HIGH",
            parser=parse_ramp,
            text="The lowest and the highest rate that --capacity tries. [default: 50:200k]",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """The files to write, None for none; `-` is standard output, which only one of them can have."""

    json: Annotated[Path | None, _file(OUTPUT, "--json", "Write all figures as JSON; - is standard output.")] = None
    csv: Annotated[Path | None, _file(OUTPUT, "--csv", "Write a line for each second; - is standard output.")] = None
    hdr: Annotated[
        Path | None,
        _file(OUTPUT, "--hdr", "Write the percentile distribution for HdrHistogram's plotters (.hgrm)."),
    ] = None
    html: Annotated[Path | None, _file(OUTPUT, "--html", "Write a page with charts that opens offline.")] = None

    @property
    def use_stdout(self) -> bool:
        """True if standard output is for a program; the report then goes to standard error."""
        return STDOUT in (self.json, self.csv, self.hdr, self.html)
