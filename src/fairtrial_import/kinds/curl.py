"""`curl …`: command lines as people type them, and as browsers and documentation copy them."""

import getopt
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_import.address import read_address
from fairtrial_import.bodies import FORM, JSON, typed_body
from fairtrial_import.headers import HOST_REMARK, keep_headers
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import Body, FileBody, FoundRequest, ImportedRequests
from fairtrial_import.shell_words import Operator, shell_words
from fairtrial_import.source import Source, looks_like_curl
from fairtrial_import.template import literal
from fairtrial_import.variables import Variables

LARGEST_BYTES = 4 << 20
MOST_COMMANDS = 1000

SHORT = {
    "A": "user-agent", "b": "cookie", "d": "data", "e": "referer", "G": "get", "H": "header", "I": "head",
    "k": "insecure", "u": "user", "X": "request", "L": "location", "s": "silent", "S": "show-error", "v": "verbose",
    "i": "include", "f": "fail", "N": "no-buffer", "g": "globoff", "#": "progress-bar", "4": "ipv4", "6": "ipv6",
    "0": "http1.0", "1": "tlsv1", "o": "output", "O": "remote-name", "w": "write-out", "m": "max-time",
    "D": "dump-header", "c": "cookie-jar", "x": "proxy", "E": "cert", "F": "form", "T": "upload-file", "K": "config",
    "n": "netrc", "Z": "parallel", "j": "junk-session-cookies", "J": "remote-header-name",
}  # fmt: skip
"""Options of one letter, by their long names (curl's manual, curl(1))."""

WITH_VALUE = frozenset(
    "request header data data-ascii data-raw data-binary data-urlencode json url user oauth2-bearer cookie user-agent "  # noqa: SIM905
    "referer output write-out max-time connect-timeout dump-header cookie-jar proxy proxy-user cert cert-type key "
    "cacert capath pass retry retry-delay retry-max-time max-redirs resolve connect-to interface limit-rate ciphers "
    "tls-max stderr trace trace-ascii unix-socket form form-string upload-file config url-query aws-sigv4 noproxy "
    "max-filesize".split()
)
WITHOUT_VALUE = frozenset(
    "get head insecure compressed location location-trusted silent show-error verbose include fail fail-with-body "  # noqa: SIM905
    "no-buffer globoff progress-bar no-progress-meter ipv4 ipv6 http1.0 http1.1 http2 http2-prior-knowledge http3 "
    "tlsv1 tlsv1.2 tlsv1.3 remote-name path-as-is raw no-keepalive tcp-nodelay parallel netrc junk-session-cookies "
    "remote-header-name styled-output basic next digest ntlm negotiate".split()
)
PARTS = "bodies of several parts are not supported: send them with body_file and a content-type of their own"
REFUSED = {
    "form": PARTS,
    "form-string": PARTS,
    "upload-file": "give the file with --data-binary @FILE and -X PUT",
    "config": "write its options into the command",
    "next": "import the commands one by one",
    "aws-sigv4": "a signature is made for each request, which a load cannot do",
    "digest": "its answer is made for each request, which a load cannot do",
    "ntlm": "it belongs to a connection, which a load cannot do",
    "negotiate": "it belongs to a connection, which a load cannot do",
    "netrc": "give the credentials with -u",
}
"""Options that would make another request, and what to do instead."""
ELSEWHERE = {
    "insecure": "give --insecure to `fairtrial load`",
    "cacert": "give --cacert to `fairtrial load`",
    "cert": "give --cert and --key to `fairtrial load`",
    "key": "give --cert and --key to `fairtrial load`",
    "max-time": "give --timeout to `fairtrial load`",
    "unix-socket": "give --unix to `fairtrial load`",
    "location": "redirects are not followed: expect the 3xx, or import the address that it leads to",
    "location-trusted": "redirects are not followed: expect the 3xx, or import the address that it leads to",
    "compressed": "compressed bodies are not unpacked, so none are asked for",
    "proxy": "Fairtrial connects without a proxy",
    "http2": "give --http2 to `fairtrial load`, or set http2 = true in [load] of an experiment",
    "http2-prior-knowledge": "give --http2 to `fairtrial load`, or set http2 = true in [load] of an experiment",
    "http3": "Fairtrial speaks HTTP/1.1",
    "http1.0": "Fairtrial speaks HTTP/1.1",
    "resolve": "name the address in the URL of the load",
    "connect-to": "name the address in the URL of the load",
    "globoff": "",
}
"""The remark on an option that a workload file has no place for. Others only change what curl prints."""
REMEDY = "correct the command, or take the option out"


@dataclass
class _Call:
    """One call of curl, option by option."""

    where: str
    urls: list[str] = field(default_factory=list)
    method: str | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    file: str | None = None
    flags: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)


def read(source: Source, _variables: Variables) -> ImportedRequests:
    """The requests of all calls of curl in a text.

    Raises:
        Problem: an option is unknown or cannot be imported, or there is no URL.
    """
    words = shell_words(source.text(LARGEST_BYTES), source.label)
    requests: list[FoundRequest] = []
    for number, command in enumerate(_commands(words), 1):
        if number > MOST_COMMANDS:
            raise Problem(f"{source.label}: more than {MOST_COMMANDS:,} commands", "import fewer at once")
        where = source.label if number == 1 else f"{source.label}: command {number}"
        requests += _requests(_read_call(command, where))
    hosts = [request.origin.partition("://")[2] for request in requests if request.origin]
    return ImportedRequests(title=hosts[0] if hosts else source.stem, requests=requests)


def _commands(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """The arguments of each call of curl; what a call is piped into, and other commands, are left out."""
    command: list[str] = []
    for word in [*words, Operator("\n")]:
        if not isinstance(word, Operator):
            command.append(word)
            continue
        if command and command[0] == "$":
            del command[0]
        if command and looks_like_curl(f"{command[0]} x"):
            yield command[1:]
        command = []


def _read_call(words: Sequence[str], where: str) -> _Call:
    short = "".join(f"{letter}:" if name in WITH_VALUE else letter for letter, name in SHORT.items())
    long = [*(f"{name}=" for name in WITH_VALUE), *WITHOUT_VALUE]
    try:
        options, urls = getopt.gnu_getopt(list(words), short, long)
    except getopt.GetoptError as error:  # it names the option, not its value
        raise Problem(f"{where}: {printable(error.msg, 120)}", REMEDY) from error
    call = _Call(where, urls=list(urls))
    for option, value in options:
        name = SHORT[option[1:]] if len(option) == 2 else option.removeprefix("--")
        if name in REFUSED:
            raise Problem(f"{where}: {option} cannot be imported", REFUSED[name])
        if ELSEWHERE.get(name):
            call.remarks.append(f"Left out: {option}. {_sentence(ELSEWHERE[name])}")
        _apply(call, option, name, value)
    return call


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _apply(call: _Call, option: str, name: str, value: str) -> None:
    match name:
        case "url":
            call.urls.append(value)
        case "request":
            call.method = value
        case "header":
            _add_header(call, value)
        case "user":
            call.headers.append(("authorization", f"Basic {value}"))
        case "oauth2-bearer":
            call.headers.append(("authorization", f"Bearer {value}"))
        case "cookie":
            if "=" not in value:
                raise Problem(f"{call.where}: {option} with a file cannot be imported", "give the cookies themselves")
            call.headers.append(("cookie", value))
        case "user-agent" | "referer":
            call.headers.append((name, value))
        case "data" | "data-ascii" | "data-binary" | "data-raw" | "json":
            _add_data(call, option, name, value)
        case "data-urlencode":
            call.data.append(_url_encoded(call.where, value))
        case "url-query":
            call.query.append(_url_encoded(call.where, value))
        case "get" | "head" | "globoff":
            call.flags.add(name)


def _add_header(call: _Call, text: str) -> None:
    if text.startswith("@"):
        raise Problem(f"{call.where}: -H with a file cannot be imported", "write the headers into the command")
    name, colon, value = text.partition(":")
    if not colon and text.endswith(";"):  # how curl is told to send one without a value
        call.headers.append((text[:-1], ""))
    elif not colon:
        raise Problem(f"{call.where}: a header has no colon", "write -H 'Name: value'")
    elif value.strip():
        call.headers.append((name, value))


def _add_data(call: _Call, option: str, name: str, value: str) -> None:
    if name == "json":
        call.flags.add("json")
    if value.startswith("@") and name != "data-raw":
        if value == "@-" or call.data or call.file:
            raise Problem(f"{call.where}: {option} with a file stands beside other data", "put all of it into one file")
        call.file = value[1:]
        if name in ("data", "data-ascii"):
            call.remarks.append(f"curl leaves out the line ends of a file that {option} names; here they are sent.")
    elif call.file:
        raise Problem(f"{call.where}: {option} stands beside data from a file", "put all of it into one file")
    elif name == "json" and call.data:
        call.data[-1] += value
    else:
        call.data.append(value)


def _url_encoded(where: str, value: str) -> str:
    name, sign, content = value.partition("=")
    if "@" in (name if sign else value):
        raise Problem(f"{where}: --data-urlencode with a file cannot be imported", "write the value into the command")
    return f"{name}={quote(content, safe='')}" if sign and name else quote(content if sign else value, safe="")


def _requests(call: _Call) -> list[FoundRequest]:
    if not call.urls:
        raise Problem(f"{call.where}: has no URL", "give the whole command, with its URL")
    query, data = [*call.query], call.data
    if "get" in call.flags:
        query, data = [*query, *data], []
    return [_request(call, url, query, data) for url in call.urls]


def _request(call: _Call, url: str, query: Sequence[str], data: Sequence[str]) -> FoundRequest:
    joined = "&".join(query)
    if joined:
        base, mark, rest = url.partition("#")[0].partition("?")
        url = f"{base}?{rest}{'&' if rest else ''}{joined}" if mark else f"{base}?{joined}"
    address = read_address(url, call.where)
    remarks = list(call.remarks)
    if "globoff" not in call.flags and re.search(r"\[\w{1,20}-\w|\{[^{},]{0,200},", url.partition("?")[0]):
        remarks.append("curl would send one request for each value in the brackets; here they are taken as they are.")
    headers = list(call.headers)
    names = {name.strip().lower() for name, _ in headers}
    if address.credentials is not None and "authorization" not in names:
        headers.append(("authorization", f"Basic {address.credentials}"))
    if "host" in names:
        remarks.append(HOST_REMARK)
    selection = keep_headers([*headers, *_implied(call, names, has_data=bool(data))])
    return FoundRequest(
        method=_method(call, has_body=bool(data) or call.file is not None).lower(),
        path=address.path,
        headers=selection.headers,
        body=_body(call, "&".join(data) if data else None, dict(selection.headers).get("content-type", "")),
        origin=address.origin,
        remarks=tuple(remarks),
        left_out_headers=selection.left_out,
    )


def _implied(call: _Call, names: set[str], *, has_data: bool) -> list[tuple[str, str]]:
    """Headers that curl adds by itself."""
    if "json" in call.flags:
        return [(name, JSON) for name in ("content-type", "accept") if name not in names]
    return [("content-type", FORM)] if (has_data or call.file) and "content-type" not in names else []


def _method(call: _Call, *, has_body: bool) -> str:
    if call.method is not None:
        return call.method
    if "head" in call.flags:
        return "HEAD"
    return "POST" if has_body else "GET"


def _body(call: _Call, text: str | None, media_type: str) -> Body | None:
    if call.file is not None:
        return FileBody(os.path.expanduser(call.file))
    return None if text is None else typed_body(literal(text), media_type)


KIND = SourceKind("curl", "a curl command", looks_like_curl, read)
