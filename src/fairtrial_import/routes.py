"""Routes: requests that differ in their ids and parameters only, counted together, with a sample of these values."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from fairtrial.base.secret_names import is_secret_name, is_secret_value
from fairtrial_import.log_lines import LogEntry
from fairtrial_import.template import encoded
from fairtrial_import.variables import Variables

MOST_ROUTES = 2000
MOST_ROWS = 500
"""In the sample of a route: the most that two thousand of them can keep without much memory."""
LONGEST_VALUE = 500
MOST_VARIABLES = 200
"""A service has a few; whoever probes one may send any number of names."""
IDS = (
    ("id", re.compile(r"\d{1,40}")),
    ("uuid", re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)),
    ("hex", re.compile(r"(?=.*\d)[0-9a-f]{12,128}", re.IGNORECASE)),
)
"""Parts of a path that name one thing among many: digits, a UUID, a long hexadecimal number."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Unreadable(Exception):
    """A target holds what no placeholder can carry: bytes that are no UTF-8, control characters, too long a value."""


@dataclass(frozen=True)
class Slot:
    """A place of a route where requests differ."""

    column: str


@dataclass(frozen=True)
class RouteKey:
    """The common part of requests of one route: the method, the parts of the path, and the names of the parameters."""

    method: str
    path: tuple[str | Slot, ...]
    query: tuple[tuple[str, str | Slot], ...]
    """by name; a text is a placeholder that stands for a secret"""


@dataclass
class Route:
    """A route and what was counted of it."""

    key: RouteKey
    count: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    """a uniform sample: the values of all slots, in their order, not encoded"""

    @property
    def slots(self) -> list[Slot]:
        """All slots, those of the path first."""
        return [part for part in (*self.key.path, *(value for _, value in self.key.query)) if isinstance(part, Slot)]


class RouteTable:
    """All routes of a log."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._routes: dict[RouteKey, Route] = {}
        self._random = random.Random(1)  # noqa: S311  # a sample; the same log gives the same file
        self.beyond = 0
        """requests of routes beyond the most that are counted"""

    def __iter__(self) -> Iterator[Route]:
        return iter(sorted(self._routes.values(), key=lambda route: -route.count))

    def add(self, entry: LogEntry) -> None:
        """Count a request.

        Raises:
            Unreadable: its target cannot become a request.
        """
        key, values = self._key(entry)
        route = self._routes.get(key)
        if route is None:
            if len(self._routes) >= MOST_ROUTES:
                self.beyond += 1
                return
            route = self._routes[key] = Route(key)
        route.count += 1
        route.statuses[entry.status] += 1
        self._sample(route, values)

    def _sample(self, route: Route, values: tuple[str, ...]) -> None:
        """Algorithm R (Vitter 1985): each request of the route has the same chance to be in the sample."""
        if not values:
            return
        if len(route.rows) < MOST_ROWS:
            route.rows.append(values)
        elif (place := self._random.randrange(route.count)) < MOST_ROWS:
            route.rows[place] = values

    def _key(self, entry: LogEntry) -> tuple[RouteKey, tuple[str, ...]]:
        path, _, query = entry.target.partition("#")[0].partition("?")
        values: list[str] = []
        columns: set[str] = set()
        parts: list[str | Slot] = []
        for segment in path.split("/")[1:]:
            plain = _decoded(segment)
            if is_secret_value(plain):
                parts.append(self._secret("path-token", "a part of the path"))
                continue
            kind = next((name for name, pattern in IDS if pattern.fullmatch(plain)), None)
            if kind is None:
                parts.append(quote(plain, safe="!$&'()*+,;=:@~"))
                continue
            before = parts[-1] if parts and isinstance(parts[-1], str) else ""
            parts.append(Slot(_unused_column(f"{unquote(before)} {kind}", columns)))
            values.append(plain)
        pairs, query_values = self._query(query, columns)
        return RouteKey(entry.method, tuple(parts), pairs), (*values, *query_values)

    def _query(self, query: str, columns: set[str]) -> tuple[tuple[tuple[str, str | Slot], ...], list[str]]:
        pairs: list[tuple[str, str | Slot]] = []
        values: list[str] = []
        for pair in sorted(filter(None, query.split("&")), key=lambda each: each.partition("=")[0]):
            raw_name, _, raw_value = pair.partition("=")
            name, value = _decoded(raw_name.replace("+", " ")), _decoded(raw_value.replace("+", " "))
            if is_secret_name(name, value) or is_secret_value(value):
                pairs.append((name, self._secret(name, f"parameter {name}")))
            else:
                pairs.append((name, Slot(_unused_column(name, columns))))
                values.append(value)
        return tuple(pairs), values

    def _secret(self, name: str, purpose: str) -> str:
        """One variable for all values of a secret: each user has his own, and a load needs one."""
        if len(self._variables.purposes) >= MOST_VARIABLES:
            raise Unreadable
        return self._variables.placeholder(name, purpose, purpose)


def _decoded(text: str) -> str:
    try:
        plain = unquote(text, errors="strict")
    except UnicodeDecodeError as error:
        raise Unreadable from error
    if CONTROL.search(plain) or "\ufffd" in plain or len(plain) > LONGEST_VALUE:
        raise Unreadable
    return plain


def _unused_column(name: str, columns: set[str]) -> str:
    """A column's name for it, which no other column of the route has."""
    base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40].strip("_") or "value"
    number, column = 1, base
    while column in columns:
        number += 1
        column = f"{base}_{number}"
    columns.add(column)
    return column


def constant_columns(route: Route) -> dict[str, str]:
    """By column, the value that all requests of the sample have there."""
    slots = route.slots
    return {
        slot.column: route.rows[0][place]
        for place, slot in enumerate(slots)
        if len({row[place] for row in route.rows}) == 1
    }


def path_of(route: Route, rows_name: str, constants: dict[str, str]) -> str:
    """The route as a template, with its constant columns written out."""

    def template(part: str | Slot, safe: str) -> str:
        if isinstance(part, str):
            return part
        if part.column in constants:
            return quote(constants[part.column], safe=safe)
        return f"{{{{row {rows_name} {part.column}}}}}"

    path = "/" + "/".join(template(part, "!$&'()*+,;=:@~") for part in route.key.path)
    pairs = [f"{quote(name, safe='!$()*,;:@/~[]')}={template(value, '!$()*,;:@/~')}" for name, value in route.key.query]
    return encoded(path + (f"?{'&'.join(pairs)}" if pairs else ""))


def route_words(route: Route) -> Sequence[str]:
    """The name of the route: the parts of its path, then the names of its parameters."""
    parts = [part if isinstance(part, str) else part.column.rpartition("_")[2] for part in route.key.path]
    names = [name for name, _ in route.key.query]
    return [*(unquote(part) for part in parts), *(["by", *names] if names else [])]
