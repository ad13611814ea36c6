"""A balancer: its configuration, its command, and whether it is installed."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.model import Missing


@dataclass(frozen=True)
class Balancer:
    """A reverse proxy that spreads requests over several servers of one host, each in turn."""

    name: str
    """also that of its program"""
    title: str
    template: str
    """the file beside this one with the text of its configuration"""
    backend: str
    """the line of a server in it, by its `number` and `address`"""
    options: Sequence[str]
    """those that run it in the foreground, in the folder of its file, whose name follows"""
    package: str
    """that of the system's package manager"""
    version_pattern: str
    """the product and its version in what it prints for `-v`"""

    def configuration(
        self, port: int, backends: Sequence[int], host: str = LOOPBACK, backends_host: str = LOOPBACK
    ) -> str:
        """The text of its file: round robin over the backends' ports.

        Args:
            port: to listen on.
            host: the address to listen on.
            backends_host: the address of the servers.
        """
        addresses = enumerate((f"{backends_host}:{backend}" for backend in backends), 1)
        servers = "\n".join(self.backend.format(number=number, address=address) for number, address in addresses)
        template = Path(__file__).with_name(self.template).read_text(encoding="utf-8")
        return template.format(host=host, port=port, backends=servers)

    def command(self, file: str) -> list[str]:
        """The command that runs it with this file."""
        return [self.name, *self.options, file]

    def missing(self) -> Missing | None:
        """None if it is on the PATH."""
        if shutil.which(self.name):
            return None
        remedy = f"fairtrial services install {self.name}"
        return Missing(f"there is no {self.name} on the PATH", [self.package], remedy)

    def version(self) -> str | None:
        """The installed product and version, in its own words; None if there is none."""
        if self.missing():
            return None
        output = subprocess.run([self.name, "-v"], capture_output=True, text=True, check=False, timeout=10)
        version = re.search(self.version_pattern, output.stdout + output.stderr)
        return version.group() if version else None
