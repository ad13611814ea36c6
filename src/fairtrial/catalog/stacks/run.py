"""A stack whose command the lab starts itself: started, and ready."""

import socket
import time
from contextlib import suppress

import psutil

from fairtrial.base.loopback import LOOPBACK, free_port, holder, is_free
from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.stacks.certificate import Certificate
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.readiness import ANSWER_WITHIN_SECONDS, NOTHING_LISTENS, Patience, seen_instead
from fairtrial.catalog.stacks.redaction import new_log
from fairtrial.catalog.stacks.requests import StartRequest
from fairtrial.catalog.stacks.unprivileged_user import as_lab
from fairtrial.engine.guard import GRACE_SECONDS, Guarded
from fairtrial.engine.process_tree import Root, cpu_seconds_below, processes_below
from fairtrial.experiment.ready import IN_THE_FOREGROUND

ASK_EVERY_SECONDS = 0.02

PORT_FREE_WITHIN_SECONDS = GRACE_SECONDS
"""A fixed port is free as soon as its last holder has ended, which a stack does within its grace."""

SEEN_WITHIN_SECONDS = 1.0
"""The kernel lists sockets and open files piece by piece: one look may miss a socket while others come and go."""


class NotReady(Problem):
    """A stack that ended before it was ready, or was not ready in time, although no service was seen to have ended."""


class RunningStack:
    """A stack that was started and is ready.

    Attributes:
        process: the guarded process tree.
        port: the TCP port on which it serves.
        host: the IP address on which it serves.
        start_up_seconds: from the start of its process until it was ready, which is asked every 20 ms.
        address: `HOST:PORT`.
        url: `http://HOST:PORT`, or with https.
        ca_file: PEM of the authorities that are trusted; None: it speaks no TLS.
        root: above its processes; None: they are not found.
        beside: above processes that are counted with them: those of a project's further containers.
        not_measured: why they are not found; empty if they are.
    """

    root: Root | None
    not_measured: str = ""

    def __init__(
        self, process: Guarded, port: int, host: str = LOOPBACK, certificate: Certificate | None = None
    ) -> None:
        self.process = process
        self.root = process.pid
        self.beside: list[Root] = []
        self.port = port
        self.start_up_seconds = 0.0
        self.host = host
        self.address = f"{host}:{port}"
        self.url = f"{'http' if certificate is None else 'https'}://{self.address}"
        self.ca_file = None if certificate is None else str(certificate.authority)

    def listening(self) -> set[tuple[str, int]]:
        """Return (address, port) of every TCP socket on which the stack's processes listen, and of those of UDP on its
        port: on others they may ask for names."""
        sockets = set()
        for process in processes_below(self.process.pid):
            with suppress(psutil.Error):
                for each in process.net_connections(kind="inet"):
                    is_datagram = each.type == socket.SOCK_DGRAM and each.laddr and each.laddr.port == self.port
                    if each.status == psutil.CONN_LISTEN or is_datagram:
                        sockets.add((each.laddr.ip, each.laddr.port))
        return sockets


def start_process(request: StartRequest) -> RunningStack:
    """Start a stack on a free port, or on its own if that is fixed, and return it once it is ready.

    `process.stop()` ends it.

    Raises:
        NotReady: it ended before it was ready, or was not ready in time.
        Problem: its port is taken, or another program answers there, or a service ended meanwhile. In either case none
            of its processes is left running.
    """
    stack, host = request.stack, request.host
    port = free_port(host) if stack.origin.port is None else awaited_port(stack.origin.port)
    settings, user = {**request.settings, "HOST": host, "PORT": str(port)}, request.user or as_lab("")
    if request.certificate is not None:
        settings.update(request.certificate.variables)
    environment = user.environment(
        stack_environment(settings, stack.origin.env_from), {*settings, *stack.origin.env_from}
    )
    with new_log(request.log) as output:
        began = time.monotonic()
        process = Guarded(
            request.command,
            folder=request.folder,
            environment=environment,
            output=output,
            cpus=request.cpus,
            places=user.seeing(request.places),
            user=user.command,
        )
    running = RunningStack(process, port, host, request.certificate)
    try:
        running.start_up_seconds = await_ready(running, request) - began
        _assert_port_held(running, request)
    except BaseException:
        process.stop()
        raise
    return running


def awaited_port(port: int) -> int:
    """Wait until a fixed port is free.

    Raises:
        Problem: somebody else listens on it.
    """
    deadline = time.monotonic() + PORT_FREE_WITHIN_SECONDS
    while not is_free(port):
        if time.monotonic() > deadline:
            raise Problem(
                f"port {port}, which the program always takes, is held by {holder(port)}",
                "end that process, or let the program take its port from PORT and leave `port` out",
            )
        time.sleep(ASK_EVERY_SECONDS)
    return port


def await_ready(running: RunningStack, request: StartRequest) -> float:
    """Wait, and return the monotonic time of the answer that said that it is ready.

    Raises:
        NotReady: it ended before it was ready, or was not ready in time.
        Problem: a service ended meanwhile: without it, the stack may never be ready.
    """
    origin, log, hidden = request.stack.origin, request.log, request.redaction.hidden
    ready = origin.ready or request.ready
    patience = Patience(
        origin.ready_within_seconds, lambda: 0.0 if running.root is None else sum(cpu_seconds_below(running.root))
    )
    obstacle: str | None = NOTHING_LISTENS
    with client_of(running.url, ANSWER_WITHIN_SECONDS, ca_file=running.ca_file, over=request.over) as client:
        while not patience.is_over():
            _assert_not_ended(running, request)
            if ended := request.fault():
                raise Problem(ended, "this trial was discarded; the server restarts for the next one")
            obstacle = seen_instead(ready, client, running.port, running.host, running.ca_file)
            if obstacle is None:
                return time.monotonic()
            time.sleep(ASK_EVERY_SECONDS)
    raise NotReady(
        f"it was not ready within {round(patience.seconds, 3):g} s ({hidden(obstacle or '')}); the end of its log:\n"
        f"{log_tail(log, hidden)}",
        f"it is ready when {ready} on HOST:PORT; see its log: {log}",
    )


def _assert_not_ended(running: RunningStack, request: StartRequest) -> None:
    status = running.process.status()
    if status is not None:
        tail = log_tail(request.log, request.redaction.hidden)
        raise NotReady(
            f"it ended with status {status} before it was ready:\n{tail}",
            f"see its log: {request.log}" if status else IN_THE_FOREGROUND,
        )


def _assert_port_held(running: RunningStack, request: StartRequest) -> None:
    """Refuse a port on which another program answers: its figures would be taken for the stack's."""
    deadline = time.monotonic() + SEEN_WITHIN_SECONDS
    while not any(port == running.port for _, port in running.listening()):
        _assert_not_ended(running, request)  # then what answered was the stack's until a moment ago
        if time.monotonic() > deadline:
            raise Problem(
                f"port {running.port} is answered by a process that is not the stack's",
                "the stack must listen on the port given in PORT; if it does, another program took the port: run again"
                if request.stack.origin.port is None
                else "let the program stay below the process that starts it: what it hands to a service manager is not "
                "the lab's, and would be tried as a `url` of `[contenders]`",
            )
        time.sleep(ASK_EVERY_SECONDS)
