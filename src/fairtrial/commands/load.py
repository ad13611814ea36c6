"""`fairtrial load`: the load engine by itself, aimed at any URL."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairtrial.tools.load.plan.words import (
    parse_duration,
    parse_header,
    parse_ramp,
    parse_rate,
    parse_statuses,
    parse_steps,
)

LOAD, REQUEST, EXPECTATION = "Load", "Request", "Expectation"
CONNECTION, OUTPUT = "Connection", "Output"


class Arrival(StrEnum):
    CONSTANT = "constant"
    POISSON = "poisson"


class DriverChoice(StrEnum):
    AUTO = "auto"
    EPOLL = "epoll"
    IO_URING = "io_uring"


def _time(short: str | None, long: str, panel: str, text: str) -> object:
    names = [long] if short is None else [short, long]
    return typer.Option(*names, parser=parse_duration, metavar="TIME", help=text, rich_help_panel=panel)


def _file(name: str, panel: str, text: str) -> object:
    return typer.Option(name, metavar="FILE", help=text, rich_help_panel=panel)


def load(
    url: Annotated[str, typer.Argument(help="What to request: http://HOST[:PORT]/PATH, or https://…")],
    connections: Annotated[
        int | None,
        typer.Option(
            "-c",
            "--connections",
            min=1,
            max=60_000,
            metavar="N",
            help="Connections; in an open load the most that may be open. [default: 16, in an open load 64]",
            rich_help_panel=LOAD,
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(
            "-n", "--requests", min=1, metavar="N", help="Stop after this many requests.", rich_help_panel=LOAD
        ),
    ] = None,
    duration: Annotated[
        float | None, _time("-d", "--duration", LOAD, "Stop after this time: 10s, 500ms, 2m. [default: 10s]")
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "-r",
            "--rate",
            parser=parse_rate,
            metavar="RATE",
            help="Open load: offer this many requests a second (2000, 2k, 90/m), whatever the answers do.",
            rich_help_panel=LOAD,
        ),
    ] = None,
    arrival: Annotated[
        Arrival | None,
        typer.Option(
            help="How requests of -r arrive: evenly, or at random as from many callers. [default: constant]",
            rich_help_panel=LOAD,
        ),
    ] = None,
    ramp: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="Open load: a rate that goes from one to the other over the duration.",
            rich_help_panel=LOAD,
        ),
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option(
            metavar="RATE:TIME,…",
            help="Open load: one rate after the other, each for its time: 500:10s,1k:10s,2k:10s. Takes no -d.",
            rich_help_panel=LOAD,
        ),
    ] = None,
    think: Annotated[
        float | None, _time(None, "--think", LOAD, "Closed load: pause after each answer before the next request.")
    ] = None,
    warmup: Annotated[float | None, _time(None, "--warmup", LOAD, "Offer load this long before measuring.")] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            metavar="N",
            help="Threads of the generator. [default: one for each processor that is its own]",
            rich_help_panel=LOAD,
        ),
    ] = None,
    driver: Annotated[
        DriverChoice, typer.Option(help="How sockets are driven.", rich_help_panel=LOAD)
    ] = DriverChoice.AUTO,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "-H", "--header", metavar="'Name: value'", help="Add a header. May be repeated.", rich_help_panel=REQUEST
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("-m", "--method", metavar="M", help="[default: GET, with -b POST]", rich_help_panel=REQUEST),
    ] = None,
    body: Annotated[
        str | None,
        typer.Option(
            "-b", "--body", metavar="TEXT|@FILE", help="Send a body; @- is standard input.", rich_help_panel=REQUEST
        ),
    ] = None,
    template: Annotated[
        bool,
        typer.Option(
            "--template",
            help="Replace {{uniform 1 1000}}, {{zipf 1000 1.1}}, {{sequence 1}} in path, headers and body.",
            rich_help_panel=REQUEST,
        ),
    ] = False,
    timeout: Annotated[
        float | None, _time(None, "--timeout", REQUEST, "Give a request up after this time. [default: 10s]")
    ] = None,
    expect_status: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Statuses that are right: 200,404 or 2xx,3xx. [default: 2xx]",
            rich_help_panel=EXPECTATION,
        ),
    ] = None,
    expect_body: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT|@FILE", help="The body that is right, compared in every answer.", rich_help_panel=EXPECTATION
        ),
    ] = None,
    expect_length: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Length of the body in bytes.", rich_help_panel=EXPECTATION),
    ] = None,
    no_keepalive: Annotated[
        bool,
        typer.Option("--no-keepalive", help="A new connection for every request.", rich_help_panel=CONNECTION),
    ] = False,
    requests_per_connection: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Close a connection after this many requests.", rich_help_panel=CONNECTION
        ),
    ] = None,
    pipeline: Annotated[
        int,
        typer.Option(
            min=1, max=64, metavar="N", help="Requests in flight on one connection.", rich_help_panel=CONNECTION
        ),
    ] = 1,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Take any certificate.", rich_help_panel=CONNECTION)
    ] = False,
    cacert: Annotated[
        Path | None, _file("--cacert", CONNECTION, "Trust the authorities in this PEM file instead of the system's.")
    ] = None,
    cert: Annotated[Path | None, _file("--cert", CONNECTION, "The client's own certificate (PEM).")] = None,
    key: Annotated[Path | None, _file("--key", CONNECTION, "The key of --cert (PEM).")] = None,
    unix: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Connect to this Unix socket instead.", rich_help_panel=CONNECTION),
    ] = None,
    json_file: Annotated[
        Path | None, _file("--json", OUTPUT, "Write all figures as JSON; - is standard output.")
    ] = None,
    csv_file: Annotated[
        Path | None, _file("--csv", OUTPUT, "Write a line for each second; - is standard output.")
    ] = None,
    hdr_file: Annotated[
        Path | None, _file("--hdr", OUTPUT, "Write the percentile distribution for HdrHistogram's plotters (.hgrm).")
    ] = None,
    html_file: Annotated[Path | None, _file("--html", OUTPUT, "Write a page with charts that opens offline.")] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="No live view: a line a second, as without a terminal.", rich_help_panel=OUTPUT),
    ] = False,
) -> None:
    """Offer load to a URL and say what came back: verified answers first, errors by kind.

    Without -r, --ramp and --steps the load is **closed**: each connection sends its next request when its last one is
    answered, so a slow server is asked less. With them it is **open**: requests are due by the clock, and one that has
    to wait has waited. Only an open load shows what callers who do not wait for each other would see.

    Aim it only at servers that are yours.

    **Examples**

    `fairtrial load http://127.0.0.1:8080/`   ten seconds, 16 connections

    `fairtrial load -c 64 -n 100000 http://127.0.0.1:8080/items`   a count instead of a time

    `fairtrial load -r 2k --arrival poisson -d 30s --html load.html http://127.0.0.1:8080/`   an open load, with charts

    `fairtrial load --steps 500:10s,1k:10s,2k:10s http://127.0.0.1:8080/`   which rate is still kept?

    `fairtrial load -b @order.json -H 'Content-Type: application/json' --expect-status 201 http://127.0.0.1:8080/orders`

    `fairtrial load --json - http://127.0.0.1:8080/ | jq .goodput_per_second`

    **Exit status** 0 every request was answered well; 2 wrong use; 3 some were not; 4 none was, or the server could not
    be reached; 130 interrupted (what was measured is reported).
    """
    from rich.console import Console

    from fairtrial.tools.load.measure import measure
    from fairtrial.tools.load.plan.engine_plan import plan_for
    from fairtrial.tools.load.plan.options import LoadOptions
    from fairtrial.tools.load.report.outputs import Outputs
    from fairtrial.tools.load.report.terminal import print_measurement

    options = LoadOptions(
        url=url,
        connections=connections,
        requests=requests,
        seconds=duration,
        rate=rate,
        arrival=None if arrival is None else arrival.value,
        ramp=parse_ramp(ramp) if ramp is not None else None,
        steps=parse_steps(steps) if steps is not None else None,
        think_seconds=think,
        warmup_seconds=warmup or 0.0,
        threads=threads,
        driver=driver.value,
        method=method,
        headers=tuple(parse_header(each) for each in header or ()),
        body=body,
        template=template,
        timeout_seconds=timeout or 10.0,
        expect_status=parse_statuses(expect_status) if expect_status else (),
        expect_body=expect_body,
        expect_length=expect_length,
        keep_alive=not no_keepalive,
        requests_per_connection=requests_per_connection,
        pipeline=pipeline,
        unix=unix,
        insecure=insecure,
        ca_file=cacert,
        certificate_file=cert,
        key_file=key,
    )
    outputs = Outputs(json=json_file, csv=csv_file, hdr=hdr_file, html=html_file)
    outputs.check()
    plan = plan_for(options)
    errors = Console(stderr=True)
    measurement = measure(errors, url, plan, plain=plain)
    try:
        print_measurement(errors if outputs.take_stdout else Console(), measurement)
    finally:
        outputs.write(measurement)  # also if nobody reads the report
    raise typer.Exit(measurement.exit_status)
