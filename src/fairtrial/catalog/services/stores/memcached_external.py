"""A memcached that runs already: it knows neither databases nor users, so only the lab's own keys are touched there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

from pymemcache.client.base import Client

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.services.stores.claim import Claim, in_hand, read_marker
from fairtrial.catalog.services.stores.key_value import assert_fit
from fairtrial.catalog.services.stores.memcached import TITLE, Address, Store
from fairtrial.catalog.tables import Table

SCHEME = "memcached"
FORM = f"it looks like {SCHEME}://HOST:PORT; memcached has no users and no databases"
MARKER = "fairtrial:marker"
"""The key by which a memcached of somebody else's is known to hold a lab's keys, and which they are."""

STACKS_PREFIXES = ("fragment:",)
"""Of the keys that stacks set where it is their cache: docs/workloads.md, page."""


class MarkerItem:
    """The marker as a key of its own, which never expires."""

    name = MARKER

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self) -> str | None:
        """Its value."""
        with self._store.client() as client:
            return _text(client.get(MARKER))

    def swap(self, old: str | None, new: str) -> bool:
        """By `add`, or by `gets` and `cas`."""
        with self._store.client() as client:
            if old is None:
                return bool(client.add(MARKER, new.encode(), noreply=False))
            value, unique = client.gets(MARKER)
            return _text(value) == old and bool(client.cas(MARKER, new.encode(), unique, noreply=False))


class ExternalMemcached(Store):
    """The keys below the tables' prefixes, while the lab has its marker there."""

    pid = None

    def __init__(self, tables: Sequence[Table], url: str, address: Address, on_rows: RowsLoaded) -> None:
        super().__init__(tables, url, address, "external")
        self._on_rows, self._place = on_rows, MarkerItem(self)
        own = {*STACKS_PREFIXES, *(table.key_prefix for table in tables)}
        self.claim = Claim(TITLE, self._place, sorted(own))

    def assert_own(self) -> None:
        """Raise a Problem if it holds any other keys than the marker and those below the prefixes that this names."""
        marker = read_marker(self._place.read())
        earlier = tuple(prefix for prefix in marker.prefixes if prefix) if marker else ()
        with self.client() as client:
            listed = self.listed(client)
        if not all(key == MARKER.encode() or _is_below(earlier, key) for key in listed):
            raise Problem(
                f"{TITLE} holds keys that are not Fairtrial's; nothing was changed there",
                "name one that is empty: memcached has no databases that would keep them apart",
            )
        # Also those of an earlier lab's are to be removed, by whoever comes after this one if not by it.
        self.claim.prefixes = sorted({*self.claim.prefixes, *earlier})

    def _stored(self, client: Client) -> int:
        return sum(_is_below(tuple(self.claim.prefixes), key) for key in self.listed(client))

    def fault(self) -> str | None:
        """Why it does not answer, or None."""
        try:
            with self.client() as client:
                client.version()
        except Problem as problem:
            return problem.reason
        return None

    def altered(self) -> bool:
        """As `Store.altered`; true also if another lab may have had it."""
        self._writes_of_the_lab += 1  # the marker's
        return not self.claim.is_kept() or super().altered()

    def reset(self) -> None:
        """Load everything again."""
        self._clear()
        self.load(self._on_rows)

    def leave(self) -> None:
        """Remove what was loaded, and what stacks set."""
        self._clear()
        with self.client() as client:
            client.delete(MARKER, noreply=False)

    def _clear(self) -> None:
        self.claim.renew()
        with self.client() as client:
            own = [key for key in self.listed(client) if _is_below(tuple(self.claim.prefixes), key)]
            client.delete_many(own, noreply=True)
            client.version()  # answered when they are gone


@contextmanager
def connect(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> Iterator[ExternalMemcached]:
    """The tables in the memcached at the URL, which has to be empty or marked as the lab's; removed at the end.

    Other work on the same memcached is counted as if it were the stack's.

    Raises:
        Problem: it cannot be reached, refuses, holds something else, or another lab uses it; without the URL.
    """
    assert_fit(TITLE, tables)
    nameless = [table.name for table in tables if not table.key_prefix]
    if nameless:
        raise Problem(
            f"the keys of the table {nameless[0]} have no prefix: in {TITLE} they could not be told from others",
            "leave `url_from` out to have one started",
        )
    running = ExternalMemcached(tables, url, _address(url), on_rows)
    with in_hand(running):
        yield running


def _address(url: str) -> Address:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host and "@" in parts.netloc:
        raise Problem(f"the URL of the {TITLE} holds a user or a password, and it knows neither", FORM)
    if not host or not port or parts.path.strip("/") or parts.query or parts.fragment:
        raise Problem(f"the URL of the {TITLE} is malformed", FORM)
    return host, port


def _is_below(prefixes: tuple[str, ...], key: bytes) -> bool:
    return key.startswith(tuple(prefix.encode() for prefix in prefixes))


def _text(value: object) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else None
