"""A lab on a host, as the lab here hears it: whatever goes wrong, whoever waits for it is told."""

import queue
import threading
from types import SimpleNamespace
from typing import Any, cast

import distributed
import pytest

from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.cluster.sent import lab
from fairtrial.cluster.sent.lab import HeldLab


class SomeCluster:
    """Hands out one object, and has news of it at once."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def subscribe(self, _topic: str, on_event: Any) -> None:
        on_event()

    def unsubscribe(self, _topic: str) -> None:
        """Nothing is subscribed."""

    def hold(self, *_: Any, **__: Any) -> Any:
        return self.held


class Held:
    """A lab that has said this."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def call(self, _method: str) -> Any:
        return {"lines": self.lines, "status": None, "error": ""}

    def assert_there(self) -> None:
        """It is."""

    def release(self) -> None:
        """Nothing runs."""


@pytest.mark.parametrize("line", ["no JSON", '{"kind": "nobody foresaw this"}'])
def test_what_cannot_be_heard_ends_the_lab_with_a_reason(line: str) -> None:
    heard: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def on_message(message: Message) -> None:
        if message["kind"] != "lost":
            raise KeyError(message["kind"])
        heard.put(message)

    remote = RemoteLab(cast("Cluster", SomeCluster(Held([line]))), "tcp://a:1", "lane", "{}", on_message)
    message = heard.get(timeout=10)
    remote.release()
    assert message["kind"] == "lost" and "cannot be heard" in message["problem"].reason


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> "queue.SimpleQueue[str]":
    """Those of a worker whose certificates are texts."""
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    pem = "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n"
    names = ("ca_file", "client_cert", "client_key", "worker_cert", "worker_key")
    security = SimpleNamespace(**{f"tls_{name}": pem for name in names})
    worker = SimpleNamespace(log_event=lambda topic, _event: told.put(topic), security=security)
    monkeypatch.setattr(distributed, "get_worker", lambda: worker)
    return told


def test_a_lab_that_cannot_be_started_says_so(
    events: "queue.SimpleQueue[str]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab.sys, "executable", "/nowhere/python")
    held = HeldLab("lane", "a topic", "{}")
    assert events.get(timeout=5) == "a topic"
    output = held.take()
    assert output["status"] == 127 and "/nowhere/python" in output["error"]


@pytest.mark.parametrize(("command", "has_key"), [("lane", True), ("lane-host", False)])
def test_only_a_lab_that_connects_gets_the_key(
    events: "queue.SimpleQueue[str]", monkeypatch: pytest.MonkeyPatch, command: str, has_key: bool
) -> None:
    """In memory, and by descriptors that it alone inherits."""
    started: list[tuple[dict[str, str], list[str]]] = []
    real = lab.subprocess.Popen

    def start(arguments: list[str], *, env: dict[str, str], pass_fds: list[int], **more: Any) -> Any:
        paths = [value for key, value in env.items() if key.startswith("DASK_DISTRIBUTED__COMM__TLS__")]
        started.append((env, [open(path).read() for path in paths]))  # noqa: SIM115
        assert paths == [f"/proc/self/fd/{each}" for each in pass_fds]
        return real(["true"], env=env, pass_fds=pass_fds, **more)

    monkeypatch.setattr(lab.subprocess, "Popen", start)
    held = HeldLab(command, "a topic", "{}")
    assert events.get(timeout=5) == "a topic"
    ((environment, contents),) = started
    assert [("secret" in content) for content in contents] == ([True] * 3 if has_key else [])
    assert not any("secret" in value for value in environment.values())
    done = threading.Event()
    while held.take()["status"] is None:
        done.wait(0.01)
