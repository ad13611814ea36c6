"""Calls of curl as requests."""

import getopt
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.model import MOST_REDIRECTS
from fairtrial_import.address import read_address
from fairtrial_import.bodies import FORM, JSON, form_body, template_body
from fairtrial_import.curl_options import ELSEWHERE, FLAGS, NEXT, REFUSED, SHORT, WITH_VALUE
from fairtrial_import.entries import read_each
from fairtrial_import.headers import HOST_REMARK, keep_headers
from fairtrial_import.model import Body, FileBody, FormFile, FoundRequest
from fairtrial_import.multipart_text import typed_text_remark
from fairtrial_import.shell_quotes import as_bash
from fairtrial_import.shell_script import HOLE, ShellCommand, between_holes, shell_commands
from fairtrial_import.source import is_curl
from fairtrial_import.template import literal

MOST_COMMANDS = 1000
REDIRECTS = frozenset({"location", "location-trusted", "follow"})
COOKIES = 'give the cookies themselves, or leave it out and set cookies = "journey" in the workload file'
OF_POWERSHELL = re.compile("-(?:Uri|Method|Headers|Body|ContentType|UseBasicParsing|OutFile|WebSession)", re.IGNORECASE)
PATH_IN_HOLE = re.compile("(?:\\w+://)?[^/?#]+\ue000[^\ue001]*\ue001(?:[?#]|$)")
REMEDY = "correct the command, or take the option out"
AT_A_RUN = "write the value into the command"
HEADERS = {
    "user": ("authorization", "Basic "),
    "oauth2-bearer": ("authorization", "Bearer "),
    "range": ("range", "bytes="),
    "user-agent": ("user-agent", ""),
    "referer": ("referer", ""),
}
"""Options that are headers: their names, and what stands before the value."""
Fill = Callable[[str], str]
"""The placeholder for what the script calls by a name, and does not tell."""


@dataclass
class _Call:
    """One call of curl, option by option."""

    where: str
    fill: Fill
    command: ShellCommand
    urls: list[str] = field(default_factory=list)
    method: str | None = None
    target: str | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    file: str | None = None
    parts: list[tuple[str, str | FormFile]] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    most_redirects: int = MOST_REDIRECTS
    remarks: list[str] = field(default_factory=list)

    def template(self, text: str) -> str:
        """A value as a template."""
        return "".join(literal(part) + (self.fill(hole) if hole else "") for part, hole in between_holes(text))

    def address_template(self, text: str) -> str:
        """The same, where braces are encoded."""
        parts = between_holes(re.sub("^\ue000[^\ue001]*\ue001://", "http://", text))
        return "".join(
            part.replace("{", "%7B").replace("}", "%7D") + (self.fill(hole) if hole else "") for part, hole in parts
        )


def read_curl(text: str, label: str, fill: Fill, first_line: int = 1) -> tuple[list[FoundRequest], list[str]]:
    """The requests of all calls of curl in a text, and remarks on the calls that were left out.

    Raises:
        Problem: none can be imported, or there are too many.
    """
    calls = list(_calls(shell_commands(as_bash(text), label)))
    if not calls:
        raise Problem(f"{label}: calls no curl", "give a command that begins with curl")
    if len(calls) > MOST_COMMANDS:
        raise Problem(f"{label}: more than {MOST_COMMANDS:,} commands", "import fewer at once")

    def read(call: tuple[ShellCommand, Sequence[str]]) -> list[FoundRequest]:
        command, words = call
        is_only = len(calls) == first_line == 1
        where = label if is_only else f"{label}: line {command.line + first_line - 1}"
        return _requests(_read_call(command, words, where, fill))

    return read_each(calls, read, label)


def _calls(commands: Sequence[ShellCommand]) -> Iterator[tuple[ShellCommand, Sequence[str]]]:
    """Each call of curl with its arguments. Behind another command's words (`docker exec web curl …`) it has a URL."""
    for command in commands:
        words = command.words
        place = next((number for number, word in enumerate(words) if is_curl(word)), None)
        if place is None or (place and not any("://" in word for word in words[place:])):
            continue
        call: list[str] = []
        for word in [*words[place + 1 :], NEXT[0]]:
            if word not in NEXT:
                call.append(word)
            elif call or command.problem:
                yield command, call
                call = []


def _read_call(command: ShellCommand, words: Sequence[str], where: str, fill: Fill) -> _Call:
    if command.problem:
        raise Problem(f"{where}: {command.problem}", "copy all of the command")
    if any(OF_POWERSHELL.fullmatch(word) for word in words):
        raise Problem(f"{where}: is not curl, but PowerShell's Invoke-WebRequest", "copy it again, as cURL (bash)")
    short = "".join(f"{letter}:" if name in WITH_VALUE else letter for letter, name in SHORT.items())
    long = [*(f"{name}=" for name in WITH_VALUE), *FLAGS, *(f"no-{name}" for name in FLAGS)]
    try:
        options, urls = getopt.gnu_getopt(list(words), short, long)
    except getopt.GetoptError as error:  # it names the option, not its value
        raise Problem(f"{where}: {printable(error.msg, 120)}", REMEDY) from error
    call = _Call(where, fill, command)
    for option, value in options:
        name = SHORT[option[1:]] if len(option) == 2 else option.removeprefix("--")
        if name in REFUSED:
            raise Problem(f"{where}: {option} cannot be imported", REFUSED[name])
        if ELSEWHERE.get(name):
            call.remarks.append(f"Left out: {option}. {_sentence(ELSEWHERE[name])}")
        if name == "max-redirs" and value.isdecimal():
            call.most_redirects = min(int(value), MOST_REDIRECTS)
        _apply(call, option, name, value)
    for url in urls:
        if hole := HOLE.fullmatch(url):
            call.remarks.append(f"Left out: {printable(hole[1], 60)}, which only a run of the script tells.")
        else:
            call.urls.append(url)
    return call


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _apply(call: _Call, option: str, name: str, value: str) -> None:
    if name in HEADERS:
        header, beginning = HEADERS[name]
        call.headers.append((header, f"{beginning}{value}"))
    match name:
        case "url":
            if value.startswith("@"):
                raise Problem(f"{call.where}: {option} with a file cannot be imported", "write the URLs themselves")
            call.urls.append(value)
        case "request":
            call.method = value
        case "request-target":
            call.target = value
        case "header":
            _add_header(call, value)
        case "cookie":
            _add_cookie(call, option, value)
        case "data" | "data-ascii" | "data-binary" | "data-raw" | "json":
            _add_data(call, option, name, value)
        case "form" | "form-string":
            call.parts.append(_part(call, option, value, is_plain=name == "form-string"))
        case "data-urlencode":
            call.data.append(_url_encoded(call.where, value))
        case "url-query":
            call.query.append(value[1:] if value.startswith("+") else _url_encoded(call.where, value))
        case "get" | "head" | "globoff" | "path-as-is" | "location" | "location-trusted" | "follow":
            call.flags.add(name)


def _add_header(call: _Call, text: str) -> None:
    if text.startswith("@"):
        raise Problem(f"{call.where}: -H with a file cannot be imported", "write the headers into the command")
    name, colon, value = text.partition(":")
    if not colon and text.endswith(";"):  # how curl is told to send one without a value
        call.headers.append((text[:-1], ""))
    elif not colon and HOLE.search(text):
        call.remarks.append("Left out: a header that only a run of the script tells.")
    elif not colon:
        raise Problem(f"{call.where}: a header has no colon", "write -H 'Name: value'")
    elif value.strip():
        call.headers.append((name, value))


def _add_cookie(call: _Call, option: str, value: str) -> None:
    if value and "=" not in value and not HOLE.search(value):
        raise Problem(f"{call.where}: {option} with a file cannot be imported", COOKIES)
    call.headers.append(("cookie", value))


def _add_data(call: _Call, option: str, name: str, value: str) -> None:
    if name == "json":
        call.flags.add("json")
    is_file = value.startswith("@") and name != "data-raw"
    if is_file and value == "@-" and call.command.stdin is not None:
        value = call.command.stdin
        if name in ("data", "data-ascii"):
            value = re.sub("[\r\n]", "", value)
        is_file = False
    elif is_file and value == "@-":
        value = f"@{call.command.stdin_file or ''}"
        if value == "@":
            raise Problem(f"{call.where}: {option} @- reads what another program writes", AT_A_RUN)
    if is_file:
        if call.data or call.file:
            raise Problem(f"{call.where}: {option} with a file stands beside other data", "put all of it into one file")
        if value == "@" or HOLE.search(value):
            which = "a file that only a run of the script tells" if value != "@" else "no file"
            raise Problem(f"{call.where}: {option} names {which}", AT_A_RUN)
        call.file = value[1:]
        if name in ("data", "data-ascii"):
            call.remarks.append(f"curl leaves out the line ends of a file that {option} names; here they are sent.")
    elif call.file:
        raise Problem(f"{call.where}: {option} stands beside data from a file", "put all of it into one file")
    elif name == "json" and call.data:
        call.data[-1] += value
    else:
        call.data.append(value)


def _part(call: _Call, option: str, text: str, *, is_plain: bool) -> tuple[str, str | FormFile]:
    """One part of a form: `name=text`, or `name=@file` with `;type=…` and `;filename=…` behind it (curl(1), --form)."""
    name, sign, content = text.partition("=")
    if not sign or not name or HOLE.search(name):
        raise Problem(f"{call.where}: {option} has no name", "write -F 'name=value' or -F 'name=@file'")
    if is_plain:
        return name, call.template(content)
    value, *words = _apart(content)
    media_type, file_name = "", ""
    for word in words:
        key, _, setting = word.strip().partition("=")
        if key == "type":
            media_type = _unquoted(setting)
        elif key == "filename":
            file_name = _unquoted(setting)
        elif media_type:
            media_type = f"{media_type}; {word.strip()}"  # a parameter of it
        else:
            call.remarks.append(f"Left out: {printable(key, 40)} of the part {printable(name, 40)}.")
    if value.startswith("<") or value == "@-" or (value.startswith("@") and ("," in value or HOLE.search(value))):
        raise Problem(f"{call.where}: {option} takes its text from elsewhere, or names several files", AT_A_RUN)
    if value.startswith("@"):
        return name, FormFile(os.path.expanduser(_unquoted(value[1:])), file_name, media_type)
    if media_type or file_name:
        call.remarks.append(typed_text_remark(name))
    return name, call.template(_unquoted(value))


def _apart(text: str) -> list[str]:
    """The parts of a text between semicolons; one that an odd number of quotes follows is within quotes."""
    words: list[str] = []
    left, is_within = text.count('"'), False
    for piece in text.split(";"):
        if is_within:
            words[-1] += f";{piece}"
        else:
            words.append(piece)
        left -= piece.count('"')
        is_within = left % 2 == 1
    return words


def _unquoted(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if re.fullmatch(r'"[^"]*"', word) else word


def _url_encoded(where: str, value: str) -> str:
    name, sign, content = value.partition("=")
    if not sign and "@" in value:
        raise Problem(f"{where}: --data-urlencode with a file cannot be imported", "write the value into the command")
    encoded = "".join(
        quote(part, safe="", errors="replace") + (f"\ue000{hole}\ue001" if hole else "")
        for part, hole in between_holes(content if sign else value)
    )
    return f"{name}={encoded}" if name and sign else encoded


def _requests(call: _Call) -> list[FoundRequest]:
    if not call.urls:
        raise Problem(f"{call.where}: has no URL", "give the whole command, with its URL")
    if call.target is not None and not call.target.startswith("/"):
        raise Problem(f"{call.where}: its --request-target is no path", REMEDY)
    query, data = [*call.query], call.data
    if "get" in call.flags:
        if call.file:
            raise Problem(f"{call.where}: -G with a file cannot be imported", AT_A_RUN)
        query, data = [*query, *data], []
    if call.parts and (data or call.file or "get" in call.flags):
        raise Problem(f"{call.where}: -F stands beside other data, or -G", "take one of them out")
    return [_request(call, url, query, data) for url in call.urls]


def _request(call: _Call, url: str, query: Sequence[str], data: Sequence[str]) -> FoundRequest:
    joined = "&".join(query)
    if joined:
        base, mark, rest = url.partition("#")[0].partition("?")
        url = f"{base}?{rest}{'&' if rest else ''}{joined}" if mark else f"{base}?{joined}"
    if PATH_IN_HOLE.match(url):
        raise Problem(f"{call.where}: the path of its URL is told by a run of the script alone", AT_A_RUN)
    address = read_address(call.address_template(url), call.where, is_template=True)
    path = address.path if call.target is None else call.address_template(call.target)
    if "path-as-is" not in call.flags and call.target is None:
        path = _without_dots(path)
    remarks = list(call.remarks)
    if "globoff" not in call.flags and re.search(r"\[\w{1,20}-\w|\{[^{},]{0,200},", url.partition("?")[0]):
        remarks.append("curl would send one request for each value in the brackets; here they are taken as they are.")
    headers = list(call.headers)
    names = {name.strip().lower() for name, _ in headers}
    if address.credentials is not None and "authorization" not in names:
        headers.append(("authorization", f"Basic {address.credentials}"))
    if "host" in names:
        remarks.append(HOST_REMARK)
    if call.parts:  # the boundary is that of the body that is written
        headers = [(name, value) for name, value in headers if name.strip().lower() != "content-type"]
    all_headers = [*headers, *_implied(call, names, has_data=bool(data))]
    selection = keep_headers([(name, call.template(value)) for name, value in all_headers], are_templates=True)
    method = _method(call, has_body=bool(data or call.parts) or call.file is not None)
    if method != method.upper():
        remarks.append(f"curl would send the method as {printable(method, 20)}; a load sends it in capitals.")
    return FoundRequest(
        method=method.lower(),
        path=path,
        headers=selection.headers,
        body=_body(call, method, "&".join(data) if data else None, dict(selection.headers).get("content-type", "")),
        origin=address.origin,
        follow_redirects=call.most_redirects if call.flags & REDIRECTS else 0,
        remarks=tuple(remarks),
        left_out_headers=selection.left_out,
    )


def _without_dots(path: str) -> str:
    """Without `/./` and `/../`, which curl resolves (RFC 3986, 5.2.4)."""
    plain, mark, query = path.partition("?")
    return f"{urljoin('/', plain) if '/.' in plain else plain}{mark}{query}"


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


def _body(call: _Call, method: str, text: str | None, media_type: str) -> Body | None:
    if call.parts:
        return form_body(method, call.parts, call.where, "send the form with --data-binary @FILE and its content type")
    if call.file is not None:
        return FileBody(os.path.expanduser(call.file))
    return None if text is None else template_body(call.template(text), media_type)
