"""haproxy: one thread, keep-alive to both sides, connections to servers shared between requests."""

import re
import shutil
import subprocess
from collections.abc import Sequence

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services.model import Missing

PROGRAM = "haproxy"
CONFIGURATION = """
global
    nbthread 1
    maxconn 8192
defaults
    mode http
    option http-keep-alive
    http-reuse always
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend front
    bind {host}:{port} backlog 4096
    default_backend stack
backend stack
    balance roundrobin
{backends}
"""


def configuration(port: int, backends: Sequence[int], host: str = LOOPBACK, backends_host: str = LOOPBACK) -> str:
    """The text of the file: round robin over the backends' ports."""
    addresses = [f"{backends_host}:{backend}" for backend in backends]
    servers = "\n".join(f"    server stack{number} {address}" for number, address in enumerate(addresses, 1))
    return CONFIGURATION.format(host=host, port=port, backends=servers)


def command(file: str) -> list[str]:
    """The command that runs haproxy in the foreground."""
    return [PROGRAM, "-db", "-f", file]


def missing() -> Missing | None:
    """None if it is on the PATH."""
    if shutil.which(PROGRAM):
        return None
    return Missing("there is no haproxy on the PATH", ["haproxy"], "fairtrial services install haproxy")


def version() -> str | None:
    """Its name and version, in its own words; None if it is not installed."""
    if missing():
        return None
    output = subprocess.run([PROGRAM, "-v"], capture_output=True, text=True, check=False, timeout=10).stdout
    version = re.search(r"HAProxy version \S+", output)
    return version.group() if version else None


BALANCER = Balancer("haproxy", "HAProxy", configuration, command, missing, version)
