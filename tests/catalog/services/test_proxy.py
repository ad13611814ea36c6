"""Latency before each real service, as a stack meets it: by the proxy's URL, through a driver."""

import time
from typing import Any

import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.none import Nothing
from fairtrial.catalog.services.proxy import proxy_before
from fairtrial.experiment.model import ServiceOptions
from fairtrial.lab.placement import local_placement
from tests.catalog.services import stacks_side
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.stores import STORES
from tests.machine.needs import needs

LATENCY_SECONDS = 0.02
NETWORK_SERVICES = ("postgresql", "mariadb", "redis", "memcached", "mongodb")
AWAY = ServiceOptions.model_validate({"latency": "20 ms"})


def first_row(name: str, url: str) -> Any:
    if name in SQL:
        return stacks_side.execute(url, "SELECT count(*) FROM items")
    stored = next(one for one in STORES if one.name == name)
    row = stored.tables()[0].rows.sample()[3]
    return stored.read(url, row["id"])


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in NETWORK_SERVICES])
def test_a_service_is_further_away_and_answers_the_same(name: str, shared: Shared) -> None:
    with shared.private(name) as running:
        directly = first_row(name, running.url)
        with proxy_before(pick_service(name), running, AWAY, local_placement().load_cpus) as proxy:
            begin = time.monotonic()
            answered = first_row(name, proxy.url)
            took = time.monotonic() - begin
            at_seconds, so_far = proxy.so_far()
            assert begin + took <= at_seconds <= time.monotonic()
            account = proxy.account()
    assert answered == directly is not None
    # To connect takes a round trip, and so does each question.
    assert took >= 2 * LATENCY_SECONDS * 0.99
    assert account.latency_seconds == LATENCY_SECONDS
    assert account.connections >= 1 and account.failed_connects == 0
    assert account.to_service.bytes > 0 and account.to_clients.bytes > 0
    assert account.lateness.count > 0
    assert account.round_trips is not None and account.round_trips.count >= so_far.count >= 1
    assert so_far.proxy_seconds >= LATENCY_SECONDS * so_far.count * 0.99, "the latency is not the service's"


@needs("postgresql")
def test_without_a_latency_the_wait_is_the_services(shared: Shared) -> None:
    with (
        shared.private("postgresql") as running,
        proxy_before(pick_service("postgresql"), running, ServiceOptions(), []) as proxy,
    ):
        begin = time.monotonic()
        stacks_side.execute(proxy.url, "SELECT pg_sleep(0.2)")
        took = time.monotonic() - begin
        trips = proxy.account().round_trips
    assert trips is not None and 0.2 <= trips.service_seconds <= took - trips.proxy_seconds


@needs("postgresql")
def test_the_latencies_are_drawn_by_the_seed(shared: Shared) -> None:
    drawn = ServiceOptions.model_validate({"latency": "20 ms", "latency_distribution": "exponential"})
    with shared.private("postgresql") as running, proxy_before(pick_service("postgresql"), running, drawn, [], seed=8):
        children = psutil.Process().children(recursive=True)
        commands = [process.cmdline() for process in children if process.status() != psutil.STATUS_ZOMBIE]
    (command,) = [command for command in commands if command[1:2] == ["proxy"]]
    assert command[command.index("--seed") + 1] == "8"
    assert "exponential:20000000ns" in command


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://user:secret@one:5432,two:5432/base", "does not name one server"),
        ("postgresql:///base?host=/run", "does not name one server"),
        ("postgresql://user:secret@127.0.0.1:1/base", "cannot be reached"),
    ],
)
def test_a_url_that_no_proxy_can_stand_before_is_refused_without_quoting_it(url: str, words: str) -> None:
    running = Nothing()
    running.url = url
    with pytest.raises(Problem, match=words) as raised, proxy_before(pick_service("postgresql"), running, AWAY, []):
        pass
    assert "secret" not in str(raised.value)
