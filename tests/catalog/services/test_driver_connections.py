"""Connections to MongoDB that a driver holds beside its pool carry no work, and are told from those that do."""

import os
import subprocess
import sys

import pytest

from fairtrial.lab.meters.connections import connections_to
from tests.catalog.services.shared import Shared
from tests.machine.needs import needs

DRIVER = """
import os, sys, threading
from pymongo import MongoClient
at_once = int(sys.argv[1])
client = MongoClient(os.environ["DATABASE_URL"], maxPoolSize=at_once)
items, meet = client.get_default_database()["items"], threading.Barrier(at_once)
def work():
    for _ in range(20):
        meet.wait()
        items.find_one({"_id": 1})
threads = [threading.Thread(target=work) for _ in range(at_once)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("ready", flush=True)
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
            stdout=subprocess.PIPE,
            text=True,
        ) as driver:
            assert driver.stdout is not None
            assert driver.stdout.readline() == "ready\n"
            held = connections_to(port, os.getpid(), with_work=True)
    assert held is not None
    assert at_once < held.number <= at_once + 2
    assert held.at_work == at_once
