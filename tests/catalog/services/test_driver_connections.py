"""Connections to MongoDB that a driver holds beside its pool carry no work, and are told from those that do."""

import os
import subprocess
import sys

import pytest

from fairtrial.lab.meters.connections import Connections, connections_to
from tests.catalog.services.shared import Shared
from tests.machine.needs import needs
from tests.waiting import wait_for

DRIVER = """
import os, sys, threading
from pymongo import MongoClient
at_once = int(sys.argv[1])
client = MongoClient(os.environ["DATABASE_URL"], maxPoolSize=at_once)
items, meet = client.get_default_database()["items"], threading.Barrier(at_once)
def work():
    while True:
        meet.wait()
        items.find_one({"_id": 1})
for _ in range(at_once):
    threading.Thread(target=work, daemon=True).start()
sys.stdin.read()
"""


@needs("mongodb")
@pytest.mark.parametrize("at_once", [4, 6])
def test_those_that_watch_the_server_are_told_from_those_at_work(shared: Shared, at_once: int) -> None:
    """A pool of 4 in a budget of 4; or one of 6, which has as many connections as the first with its watchers."""
    with shared.private("mongodb") as service:
        port = int(service.url.rpartition(":")[2].partition("/")[0])
        with subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(at_once)],
            env={**os.environ, "DATABASE_URL": service.url},
            stdin=subprocess.PIPE,
        ):

            def all_are_there() -> Connections | None:
                """On a busy machine, fewer than all ask at once for a while."""
                held = connections_to(port, os.getpid(), with_work=True)
                return held if held is not None and held.at_work >= at_once < held.number else None

            held = wait_for(all_are_there, "the pool is full, and its watchers are there")
    assert held.number <= at_once + 2
    assert held.at_work == at_once
