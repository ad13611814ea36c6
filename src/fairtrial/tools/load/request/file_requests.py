"""The requests of a workload file, as `fairtrial load -f` sends them, and what a reader has to know of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.contract.over_http3 import OverHttp3
from fairtrial.catalog.workloads.from_file import ANY_ANSWER, expects_nothing
from fairtrial.catalog.workloads.sent_requests import sent_requests, thinking_last
from fairtrial.catalog.workloads.setup_requests import send_setup
from fairtrial.engine.plan import EnginePlan, Request, SetupRequest, Tls
from fairtrial.engine.sent_requests import SentRequests
from fairtrial.experiment.workload_file.model import WorkloadFile
from fairtrial.experiment.workload_file.placeholders import Scalar
from fairtrial.experiment.workload_file.read import PAGE, read_workload_file
from fairtrial.tools.load.request.connect import check_connection, tls_context
from fairtrial.tools.load.request.http_request import host_header, sent_headers
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.url import Url
from fairtrial.tools.load.request.values import Header

FOR_TRIALS = ("data", "reset", "audit", "reference")
"""The keys of a workload file that only `fairtrial run` heeds."""

NAMED_CHARACTERS = 300


def requests_of_file(options: LoadOptions, url: Url, tls: Tls | None = None) -> SentRequests:
    """The requests of the options' file; headers of the options take the place of its own. Every answer is compared.

    Setup requests of the file are sent on the way.

    Raises:
        Problem: the file cannot be used, a variable that it names is not set, an option says what the file says, or a
            setup request is not answered as expected.
    """
    assert options.file is not None
    for name in _said_twice(options):
        raise Problem(f"{name} and -f exclude each other", f"write it into {printable(str(options.file))}")
    if url.path != "/":
        raise Problem(
            f"{printable(url.text)}: with -f, the URL is that of the server alone",
            f"leave out {printable(url.path)}: the workload file has the paths",
        )
    source = read_workload_file(options.file)
    variables: dict[str, Scalar] = {}
    extra = sent_headers(options)
    if source.setup:
        if options.connect_to:
            raise Problem(
                f"{printable(str(options.file))} has setup requests that are sent once for the load, and --connect-to "
                "does not apply to them",
                'write per = "connection" there, or leave out --connect-to',
            )
        check_connection(url, options.unix_socket, tls, options.timeout_seconds, http3=options.http3)
        client = _client(options, url, tls)
        variables = send_setup(source, client, host_header(options, url), headers=extra)
    workload = sent_requests(source, check_every=1, variables=variables)
    return replace(
        workload,
        requests=[_with_headers(request, extra) for request in workload.requests],
        setup=[_with_headers(request, extra) for request in workload.setup],
    )


def assert_load_fits(workload: SentRequests, plan: EnginePlan) -> None:
    """Raise a Problem if requests of a file need what this load is not."""
    thinking = [request.name for request in workload.requests if request.think_seconds is not None]
    if plan.pipeline == 1:
        thinking = thinking_last(workload.requests) if plan.load.kind != "closed" else []
    if thinking:
        raise Problem(
            f"requests.{thinking[0]}.think: only a client of a closed load waits for its answer and thinks",
            "leave out -r, --ramp, --steps and --pipeline, or this `think`",
        )
    if workload.setup and plan.pipeline > 1:
        raise Problem(
            f"setup.{workload.setup[0].name}: a connection that is set up has one request in flight",
            "leave out --pipeline",
        )
    calls = [request.name for request in workload.requests if request.expect.grpc is not None]
    if calls and plan.http2 is None:
        raise Problem(f"requests.{calls[0]}.grpc: calls go over HTTP/2", "give --http2")
    chained = [request.name for request in workload.requests if request.follow_redirects or request.renew]
    if chained and plan.pipeline > 1:
        raise Problem(
            f"requests.{chained[0]}: to follow a redirect or to renew, it needs its answer before the next request",
            "leave out --pipeline",
        )
    if chained and workload.setup and plan.requests_per_connection is not None:
        raise Problem(
            f"requests.{chained[0]}: to follow a redirect or to renew, it needs a connection that stays, as "
            f"setup.{workload.setup[0].name} is sent on each",
            "leave out --requests-per-connection and --no-keepalive",
        )
    if workload.cookies is not None and plan.pipeline > 1:
        raise Problem("cookies: nobody has an answer before the next request", "leave out --pipeline")
    if workload.websocket is not None:
        refused = {
            "--http2": plan.http2 is not None,
            "--http3": plan.http3 is not None,
            "--pipeline": plan.pipeline > 1,
            "--no-keepalive and --requests-per-connection": plan.requests_per_connection is not None,
            "--trace-share": plan.trace_share is not None,
        }
        for option in (option for option, applies in refused.items() if applies):
            raise Problem("the requests of this file are messages of a WebSocket", f"leave out {option}")
    if workload.setup and plan.requests_per_connection == 1:
        raise Problem(
            f"setup.{workload.setup[0].name}: each request would have a connection and a setup of its own",
            'leave out --no-keepalive, or write per = "load" there',
        )


def left_out(file: Path) -> list[str]:
    """A note if the file holds what `fairtrial load` does not do; else none.

    Raises:
        Problem: the file cannot be read, or is broken.
    """
    fields = read_toml(file, WorkloadFile, PAGE).model_fields_set
    keys = ", ".join(key for key in FOR_TRIALS if key in fields)
    return [f"load sends requests only; of {printable(file.name)}, `fairtrial run` alone heeds: {keys}"] if keys else []


def met_by_anything(requests: Sequence[Request]) -> Iterator[str]:
    """A note for the requests to which any answer is right, and for each schema that says nothing."""
    unexpected = [request.name for request in requests if expects_nothing(request)]
    if unexpected:
        names = printable(", ".join(unexpected), NAMED_CHARACTERS)
        yield f"{names}: {ANY_ANSWER}, as the file expects nothing of it"
    for request in requests:
        check = request.body_check
        if check is not None and check.schema is not None and check.schema.accepts_anything:
            yield f"{printable(request.name)}: its schema accepts any answer"


def _client(options: LoadOptions, url: Url, tls: Tls | None) -> httpx.Client:
    """For the setup requests: to the server that gets the load, without headers of its own."""
    uds = None if options.unix_socket is None else str(options.unix_socket.absolute())
    transport: httpx.BaseTransport = httpx.HTTPTransport(verify=False if tls is None else tls_context(tls), uds=uds)
    if options.http3 and tls is not None:
        identity = None if tls.certificate_file is None else (tls.certificate_file, tls.key_file)
        transport = OverHttp3(tls.ca_file, insecure=tls.insecure, identity=identity)
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return client_of(f"{'https' if url.secure else 'http'}://{host}:{url.port}", options.timeout_seconds, transport)


def _said_twice(options: LoadOptions) -> Iterator[str]:
    """The options that are given, and that the file decides."""
    options_in_file = {
        "-m": options.method,
        "-b": options.body,
        "--template": options.template or None,
        "--expect-status": options.expect_status or None,
        "--expect-body": options.expect_body,
        "--expect-length": options.expect_length,
    }
    return (name for name, value in options_in_file.items() if value is not None)


AnyRequest = TypeVar("AnyRequest", Request, SetupRequest)


def _with_headers(request: AnyRequest, extra: Sequence[Header]) -> AnyRequest:
    names = {header.name.lower() for header in extra}
    others: list[tuple[str, str]] = [(name, value) for name, value in request.headers if name.lower() not in names]
    added: list[tuple[str, str]] = [(header.name, header.value.replace("{{", "{{{{")) for header in extra]
    return request.model_copy(update={"headers": [*others, *added]})
