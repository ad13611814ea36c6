"""Servers that stand still for a moment: nothing is answered, no connection is lost, and nothing differs afterwards."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from typing import Any

import pytest
from pymemcache.client.base import Client as Memcached

from fairtrial.catalog.services.model import CanBeHeld
from tests.catalog.services.shared import Shared
from tests.catalog.services.test_crash import mongodb_of, redis_of, sql
from tests.machine.lack import Lack
from tests.machine.needs import needs, skip_for

Insert = Callable[[int], object]
HELD_SECONDS = 0.2


def memcached_of(url: str) -> Iterator[Insert]:
    host, _, port = url.rpartition("/")[2].partition(":")
    with closing(Memcached((host, int(port)))) as client:
        yield lambda number: client.set(f"link:{10_000_000 + number}", "https://example.org/", noreply=False)


@pytest.mark.parametrize(
    ("name", "insert"),
    [
        pytest.param(name, insert, marks=needs(name), id=name)
        for name, insert in (
            ("postgresql", sql),
            ("mariadb", sql),
            ("redis", redis_of),
            ("memcached", memcached_of),
            ("mongodb", mongodb_of),
        )
    ],
)
def test_a_statement_is_answered_when_the_server_goes_on(
    name: str, insert: Callable[[str], Iterator[Insert]], shared: Shared
) -> None:
    with shared.private(name) as service, ThreadPoolExecutor(1) as another:
        assert isinstance(service, CanBeHeld)
        if service.why_not_held:
            skip_for(Lack(f"a {name} that can be held", service.why_not_held, excused=True))
        for store in insert(service.url):
            store(1)  # connected
            with service.hold():
                answer: Future[Any] = another.submit(store, 2)
                assert not wait([answer], HELD_SECONDS).done
            answer.result(20)
            store(3)
        assert service.fault() is None
