"""One request of a `.http` file: the lines between two `###`."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_import.address import read_address
from fairtrial_import.bodies import FORM, JSON, MULTIPART, form_body, media_type, template_body
from fairtrial_import.headers import HOST_REMARK, keep_headers
from fairtrial_import.http_variables import FileVariables
from fairtrial_import.model import Body, FileBody, FormBody, FormFile, FoundRequest, TextBody
from fairtrial_import.multipart_text import sent_parts
from fairtrial_import.source import ImportSource, looks_like_curl
from fairtrial_import.template import PLACEHOLDER, encoded

METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|GRAPHQL|GRPC|WEBSOCKET|QUERY"
METHOD_WORD = re.compile(rf"(?i:{METHODS})|[A-Z]{{2,}}(?:-[A-Z]+)*")
VERSION = re.compile(r"HTTP/\d(?:\.\d)?", re.IGNORECASE)
URL_START = re.compile(r"https?://|/|\{\{", re.IGNORECASE)
HOST_START = re.compile(r"[\w.-]+(?::\d+)?(?:[/?]|$)")
VARIABLE = re.compile(r"@([^\s=:]+)\s*:?=\s*(.*)")
NAME = re.compile(r"(?:#|//)\s*@name[\s=]+(?P<name>\S.*)")
DISABLED = re.compile(r"(?:#|//)\s*@disabled\b")
COMMENT = re.compile(r"#|//")
BLOCK_COMMENT_START, BLOCK_COMMENT_END = "/*", "*/"
FILE = re.compile(r"<(?:@\w*)?\s+(?P<path>\S.*)")
HANDLER = re.compile(r">>?!?\s|>\s*\{%|<>\s|\?\?\s")
"""Lines that handle the answer (`> {% … %}`, `> handler.js`, `?? status == 200`), or keep it (`>> file`, `<> file`)."""
SCRIPT_START, SCRIPT_END = re.compile(r"[<>]\s*\{%"), "%}"
SCRIPT_FILE = re.compile(r"<\s+\S+\.m?[jt]s$")
OTHER_SCRIPT_START, OTHER_SCRIPT_END = re.compile(r"\{\{[@+]?\w*$"), "}}"
"""Those of httpyac, whose braces stand in lines of their own."""
ANSWER = re.compile(r"HTTP/[\d.]+\s")
GRAPHQL = "graphql"

Line = tuple[int, str]


@dataclass
class Block:
    """The lines between two `###`, without comments, each with its number: those before the request line, and others.

    All clients read comments out before all else, also from headers and bodies.
    """

    title: str
    lines: list[Line] = field(default_factory=list)
    before: list[Line] = field(default_factory=list)
    is_disabled: bool = False
    has_script: bool = False
    """one that runs before the request"""

    def definitions(self) -> Iterator[tuple[str, str, int]]:
        """Name, value and line of the variables that are defined before the request."""
        for number, text in self.before:
            if match := VARIABLE.fullmatch(text):
                yield match[1], match[2], number

    def curl_text(self) -> tuple[str, int] | None:
        """The request as a command of curl, and its line, where it is one."""
        if not self.lines or not looks_like_curl(self.lines[0][1]):
            return None
        return "\n".join(text for _, text in self.lines), self.lines[0][0]


def blocks_of(lines: Sequence[str]) -> Iterator[Block]:
    """The blocks of a file."""
    title = ""
    block: list[Line] = []
    for number, line in [*enumerate(lines, 1), (len(lines) + 1, "###")]:
        if line.startswith("###"):
            yield _block(title, block)
            title, block = line.lstrip("#").strip(), []
        else:
            block.append((number, line))


def _block(title: str, lines: Sequence[Line]) -> Block:
    block = Block(title)
    keeps_comments = is_named = False
    end = ""
    for number, line in lines:
        text = line.strip()
        if end:
            end = "" if text == end or (end == SCRIPT_END and end in text) else end
        elif text == BLOCK_COMMENT_START:
            end = BLOCK_COMMENT_END
        elif not block.lines and SCRIPT_START.match(text):
            block.has_script, end = True, "" if SCRIPT_END in text else SCRIPT_END
        elif not block.lines and OTHER_SCRIPT_START.fullmatch(text):
            block.has_script, end = True, OTHER_SCRIPT_END
        elif not block.lines and SCRIPT_FILE.match(text):
            block.has_script = True
        elif COMMENT.match(text) and not keeps_comments:
            if (name := NAME.match(text)) and not is_named:
                block.title, is_named = name["name"], True
            block.is_disabled = block.is_disabled or DISABLED.match(text) is not None
        elif not block.lines and (not text or VARIABLE.fullmatch(text)):
            block.before.append((number, text))
        else:
            block.lines.append((number, line))
            keeps_comments = keeps_comments or text.lower().replace(" ", "") == "content-type:text/markdown"
    return block


class BlockReader:
    """Reads one block."""

    def __init__(self, block: Block, source: ImportSource, values: FileVariables) -> None:
        self._block = block
        self._source = source
        self._values = values
        self._remarks: list[str] = []
        self._place = 0

    def request(self) -> FoundRequest | None:
        """The request of the block; None if it holds none.

        Raises:
            Problem: it cannot be imported; names the line.
        """
        if not self._block.lines or ANSWER.match(self._block.lines[0][1].strip()):
            return None
        where = self._where()
        if self._block.is_disabled:
            raise Problem(f"{where}: the request is disabled", "take @disabled out")
        if self._block.has_script:
            self._leave_out("a script that runs before the request")
        method, url = self._request_line()
        pairs = self._headers()
        address = self._values.read_address(url, where)
        if address.credentials is not None:
            pairs.append(("authorization", f"Basic {address.credentials}"))
        host = next((value for name, value in pairs if name.lower() == "host"), None)
        if host is not None and address.origin is not None:
            self._remarks.append(HOST_REMARK)
        is_graphql = method.lower() == GRAPHQL or any(
            name.lower() == "x-request-type" and value.lower() == GRAPHQL for name, value in pairs
        )
        if is_graphql:
            pairs = [(name, value) for name, value in pairs if name.lower() not in ("x-request-type", "content-type")]
            pairs.append(("content-type", JSON))
        selection = keep_headers(pairs, are_templates=True)
        content_type = dict(selection.headers).get("content-type", "")
        body = self._graphql() if is_graphql else self._body(method, content_type)
        headers = selection.headers
        if isinstance(body, FormBody):  # the boundary is that of the body that is written
            headers = tuple((name, value) for name, value in headers if name != "content-type")
        origin = address.origin
        if origin is None and host and not PLACEHOLDER.search(host):
            origin = read_address(host, where).origin
        return FoundRequest(
            method="post" if method.lower() == GRAPHQL else method.lower(),
            path=address.path,
            headers=headers,
            body=body,
            name=self._block.title,
            origin=origin,
            remarks=tuple(self._remarks),
            left_out_headers=selection.left_out,
        )

    def _where(self) -> str:
        lines = self._block.lines
        number = lines[min(self._place, len(lines) - 1)][0]
        return f"{self._source.label}: line {number}"

    def _leave_out(self, what: str) -> None:
        self._remarks.append(f"Left out: {what}.")

    def _line(self) -> str | None:
        """The line at this place, or None at the end of the block."""
        return self._block.lines[self._place][1] if self._place < len(self._block.lines) else None

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
        while (line := self._line()) is not None and line.strip() and not HANDLER.match(line.strip()):
            name, colon, value = line.partition(":")
            if not colon or value.startswith("//"):
                raise Problem(f"{self._where()}: is no header", "write Name: value, and an empty line before a body")
            pairs.append((name.strip(), self._values.resolved(value.strip())))
            self._place += 1
        return pairs

    def _body(self, method: str, content_type: str) -> Body | None:
        lines = self._body_lines()
        if not lines:
            return None
        if len(lines) == 1 and (match := FILE.fullmatch(lines[0].strip())):
            if lines[0].strip().startswith("<@"):
                self._remarks.append("Variables in the file of the body are not replaced.")
            return FileBody(self._path(match["path"]))
        if media_type(content_type) == MULTIPART:
            return self._parts(method, "\n".join(lines), content_type)
        if any(FILE.fullmatch(line.strip()) for line in lines):
            raise Problem(f"{self._where()}: a file stands beside other lines of a body", "put all of it into one file")
        if media_type(content_type) == FORM:
            return TextBody(encoded(self._values.resolved(_form(lines))))
        return template_body(self._values.resolved("\n".join(lines)), content_type)

    def _path(self, path: str) -> str:
        path = self._values.resolved(path)
        return path if os.path.isabs(path) else os.path.relpath(os.path.join(self._source.folder, path))

    def _parts(self, method: str, text: str, content_type: str) -> FormBody:
        """A form of several parts."""
        where = self._where()
        try:
            parts = sent_parts(text, content_type)
        except ValueError as error:
            raise Problem(f"{where}: no form of several parts: {error}", "correct the body") from error
        form: list[tuple[str, str | FormFile]] = []
        for part in parts:
            file = FILE.fullmatch(part.content.strip())
            if file is None and part.file_name is not None:
                name = printable(part.file_name, 40)
                raise Problem(f"{where}: the file {name} stands in its form", "put it into a file: < PATH")
            if file is None:
                self._remarks += [part.remark] if part.remark else []
                form.append((self._values.resolved(part.name), self._values.resolved(part.content)))
            else:
                name = self._values.resolved(part.file_name or "")
                form.append((part.name, FormFile(self._path(file["path"]), name, part.media_type)))
        return form_body(method, form, where, "write the request yourself, with body_file")

    def _graphql(self) -> Body:
        """The query and its variables, which an empty line divides, as JSON."""
        lines = [*self._body_lines(), ""]
        end = next(
            (
                place
                for place, line in enumerate(lines)
                if not line.strip() and "".join(lines[place:]).lstrip().startswith("{")
            ),
            len(lines),
        )
        query, variables = (self._values.resolved("\n".join(part).strip()) for part in (lines[:end], lines[end:]))
        return template_body(f'{{"query": {json.dumps(query)}, "variables": {variables or "{ }"}}}', JSON)

    def _body_lines(self) -> list[str]:
        """The lines of the body, without empty ones around it, and without what handles the answer."""
        lines: list[str] = []
        end = ""
        for _, line in self._block.lines[self._place :]:
            stripped = line.strip()
            if end:
                end = "" if stripped == end or (end == SCRIPT_END and end in stripped) else end
            elif HANDLER.match(stripped) or OTHER_SCRIPT_START.fullmatch(stripped):
                self._leave_out("what handles the answer")
                if SCRIPT_START.match(stripped):
                    end = "" if SCRIPT_END in stripped else SCRIPT_END
                elif OTHER_SCRIPT_START.fullmatch(stripped):
                    end = OTHER_SCRIPT_END
            else:
                lines.append(line)
        while lines and not lines[0].strip():
            del lines[0]
        while lines and not lines[-1].strip():
            del lines[-1]
        return lines


def _form(lines: Sequence[str]) -> str:
    """The lines of a form as one. Without an `&` between two of them they stay lines."""
    text = ""
    for line in (each.strip() for each in lines):
        joins = not text or line.startswith("&") or text.endswith("&")
        text += line if joins else f"\n{line}"
    return text


def _is_address(text: str, *, has_method: bool) -> bool:
    """Whether this can be an address; without a method, a word alone is none. A query may hold blanks."""
    closed = re.sub(r"\{\{[^{}]*\}\}", "{{x}}", text)
    plain = closed.partition("?")[0] if has_method else closed
    return not re.search(r"\s", plain) and bool(URL_START.match(text) or (has_method and HOST_START.match(text)))
