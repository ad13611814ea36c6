"""A real `sshd` on loopback for one test, with keys of its own; hosts that are reached by it."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
STARTS_WITHIN_SECONDS = 30
SEPARATION = Path("/run/sshd")
"""Without it, an sshd of root's does not start."""


@contextmanager
def sshd(folder: Path) -> Iterator[list[str]]:
    """Within, it listens; the options of `ssh` that reach it."""
    if SSHD is None or shutil.which("ssh-keygen") is None:
        if os.environ.get("FAIRTRIAL_REQUIRE_SERVICES"):
            pytest.fail("sshd is not installed")
        pytest.skip("sshd is not installed: apt install openssh-server")
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    port = _free_port()
    known, configuration = folder / "known_hosts", folder / "sshd_config"
    kind, key, *_ = (folder / "host_key.pub").read_text().split()
    known.write_text(f"[127.0.0.1]:{port} {kind} {key}\n")
    lines = {
        "Port": str(port),
        "ListenAddress": "127.0.0.1",
        "HostKey": str(folder / "host_key"),
        "AuthorizedKeysFile": str(folder / "user_key.pub"),
        "PidFile": "none",
        "StrictModes": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
    }
    configuration.write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
    is_made = os.geteuid() == 0 and not SEPARATION.exists()
    if is_made:
        SEPARATION.mkdir(mode=0o755)
    with subprocess.Popen([SSHD, "-D", "-e", "-f", str(configuration)], stderr=subprocess.PIPE) as process:
        try:
            _await(port, process)
            files = ["-F", "none", "-o", f"UserKnownHostsFile={known}", "-i", str(folder / "user_key")]
            yield [*files, "-p", str(port)]
        finally:
            process.terminate()
            if is_made:
                SEPARATION.rmdir()


def hosts_file(folder: Path, options: Sequence[str], mark: Mapping[str, str], **roles: Sequence[str]) -> Path:
    """A file of hosts that are all this machine. What runs there sees the variables of the tests.

    Args:
        mark: variables that the workers are started with, so that they can be told from other processes.
    """
    python = folder / "python"
    variables = " ".join(shlex.quote(f"{name}={value}") for name, value in mark.items())
    python.write_text(f'#!/bin/sh\nexec env {variables} {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    of_tests = {name: value for name, value in os.environ.items() if name.startswith("FAIRTRIAL_") or name == "PATH"}
    environment = ", ".join(f"{name} = {json.dumps(value)}" for name, value in of_tests.items() if name not in mark)
    tables = [
        f'[hosts.{name}]\naddress = "127.0.0.1"\nroles = {list(each)}\nssh_options = {list(options)}\n'
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


def _await(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + STARTS_WITHIN_SECONDS
    while True:
        assert process.poll() is None, process.communicate()[1]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < until, "sshd does not listen"
            time.sleep(0.02)
