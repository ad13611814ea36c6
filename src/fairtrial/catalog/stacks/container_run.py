"""A stack in containers: the command that runs them, their variables and their processes."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from fairtrial.base.loopback import LOOPBACK, free_port
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_program import OPTIONS, ContainerProgram
from fairtrial.catalog.stacks.environment import users_environment, variables_of_user
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.redaction import new_log
from fairtrial.catalog.stacks.requests import StartRequest
from fairtrial.catalog.stacks.run import RunningStack, awaited_port
from fairtrial.engine.container_tree import LOWEST_PID, ContainerTree, container_tree
from fairtrial.engine.guard import Guarded
from fairtrial.engine.process_tree import Root, processes_below
from fairtrial.record.processes import Stop

TROUBLES = (
    (
        ("RLIMIT_NOFILE", "RLIMIT_NPROC"),
        "podman may not raise limits without CAP_SYS_RESOURCE: "
        f"{OPTIONS}='--ulimit nofile=4096:4096 --ulimit nproc=4096:4096'; in a compose file, `ulimits` of each service",
    ),
    (
        ("cgroups in hybrid mode not supported",),
        "crun needs control groups of version 2 alone (start Linux with systemd.unified_cgroup_hierarchy=1); "
        "or start the lab, as root, where it sees these alone: unshare --mount sh -c 'mount -t cgroup2 none "
        "/sys/fs/cgroup && exec fairtrial run …'",
    ),
    (
        ("RLIMIT_MEMLOCK", "RLIM_MEMLOCK"),
        f"control groups need CAP_SYS_RESOURCE here: {OPTIONS}=--cgroups=disabled leaves them out",
    ),
    (
        ("/dev/net/tun", "slirp4netns", "pasta failed"),
        "a published port of a rootless container needs slirp4netns or pasta, and the right to open /dev/net/tun; "
        'or set `container_network = "host"` (in a compose file `network_mode: host`), which needs neither',
    ),
    (
        ("newuidmap", "/etc/subuid", "/etc/subgid"),
        "give your user ranges: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER, and install "
        "newuidmap (package uidmap)",
    ),
    (
        ("iptables", "nftables", "netavark", "plugin type="),
        'publishing a port needs the firewall of Linux and the right to change it; `container_network = "host"` (in a '
        "compose file `network_mode: host`) needs neither",
    ),
)
"""Obstacles to running containers, by the words in which the container program says it, with remedies. The words are
those of podman 4.3.1 with crun 1.8.1, slirp4netns 1.2 and CNI, seen on a machine without the rights."""


def with_remedy(problem: Problem) -> Problem:
    """The problem with the remedy that its words ask for, or as it is."""
    for words, remedy in TROUBLES:
        if any(each in problem.reason for each in words):
            return type(problem)(problem.reason, f"{remedy}; {problem.remedy}")
    return problem


PROOF = "FAIRTRIAL_CONTAINER"
"""The variable by which a container's first process proves that it is one."""
MAY_HOLD_PASSWORDS = frozenset({"DATABASE_URL", "CACHE_URL", "UPSTREAM_URL"})
"""Given by name, so that the command line, which everybody on the machine can read, does not show them."""
ELSEWHERE = "its processes are not found on this machine: its daemon runs in a virtual machine, or on another one"


def deaf_to_sigterm(pid: int) -> str:
    """The name of this first process of a container, if it takes no SIGTERM; else nothing, as where that is unknown.

    A shell that waits for its command handles none, and passes none on. One that blocks it, as tini does, takes it by
    sigtimedwait or signalfd.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    caught, blocked = (int(fields.get(name, "").strip() or "0", 16) for name in ("SigCgt", "SigBlk"))
    return "" if (caught | blocked) >> (signal.SIGTERM - 1) & 1 else printable(fields.get("Name", "").strip())


class GuardedContainer(Guarded):
    """The container program, in the foreground below a guard: a signal to it is one to the container.

    Args:
        remove: removes the container.
        settings: variables that the command gets beside the user's.
    """

    def __init__(
        self,
        command: Sequence[str],
        remove: Callable[[], None],
        request: StartRequest,
        settings: Mapping[str, str],
    ) -> None:
        self._remove, self._removed = remove, False
        self.first_process: int | None = None
        with new_log(request.log) as output:
            super().__init__(
                command,
                folder=request.log.parent,
                environment=users_environment(settings),
                output=output,
                cpus=request.cpus,
            )

    def stop(self) -> Stop:
        """End the container as any stack is ended, and remove it.

        Raises:
            Problem: it is still there after ten seconds.
        """
        unheard_by = "" if self.first_process is None else deaf_to_sigterm(self.first_process)
        stop = super().stop()
        if not self._removed:
            self._removed = True
            self._remove()
        return stop.model_copy(update={"unheard_by": unheard_by})


class RunningContainer(RunningStack):
    """A stack in a container, or in the containers of a project, that was started and is ready."""

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


@contextmanager
def removed_on_failure(process: GuardedContainer) -> Iterator[None]:
    """Remove the container if what is done within fails. A problem gets the remedy that its words ask for."""
    try:
        yield
    except Problem as problem:
        process.stop()
        raise with_remedy(problem) from None
    except BaseException:
        process.stop()
        raise


def variables_of(stack: Stack, settings: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """A container's variables, and those given by name alone, since they may be secret.

    Raises:
        Problem: a variable of the stack's `env_from` is not set.
    """
    passed = variables_of_user(stack.origin.env_from)
    variables = {**passed, **settings}
    return variables, {key: value for key, value in variables.items() if key in MAY_HOLD_PASSWORDS or key in passed}


def reached_at(port: int | None, container_port: int | None) -> tuple[int, dict[str, str]]:
    """The port at which a container is reached, and HOST and PORT as it is told them.

    Args:
        port: on which it always listens in the host's network; None: on any.
        container_port: the one to publish; None: it is in the host's network.

    Raises:
        Problem: somebody else listens on the port.
    """
    reached = free_port() if port is None else awaited_port(port)
    if container_port is None:
        return reached, {"HOST": LOOPBACK, "PORT": str(reached)}
    return reached, {"HOST": "0.0.0.0", "PORT": str(container_port)}  # noqa: S104 (of its own network)


def find_processes(
    running: RunningContainer, program: ContainerProgram, containers: Sequence[str], *, token: str, cpus: Sequence[int]
) -> int | None:
    """Find the processes of containers, the server's first, by what `inspect` says.

    Returns the number of the server's first process; None: it is not found.

    Raises:
        Problem: the server's container does not run, or one has other processors.
    """
    below = {each.pid for each in processes_below(running.process.pid)}
    roots: list[Root | None] = []
    pids = []
    for container in containers:
        output = program.ask("inspect", "--type", "container", "--format", "{{.State.Pid}} {{.Id}}", container)
        pid_text, _, identity = output.partition(" ")
        pid = int(pid_text) if pid_text.isascii() and pid_text.isdigit() else 0
        if pid < LOWEST_PID and roots:
            continue  # beside the server, one may have done its work and ended
        if pid < LOWEST_PID:
            raise Problem(
                f"something answers, but the container program says that {container} does not run: "
                f"{printable(output, 100)}",
                "let the container's first process be the server; if it is, run again",
            )
        # Beside the container, the container program's own processes are below the guard: they are not the stack's.
        tree = ContainerTree(pid) if pid in below else container_tree(pid, identity.strip(), f"{PROOF}={token}")
        roots.append(tree)
        pids.append(pid)
    trees = list(dict.fromkeys(root for root in roots if root is not None))
    if None in roots or not trees:
        return None
    if isinstance(running.process, GuardedContainer):
        running.process.first_process = pids[0]
    running.root, *running.beside = trees
    running.not_measured = ""
    for pid in pids if cpus else []:
        _assert_bound(pid, cpus)
    if not running.published:
        _assert_port_held(running, pids[0])
    return pids[0]


def _assert_bound(pid: int, cpus: Sequence[int]) -> None:
    with suppress(ProcessLookupError):
        has = os.sched_getaffinity(pid)
        if not has <= set(cpus):
            raise Problem(
                f"the container runs on processors {sorted(has)}, not on {sorted(cpus)} alone",
                "let its program leave its processors as they are, and see that docker has the cpuset controller",
            )


def _assert_port_held(running: RunningContainer, pid: int) -> None:
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
