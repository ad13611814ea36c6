"""A cluster that is brought up by SSH for one command, and down at its end.

The scheduler is in this process, and listens at one address of this machine. Each worker is a process on its host that
`ssh` holds: the user's own, with its configuration, agent and known hosts. All of them show one certificate, which is
made for this cluster and is in memory alone. When `ssh` ends, for whatever reason, so does the input of its worker, and
with it the worker and all that it runs.

Dask's `SSHCluster` does not serve here: it has one set of options for all workers, so no roles, writes Dask's whole
configuration into command lines, which everybody on a host can read, and its temporary certificates do not reach the
workers (distributed 2026.8.0).
"""

import shlex
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.addresses import local_address_towards
from fairtrial.cluster.connection import INSTALL, silent_dask
from fairtrial.cluster.hosts_file import HostsFile, SshHost, read_hosts
from fairtrial.cluster.settings import values
from fairtrial.cluster.worker import ANY_PORT_HERE, Credentials, WorkerTask

UP_WITHIN_SECONDS = 60.0
DOWN_WITHIN_SECONDS = 30.0
"""A worker ends the labs that it runs, which stop their stacks and services."""
LOOK_EVERY_SECONDS = 0.05
LINES_KEPT = 20
LONGEST_LINE_BYTES = 4096

SSH = (
    *("ssh", "-T", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes", "-o", "ConnectTimeout=10"),
    # A link that is down for half a minute ends the worker behind it.
    *("-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"),
)


class _SshWorker:
    """The worker on one host: the `ssh` that holds it, and the end of what was said on its standard error."""

    def __init__(self, name: str, host: SshHost, python: str, task: WorkerTask) -> None:
        """Start it, and write its task; where the process has ended, its standard error says why.

        Raises:
            Problem: there is no `ssh`.
        """
        self.name, self.host = name, host
        self.lines: deque[str] = deque(maxlen=LINES_KEPT)
        remote = f"exec {shlex.quote(python)} -m fairtrial worker"
        try:
            # A session of its own: Ctrl-C is for this process, which ends its hosts in order.
            self.process = subprocess.Popen(
                [*SSH, *host.ssh_options, "--", host.destination, remote],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Problem(
                f"ssh cannot be started: {error.strerror}",
                "install it; on Debian: apt install openssh-client",
                NOTHING_RAN,
            ) from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.write(task.model_dump_json().encode() + b"\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr as stream:
            while line := stream.readline(LONGEST_LINE_BYTES):
                self.lines.append(line.decode(errors="replace").rstrip())

    def end_input(self) -> None:
        """Let the worker end."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.close()

    def end(self) -> None:
        """Wait until it has ended, and end `ssh` if that takes too long."""
        try:
            self.process.wait(DOWN_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def words(self) -> str:
        """The last words that it printed."""
        self._reader.join(1.0)
        return printable(" ".join(" ".join(list(self.lines)[-5:]).split()), 400)


@contextmanager
def brought_up(path: Path, required_roles: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """A cluster of the hosts that a file names.

    Args:
        required_roles: the roles that have to be among theirs.

    Returns:
        the address of its scheduler, and the `distributed.Security` of who connects to it.

    Raises:
        Problem: the file is wrong, something is not installed, or a host does not come up.
    """
    file = read_hosts(path, required_roles)
    credentials = _made_credentials()
    with silent_dask(), ExitStack() as ends:
        scheduler = ends.enter_context(_scheduler(file, credentials))
        address: str = scheduler.scheduler_address
        workers: list[_SshWorker] = []
        ends.callback(_end, workers)
        for name, host in file.hosts.items():
            task = WorkerTask(
                scheduler=address,
                name=name,
                address=host.address,
                roles=host.roles,
                environment=host.environment,
                credentials=credentials,
            )
            workers.append(_SshWorker(name, host, file.python_of(host), task))
        _await_all(path, workers, scheduler)
        yield address, credentials.security()


def _made_credentials() -> Credentials:
    try:
        from distributed import Security  # noqa: PLC0415 an optional part

        make: Any = Security.temporary  # it has no types
        security = make()
    except ImportError as error:
        raise Problem(
            "clusters need Dask's `distributed` and `cryptography`, which are not installed", INSTALL, NOTHING_RAN
        ) from error
    return Credentials(certificate=security.tls_scheduler_cert, key=security.tls_scheduler_key)


@contextmanager
def _scheduler(file: HostsFile, credentials: Credentials) -> Iterator[Any]:
    """Dask's cluster of this machine without a worker of its own: a scheduler in this process."""
    import dask  # noqa: PLC0415 an optional part
    from distributed import LocalCluster  # noqa: PLC0415

    here = file.here or local_address_towards(next(iter(file.hosts.values())).address)
    with dask.config.set(values("scheduler")):
        make_cluster: Any = LocalCluster  # its arguments have no types
        try:
            cluster = make_cluster(
                n_workers=0,
                processes=False,
                host=here,
                protocol="tls",
                security=credentials.security(),
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": ANY_PORT_HERE},
                silence_logs=False,
            )
        except (OSError, RuntimeError) as error:
            raise Problem(
                f"no scheduler can listen at {printable(here, 60)}: {printable(str(error), 200)}",
                "`here` in the file of hosts is an address of this machine at which they reach it",
                NOTHING_RAN,
            ) from error
        with cluster:
            yield cluster


def _await_all(path: Path, workers: list[_SshWorker], scheduler: Any) -> None:
    """Wait until all workers have registered.

    Raises:
        Problem: one has ended, or does not come.
    """
    until = time.monotonic() + UP_WITHIN_SECONDS
    while True:
        registered = {state.name for state in list(scheduler.scheduler.workers.values())}
        missing = [worker for worker in workers if worker.name not in registered]
        if not missing:
            return
        for worker in missing:
            status = worker.process.poll()
            if status is not None:
                raise Problem(
                    f"{path}: hosts.{worker.name}: ssh to {printable(worker.host.destination, 80)} ended with status "
                    f"{status}: {worker.words() or 'it said nothing'}",
                    _remedy(worker, status),
                    NOTHING_RAN,
                )
        if time.monotonic() > until:
            names = ", ".join(worker.name for worker in missing)
            raise Problem(
                f"{path}: {count(len(missing), 'host')} did not come up within {UP_WITHIN_SECONDS:g} s: {names}",
                f"see that it reaches {scheduler.scheduler_address} (a firewall, or another address of this machine: "
                "`here` in the file)",
                NOTHING_RAN,
            )
        time.sleep(LOOK_EVERY_SECONDS)


def _remedy(worker: _SshWorker, status: int) -> str:
    if status == 255:  # ssh's own
        return f"see that `ssh {worker.host.destination} true` works without asking for anything"
    return (
        "`python` in the file is the interpreter there in whose environment the same Fairtrial is installed, with its "
        "optional part: fairtrial[cluster]"
    )


def _end(workers: list[_SshWorker]) -> None:
    for worker in workers:
        worker.end_input()
    for worker in workers:
        worker.end()
