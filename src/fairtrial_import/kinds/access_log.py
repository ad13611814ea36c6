"""`access.log`: the log of a web server. Routes with their shares, and ids and parameters as rows."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial_import.assemble import slug, unused_name
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.log_formats import known_in_words
from fairtrial_import.log_lines import LinePart, LogEntry, LogReader
from fairtrial_import.model import METHODS, FoundRequest, FoundRows, ImportedRequests, TextBody
from fairtrial_import.redact import without_secrets
from fairtrial_import.routes import Route, RouteTable, Unreadable, constant_columns, path_of, route_words
from fairtrial_import.source import ImportSource
from fairtrial_import.variables import Variables

LARGEST_BYTES = 512 << 20
"""Some millions of lines, which take a few minutes."""
LARGEST_DOCUMENT_BYTES = 64 << 20
"""Of a log that is one JSON document, as clouds export it: it is read whole."""
LINES_TO_RECOGNISE = 1000
"""A server may say much before its first request."""
LONGEST_EXAMPLE = 80
DEEPEST = 6
WITHOUT_BODY = ("GET", "HEAD")
"""Methods of which a log tells all; of others it does not hold the bodies."""
NOT_MODIFIED, PARTIAL = 304, 206
LEAST_SUCCESS, LEAST_ERROR = 200, 400


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The routes of a log, with how often each was asked for.

    Raises:
        Problem: it is too large, or no line of it is a request.
    """
    routes = RouteTable(variables)
    reader = LogReader()
    methods: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    unread = parts = 0
    example = ""
    for line in _units(source):
        if isinstance(line, str) and not line.strip():
            continue
        entry = None if line is None else reader.read(line)
        if isinstance(entry, LinePart):
            parts += 1
        elif entry is not None and entry.method not in WITHOUT_BODY:
            methods[entry.method if entry.method.lower() in METHODS else "other methods"] += 1
        elif entry is not None and not LEAST_SUCCESS <= entry.status < LEAST_ERROR:
            errors[str(entry.status)] += 1
        elif entry is None or not _is_added(routes, entry):
            unread += 1
            example = example or (
                "a line of more than 64 KiB" if line is None else line if isinstance(line, str) else json.dumps(line)
            )
    unread += reader.lost
    route_lines = sum(route.count for route in routes)
    total = route_lines + routes.beyond + sum(methods.values()) + sum(errors.values()) + unread
    if total == unread:
        name, remedy = known_in_words(source.head) or ("", "say with --from what else it is")
        reason = (
            f"is {name}, which is not read" if name else f"none of its {total:,} lines is a request in a known format"
        )
        raise Problem(f"{source.label}: {reason}", remedy)
    unit = "entries" if parts else "lines"
    remarks = [f"Taken: {route_lines:,} of {total:,} {unit}."]
    if unread:
        such_as = f", such as: {_without_secrets(example)}" if example else ""
        remarks.append(f"Left out: {_share(unread, total)} that could not be read as requests{such_as}")
    if reader.overlaps:
        remarks.append("Requests overlap, and their lines have no id: a status may belong to another request.")
    if methods:
        remarks.append(f"Left out, as a log holds no bodies: {_counts_in_words(methods, total)}. Write them yourself.")
    if errors:
        remarks.append(f"Left out, as their answer was no success: {_counts_in_words(errors, total)}.")
    if routes.beyond:
        remarks.append(f"Left out: {_share(routes.beyond, total)} of rarer routes.")
    return ImportedRequests(title=source.stem, requests=_requests(routes), remarks=remarks)


def _units(source: ImportSource) -> Iterator[str | dict[str, Any] | None]:
    """The lines of a log, or the objects of one that is a JSON document."""
    head = source.head.lstrip()
    first, _, rest = head.partition("\n")
    if re.match(r"[\[{]\s*(?:[\[{\"]|$)", head) and not (rest.strip() and _is_object(first)):
        values = _values(source.text(LARGEST_DOCUMENT_BYTES))
        if values is not None:
            for value in values:
                yield from _entries(value)
            return
    yield from source.lines(LARGEST_BYTES)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _values(text: str) -> list[Any] | None:
    """The JSON values that a text holds, one behind another; None if it holds anything else."""
    decoder, place, values = json.JSONDecoder(), 0, []
    try:
        while place < len(text):
            if text[place].isspace():
                place += 1
                continue
            value, place = decoder.raw_decode(text, place)
            values.append(value)
    except (ValueError, RecursionError):
        return None
    return values


def _entries(value: Any, depth: int = 0) -> Iterator[str | dict[str, Any]]:
    """The entries of a list, or of the lists of an object that is no entry itself, such as `{"records": [...]}`."""
    if isinstance(value, str) and " " in value:
        yield value
    elif isinstance(value, list) and depth < DEEPEST:
        for each in value:
            yield from _entries(each, depth + 1)
    elif isinstance(value, dict):
        lists = [] if LogReader().read(value) is not None else _lists_in(value)
        if not lists:
            yield value
        for each in lists:
            yield from _entries(each, depth + 1)


def _lists_in(value: dict[str, Any]) -> list[Any]:
    """The lists of an object, or of the objects in it."""
    below = [each for each in value.values() if isinstance(each, dict)]
    return [each for holder in (value, *below) for each in holder.values() if isinstance(each, list) and each]


def _without_secrets(line: str) -> str:
    """The beginning of a line that could not be read, without anything in it that may be a secret."""
    request = FoundRequest(method="get", path="/", body=TextBody(line[:2000]))
    body = without_secrets(request, Variables()).body
    text = re.sub(r"[\w+/=-]{24,}|\{\{env \w+\}\}", "…", body.text if isinstance(body, TextBody) else "")
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}…"


def _is_added(routes: RouteTable, entry: LogEntry) -> bool:
    try:
        routes.add(entry)
    except Unreadable:
        return False
    return True


def _requests(routes: Iterable[Route]) -> list[FoundRequest]:
    """All routes as requests, the most frequent one first."""
    names: set[str] = set()
    requests = []
    for route in routes:
        is_get = route.key.method == "GET"
        name = unused_name(slug(" ".join([*([] if is_get else ["head"]), *route_words(route)])) or "root", names)
        names.add(name)
        constants = constant_columns(route)
        columns = [slot.column for slot in route.slots if slot.column not in constants]
        places = [place for place, slot in enumerate(route.slots) if slot.column not in constants]
        rows = FoundRows(name, columns, [[row[place] for place in places] for row in route.rows]) if columns else None
        remark = f"{route.count:,} in the log" + (f"; {len(route.rows):,} of them as rows" if rows else "")
        requests.append(
            FoundRequest(
                method=route.key.method.lower(),
                path=path_of(route, name, constants),
                statuses=tuple(sorted({_without_conditions(status) for status in route.statuses})),
                weight=route.count,
                name=name,
                rows=rows,
                remarks=(remark,),
            )
        )
    return requests


def _without_conditions(status: int) -> int:
    """The status of an answer without the conditions of a cache, and without a range."""
    return 200 if status in (NOT_MODIFIED, PARTIAL) else status


def _share(number: int, total: int) -> str:
    return f"{number:,} ({number / total:.1%})"


def _counts_in_words(counted: Counter[str], total: int) -> str:
    return ", ".join(f"{name} {_share(number, total)}" for name, number in counted.most_common(12))


def _recognises(source: ImportSource) -> bool:
    """Whether one of the first lines is a request. Comments are none: files of other kinds may quote a log."""
    reader = LogReader()
    for line in islice(_units(source), LINES_TO_RECOGNISE):
        is_comment = isinstance(line, str) and line.startswith(("# ", "//", "###"))
        if line is not None and not is_comment and isinstance(reader.read(line), LogEntry):
            return True
    return False


KIND = SourceKind("access-log", "an access log", _recognises, read, rank=1)
