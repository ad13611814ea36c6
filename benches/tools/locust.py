"""Locust: a Python file tells each user what to do. It needs `websocket-client` beside it to send messages."""

import bisect
import itertools
import json
import math

from benches.load import Command, Finished, Load, Percentiles, Tool

LEAST_SECONDS = 3
"""Its users have not begun after one."""
USER = """\
import time

import requests
import websocket
from locust import User, constant_throughput, task


class Only(User):
    {pace}

    def on_start(self):
        self.client = {client}

    @task
    def act(self):
        began = time.perf_counter()
        {act}
        milliseconds = 1e3 * (time.perf_counter() - began)
        self.environment.events.request.fire(
            request_type="", name="", response_time=milliseconds, response_length=0, exception=None, context={{}}
        )
"""
MESSAGES = "websocket.create_connection({url}, enable_multithread=False)"
SEND = "self.client.send({message}); assert self.client.recv() == {message}"
STREAMS = "requests.Session()"
READ = "assert sum(line.startswith(b'data:') for line in self.client.get({url}, stream=True).iter_lines()) == {events}"


def messages(load: Load, message: str) -> Command:
    """Each user has a WebSocket, and sends when the message before came back; at a rate, not before it is due."""
    url = json.dumps(f"ws://{load.address}/")
    return _running(load, MESSAGES.format(url=url), SEND.format(message=json.dumps(message)))


def events(load: Load, count: int) -> Command:
    """Each user reads one stream after the other, a line at a time; at a rate, none before it is due."""
    return _running(load, STREAMS, READ.format(url=json.dumps(load.url), events=count))


def _running(load: Load, client: str, act: str) -> Command:
    pace = "pass"
    if load.rate_per_second is not None:
        pace = f"wait_time = constant_throughput({load.rate_per_second / load.connections:g})"
    file = load.scratch / "locustfile.py"
    file.write_text(USER.format(pace=pace, client=client, act=act), encoding="utf-8")
    users = str(load.connections)
    shown = ["--headless", "--only-summary", "--skip-log", "--json"]
    return Command(
        [
            "locust",
            "-f",
            str(file),
            *shown,
            "-u",
            users,
            "-r",
            users,
            "-t",
            f"{max(math.ceil(load.seconds), LEAST_SECONDS)}s",
        ]
    )


def answered(finished: Finished) -> int:
    """What came back, and was right."""
    (stated,) = json.loads(finished.stdout)
    return int(stated["num_requests"]) - int(stated["num_failures"])


def percentiles(finished: Finished) -> Percentiles:
    return read_summary(finished.stdout)


def read_summary(text: str) -> Percentiles:
    """Of its counts by response time, which it rounds to two digits of milliseconds, and to whole ones."""
    (stated,) = json.loads(text)
    counts = sorted((float(milliseconds), int(count)) for milliseconds, count in stated["response_times"].items())
    up_to = list(itertools.accumulate(count for _, count in counts))

    def at(percentile: float) -> float:
        return counts[bisect.bisect_left(up_to, up_to[-1] * percentile / 100)][0]

    return Percentiles(at(50), at(95), at(99), at(99.9))


TOOL = Tool(name="Locust", version_command=["locust", "--version"], cost=None)
