"""The arguments of `ab` (Apache 2.4) as a load."""

import argparse
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.tools.load.compatibility.arguments import (
    Flag,
    ToolSyntax,
    UnsupportedFlag,
    read_arguments,
    whole_number,
)
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.values import Header, parse_header

DEFAULT_TIMEOUT_SECONDS = 30.0
USAGE = "ab [-n REQUESTS | -t SECONDS] [-c CONCURRENCY] [-k] [-p FILE -T TYPE] [-H 'Name: value'] URL"

AB = ToolSyntax(
    name="ab",
    usage=USAGE,
    flags=(
        Flag(("-n",), "requests", whole_number(1)),
        Flag(("-c",), "concurrency", whole_number(1)),
        Flag(("-t",), "seconds", whole_number(1)),
        Flag(("-s",), "timeout", whole_number(1)),
        Flag(("-k",), "keep_alive"),
        Flag(("-p",), "post_file", str),
        Flag(("-u",), "put_file", str),
        Flag(("-T",), "content_type", str),
        Flag(("-H",), "headers", parse_header, repeated=True),
        Flag(("-C",), "cookies", str, repeated=True),
        Flag(("-A",), "user", str),
        Flag(("-m",), "method", str),
        Flag(("-i",), "head"),
        Flag(("-E",), "certificate", Path),
        Flag(("-d",), "no_percentiles"),
        Flag(("-S",), "no_deviation"),
        Flag(("-q",), "quiet"),
        Flag(("-l",), "variable_length"),
        Flag(("-r",), "continue_on_errors"),
    ),
    unsupported=(
        UnsupportedFlag(
            ("-b",), True, "the system sets the size of socket buffers", "set net.ipv4.tcp_rmem and tcp_wmem"
        ),
        UnsupportedFlag(("-B",), True, "the system chooses the source address", "leave it out"),
        UnsupportedFlag(("-e",), True, "ab's CSV of percentages is not written", "use fairtrial load --hdr FILE"),
        UnsupportedFlag(("-g",), True, "gnuplot files are not written", "use fairtrial load --html FILE or --csv FILE"),
        UnsupportedFlag(("-v",), True, "single answers are not printed", "look at one with curl -v"),
        UnsupportedFlag(("-w",), False, "HTML tables are not printed", "use fairtrial load --html FILE"),
        UnsupportedFlag(("-x", "-y", "-z"), True, "HTML tables are not printed", "use fairtrial load --html FILE"),
        UnsupportedFlag(("-X", "-P"), True, "proxies are not supported", "aim at the server itself"),
        UnsupportedFlag(("-f", "-Z"), True, "TLS versions and ciphers are rustls's: 1.2 and 1.3", "leave it out"),
        UnsupportedFlag(("-I",), False, "the server's name is always sent in TLS", "leave it out"),
        UnsupportedFlag(("-h",), False, "this is not ab itself", "fairtrial ab --help"),
        UnsupportedFlag(("-V",), False, "this is not ab itself", "fairtrial --version"),
    ),
)


@dataclass(frozen=True)
class AbCall:
    """One call of `ab`: the load, a time limit beside the count, the tables to print, and if lengths may differ."""

    options: LoadOptions
    at_most_seconds: float | None
    with_percentiles: bool
    with_deviation: bool
    any_length: bool


def read_ab(arguments: Sequence[str]) -> AbCall:
    """Read ab's own arguments.

    Raises:
        Problem: one is unknown, unsupported or wrong, or they contradict each other.
    """
    values = read_arguments(AB, arguments)
    if sum(map(bool, (values.head, values.post_file, values.put_file))) > 1:
        raise Problem("ab -i, -p and -u exclude each other", "give one of them")
    concurrency = values.concurrency or 1
    if values.requests and concurrency > values.requests:
        raise Problem(f"ab: {concurrency} at a time of {values.requests} requests", "lower -c or raise -n")
    url = values.url if "://" in values.url else f"http://{values.url}"
    file = values.post_file or values.put_file
    counted = values.requests is not None or values.seconds is None
    options = LoadOptions(
        warmup_seconds=0.0,
        url=url,
        connections=concurrency,
        requests=(values.requests or 1) if counted else None,
        seconds=None if counted else float(values.seconds),
        threads=1,
        method=_method(values),
        headers=_headers(values, with_body=file is not None),
        body=None if file is None else f"@{file}",
        timeout_seconds=float(values.timeout or DEFAULT_TIMEOUT_SECONDS),
        no_keepalive=not values.keep_alive,
        insecure=url.startswith("https://"),
        certificate_file=values.certificate,
        key_file=values.certificate,
    )
    limit = float(values.seconds) if counted and values.seconds else None
    return AbCall(options, limit, not values.no_percentiles, not values.no_deviation, values.variable_length)


def _method(values: argparse.Namespace) -> str | None:
    if values.method:
        return str(values.method)
    if values.head:
        return "HEAD"
    if values.put_file:
        return "PUT"
    return "POST" if values.post_file else None


def _headers(values: argparse.Namespace, *, with_body: bool) -> list[Header]:
    headers: list[Header] = []
    if with_body:
        headers.append(parse_header(f"Content-Type: {values.content_type or 'text/plain'}"))
    if values.cookies:
        headers.append(parse_header(f"Cookie: {'; '.join(values.cookies)}"))
    if values.user:
        headers.append(Header("Authorization", "Basic " + base64.b64encode(values.user.encode()).decode()))
    extra: list[Header] = values.headers or []
    given_names = {header.name.lower() for header in extra}
    defaults = (Header("Accept", "*/*"), Header("User-Agent", "ApacheBench/2.3"))
    return [*(header for header in defaults if header.name.lower() not in given_names), *headers, *extra]
