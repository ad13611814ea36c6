"""The engine's process that opens idle connections, and keeps them until it is told to close them."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.events import EngineLines, send_plan
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.process import end_by_input, started_engine
from fairtrial.experiment.workload_file.secrets import Secrets
from fairtrial.experiment.workload_file.websocket import WebSocket
from fairtrial.load.engine_terms import Closed, StopAfterSeconds
from fairtrial.record.idle_connections import IdleConnections, IdleLoss

END_WITHIN_SECONDS = 15.0
"""It gives a server five seconds to close its side."""


class IdleProcess:
    """Idle connections of one server while they are open, and their account so far."""

    def __init__(self, process: "subprocess.Popen[bytes]", plan: EnginePlan) -> None:
        self._process, self._secrets = process, Secrets(plan.secrets)
        # It is silent while it opens connections and while nobody asks.
        quiet = plan.model_copy(update={"progress_every_seconds": 0.0})
        self._lines = iter(EngineLines(process.stdout, quiet))
        self.account = IdleConnections(number=0, opened=0, opening_seconds=0.0)

    def await_opened(self) -> int:
        """Wait until each connection was tried once. Returns how many are open.

        Raises:
            Problem: the engine refused the plan, or ended.
        """
        number: int = self._hear()["open"]
        return number

    def begin_window(self) -> None:
        """Note how many are open now, as the window opens.

        Raises:
            Problem: the engine ended.
        """
        event = self._count()
        self._update(open_at_begin=event["open"], begin_seconds=event["elapsed_seconds"])

    def end_window(self) -> None:
        """Note how many are open now, as the window closes.

        Raises:
            Problem: the engine ended.
        """
        event = self._count()
        self._update(open_at_end=event["open"], end_seconds=event["elapsed_seconds"])

    def close(self) -> None:
        """Close all connections and end the process; without a Problem, whatever it does."""
        end_by_input(self._process, END_WITHIN_SECONDS)

    def _count(self) -> dict[str, Any]:
        assert self._process.stdin
        with suppress(OSError):  # it has ended, which its output says as well
            self._process.stdin.write(b"count\n")
            self._process.stdin.flush()
        return self._hear()

    def _hear(self) -> dict[str, Any]:
        line = next(self._lines, None)
        if line is None:
            assert self._process.stderr
            stderr = self._secrets.hidden(self._process.stderr.read().decode(errors="replace").strip())
            reason = printable(stderr.removeprefix("fairtrial-engine: ")) or "it printed no reason"
            raise Problem(f"idle connections: the load engine ended: {reason}", exit_status=NOTHING_RAN)
        event: dict[str, Any] = json.loads(line)
        self._update(
            number=event["asked"],
            **{key: event[key] for key in ("opened", "opening_seconds", "pings", "messages")},
            failures={cause: IdleLoss(**loss) for cause, loss in event["failed"].items()},
            losses={cause: IdleLoss(**loss) for cause, loss in event["lost"].items()},
        )
        self.account = self.account.with_texts(self._secrets.hidden)
        return event

    def _update(self, **values: Any) -> None:
        self.account = self.account.model_copy(update=values)


@contextmanager
def idle_process(load: EnginePlan, connections: int) -> Iterator[IdleProcess]:
    """Open so many idle connections where a load of messages goes. They are closed at the end.

    Raises:
        Problem: the engine cannot be started.
    """
    plan = idle_plan(load, connections)
    text = plan.to_json().encode() + b"\n"
    process = started_engine("idle")
    idle = IdleProcess(process, plan)
    try:
        send_plan(process, text, is_last=False)
        yield idle
    finally:
        idle.close()


def idle_plan(load: EnginePlan, connections: int) -> EnginePlan:
    """The plan of idle connections beside a load of messages: all of its connections have one path and headers."""
    first = load.requests[0]
    request = Request(name=first.name, path=first.path, headers=first.headers, template=first.template, body="unsent")
    assert load.websocket is not None
    return EnginePlan(
        address=load.address,
        other_addresses=load.other_addresses,
        host=load.host,
        tls=load.tls,
        requests=[request],
        secrets=load.secrets,
        websocket=WebSocket(message_bytes=load.websocket.message_bytes),
        load=Closed(connections=connections),
        stop=StopAfterSeconds(seconds=1.0),
        timeout_seconds=load.timeout_seconds,
        cpus=load.cpus,
        driver="epoll",
    )
