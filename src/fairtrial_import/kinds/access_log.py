"""`access.log`: the log of a web server. Routes with their shares, and ids and parameters as rows."""

from collections import Counter
from collections.abc import Iterable

from fairtrial.base.problem import Problem
from fairtrial_import.assemble import slug, unused_name
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.log_lines import Entry, read_line
from fairtrial_import.model import METHODS, FoundRequest, FoundRows, ImportedRequests
from fairtrial_import.routes import Route, Routes, Unreadable, constant_columns, path_of, route_words
from fairtrial_import.source import Source
from fairtrial_import.variables import Variables

LARGEST_BYTES = 512 << 20
"""Some millions of lines, which take a few minutes."""
LINES_TO_RECOGNISE = 20
WITHOUT_BODY = ("GET", "HEAD")
"""Methods of which a log tells all; of others it does not hold the bodies."""
NOT_MODIFIED, PARTIAL = 304, 206
LEAST_SUCCESS, LEAST_ERROR = 200, 400


def read(source: Source, variables: Variables) -> ImportedRequests:
    """The routes of a log, with how often each was asked for.

    Raises:
        Problem: it is too large, or no line of it is a request.
    """
    routes = Routes(variables)
    methods: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    unread = 0
    for line in source.lines(LARGEST_BYTES):
        if line is not None and not line.strip():
            continue
        entry = None if line is None else read_line(line)
        if entry is None:
            unread += 1
        elif entry.method not in WITHOUT_BODY:
            methods[entry.method if entry.method.lower() in METHODS else "other methods"] += 1
        elif not LEAST_SUCCESS <= entry.status < LEAST_ERROR:
            errors[str(entry.status)] += 1
        else:
            unread += not _is_added(routes, entry)
    route_lines = sum(route.count for route in routes)
    total = route_lines + routes.beyond + sum(methods.values()) + sum(errors.values()) + unread
    if total == unread:
        raise Problem(
            f"{source.label}: none of its {total:,} lines is a request in common, combined or JSON format",
            "give a log in one of these formats, or say with --from what else it is",
        )
    remarks = [f"Taken: {route_lines:,} of {total:,} lines."]
    if unread:
        remarks.append(f"Left out: {_share(unread, total)} that could not be read as requests.")
    if methods:
        remarks.append(f"Left out, as a log holds no bodies: {_counts_in_words(methods, total)}. Write them yourself.")
    if errors:
        remarks.append(f"Left out, as their answer was no success: {_counts_in_words(errors, total)}.")
    if routes.beyond:
        remarks.append(f"Left out: {_share(routes.beyond, total)} of rarer routes.")
    return ImportedRequests(title=source.stem, requests=_requests(routes), remarks=remarks)


def _is_added(routes: Routes, entry: Entry) -> bool:
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


def _recognises(source: Source) -> bool:
    lines = [line for line in source.head.splitlines() if line.strip()][:LINES_TO_RECOGNISE]
    return any(read_line(line) is not None for line in lines)


KIND = SourceKind("access-log", "an access log", _recognises, read, rank=1)
