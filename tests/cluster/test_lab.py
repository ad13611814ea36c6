"""A lab on a host, as the lab here hears it: whatever goes wrong, whoever waits for it is told."""

import queue
from collections.abc import Iterator
from typing import Any, cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, RemoteProgram
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.cluster.programs import HostCommand, Output, to_line


class SomeCluster:
    """Starts no program, and has these outputs of it."""

    def __init__(self, *outputs: Output) -> None:
        self.outputs = iter(outputs)
        self.commands: list[HostCommand] = []

    def start(self, worker: str, command: HostCommand) -> RemoteProgram:
        self.commands.append(command)
        return RemoteProgram(cast("Cluster", self), worker, 0)

    def call_program(self, _worker: str, _number: int, _seconds: float | None, method: str, *_arguments: Any) -> Any:
        return next(self.outputs) if method == "take" else None


class LostCluster(SomeCluster):
    """Its worker is lost."""

    def start(self, worker: str, command: HostCommand) -> RemoteProgram:
        raise Problem("the worker is lost")

    def call_program(self, *_: Any) -> Any:
        raise Problem("the worker is lost")


def heard_of(cluster: SomeCluster) -> Iterator[Message]:
    """What a lab says, up to its end."""
    heard: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def on_message(message: Message) -> None:
        if message[0] == "nobody foresaw this":
            raise KeyError(message[0])
        heard.put(message)

    lab = RemoteLab(cast("Cluster", cluster), "tcp://a:1", "a task", on_message)
    while True:
        message = heard.get(timeout=10)
        yield message
        if message[0] == "problem":
            lab.send("whoever waits for it may still speak")
            lab.release()
            return


@pytest.mark.parametrize("line", [b"no message", to_line(("nobody foresaw this",)).encode()])
def test_what_cannot_be_heard_ends_the_lab_with_a_reason(line: bytes) -> None:
    ((kind, problem),) = heard_of(SomeCluster(Output([line])))
    assert kind == "problem" and "cannot be heard" in problem.reason


def test_messages_come_and_then_the_end(snapshot: object) -> None:
    first, second = (to_line(message).encode() for message in (("step", "text"), ("ready",)))
    parts = [Output([first, second]), Output([], b"no memory\n", -9)]
    step, ready, (kind, problem) = heard_of(SomeCluster(*parts))
    assert (step, ready, kind) == (("step", "text"), ("ready",), "problem")
    assert problem.reason == snapshot


def test_a_lab_whose_worker_is_lost_says_so() -> None:
    ((_, problem),) = heard_of(LostCluster())
    assert problem.reason == "the worker is lost"


@pytest.mark.parametrize("is_client", [True, False])
def test_only_a_lab_that_connects_gets_the_certificates(is_client: bool) -> None:
    cluster = SomeCluster(Output([], b"", 0))
    RemoteLab(cast("Cluster", cluster), "tcp://a:1", "a task", lambda _message: None, is_client=is_client)
    assert [each.has_credentials for each in cluster.commands] == [is_client]
