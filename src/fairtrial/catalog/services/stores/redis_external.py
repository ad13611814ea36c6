"""One numbered database on a Redis that runs already."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import redis

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.services.stores.claim import Claim, in_hand
from fairtrial.catalog.services.stores.key_value import assert_fit
from fairtrial.catalog.services.stores.redis import MARKER, TITLE, Store, fill, spoken
from fairtrial.catalog.tables import Table


class MarkerKey:
    """The marker as a key of its own."""

    name = MARKER

    def __init__(self, client: "redis.Redis") -> None:
        self._client = client

    def read(self) -> str | None:
        """Its value."""
        with spoken():
            return _text(self._client.get(MARKER))

    def swap(self, old: str | None, new: str) -> bool:
        """By SET NX, or by WATCH and a transaction."""
        with spoken():
            if old is None:
                return bool(self._client.set(MARKER, new, nx=True))
            with self._client.pipeline() as steps:
                steps.watch(MARKER)  # type: ignore[no-untyped-call]
                if _text(steps.get(MARKER)) != old:
                    return False
                steps.multi()
                steps.set(MARKER, new)
                try:
                    steps.execute()
                except redis.WatchError:
                    return False
                return True


class ExternalRedis(Store):
    """The lab's, while it has its marker there."""

    pid = None

    def __init__(self, tables: Sequence[Table], url: str, on_rows: RowsLoaded) -> None:
        super().__init__(tables, url, "external")
        self._on_rows = on_rows
        self.claim = Claim(TITLE, MarkerKey(self.client))

    def assert_own(self) -> None:
        """Raise a Problem unless the database is empty or marked."""
        with spoken():
            if self.client.dbsize() and not self.client.exists(MARKER):
                raise Problem(
                    "the database of that Redis holds keys that are not Fairtrial's; nothing was changed there",
                    "name another database number at the end of the URL, one that is empty",
                )

    def fault(self) -> str | None:
        """Why it does not answer, or None."""
        try:
            with spoken():
                self.client.ping()
        except Problem as problem:
            return problem.reason
        return None

    def altered(self) -> bool:
        """As `Store.altered`; true also if another lab may have had the database."""
        self._changes_of_the_lab += 1  # the marker's
        return not self.claim.is_kept() or super().altered()

    def reset(self) -> None:
        """Load everything again."""
        self.claim.renew()
        with spoken(), self.client.pipeline() as steps:  # a transaction: it is never without the marker
            steps.flushdb()
            steps.set(MARKER, self.claim.text)
            steps.execute()
        fill(self.client, self._tables, self._on_rows)
        self.loaded()

    def leave(self) -> None:
        """Remove what was loaded."""
        self.claim.renew()
        with spoken():
            self.client.flushdb()


@contextmanager
def connect(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> Iterator[ExternalRedis]:
    """The tables in the numbered database of the URL, which has to be empty or marked as the lab's; removed at the end.

    Other work on the same Redis is counted as if it were the stack's: Redis counts for all databases together.

    Raises:
        Problem: it cannot be reached, refuses, its database holds something else, or another lab uses it; without the
            URL.
    """
    assert_fit(TITLE, tables)
    running = ExternalRedis(tables, url, on_rows)
    with closing(running.client), in_hand(running):
        yield running


def _text(value: object) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else None
