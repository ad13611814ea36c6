"""A memcached of somebody else's: the lab's own keys are touched there, and no others."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.memcached import SERVICE
from fairtrial.catalog.tables import LiteralRows, Table
from tests.catalog.services.needed import needs
from tests.catalog.services.outside import MEMCACHED, loaded, server_of
from tests.catalog.services.stores import memcached, unheard

EXPIRED_WITHIN_SECONDS = 30.0
pytestmark = needs("memcached")


@pytest.fixture
def url(temporary: Path) -> Iterator[str]:
    with server_of(MEMCACHED, temporary) as server:
        yield server


def test_a_key_that_somebody_sets_meanwhile_stays(url: str) -> None:
    with loaded(MEMCACHED, url) as up:
        MEMCACHED.put(url, "precious")
        assert up.altered()
        up.reset()
        assert memcached(url).get("precious") == b"theirs"
    assert MEMCACHED.content(url) == ["precious"]
    with pytest.raises(Problem, match="not Fairtrial's"), loaded(MEMCACHED, url):
        pass
    assert MEMCACHED.content(url) == ["precious"]
    assert int(memcached(url).stats()[b"cmd_flush"]) == 0


def test_a_cache_is_emptied_of_what_stacks_set(url: str) -> None:
    connect = SERVICE.connect
    assert connect is not None
    with connect(url, [], unheard) as up:
        memcached(url).set("fragment:categories", b"1,a\n", expire=60, noreply=False)
        assert up.counters()["writes"] > 0
    assert MEMCACHED.content(url) == []


def test_what_has_expired_is_in_nobodys_way(url: str) -> None:
    memcached(url).set("gone", b"x", expire=1, noreply=False)
    deadline = time.monotonic() + EXPIRED_WITHIN_SECONDS
    while MEMCACHED.content(url):
        assert time.monotonic() < deadline
    with loaded(MEMCACHED, url) as up:
        assert not up.altered()


def test_one_with_too_little_memory_says_so(temporary: Path) -> None:
    rows = LiteralRows(("id", "text"), [(number, "x" * 10_000) for number in range(1, 2001)])
    table = Table(name="large", columns={"id": "key", "text": "text"}, rows=rows, key_prefix="large:")
    connect = SERVICE.connect
    assert connect is not None
    with (
        server_of(MEMCACHED, temporary, "-m", "4") as small,
        pytest.raises(Problem, match="too little memory"),
        connect(small, [table], unheard),
    ):
        pass


def test_a_table_without_a_prefix_does_not_fit(url: str) -> None:
    rows = LiteralRows(("id", "text"), [(1, "a")])
    table = Table(name="bare", columns={"id": "key", "text": "text"}, rows=rows)
    connect = SERVICE.connect
    assert connect is not None
    with pytest.raises(Problem, match="no prefix"), connect(url, [table], unheard):
        pass
