"""The requests of an access log, line by line.

apachelogs was looked at: its last release is of 2024, it needs two more packages, and it refuses a line with anything
behind the combined format, such as nginx's `$request_time`.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from fairtrial_import.log_formats import (
    ANNOUNCEMENT,
    COLOUR,
    CRI,
    DIRECTIVE,
    FORMATS,
    METHODS,
    OTHER_WORDS,
    PAIRS,
    ROLES,
    WORD,
    WRAPPERS,
)  # fmt: skip

REQUEST = re.compile(r"(?P<method>[A-Za-z]{3,20}) (?P<target>\S+)(?: (?:HTTP/)?\d(?:\.\d)?)?")
ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})|\\(.)")
STATUS = re.compile(r"([1-5]\d\d)(?:\.0)?(?= |$)")
MOST_OPEN = 10_000
"""Requests whose second line has not come yet."""
LONGEST_JOINED = 64 << 10
DEEPEST = 6


@dataclass(frozen=True)
class LogEntry:
    """A request of a log. The target is as it was sent: path and query, percent-encoded."""

    method: str
    target: str
    status: int


@dataclass(frozen=True)
class LinePart:
    """A line that holds no request of its own, and belongs to the log: a part of a longer one, or names of columns."""


PART = LinePart()


class LogReader:
    """Reads the lines of one log in their order, and keeps what later ones need."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._separator: str | None = None
        self._is_first = True
        self._pieces: dict[str, str] = {}
        self._started: dict[str, tuple[str, str]] = {}
        self.lost = 0
        """lines that began a request whose end is missing"""
        self.overlaps = False
        """whether a request without an id began before the one before it had ended"""

    def read(self, line: str | dict[str, Any]) -> LogEntry | LinePart | None:
        """The request of a line, or of an object; None if it holds none, such as what a TLS client sent to a port
        without TLS.
        """
        if isinstance(line, dict):
            return self._object(line, 0)
        match = CRI.match(line)
        if match is not None:
            if match["tag"] == "P":
                return self._piece(match["stream"], match["line"])
            line = self._pieces.pop(match["stream"], "") + match["line"]
        return self._text(COLOUR.sub("", line), 0)

    def _piece(self, stream: str, text: str) -> LinePart:
        self._pieces[stream] = (self._pieces.get(stream, "") + text)[:LONGEST_JOINED]
        return PART

    def _text(self, line: str, depth: int) -> LogEntry | LinePart | None:
        value = _json_at_the_end(line)
        if value is not None and (entry := self._object(value, depth)) is not None:
            return entry
        if self._is_about_the_log(line):
            return PART
        cells = _cells(line, self._separator) if self._columns else []
        if self._columns and len(cells) == len(self._columns):
            return _complete(_roles_of(zip(self._columns, cells, strict=True)))
        if self._is_cut(line, cells):
            return None
        for pattern in FORMATS:
            if match := pattern.search(line):
                return _matched(match.groupdict(), int(match["status"]))
        return PART if ANNOUNCEMENT.search(line) else self._paired(line) or self._words(line)

    def _is_cut(self, line: str, cells: Sequence[str]) -> bool:
        """Whether a line holds the first of the columns, and then ends: other columns could be taken for a status."""
        return 0 < len(cells) < len(self._columns) and self._separator is None and '"' not in line

    def _is_about_the_log(self, line: str) -> bool:
        """Whether a line is a directive, or the first one and names the columns of a table (CSV, or with tabs)."""
        is_first, self._is_first = self._is_first, False
        if match := DIRECTIVE.match(line):
            if match["name"].lower() == "fields":
                self._separator = "\t" if "\t" in match["value"] else None
                self._columns = match["value"].split(self._separator)
            return True
        if not is_first:
            return False
        separator = next((sign for sign in "\t,;" if sign in line), None)
        names = _cells(line, separator)
        roles = {role for name in names for role, _ in _roles(name)}
        if separator is None or not {"method", "target", "status"} <= roles:
            return False
        self._columns, self._separator = names, separator
        return True

    def _paired(self, line: str) -> LogEntry | LinePart | None:
        for pair in PAIRS:
            if match := pair.end.search(line):
                return self._ended(match["id"] or "", int(match["status"]))
            if match := pair.start.search(line):
                return self._start(match["id"] or "", match["method"], match["target"])
        return None

    def _start(self, key: str, method: str, target: str) -> LinePart:
        self.overlaps = self.overlaps or (not key and key in self._started)
        if key in self._started or len(self._started) >= MOST_OPEN:
            self._started.pop(key if key in self._started else next(iter(self._started)))
            self.lost += 1
        self._started[key] = (method, target)
        return PART

    def _ended(self, key: str, status: int) -> LogEntry | None:
        started = self._started.pop(key, None)
        return None if started is None else _entry(*started, status)

    def _words(self, line: str) -> LogEntry | None:
        pairs = WORD.findall(line)
        return _complete(_roles_of((key, _unquoted(value)) for key, value in pairs)) if len(pairs) > 1 else None

    def _object(self, document: dict[str, Any], depth: int) -> LogEntry | LinePart | None:
        values = _roles_of(_members(document, "", 0))
        entry = _complete(values)
        if entry is not None:
            return entry
        key = values.get("id")
        if key is not None and "method" in values and "target" in values:
            return self._start(key, values["method"], _with_query(values))
        if key is not None and "status" in values:
            return self._ended(key, int(values["status"]))
        return self._wrapped(document, depth) if depth < DEEPEST else None

    def _wrapped(self, document: dict[str, Any], depth: int) -> LogEntry | LinePart | None:
        """The request of a line that an object holds."""
        for name in (each for each in document if each in WRAPPERS):
            line = document[name]
            if not isinstance(line, str):
                continue
            if name == "log" and "stream" in document:  # Docker's json-file: a line end marks the last piece
                stream = str(document["stream"])
                if not line.endswith("\n"):
                    return self._piece(stream, line)
                line = self._pieces.pop(stream, "") + line.rstrip("\r\n")
            inner = self._text(COLOUR.sub("", line), depth + 1)
            if inner is not None:
                return inner
        return None


def _cells(line: str, separator: str | None) -> list[str]:
    """The cells of a line; those with commas may be quoted (RFC 4180)."""
    if separator is None or separator == "\t":
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _json_at_the_end(line: str) -> dict[str, Any] | None:
    """The object at the end of a line, whatever stands before it: a time, the name of a container."""
    text = line.rstrip().removesuffix(",")
    place = text.find("{")
    if place < 0 or not text.endswith("}"):
        return None
    try:
        value = json.loads(text[place:])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _members(value: Mapping[str, Any], path: str, depth: int) -> Iterator[tuple[str, Any]]:
    """All members, by their names from the top: `http.request.method`."""
    for key, each in value.items():
        name = f"{path}.{key}" if path else str(key)
        yield name, each
        if isinstance(each, dict) and depth < DEEPEST:
            yield from _members(each, name, depth + 1)


@lru_cache(10_000)
def _roles(name: str) -> tuple[tuple[str, tuple[int, int]], ...]:
    """The roles that a name may have, each with its rank: the surest word first, then the shortest name."""
    if len(name) > 200:
        return ()
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    if not OTHER_WORDS.isdisjoint(words):
        return ()
    text = " " + " ".join(words)
    ranks = (
        (role, number) for role, ends in ROLES.items() for number, end in enumerate(ends) if text.endswith(f" {end}")
    )
    best: dict[str, tuple[int, int]] = {}
    for role, number in ranks:
        best.setdefault(role, (number, len(words)))
    return tuple(best.items())


def _roles_of(members: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """The values of `method`, `target`, `status`, `query` and `id`, as far as there are any."""
    best: dict[str, tuple[tuple[int, int], str]] = {}
    line = ""
    for name, value in members:
        for role, rank in _roles(name):
            if (role not in best or rank < best[role][0]) and (plain := _plain(role, value)):
                best[role] = (rank, plain)
        if not line and isinstance(value, str) and REQUEST.fullmatch(value):
            is_named = name == "request" and value.partition(" ")[0] in METHODS
            line = value if is_named or " HTTP/" in value[-10:] else ""
    values = {role: value for role, (_, value) in best.items()}
    if line and ("method" not in values or "target" not in values):
        values["method"], _, rest = line.partition(" ")
        values["target"] = rest.partition(" ")[0]
    return values


def _plain(role: str, value: Any) -> str:
    """The value of a role as text; empty if it cannot be one."""
    if role == "query" and isinstance(value, dict):
        return urlencode(value, doseq=True)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = str(value).strip()
    if role == "method":
        return text.upper() if text.upper() in METHODS else ""
    if role == "target":
        return text if text.startswith("/") or re.match("https?://", text) else ""
    if role == "status":
        match = STATUS.match(text)
        return match[1] if match else ""
    return "" if text == "-" or text.startswith(("/", "http://", "https://")) else text


def _complete(values: Mapping[str, str]) -> LogEntry | None:
    if not {"method", "target", "status"} <= values.keys():
        return None
    return _entry(values["method"], _with_query(values), int(values["status"]))


def _with_query(values: Mapping[str, str]) -> str:
    query = values.get("query", "").removeprefix("?")
    return f"{values['target']}?{query}" if query and "?" not in values["target"] else values["target"]


def _matched(groups: Mapping[str, str | None], status: int) -> LogEntry | None:
    request = groups.get("request")
    if request is not None:
        match = REQUEST.fullmatch(_unescaped(request).rstrip())
        return None if match is None else _entry(match["method"], match["target"], status)
    query = groups.get("query") or "-"
    target = f"{groups['target']}" + ("" if query == "-" else f"?{query}")
    return _entry(str(groups["method"]), target, status)


def _entry(method: str, target: str, status: int) -> LogEntry | None:
    target = re.sub(r"^[a-z]{2,5}://[^/?#]*", "", target, flags=re.IGNORECASE) or "/"  # as proxies are asked
    target = f"/{target}" if target.startswith("?") else target
    return LogEntry(method.upper(), target, status) if target.startswith("/") else None


def _unescaped(request: str) -> str:
    r"""The bytes that `\x22` and `\"` stand for."""
    if "\\" not in request:
        return request
    plain = ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], request)
    try:
        return plain.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return plain


def _unquoted(value: str) -> str:
    return _unescaped(value[1:-1]) if len(value) > 1 and value[0] in "\"'" and value[0] == value[-1] else value
