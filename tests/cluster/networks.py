"""Two hosts with addresses of their own, as network namespaces with a cable between them."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

ADDRESSES = ("10.203.117.1", "10.203.117.2")


@contextmanager
def two_hosts() -> Iterator[tuple[list[str], list[str]]]:
    """Make them, and remove them at the end.

    Yields:
        for each, in the order of `ADDRESSES`, what is put before a command that is to run there.
    """
    if shutil.which("ip") is None:
        pytest.skip("network namespaces are made by `ip`, which is not installed (Debian: apt install iproute2)")
    names = [f"two-hosts-{os.getpid()}-{number}" for number in (1, 2)]
    made = []
    try:
        for name in names:
            done = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"this user may not make network namespaces: {done.stderr.strip()}")
            made.append(name)
        ends = [f"ft{os.getpid()}-{number}" for number in (1, 2)]
        _ip("link", "add", ends[0], "netns", names[0], "type", "veth", "peer", "name", ends[1], "netns", names[1])
        for name, end, address in zip(names, ends, ADDRESSES, strict=True):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", end)
            for interface in ("lo", end):
                _ip("-n", name, "link", "set", interface, "up")
        first, second = (["ip", "netns", "exec", name] for name in names)
        yield first, second
    finally:
        for name in made:
            _ip("netns", "delete", name)


def _ip(*words: str) -> None:
    arguments: Sequence[str] = ["ip", *words]
    subprocess.run(arguments, check=True)
