"""The one request that is sent, and what its answer must be."""

import sys
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.plan import AnyBody, BodyRange, ExactBody, Expectation, Request
from fairtrial.tools.load.plan.options import LoadOptions
from fairtrial.tools.load.plan.url import Url
from fairtrial.tools.load.plan.words import NAMES


def request_for(options: LoadOptions, url: Url) -> Request:
    """The request that these options describe.

    Raises:
        Problem: the method is none, or a body's file cannot be used.
    """
    method = options.method or ("GET" if options.body is None else "POST")
    if not NAMES.fullmatch(method):
        raise Problem(f"'{printable(method)}' is not a method", "write GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
    body, body_file = _body(options)
    return Request(
        name=f"{method} {url.path}",
        method=method,
        path=url.path,
        headers=[(name, value) for name, value in options.headers if name.lower() != "host"],
        body=body,
        body_file=body_file,
        template=options.template,
        expect=_expectation(options),
    )


def host_for(options: LoadOptions, url: Url) -> str:
    """The Host header: the user's, or the URL's."""
    given = [value for name, value in options.headers if name.lower() == "host"]
    return given[-1] if given else url.host


def _body(options: LoadOptions) -> tuple[str | None, str | None]:
    """Text, or the absolute path of a file that the engine reads."""
    if options.body is None or not options.body.startswith("@"):
        return options.body, None
    if options.body == "@-":
        return _text_of("-", sys.stdin.buffer.read()), None
    file = _file(options.body[1:], "-b")
    if options.template:
        return _text_of(str(file), file.read_bytes()), None
    return None, str(file.absolute())


def _expectation(options: LoadOptions) -> Expectation:
    """Every body is compared, not a sample: who names a body wants to know."""
    length = options.expect_length
    text = options.expect_body
    if text is not None and text.startswith("@"):
        file = _file(text[1:], "--expect-body")
        text = _text_of(str(file), file.read_bytes())
    return Expectation(
        status=list(options.expect_status) or None,
        body_bytes=None if length is None else BodyRange(min=length, max=length),
        body=AnyBody() if text is None else ExactBody(text=text),
        check_every=1,
    )


def _file(name: str, option: str) -> Path:
    file = Path(name)
    try:
        file.open("rb").close()
    except OSError as error:
        raise Problem(
            f"{printable(name)}: {(error.strerror or str(error)).lower()}",
            f"name a file that can be read: {option} @FILE",
        ) from error
    return file


def _text_of(name: str, content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(f"{printable(name)}: not UTF-8 text", "use --expect-length for other bodies") from error
