"""Two labs and one external store: the second is refused, and a dead lab's marker is taken over."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.lease import FRESH_SECONDS, MarkerLease, MarkerPlace
from fairtrial.catalog.services.memcached.client import MarkerItem
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.services.mongodb.client import MarkerCollection, MongodbClient
from fairtrial.catalog.services.redis.client import MarkerKey, RedisClient
from tests.catalog.services.outside import MEMCACHED, OUTSIDE, Outside, loaded, marker, memcached_client
from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import memcached
from tests.machine.needs import needs

IN_USE = "another Fairtrial uses this database"
LABS = 8
PLACES: dict[str, Callable[[str], MarkerPlace]] = {
    "redis": lambda url: MarkerKey(RedisClient(url)),
    "memcached": lambda url: MarkerItem(memcached_client(url)),
    "mongodb": lambda url: MarkerCollection(MongodbClient(url)),
}
LAB = """
import sys, time
from tests.catalog.services.outside import OUTSIDE, loaded
(outside,) = [kind for kind in OUTSIDE if kind.stored.name == sys.argv[1]]
with loaded(outside, sys.argv[2]):
    print("loaded", flush=True)
    time.sleep(600)
"""


@pytest.fixture(params=[pytest.param(kind, marks=needs(kind.stored.name), id=kind.stored.name) for kind in OUTSIDE])
def outside(request: pytest.FixtureRequest) -> Outside:
    kind: Outside = request.param
    return kind


@pytest.fixture
def url(outside: Outside, shared: Shared) -> Iterator[str]:
    """Of a server that is empty, and is so again at the end."""
    url = shared.outside(outside)
    assert outside.content(url) == []
    yield url
    assert outside.content(url) == []


def assert_whole(outside: Outside, up: RunningService) -> None:
    (table,) = outside.stored.tables()
    assert len(list(up.rows(table.name))) == table.rows.count


def empty(outside: Outside, url: str) -> None:
    """By a lab that finds only what a dead one left."""
    outside.put(url, outside.marker, marker(2 * FRESH_SECONDS))
    with loaded(outside, url):
        pass


def test_a_second_lab_is_refused_until_the_first_has_ended(outside: Outside, url: str) -> None:
    with loaded(outside, url) as first:
        for _ in range(2):
            with pytest.raises(Problem, match=IN_USE) as caught, loaded(outside, url):
                pass
            assert outside.marker in caught.value.remedy
            assert not first.altered()
            first.reset()
        assert_whole(outside, first)
    with loaded(outside, url) as second:
        assert_whole(outside, second)


def test_a_killed_lab_of_this_machine_holds_nothing(outside: Outside, url: str) -> None:
    command = [sys.executable, "-c", LAB, outside.stored.name, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        assert lab.stdout.readline() == "loaded\n"
        with pytest.raises(Problem, match=IN_USE), loaded(outside, url):
            pass
        lab.send_signal(signal.SIGKILL)
    assert outside.marker in outside.content(url)
    with loaded(outside, url) as up:
        assert_whole(outside, up)


def test_another_machines_lab_is_believed_to_live_until_it_was_silent_for_long(outside: Outside, url: str) -> None:
    for silent_seconds in (0.0, FRESH_SECONDS - 600, -600.0):
        outside.put(url, outside.marker, marker(silent_seconds))
        outside.put(url, outside.left)
        with pytest.raises(Problem, match=IN_USE), loaded(outside, url):
            pass
        assert outside.content(url) == sorted([outside.left, outside.marker])
    outside.put(url, outside.marker, marker(FRESH_SECONDS + 600))
    with loaded(outside, url) as up:
        assert outside.left not in outside.content(url)
        assert_whole(outside, up)


def test_a_store_lost_to_another_lab_is_left_to_it(outside: Outside, url: str) -> None:
    with loaded(outside, url) as up:
        outside.put(url, outside.marker, marker(0.0))
        held = outside.content(url)
        assert up.altered()
        with pytest.raises(Problem, match=IN_USE):
            up.reset()
    assert outside.content(url) == held
    # The keys of a memcached's tables are not those that the other lab's marker names.
    for key in held if outside is MEMCACHED else []:
        memcached(url).delete(key, noreply=False)
    empty(outside, url)


def test_a_marker_that_does_not_say_whose_it_is(outside: Outside, url: str) -> None:
    if outside is MEMCACHED:
        outside.put(url, outside.marker, "theirs")
        outside.put(url, outside.left)
        with pytest.raises(Problem, match="not Fairtrial's"), loaded(outside, url):
            pass
        assert outside.content(url) == sorted([outside.left, outside.marker])
        empty(outside, url)
    else:
        outside.put(url, outside.marker, "what lies here is Fairtrial's")
        outside.put(url, outside.left)
        with loaded(outside, url):
            assert outside.left not in outside.content(url)


def test_a_lab_that_ended_badly_leaves_its_process_free_to_try_again(outside: Outside, url: str) -> None:
    with loaded(outside, url) as up:
        outside.unmark(url)
        with pytest.raises(Problem, match="no longer holds"):
            up.reset()
    outside.put(url, outside.marker, marker(2 * FRESH_SECONDS).replace("earlier:", "link:"))
    with loaded(outside, url):
        pass


def test_of_many_labs_at_once_one_gets_it(outside: Outside, url: str) -> None:
    place = PLACES[outside.stored.name](url)
    for before in (None, marker(2 * FRESH_SECONDS)):
        outside.unmark(url)
        if before:
            outside.put(url, outside.marker, before)
        assert _holders(place) == 1
    outside.unmark(url)


def _holders(place: MarkerPlace) -> int:
    """How many of several labs that try at the same time get the lease."""
    leases = [MarkerLease("the store", place) for _ in range(LABS)]
    barrier, holders = threading.Barrier(LABS), []

    def hold(lease: MarkerLease) -> None:
        barrier.wait()
        try:
            lease.hold()
        except Problem:
            return
        holders.append(lease)

    threads = [threading.Thread(target=hold, args=[lease]) for lease in leases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lease in holders:
        lease.release()
    return len(holders)
