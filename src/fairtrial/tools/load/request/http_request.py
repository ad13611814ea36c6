"""The request that is sent, and what its answer must be."""

import sys
from collections.abc import Sequence
from pathlib import Path

from fairtrial.base.http_syntax import TOKEN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.plan import AnyBody, BodyRange, ExactBody, Expectation, Request
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.url import Url
from fairtrial.tools.load.request.values import Header

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE")


def to_engine_request(options: LoadOptions, url: Url) -> Request:
    """The request that these options describe, as the engine's plan has it.

    Raises:
        Problem: the method is not valid, or a body's file cannot be used.
    """
    method = options.method or ("GET" if options.body is None else "POST")
    if not TOKEN.fullmatch(method):
        raise Problem(f"'{printable(method)}' is not a method", "write GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
    body, body_file = _body(options)
    return Request(
        name=f"{method} {url.path}",
        method=method,
        path=url.path,
        headers=list(sent_headers(options)),
        body=body,
        body_file=body_file,
        template=options.template,
        expect=_expectation(options),
    )


def lower_case_methods(requests: Sequence[Request]) -> list[str]:
    """A note on each method that differs from one of HTTP in case alone; it was sent as it is written."""
    methods = {request.method for request in requests}
    return [
        f"{method} was sent as it is written, and is not {method.upper()}: methods are case-sensitive (RFC 9110, "
        "section 9.1)"
        for method in sorted(methods)
        if method != method.upper() and method.upper() in METHODS
    ]


def sent_headers(options: LoadOptions) -> list[Header]:
    """The headers of the request, without Host, which the plan has for all requests."""
    return [header for header in options.headers if header.name.lower() != "host"]


def host_header(options: LoadOptions, url: Url) -> str:
    """The value of the Host header: the user's own, or that of the URL."""
    hosts = [header.value for header in options.headers if header.name.lower() == "host"]
    return hosts[-1] if hosts else url.host


def _body(options: LoadOptions) -> tuple[str | None, str | None]:
    """The body as text, or the absolute path of a file that the engine reads; one of them is None."""
    if options.body is None or not options.body.startswith("@"):
        return options.body, None
    if options.body == "@-":
        return _decode("-", sys.stdin.buffer.read()), None
    file = _readable_file(options.body[1:], "-b")
    if options.template:
        return _decode(str(file), file.read_bytes()), None
    return None, str(file.absolute())


def _expectation(options: LoadOptions) -> Expectation:
    """The expectation of every answer. As the user names the body, each one is compared, not a sample."""
    length = options.expect_length
    text = options.expect_body
    if text is not None and text.startswith("@"):
        file = _readable_file(text[1:], "--expect-body")
        text = _decode(str(file), file.read_bytes())
    return Expectation(
        status=list(options.expect_status) or None,
        body_bytes=None if length is None else BodyRange(min=length, max=length),
        body=AnyBody() if text is None else ExactBody(text=text),
        check_every=1,
    )


def _readable_file(name: str, option: str) -> Path:
    file = Path(name)
    try:
        file.open("rb").close()
    except OSError as error:
        raise Problem(
            f"{printable(name)}: {(error.strerror or str(error)).lower()}",
            f"name a file that can be read: {option} @FILE",
        ) from error
    return file


def _decode(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(f"{printable(name)}: not UTF-8 text", "use --expect-length for other bodies") from error
