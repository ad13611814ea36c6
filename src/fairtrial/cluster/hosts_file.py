"""The file that names hosts: how each is reached by SSH, and which part of a trial it takes."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from fairtrial.base.problem import Problem
from fairtrial.base.strict import SLUG, Strict
from fairtrial.base.toml_file import read_toml
from fairtrial.cluster.roles import ROLES

Name = Annotated[str, StringConstraints(pattern=SLUG)]


class SshHost(Strict):
    """A host, and how it is reached."""

    address: str = Field(min_length=1)
    """at which the other hosts reach it; its worker listens there alone"""
    roles: list[str] = Field(min_length=1)
    """of `ROLES`"""
    ssh: str = ""
    """what `ssh` is given, a name of ~/.ssh/config among others; empty: the address"""
    ssh_options: list[str] = Field(default_factory=list)
    """further arguments of `ssh`, as `-p`, `2222`"""
    python: str = ""
    """the interpreter there in whose environment Fairtrial is installed; empty: that of the file"""

    environment: dict[str, str] = Field(default_factory=dict)
    """variables of all that runs there: SSH gives a program a short PATH, and none of a login's settings"""

    @field_validator("roles")
    @classmethod
    def _known_roles(cls, roles: list[str]) -> list[str]:
        unknown = [role for role in roles if role not in ROLES]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no role; there are {', '.join(ROLES)}")
        return roles

    @field_validator("ssh", "address")
    @classmethod
    def _no_option(cls, text: str) -> str:
        if text.startswith("-"):
            raise ValueError("a destination does not begin with a dash; options of ssh are `ssh_options`")
        return text

    @property
    def destination(self) -> str:
        """The host as `ssh` takes it on its command line."""
        return self.ssh or self.address


class HostsFile(Strict):
    """Hosts by their names."""

    here: str = ""
    """the address of this machine at which the hosts reach it; empty: that of the way to the first of them"""
    python: str = sys.executable
    """the interpreter on the hosts in whose environment Fairtrial is installed"""
    hosts: Mapping[Name, SshHost] = Field(min_length=1)

    def python_of(self, host: SshHost) -> str:
        """The interpreter on a host."""
        return host.python or self.python


def read_hosts(path: Path, required_roles: Sequence[str]) -> HostsFile:
    """Read a file of hosts.

    Args:
        required_roles: the roles that have to be among theirs.

    Raises:
        Problem: it cannot be read, is a number of hosts, does not fit the model, or lacks a role.
    """
    if path.name.isdigit() and not path.exists():
        raise Problem(
            f"--hosts {path}: a file of hosts is expected", f"from how many hosts the load comes is --load-hosts {path}"
        )
    file = read_toml(path, HostsFile, "docs/cluster.md")
    missing = [role for role in required_roles if not any(role in host.roles for host in file.hosts.values())]
    if missing:
        raise Problem(
            f"{path}: no host has the role {' or the role '.join(missing)}",
            f"give one to a host: roles = [{', '.join(json.dumps(role) for role in missing)}]",
        )
    return file
