"""`requests.http`: requests as VS Code's REST Client and JetBrains' HTTP Client write them."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fairtrial.base.problem import Problem
from fairtrial_import.address import read_address
from fairtrial_import.bodies import FORM, is_json, media_type, typed_body
from fairtrial_import.headers import HOST_REMARK, keep_headers
from fairtrial_import.http_variables import FileVariables
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import Body, FileBody, FoundJson, FoundRequest, ImportedRequests, TextBody
from fairtrial_import.source import Source
from fairtrial_import.template import PLACEHOLDER
from fairtrial_import.variables import Variables

LARGEST_BYTES = 8 << 20
MOST_REQUESTS = 10_000
METHOD = r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|GRAPHQL|GRPC|WEBSOCKET|QUERY)"
METHOD_WORD, VERSION = re.compile(METHOD), re.compile(r"HTTP/\d(?:\.\d)?")
BEGINNING = re.compile(rf"^(?:{METHOD}\s+(?:https?://|/|\{{\{{|[\w.-]+[:/])|###|@[\w.-]+\s*=)", re.MULTILINE)
URL_START = re.compile(r"https?://|/|\{\{", re.IGNORECASE)
HOST_START = re.compile(r"[\w.-]+(?::\d+)?(?:/|$)")
VARIABLE = re.compile(r"@(?P<name>[\w.-]+)\s*=\s*(?P<value>.*)")
NAME = re.compile(r"(?:#|//)\s*@name[\s=]+(?P<name>\S.*)")
COMMENT = re.compile(r"#|//")
FILE = re.compile(r"<(?:@\w*)?\s+(?P<path>\S.*)")
HANDLER = re.compile(r">>?!?\s|>\s*\{%|<>\s")
"""Lines that handle the answer (`> {% … %}`, `> handler.js`), or keeps it (`>> file`, `<> file`)."""
SCRIPT_START, SCRIPT_END = re.compile(r"[<>]\s*\{%"), "%}"
PARTS = "multipart/form-data"


@dataclass
class _Block:
    """The lines between two `###`."""

    title: str
    first_line: int
    lines: list[str] = field(default_factory=list)


def read(source: Source, variables: Variables) -> ImportedRequests:
    """The requests of a file, with its variables replaced.

    Raises:
        Problem: a line is none that such a file has, or there are too many requests.
    """
    blocks = list(_blocks(source.text(LARGEST_BYTES).replace("\r\n", "\n").split("\n")))
    if len(blocks) > MOST_REQUESTS:
        raise Problem(f"{source.label}: more than {MOST_REQUESTS:,} requests", "import fewer at once")
    values = FileVariables(variables, source.label)
    for block in blocks:
        for line in _preamble(block):
            if match := VARIABLE.fullmatch(line.strip()):
                values.define(match["name"], match["value"].strip())
    requests = [request for block in blocks if (request := _Reader(block, source, values).request())]
    return ImportedRequests(title=source.stem, requests=requests, remarks=values.remarks)


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    block = _Block("", 1)
    for number, line in enumerate(lines, 1):
        if line.startswith("###"):
            yield block
            block = _Block(line.lstrip("#").strip(), number + 1)
        else:
            block.lines.append(line)
    yield block


def _preamble(block: _Block) -> Iterator[str]:
    """The lines before the request line: empty ones, comments, variables, scripts that run before it."""
    in_script = False
    for line in block.lines:
        stripped = line.strip()
        if in_script or SCRIPT_START.match(stripped):
            in_script = SCRIPT_END not in stripped
        elif stripped and not COMMENT.match(stripped) and not VARIABLE.fullmatch(stripped):
            return
        yield line


class _Reader:
    """Reads one block."""

    def __init__(self, block: _Block, source: Source, values: FileVariables) -> None:
        self._block = block
        self._source = source
        self._values = values
        self._remarks: list[str] = []
        self._place = 0
        self._name = block.title

    def request(self) -> FoundRequest | None:
        """The request of the block; None if it holds none."""
        for line in _preamble(self._block):
            self._place += 1
            if match := NAME.match(line.strip()):
                self._name = match["name"]
            if SCRIPT_START.match(line.strip()):
                self._leave_out("a script that runs before the request")
        if self._place == len(self._block.lines):
            return None
        where = self._where()
        method, url = self._request_line()
        pairs = self._headers()
        address = read_address(url, where, is_template=True)
        if address.credentials is not None:
            pairs.append(("authorization", f"Basic {address.credentials}"))
        host = next((value for name, value in pairs if name.lower() == "host"), None)
        if host is not None and address.origin is not None:
            self._remarks.append(HOST_REMARK)
        selection = keep_headers(pairs, are_templates=True)
        content_type = dict(selection.headers).get("content-type", "")
        if media_type(content_type) == PARTS:
            raise Problem(f"{where}: a body of several parts cannot be imported", "take the request out of the file")
        body = self._body(content_type)
        origin = address.origin
        if origin is None and host and not PLACEHOLDER.search(host):
            origin = read_address(host, where).origin
        return FoundRequest(
            method=method.lower(),
            path=address.path,
            headers=selection.headers,
            body=body,
            name=self._name,
            origin=origin,
            remarks=tuple(self._remarks),
            left_out_headers=selection.left_out,
        )

    def _where(self) -> str:
        return f"{self._source.label}: line {self._block.first_line + self._place}"

    def _leave_out(self, what: str) -> None:
        self._remarks.append(f"Left out: {what}.")

    def _line(self) -> str | None:
        """The line at this place, or None at the end of the block."""
        return self._block.lines[self._place] if self._place < len(self._block.lines) else None

    def _request_line(self) -> tuple[str, str]:
        where = self._where()
        text = (self._line() or "").strip()
        self._place += 1
        while (line := self._line() or "").strip() and line[0] in " \t?&":
            text += line.strip()  # an address may go on in the next lines
            self._place += 1
        words = text.split()
        method = words.pop(0) if len(words) > 1 and METHOD_WORD.fullmatch(words[0]) else None
        if len(words) > 1 and VERSION.fullmatch(words[-1]):
            del words[-1]
        url = " ".join(words)
        if not _is_address(url, has_method=method is not None):
            raise Problem(f"{where}: is no request line", "write METHOD URL, such as GET http://127.0.0.1:8080/items")
        return method or "GET", self._values.resolved(url)

    def _headers(self) -> list[tuple[str, str]]:
        pairs = []
        while (line := self._line()) is not None and line.strip():
            if not COMMENT.match(line.strip()):
                name, colon, value = line.partition(":")
                if not colon:
                    raise Problem(
                        f"{self._where()}: is no header", "write Name: value, and an empty line before a body"
                    )
                pairs.append((name.strip(), self._values.resolved(value.strip())))
            self._place += 1
        return pairs

    def _body(self, content_type: str) -> Body | None:
        lines = self._body_lines()
        if not lines:
            return None
        if len(lines) == 1 and (match := FILE.fullmatch(lines[0].strip())):
            if lines[0].strip().startswith("<@"):
                self._remarks.append("Variables in the file of the body are not replaced.")
            path = self._values.resolved(match["path"])
            beside = os.path.relpath(os.path.join(self._source.folder, path))
            return FileBody(path if os.path.isabs(path) else beside)
        if any(FILE.fullmatch(line.strip()) for line in lines):
            raise Problem(f"{self._where()}: a file stands beside other lines of a body", "put all of it into one file")
        is_form = media_type(content_type) == FORM
        text = "".join(line.strip() for line in lines) if is_form else "\n".join(lines)
        return _typed(self._values.resolved(text), content_type)

    def _body_lines(self) -> list[str]:
        """The lines of the body, without empty ones around it, and without what handles the answer."""
        lines: list[str] = []
        in_script = False
        for line in self._block.lines[self._place :]:
            stripped = line.strip()
            if in_script or HANDLER.match(stripped):
                if not in_script:
                    self._leave_out("what handles the answer")
                in_script = (in_script or SCRIPT_START.match(stripped) is not None) and SCRIPT_END not in stripped
            else:
                lines.append(line)
        while lines and not lines[0].strip():
            del lines[0]
        while lines and not lines[-1].strip():
            del lines[-1]
        return lines


def _is_address(text: str, *, has_method: bool) -> bool:
    """Whether this can be an address; without a method, a word alone is none."""
    closed = re.sub(r"\{\{[^{}]*\}\}", "{{x}}", text)
    return not re.search(r"\s", closed) and bool(URL_START.match(text) or (has_method and HOST_START.match(text)))


def _typed(text: str, content_type: str) -> Body:
    """The body. Where JSON has a placeholder without quotes, as for a number, a workload file has it in quotes."""
    if is_json(content_type) and PLACEHOLDER.search(text):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            quoted = re.sub(rf"(?<=[:\[,\s])({PLACEHOLDER.pattern})(?=\s*[,\]}}]|\s*$)", r'"\1"', text)
            body = typed_body(quoted, content_type)
            return body if isinstance(body, FoundJson) else TextBody(text)
    return typed_body(text, content_type)


KIND = SourceKind("http", "a file of requests (.http)", lambda head: BEGINNING.search(head) is not None, read)
