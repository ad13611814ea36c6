"""Starting a stack in a container, finding its processes, and removing it."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from fairtrial.base.loopback import LOOPBACK, free_port
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_image import ID_FILE
from fairtrial.catalog.stacks.container_program import (
    USER_LABEL,
    ContainerProgram,
    container_program,
    further_options,
    new_name,
)
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.run import RunningStack, await_ready, awaited_port
from fairtrial.engine.container_tree import LOWEST_PID, container_tree
from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import processes_below
from fairtrial.experiment.ready import HEALTH, Ready
from fairtrial.record.model import Stop

PROOF = "FAIRTRIAL_CONTAINER"
"""The variable by which a container's first process proves that it is one."""
MAY_HOLD_PASSWORDS = frozenset({"DATABASE_URL", "CACHE_URL", "UPSTREAM_URL"})
"""Given by name, so that the command line, which everybody on the machine can read, does not show them."""
ELSEWHERE = "its processes are not found on this machine: its daemon runs in a virtual machine, or on another one"


class GuardedContainer(Guarded):
    """The container program, in the foreground below a guard: a signal to it is one to the container."""

    def __init__(
        self,
        program: ContainerProgram,
        name: str,
        words: Sequence[str],
        *,
        log: Path,
        settings: Mapping[str, str],
        cpus: Sequence[int],
    ) -> None:
        self._program, self._name, self._removed = program, name, False
        with log.open("ab") as output:
            super().__init__(
                [program.path, *words],
                folder=log.parent,
                environment=stack_environment(settings),
                output=output,
                cpus=cpus,
            )

    def stop(self) -> Stop:
        """End the container as any stack is ended, and remove it.

        Raises:
            Problem: it is still there after ten seconds.
        """
        stop = super().stop()
        if not self._removed:
            self._removed = True
            self._program.remove(self._name)
        return stop


class RunningContainer(RunningStack):
    """A stack in a container that was started and is ready."""

    def __init__(self, process: Guarded, port: int, *, published: bool) -> None:
        super().__init__(process, port)
        self.root, self.not_measured, self.published = None, ELSEWHERE, published

    def listening(self) -> set[tuple[str, int]]:
        """(address, port) of the sockets on its published port; with the host's network, of its processes as well."""
        sockets = {
            (each.laddr.ip, each.laddr.port)
            for each in psutil.net_connections(kind="tcp")
            if each.status == psutil.CONN_LISTEN and each.laddr and each.laddr.port == self.port
        }
        for process in [] if self.published or self.root is None else processes_below(self.root):
            with suppress(psutil.Error):  # those of a daemon's container may be another user's
                for connection in process.net_connections(kind="tcp"):
                    if connection.status == psutil.CONN_LISTEN and connection.laddr:
                        sockets.add((connection.laddr.ip, connection.laddr.port))
        return sockets


def start_container(
    stack: Stack,
    variant: Variant,
    folder: Path,
    *,
    settings: Mapping[str, str],
    cpus: Sequence[int],
    log: Path,
    ready: Ready = HEALTH,
) -> RunningContainer:
    """Start a stack in a container of its own, and return it once it is ready. `process.stop()` ends and removes it.

    The arguments are those of `start_stack`; `folder` is that of its image (`ready_image`).

    Raises:
        Problem: it did not start or was not ready in time, or runs on other processors; none of it is left.
    """
    program, name = container_program(), new_name()
    on_host = stack.container_network == "host"
    port = free_port() if stack.port is None else awaited_port(stack.port)
    where = (
        {"HOST": LOOPBACK, "PORT": str(port)}
        if on_host
        else {
            "HOST": "0.0.0.0",  # noqa: S104 (of its own network)
            "PORT": str(stack.container_port),
        }
    )
    told = {**settings, **where, PROOF: name}
    quiet = {key: value for key, value in told.items() if key in MAY_HOLD_PASSWORDS}
    words = [
        *("run", "--rm", "--pull=never", "--name", name, "--label", f"{USER_LABEL}={os.geteuid()}"),
        *(["--network=host"] if on_host else ["--publish", f"{LOOPBACK}:{port}:{stack.container_port}"]),
        # Podman's containers are bound as what starts them is; to bind them again takes a controller that users lack.
        *([f"--cpuset-cpus={','.join(map(str, cpus))}"] if cpus and not program.is_podman else []),
        *(word for key, value in told.items() for word in ("--env", key if key in quiet else f"{key}={value}")),
        *further_options(),
        (folder / ID_FILE).read_text(encoding="ascii"),
        *stack.run,
        *variant.args,
    ]
    log.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    process = GuardedContainer(program, name, words, log=log, settings=quiet, cpus=cpus)
    running = RunningContainer(process, port, published=not on_host)
    try:
        ready_at = await_ready(running, stack.ready or ready, stack.ready_within_seconds, log)
        running.start_up_seconds = ready_at - began
        _find(running, program, name, cpus)
    except BaseException:
        process.stop()
        raise
    return running


def _find(running: RunningContainer, program: ContainerProgram, name: str, cpus: Sequence[int]) -> None:
    """Find its processes: below its guard, or else by what `inspect` says."""
    said = program.ask("inspect", "--type", "container", "--format", "{{.State.Pid}} {{.Id}}", name)
    pid_text, _, container = said.partition(" ")
    pid = int(pid_text) if pid_text.isascii() and pid_text.isdigit() else 0
    if pid < LOWEST_PID:
        raise Problem(
            f"something answers, but the container program says that {name} does not run: {printable(said, 100)}",
            "let the container's first process be the server; if it is, run again",
        )
    below = processes_below(running.process.pid)
    if any(each.pid == pid for each in below):
        running.root = running.process.pid
    else:
        running.root = container_tree(pid, container.strip(), f"{PROOF}={name}")
    if running.root is None:
        return
    running.not_measured = ""
    with suppress(ProcessLookupError):
        has = os.sched_getaffinity(pid)
        if cpus and not has <= set(cpus):
            raise Problem(
                f"the container runs on processors {sorted(has)}, not on {sorted(cpus)} alone",
                "let its program leave its processors as they are, and see that docker has the cpuset controller",
            )
    if not running.published:
        _assert_own_port(running, pid)


def _assert_own_port(running: RunningContainer, pid: int) -> None:
    """With the host's network, refuse a port on which another program answers, as far as sockets can be told apart."""
    assert running.root is not None
    try:
        psutil.Process(pid).net_connections(kind="tcp")
    except psutil.Error:
        return  # another user's
    for process in processes_below(running.root):
        with suppress(psutil.Error):
            if any(
                each.status == psutil.CONN_LISTEN and each.laddr and each.laddr.port == running.port
                for each in process.net_connections(kind="tcp")
            ):
                return
    raise Problem(
        f"port {running.port} is answered by a process that is not the container's",
        "the program must listen on the port given in PORT; if it does, another program took the port: run again",
    )
