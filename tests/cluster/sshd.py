"""A real `sshd` for one test, with keys of its own, on loopback or on hosts of a network; hosts reached by it."""

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from fairtrial.base.loopback import LOOPBACK
from tests.cluster.clusters import hasty
from tests.cluster.networks import NetworkHost
from tests.machine.lack import sshd as sshd_program
from tests.machine.needs import skip_without

STARTS_WITHIN_SECONDS = 30
SEPARATION = Path("/run/sshd")
"""Without it, an sshd of root's does not start, nor let anybody in. Empty, gone when the machine is started anew, and
not removed: a test beside this one may need it."""


@contextmanager
def sshd(folder: Path, network: Sequence[NetworkHost] = ()) -> Iterator[list[str]]:
    """Within, it listens on loopback, or on each of these hosts.

    Yields:
        the options of `ssh` that reach it.
    """
    skip_without("sshd")
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    port = _free_port()
    places: dict[str, Sequence[str]] = {host.address: host.prefix for host in network} or {LOOPBACK: ()}
    known = folder / "known_hosts"
    kind, key, *_ = (folder / "host_key.pub").read_text().split()
    known.write_text("".join(f"[{address}]:{port} {kind} {key}\n" for address in places))
    if os.geteuid() == 0:
        SEPARATION.mkdir(mode=0o755, exist_ok=True)
    with ExitStack() as at_end:
        for address, prefix in places.items():
            at_end.enter_context(_listening(folder, address, port, prefix))
        files = ["-F", "none", "-o", f"UserKnownHostsFile={known}", "-i", str(folder / "user_key")]
        yield [*files, "-p", str(port)]


@contextmanager
def _listening(folder: Path, address: str, port: int, prefix: Sequence[str]) -> Iterator[None]:
    lines = {
        "Port": str(port),
        "ListenAddress": address,
        "HostKey": str(folder / "host_key"),
        "AuthorizedKeysFile": str(folder / "user_key.pub"),
        "PidFile": "none",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
    }
    configuration, log = folder / f"sshd_config-{address}", folder / f"sshd-{address}.log"
    configuration.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
    command = [*prefix, str(sshd_program()), "-D", "-e", "-f", str(configuration)]
    with log.open("wb") as errors, subprocess.Popen(command, stderr=errors) as process:
        try:
            until = time.monotonic() + STARTS_WITHIN_SECONDS
            while "Server listening" not in log.read_text():
                assert process.poll() is None and time.monotonic() < until, log.read_text()
                time.sleep(0.02)
            yield
        finally:
            # A session whose link was cut would wait for its peer until TCP gives it up.
            sessions = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
            process.terminate()
            for session in sessions:
                with suppress(psutil.NoSuchProcess):
                    session.kill()


def hosts_file(
    folder: Path,
    options: Sequence[str],
    variables: Mapping[str, str],
    *,
    addresses: Mapping[str, str] | None = None,
    **roles: Sequence[str],
) -> Path:
    """A file of hosts, by their names. What runs there sees the variables of the tests.

    Args:
        variables: further ones that the workers are started with, by which they can be told from other processes.
        addresses: of hosts that are not at the address of loopback.
    """
    python = folder / "python"
    assignments = " ".join(shlex.quote(f"{name}={value}") for name, value in {**hasty(), **variables}.items())
    python.write_text(f'#!/bin/sh\nexec env {assignments} {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    of_tests = {name: value for name, value in os.environ.items() if name.startswith("FAIRTRIAL_") or name == "PATH"}
    environment = ", ".join(
        f"{name} = {json.dumps(value)}" for name, value in of_tests.items() if name not in variables
    )
    at = {name: (addresses or {}).get(name, LOOPBACK) for name in roles}
    tables = [
        f'[hosts.{name}]\naddress = "{at[name]}"\nroles = {list(each)}\nssh_options = {list(options)}\n'
        f"environment = {{ {environment} }}\n"
        for name, each in roles.items()
    ]
    file = folder / "hosts.toml"
    file.write_text(f'python = "{python}"\n' + "".join(tables))
    return file


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
