"""The machine of a program that was not written for the lab: files, host names, and a network."""

import posixpath
import re
from ipaddress import ip_address
from itertools import permutations
from typing import Annotated, Literal

from pydantic import AfterValidator

HOSTS_FILE = "/etc/hosts"
KERNELS = ("/proc", "/sys", "/dev")
"""Folders that are the kernel's: nothing can stand beside what it shows there."""


def _at_places(files: dict[str, str]) -> dict[str, str]:
    """Refuse paths at which the guard can put nothing, or which it could not be told."""
    for path, source in files.items():
        if not re.match("/[^/]", path) or posixpath.normpath(path) != path:
            raise ValueError(f"{path!r}: write an absolute path, such as /data/items.json")
        if "=" in path or not path.isprintable():
            raise ValueError(f"{path!r}: a path of printable characters without `=`")
        if any(_is_at_or_below(path, folder) for folder in KERNELS):
            raise ValueError(f"{path}: nothing can be put below {', '.join(KERNELS)}")
        if not source or not source.isprintable():
            raise ValueError(f"{path}: name the file or the folder to put there")
    for path, other in permutations(files, 2):
        if _is_at_or_below(path, other):
            raise ValueError(f"{path}: {other} is put above it: leave one of them out")
    return files


def _with_addresses(hosts: dict[str, str]) -> dict[str, str]:
    """Refuse what /etc/hosts would not hold as one name with its address."""
    for name, address in hosts.items():
        if not re.fullmatch(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?", name):
            raise ValueError(f"{name!r}: a host name has letters, digits, hyphens, dots and underscores")
        try:
            parsed = ip_address(address)
        except ValueError:
            raise ValueError(f"{name}: {address!r} is no IP address, such as 127.0.0.1") from None
        if "%" in str(parsed):
            raise ValueError(f"{name}: {address!r}: leave the interface out")
    return hosts


def _is_at_or_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


Files = Annotated[dict[str, str], AfterValidator(_at_places)]
"""By the absolute path at which the program finds it, a file or a folder."""

Hosts = Annotated[dict[str, str], AfterValidator(_with_addresses)]
"""By host name, the IP address."""

Network = Literal["own"]
"""A network namespace with nothing in it but loopback."""


def assert_places(files: dict[str, str], hosts: dict[str, str]) -> None:
    """Refuse host names beside a file that takes the place of theirs.

    Raises:
        ValueError: both stand in the same file.
    """
    if hosts and HOSTS_FILE in files:
        raise ValueError(f"hosts: `files` has {HOSTS_FILE}, in which they would stand: leave one of them out")
