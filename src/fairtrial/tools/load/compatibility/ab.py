"""The arguments of `ab` (Apache 2.4) as a load."""

import argparse
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.tools.load.compatibility.arguments import ToolParser, whole_number
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.values import Header, parse_header

DEFAULT_TIMEOUT_SECONDS = 30.0
USAGE = "ab [-n REQUESTS | -t SECONDS] [-c CONCURRENCY] [-k] [-p FILE -T TYPE] [-H 'Name: value'] URL"


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
    values = _parser().read(arguments)
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


def _parser() -> ToolParser:
    parser = ToolParser("ab", USAGE)
    parser.takes("-n", to="requests", parse=whole_number(1))
    parser.takes("-c", to="concurrency", parse=whole_number(1))
    parser.takes("-t", to="seconds", parse=whole_number(1))
    parser.takes("-s", to="timeout", parse=whole_number(1))
    parser.takes("-k", to="keep_alive")
    parser.takes("-p", to="post_file", parse=str)
    parser.takes("-u", to="put_file", parse=str)
    parser.takes("-T", to="content_type", parse=str)
    parser.takes("-H", to="headers", parse=parse_header, repeated=True)
    parser.takes("-C", to="cookies", parse=str, repeated=True)
    parser.takes("-A", to="user", parse=str)
    parser.takes("-m", to="method", parse=str)
    parser.takes("-i", to="head")
    parser.takes("-E", to="certificate", parse=Path)
    parser.takes("-d", to="no_percentiles")
    parser.takes("-S", to="no_deviation")
    parser.takes("-q", to="quiet")
    parser.takes("-l", to="variable_length")
    parser.takes("-r", to="continue_on_errors")
    parser.refuses(
        "-b", reason="the system sets the size of socket buffers", remedy="set net.ipv4.tcp_rmem and tcp_wmem"
    )
    parser.refuses("-B", reason="the system chooses the source address", remedy="leave it out")
    parser.refuses("-e", reason="ab's CSV of percentages is not written", remedy="use fairtrial load --hdr FILE")
    parser.refuses("-g", reason="gnuplot files are not written", remedy="use fairtrial load --html FILE or --csv FILE")
    parser.refuses("-v", reason="single answers are not printed", remedy="look at one with curl -v")
    parser.refuses(
        "-w", reason="HTML tables are not printed", remedy="use fairtrial load --html FILE", takes_value=False
    )
    parser.refuses("-x", "-y", "-z", reason="HTML tables are not printed", remedy="use fairtrial load --html FILE")
    parser.refuses("-X", "-P", reason="proxies are not supported", remedy="aim at the server itself")
    parser.refuses("-f", "-Z", reason="TLS versions and ciphers are rustls's: 1.2 and 1.3", remedy="leave it out")
    parser.refuses("-I", reason="the server's name is always sent in TLS", remedy="leave it out", takes_value=False)
    parser.refuses("-h", reason="this is not ab itself", remedy="fairtrial ab --help", takes_value=False)
    parser.refuses("-V", reason="this is not ab itself", remedy="fairtrial --version", takes_value=False)
    return parser
