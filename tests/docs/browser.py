"""A browser that a test drives by the DevTools protocol, over two pipes and without a network."""

import fcntl
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.machine.lack import chromium

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
]
ABOVE_THE_BROWSERS = 10
"""Chromium reads commands from descriptor 3 and answers on 4."""


class Page:
    """A page in the browser: what it asked for and what went wrong in it is kept."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers, self._unread, self._number, self._session = commands, answers, b"", 0, ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.asked_for: list[str] = []
        self.errors: list[str] = []
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command; events that come before it are looked at."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, page: Path | str, *, width: int, dark: bool = False) -> None:
        """Show a page at this width, until it is loaded."""
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while self._message().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, script: str) -> Any:
        """What a script gives in the page, awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            read = os.read(self._answers, 1 << 16)
            assert read, "the browser ended"
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.asked_for.append(message["params"]["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(str(message["params"]["exceptionDetails"]))
            case "Log.entryAdded":
                self.errors.append(str(message["params"]["entry"]["text"]))
        return message


@contextmanager
def a_page(profile: Path) -> Iterator[Page]:
    """A page of a browser with this profile's folder, which ends with the block."""
    browser = chromium()
    assert browser
    command_end, commands = map(_above, os.pipe())
    answers, answer_end = map(_above, os.pipe())
    actions = [
        (os.POSIX_SPAWN_DUP2, command_end, 3),
        (os.POSIX_SPAWN_DUP2, answer_end, 4),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    arguments = [browser, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    pid = os.posix_spawn(browser, arguments, os.environ, file_actions=actions)
    for descriptor in (command_end, answer_end):
        os.close(descriptor)
    try:
        yield Page(commands, answers)
    finally:
        for descriptor in (commands, answers):
            os.close(descriptor)
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def _above(descriptor: int) -> int:
    """The same end of a pipe, by a number above the browser's two; a new program does not have it."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ABOVE_THE_BROWSERS)
    os.close(descriptor)
    return moved
