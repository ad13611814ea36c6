"""Starting a stack, and waiting until it is ready."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

from fairtrial.base.loopback import LOOPBACK, free_port
from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import processes_below

ASK_EVERY_SECONDS = 0.02


class RunningStack:
    """A stack that was started and is ready.

    Attributes:
        process: the guarded process tree.
        port: the TCP port on which it serves.
        start_up_seconds: from the start of its process until it was ready, which is asked every 20 ms.
        address: `HOST:PORT`.
        url: `http://HOST:PORT`.
    """

    def __init__(self, process: Guarded, port: int) -> None:
        self.process = process
        self.port = port
        self.start_up_seconds = 0.0
        self.address = f"{LOOPBACK}:{port}"
        self.url = f"http://{self.address}"

    def listening(self) -> set[tuple[str, int]]:
        """Return (address, port) of every TCP socket on which the stack's processes listen."""
        sockets = set()
        for process in processes_below(self.process.pid):
            with suppress(psutil.Error):
                for connection in process.net_connections(kind="tcp"):
                    if connection.status == psutil.CONN_LISTEN:
                        sockets.add((connection.laddr.ip, connection.laddr.port))
        return sockets


def start_stack(
    stack: Stack,
    variant: Variant,
    folder: Path,
    *,
    settings: Mapping[str, str],
    cpus: Sequence[int],
    log: Path,
) -> RunningStack:
    """Start a stack on a free port and return it once it is ready; `process.stop()` ends it.

    Args:
        settings: the contract's variables beside HOST and PORT, and those of the variant.
        cpus: the processors to which the stack is bound.
        log: takes what the stack prints.

    Raises:
        Problem: the stack did not start or was not ready in time; none of its processes is left running.
    """
    port = free_port()
    environment = stack_environment({**settings, "HOST": LOOPBACK, "PORT": str(port)})
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        began = time.monotonic()
        process = Guarded([*stack.run, *variant.args], folder=folder, environment=environment, output=output, cpus=cpus)
    running = RunningStack(process, port)
    try:
        _await_ready(running, stack.ready_within_seconds, log)
        running.start_up_seconds = time.monotonic() - began
        _assert_own_port(running)
    except BaseException:
        process.stop()
        raise
    return running


def _await_ready(running: RunningStack, within_seconds: float, log: Path) -> None:
    deadline = time.monotonic() + within_seconds
    last_answer = "nothing listened on its port"
    with httpx.Client(base_url=running.url, trust_env=False, timeout=2.0) as client:
        while time.monotonic() < deadline:
            status = running.process.status()
            if status is not None:
                raise Problem(
                    f"it ended with status {status} before it was ready:\n{log_tail(log)}", f"see its log: {log}"
                )
            try:
                answer = ask(client, "GET", "/health")
            except httpx.ConnectError:
                time.sleep(ASK_EVERY_SECONDS)
                continue
            except Problem as problem:
                last_answer = f"GET /health: {problem.reason}"
                time.sleep(ASK_EVERY_SECONDS)
                continue
            if answer.status == 200:
                return
            last_answer = f"GET /health answered {answer.status}"
            time.sleep(ASK_EVERY_SECONDS)
    raise Problem(
        f"it was not ready within {within_seconds:g} s ({last_answer}); the end of its log:\n{log_tail(log)}",
        f"GET /health must answer 200 on HOST:PORT once requests can be served; see its log: {log}",
    )


def _assert_own_port(running: RunningStack) -> None:
    """Refuse a port on which another program answers: its figures would be taken for the stack's."""
    if all(port != running.port for _, port in running.listening()):
        raise Problem(
            f"port {running.port} is answered by a process that is not the stack's",
            "the stack must listen on the port given in PORT; if it does, another program took the port: run again",
        )
