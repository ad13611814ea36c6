"""A lab on a host, as the lab here hears it: whatever goes wrong, whoever waits for it is told."""

import queue
from collections.abc import Iterator
from typing import Any, cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, RemoteProgram
from fairtrial.cluster.lab import Message, start_lab
from fairtrial.cluster.programs import Command, Output


class SomeCluster:
    """Starts no program, and has these outputs of it."""

    def __init__(self, *outputs: Output) -> None:
        self.outputs = iter(outputs)
        self.commands: list[Command] = []

    def call(self, _worker: str, function: Any) -> Any:
        return function()

    def start(self, worker: str, command: Command) -> RemoteProgram:
        self.commands.append(command)
        return RemoteProgram(cast("Cluster", self), worker, 0)

    def call_program(self, _worker: str, _number: int, _seconds: float | None, method: str, *_arguments: Any) -> Any:
        return next(self.outputs) if method == "take" else None


class LostCluster(SomeCluster):
    """Its worker is lost."""

    def start(self, worker: str, command: Command) -> RemoteProgram:
        raise Problem("the worker is lost")

    def call_program(self, *_: Any) -> Any:
        raise Problem("the worker is lost")


def heard_of(cluster: SomeCluster) -> Iterator[Message]:
    """What a lab says, up to its end."""
    heard: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def on_message(message: Message) -> None:
        if message["kind"] == "nobody foresaw this":
            raise KeyError(message["kind"])
        heard.put(message)

    lab = start_lab(cast("Cluster", cluster), "tcp://a:1", "lane", "{}", on_message)
    while True:
        message = heard.get(timeout=10)
        yield message
        if message["kind"] == "lost":
            lab.say("whoever waits for it may still speak")
            lab.release()
            return


@pytest.mark.parametrize("line", [b"no JSON\n", b'{"kind": "nobody foresaw this"}\n'])
def test_what_cannot_be_heard_ends_the_lab_with_a_reason(line: bytes) -> None:
    (message,) = heard_of(SomeCluster(Output(line)))
    assert message["kind"] == "lost" and "cannot be heard" in message["problem"].reason


def test_lines_come_whole_and_then_the_end(snapshot: object) -> None:
    parts = [Output(b'{"kind": "st'), Output(b'ep"}\n{"kind": "ready"}\n'), Output(b"", b"no memory\n", -9)]
    step, ready, lost = heard_of(SomeCluster(*parts))
    assert (step["kind"], ready["kind"]) == ("step", "ready")
    assert lost["problem"].reason == snapshot


def test_a_lab_whose_worker_is_lost_says_so() -> None:
    (message,) = heard_of(LostCluster())
    assert message["problem"].reason == "the worker is lost"


@pytest.mark.parametrize(("command", "has_key"), [("lane", True), ("lane-host", False)])
def test_only_a_lab_that_connects_gets_the_certificates(command: str, has_key: bool) -> None:
    cluster = SomeCluster(Output(b"", b"", 0))
    start_lab(cast("Cluster", cluster), "tcp://a:1", command, "{}", lambda _message: None)
    assert [each.has_credentials for each in cluster.commands] == [has_key]
