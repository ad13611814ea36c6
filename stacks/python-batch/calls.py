"""The job `call-batch`: calls to a server, shared out over as many threads as may wait at once."""

import os
from queue import SimpleQueue

import requests
from shared import in_threads, remaining

TIMEOUT_SECONDS = 30


def main() -> None:
    """Share the calls out, and wait for the last answer."""
    url = os.environ["UPSTREAM_URL"]
    calls: SimpleQueue[str] = SimpleQueue()
    for _ in range(int(os.environ["CALLS"])):
        calls.put(url)

    def work() -> None:
        with requests.Session() as session:  # a connection for each thread, kept
            for call in remaining(calls):
                session.get(call, timeout=TIMEOUT_SECONDS).raise_for_status()

    in_threads(int(os.environ["CONCURRENCY"]), work)
