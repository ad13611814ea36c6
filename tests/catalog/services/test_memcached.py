"""What is memcached's own: it counts keys, and on somebody else's only the lab's keys are touched."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.network_namespace import network_namespace
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.memcached import SERVICE
from fairtrial.catalog.services.memcached.server import LEAST_MEGABYTES, megabytes
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.tables import LiteralRows, Table
from tests.catalog.services.outside import MEMCACHED, loaded, server_of
from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import links, memcached, unheard
from tests.machine.needs import needs
from tests.waiting import wait_for

EXPIRED_WITHIN_SECONDS = 30.0
pytestmark = needs("memcached")


@pytest.fixture
def url(shared: Shared) -> Iterator[str]:
    """Of somebody else's server; it is emptied after a test."""
    url = shared.outside(MEMCACHED)
    assert MEMCACHED.content(url) == []
    yield url
    MEMCACHED.empty(url)


def flushes(url: str) -> int:
    return int(memcached(url).stats()[b"cmd_flush"])


@needs("network-namespace")
def test_in_a_network_of_its_own_nobody_outside_reaches_it(temporary: Path) -> None:
    """It has no password: this is what keeps others of this machine out."""

    def connect(port: int) -> None:
        socket.create_connection((LOOPBACK, port), timeout=5).close()

    with ThreadPoolExecutor(1) as outside:
        outside.submit(int).result()  # its thread is there before, and stays in the machine's network
        with network_namespace(), SERVICE.start(ServiceStart(links())) as up:
            port = int(up.url.rpartition(":")[2])
            connect(port)
            with pytest.raises(ConnectionRefusedError):
                outside.submit(connect, port).result()


def test_keys_are_counted(shared: Shared) -> None:
    with shared.private("memcached") as up:
        client = memcached(up.url)
        one, two = (f"link:{row['id']}" for row in links()[0].rows.sample()[:2])
        before = dict(up.counters())
        client.get(one)
        client.get_many([one, two, "link:none"])
        after = dict(up.counters())
        assert after["reads"] - before["reads"] == 4
        assert after["rows_read"] - before["rows_read"] == 3
        assert after["writes"] == before["writes"]
        client.set("fragment:categories", "j" * 20, noreply=False)
        client.delete(one, noreply=False)
        assert up.counters()["writes"] - after["writes"] == 2


def test_it_gets_the_memory_that_its_data_need() -> None:
    assert megabytes([]) == megabytes(links()) == LEAST_MEGABYTES
    assert megabytes(links(rows=3_000_000)) > 3_000_000 * (len("link:1https://example.com/") + 36) / 2**20


def test_a_key_that_somebody_sets_meanwhile_stays(url: str) -> None:
    before = flushes(url)
    with loaded(MEMCACHED, url) as up:
        MEMCACHED.put(url, "precious")
        assert up.altered()
        up.reset()
        assert memcached(url).get("precious") == b"theirs"
    assert MEMCACHED.content(url) == ["precious"]
    with pytest.raises(Problem, match="not Fairtrial's"), loaded(MEMCACHED, url):
        pass
    assert MEMCACHED.content(url) == ["precious"]
    assert flushes(url) == before


def test_a_cache_is_emptied_of_what_stacks_set(url: str) -> None:
    connect = SERVICE.connect
    assert connect is not None
    with connect(url, [], unheard) as up:
        memcached(url).set("fragment:categories", b"1,a\n", expire=60, noreply=False)
        assert up.counters()["writes"] > 0
    assert MEMCACHED.content(url) == []


def test_expired_keys_are_in_nobodys_way(url: str) -> None:
    memcached(url).set("gone", b"x", expire=1, noreply=False)
    wait_for(lambda: not MEMCACHED.content(url), "it has expired", within_seconds=EXPIRED_WITHIN_SECONDS)
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
