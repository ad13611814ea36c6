"""Starts gunicorn with the workers that the first argument names: gthread (without one), sync or gevent.

After `sync`, `tcp` may follow: nginx then reaches gunicorn over TCP instead of a UNIX socket.
"""

import os
import shutil
import signal
import socket
import string
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from settings import Settings

GUNICORN = (sys.executable, "-m", "gunicorn", "--config", "gunicorn.conf.py")
BACKLOG = 4096
LOOPBACK = "127.0.0.1"


def main(arguments: Sequence[str]) -> int:
    try:
        settings = Settings.from_environment()
    except ValueError as error:
        return _failure(str(error))
    match arguments:
        case [] | ["gthread"]:
            os.execv(GUNICORN[0], [*GUNICORN, "--worker-class", "gthread"])
        case ["gevent"]:
            os.execv(GUNICORN[0], [*GUNICORN, "--worker-class", "gevent"])
        case ["sync"]:
            return sync_behind_nginx(settings, socket.AF_UNIX)
        case ["sync", "tcp"]:
            return sync_behind_nginx(settings, socket.AF_INET)
    return _failure("usage: serve.py [gthread|sync [tcp]|gevent]")


def sync_behind_nginx(settings: Settings, family: socket.AddressFamily) -> int:
    """gunicorn on a socket of this family and nginx before it on HOST:PORT, as gunicorn's manual wants it for sync
    workers."""
    nginx = shutil.which("nginx")
    if nginx is None:
        return _failure("nginx, which stands before sync workers, is missing (Debian: apt install nginx-light)")
    with (
        tempfile.TemporaryDirectory(prefix="python-flask-") as folder,
        socket.socket(family) as listener,
    ):
        upstream = bind(listener, folder)
        listener.listen(BACKLOG)  # from here on nginx can connect, and waits for gunicorn to accept
        template = string.Template(Path("nginx.conf").read_text())
        configuration = template.substitute(
            user="user root;" if os.getuid() == 0 else "",  # or its workers could not enter the folder
            processes=settings.processes,
            address=f"{settings.host}:{settings.port}",
            backlog=BACKLOG,
            upstream=upstream,
        )
        Path(folder, "nginx.conf").write_text(configuration)
        # With more threads than one, gunicorn would take gthread for sync. The application is loaded before the
        # processes are forked, which share its pages.
        workers = ["--worker-class", "sync", "--threads", "1", "--workers", str(settings.concurrency), "--preload"]
        # So many processes need a while to end on a busy machine, after the time of grace.
        workers += ["--graceful-timeout", "1"]
        return run_together(
            [*GUNICORN, *workers, "--bind", f"fd://{listener.fileno()}"],
            [nginx, "-p", f"{folder}/", "-e", "stderr", "-c", "nginx.conf"],
            pass_fds=[listener.fileno()],
        )


def bind(listener: socket.socket, folder: str) -> str:
    """Binds it, to a path in the folder or to a free port, and returns its address as nginx writes it."""
    if listener.family == socket.AF_UNIX:
        path = f"{folder}/gunicorn.sock"
        listener.bind(path)
        return f"unix:{path}"
    listener.bind((LOOPBACK, 0))
    address, port = listener.getsockname()
    return f"{address}:{port}"


def run_together(*commands: Sequence[str], pass_fds: Sequence[int]) -> int:
    """Runs commands until one of them ends, or a signal comes: then all are ended. Returns the exit status."""
    running: list[subprocess.Popen] = []
    signalled = False

    def end_all(*_: object) -> None:
        for process in running:
            process.terminate()

    def stop(*_: object) -> None:
        nonlocal signalled
        signalled = True
        end_all()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    for command in commands:
        running.append(subprocess.Popen(command, pass_fds=pass_fds))
    if not signalled:
        os.wait()
    end_all()
    for process in running:
        process.wait()
    return 0 if signalled else 1


def _failure(reason: str) -> int:
    print(f"python-flask: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
