"""`ab` (Apache 2.4): its arguments as a load."""

import argparse
import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.tools.load.foreign.arguments import Flag, ForeignTool, Refused, read_arguments, whole
from fairtrial.tools.load.plan.options import LoadOptions
from fairtrial.tools.load.plan.words import parse_header

DEFAULT_TIMEOUT_SECONDS = 30.0
USAGE = "ab [-n REQUESTS | -t SECONDS] [-c CONCURRENCY] [-k] [-p FILE -T TYPE] [-H 'Name: value'] URL"

AB = ForeignTool(
    name="ab",
    usage=USAGE,
    flags=(
        Flag(("-n",), "requests", whole(1)),
        Flag(("-c",), "concurrency", whole(1)),
        Flag(("-t",), "seconds", whole(1)),
        Flag(("-s",), "timeout", whole(1)),
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
        Flag(("-r",), "go_on"),
    ),
    refused=(
        Refused(("-b",), True, "the size of socket buffers is the system's", "set net.ipv4.tcp_rmem and tcp_wmem"),
        Refused(("-B",), True, "the source address is the system's choice", "leave it out"),
        Refused(("-e",), True, "ab's CSV of percentages is not written", "use fairtrial load --hdr FILE"),
        Refused(("-g",), True, "gnuplot files are not written", "use fairtrial load --html FILE or --csv FILE"),
        Refused(("-v",), True, "single answers are not printed", "look at one with curl -v"),
        Refused(("-w",), False, "HTML tables are not printed", "use fairtrial load --html FILE"),
        Refused(("-x", "-y", "-z"), True, "HTML tables are not printed", "use fairtrial load --html FILE"),
        Refused(("-X", "-P"), True, "proxies are not supported", "aim at the server itself"),
        Refused(("-f", "-Z"), True, "TLS versions and ciphers are rustls's: 1.2 and 1.3", "leave it out"),
        Refused(("-I",), False, "the server's name is always sent in TLS", "leave it out"),
        Refused(("-h",), False, "its help is another's", "fairtrial ab --help"),
        Refused(("-V",), False, "this is not ab itself", "fairtrial --version"),
    ),
)


@dataclass(frozen=True)
class AbCall:
    """What `ab` was asked: the load, a time limit beside the count, tables to leave out, and if lengths may differ."""

    options: LoadOptions
    at_most_seconds: float | None
    with_percentiles: bool
    with_deviation: bool
    any_length: bool


def read_ab(arguments: Sequence[str]) -> AbCall:
    """Read ab's own arguments.

    Raises:
        Problem: one is unknown, refused or wrong, or they contradict each other.
    """
    found = read_arguments(AB, arguments)
    if sum(map(bool, (found.head, found.post_file, found.put_file))) > 1:
        raise Problem("ab -i, -p and -u exclude each other", "give one of them")
    concurrency = found.concurrency or 1
    if found.requests and concurrency > found.requests:
        raise Problem(f"ab: {concurrency} at a time of {found.requests} requests", "lower -c or raise -n")
    url = found.url if "://" in found.url else f"http://{found.url}"
    file = found.post_file or found.put_file
    counted = found.requests is not None or found.seconds is None
    options = LoadOptions(
        url=url,
        connections=concurrency,
        requests=(found.requests or 1) if counted else None,
        seconds=None if counted else float(found.seconds),
        threads=1,
        method=_method(found),
        headers=_headers(found, with_body=file is not None),
        body=None if file is None else f"@{file}",
        timeout_seconds=float(found.timeout or DEFAULT_TIMEOUT_SECONDS),
        keep_alive=found.keep_alive,
        insecure=url.startswith("https://"),
        certificate_file=found.certificate,
        key_file=found.certificate,
    )
    limit = float(found.seconds) if counted and found.seconds else None
    return AbCall(options, limit, not found.no_percentiles, not found.no_deviation, found.variable_length)


def _method(found: argparse.Namespace) -> str | None:
    if found.method:
        return str(found.method)
    if found.head:
        return "HEAD"
    if found.put_file:
        return "PUT"
    return "POST" if found.post_file else None


def _headers(found: argparse.Namespace, *, with_body: bool) -> tuple[tuple[str, str], ...]:
    headers: list[tuple[str, str]] = []
    if with_body:
        headers.append(parse_header(f"Content-Type: {found.content_type or 'text/plain'}"))
    if found.cookies:
        headers.append(parse_header(f"Cookie: {'; '.join(found.cookies)}"))
    if found.user:
        headers.append(("Authorization", "Basic " + base64.b64encode(found.user.encode()).decode()))
    given = {name.lower() for name, _ in found.headers or ()}
    defaults = [("Accept", "*/*"), ("User-Agent", "ApacheBench/2.3")]
    return (*(each for each in defaults if each[0].lower() not in given), *headers, *(found.headers or ()))
