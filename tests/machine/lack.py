"""What a machine can lack of what tests need: services, programs, what shipped stacks require, rights, hardware."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairtrial.base.network_namespace import why_no_network_namespace
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.power import why_no_power_cut
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Requirement
from fairtrial.catalog.stacks.requirements import version_of
from fairtrial.experiment.reference import StackRef
from fairtrial.lab.awake import idle_limit
from fairtrial.tools.provision.inventory import pick_provided, provided
from tests.machine.plain_user import why_no_plain_user

ROOT = Path(__file__).parents[2]
OF_DEBIAN = re.compile(r"\bDebian: apt install ([a-z0-9][a-z0-9+. -]*[a-z0-9+])")
"""In a remedy: the packages that bring what is lacking."""

IMAGE = "FAIRTRIAL_IMAGE"
"""Names the image that tests run."""

LANGUAGES = frozenset({"nodejs", "npm", "maven", "python3"})
"""Packages that may be too old for the shipped stacks, and bring hundreds of others: users install those themselves."""


@dataclass(frozen=True)
class Lack:
    """Something that tests need and this machine lacks."""

    what: str
    """as the end of a test run names it"""

    remedy: str
    """what brings it; of a right: why it is denied"""

    packages: tuple[str, ...] = ()
    """Debian's, which bring it; `make test` installs them"""

    excused: bool = False
    """a right, hardware, or what is of use for a few tests alone: no machine has to have it"""

    def __str__(self) -> str:
        return f"{self.what} ({self.remedy})" if self.remedy else self.what


def chromium() -> str | None:
    """The browser that opens reports."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def sshd() -> str | None:
    """The server of SSH; None without what makes its keys."""
    return shutil.which("sshd") if shutil.which("ssh-keygen") else None


def by_apt(what: str, *packages: str) -> Lack:
    """A lack that these Debian packages end."""
    return Lack(what, f"apt install {' '.join(packages)}", packages)


@cache
def lack_of(name: str) -> Lack | None:
    """What this machine lacks; None if what is named is there, and as it has to be.

    Args:
        name: a key of `OTHERS`, a service or a balancer, or a shipped contender (`STACK` or `STACK:VARIANT`): of that,
            the first lack among the commands that it requires.
    """
    if name in OTHERS:
        return OTHERS[name]()
    if name in provided():
        return _of_service(name)
    return next(lacks_of_contender(name), None)


def _of_service(name: str) -> Lack | None:
    service = pick_provided(name)
    missing = service.missing()
    if missing is None:
        return None
    if missing.packages:
        return by_apt(name, *missing.packages)
    by_lab = isinstance(service, Service) and service.install is not None
    return Lack(name, f"fairtrial services install {name}" if by_lab else missing.remedy)


def lacks_of_contender(name: str, *, present: Collection[str] | None = None) -> Iterator[Lack]:
    """Of each command that a shipped stack or the build of its variant requires, and that does not work here.

    Args:
        present: Debian packages that are installed. What needs nothing else, or none of Debian's, is not looked at.
    """
    reference = StackRef.model_validate(name)
    stack = find_stacks()[reference.name]
    apart = stack.built_apart(reference.variant)
    for requirement in stack.requirements(apart):
        if present is not None and set(packages_in(requirement.remedy)) <= set(present):
            continue
        lack = _of_command(tuple(requirement.command), requirement.minimum, requirement.remedy, stack.source(apart))
        if lack is not None:
            yield lack


@cache
def _of_command(command: Sequence[str], minimum: str | None, remedy: str, folder: Path) -> Lack | None:
    try:
        version_of(Requirement(command=list(command), minimum=minimum, remedy=remedy), folder)
    except Problem:
        if service := re.search(r"fairtrial services install ([a-z]+)", remedy):
            return _of_service(service[1])
        packages = packages_in(remedy)
        program = Path(command[1]).name if command[0] == "sh" else command[0]
        return by_apt(packages[0], *packages) if packages else Lack(program, remedy)
    return None


def packages_in(remedy: str) -> tuple[str, ...]:
    """The Debian packages that a stack's remedy names; none where one of them is a language of the user's."""
    named = OF_DEBIAN.search(remedy.replace("--no-install-recommends ", ""))
    packages = tuple(named[1].split()) if named else ()
    return () if LANGUAGES.intersection(packages) else packages


def _program(name: str, lack: Lack) -> Callable[[], Lack | None]:
    return lambda: None if shutil.which(name) else lack


def _component(name: str, subcommand: str) -> Lack | None:
    """Of Rust's toolchain."""
    return Lack(name, f"rustup component add {name}") if _refusal("cargo", subcommand, "--version") else None


def _excused(what: str, why_not: Callable[[], str | None]) -> Callable[[], Lack | None]:
    """What this process may lack, by a function that says why (empty or None: it has it)."""
    return lambda: Lack(what, why, excused=True) if (why := why_not()) else None


def _why_not_root() -> str:
    return "" if os.geteuid() == 0 else "the tests do not run as root"


def _why_no_mounts() -> str:
    if os.geteuid() != 0:
        return _why_not_root()
    return _refusal("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt")


def _why_no_network_hosts() -> str:
    name = f"tried-{os.getpid()}"
    refusal = _refusal("ip", "netns", "add", name)
    return refusal or _refusal("ip", "netns", "delete", name)


def _why_no_packet_socket() -> str:
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0).close()
    except OSError as error:
        return str(error)
    return ""


def _why_no_idle_limit() -> str:
    limit = idle_limit()
    return limit.in_words if limit.wakes_within_microseconds is None else ""


def _why_no_second_processor() -> str:
    return "" if len(os.sched_getaffinity(0)) > 1 else "the tests may use a single one"


def _why_not_all_processes() -> str:
    return "" if Path("/proc/2/stat").exists() else "those in /proc are a container's"


def _refusal(*command: str) -> str:
    """What a command says against being carried out; empty if it is."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"`{command[0]}`: {error.strerror}"
    said = " ".join(done.stderr.split())
    return "" if done.returncode == 0 else f"`{' '.join(command)}`: {said or f'status {done.returncode}'}"


PROGRAMS: Mapping[str, Callable[[], Lack | None]] = {
    "chromium": lambda: None if chromium() else by_apt("chromium", "chromium"),
    "sshd": lambda: None if sshd() else by_apt("sshd", "openssh-server"),
    "ssh-keygen": _program("ssh-keygen", by_apt("ssh-keygen", "openssh-client")),
    "openssl": _program("openssl", by_apt("openssl", "openssl")),
    "git": _program("git", by_apt("git", "git")),
    "groff": _program("groff", by_apt("groff", "groff-base")),
    "ip": _program("ip", by_apt("ip", "iproute2")),
    "node": lambda: _of_command(("node", "--version"), "20", "install Node.js 20 or newer (nodejs.org)", ROOT),
    "setpriv": _program("setpriv", by_apt("setpriv", "util-linux")),
    "curl": _program("curl", by_apt("curl", "curl")),
    "rustfmt": lambda: _component("rustfmt", "fmt"),
    "clippy": lambda: _component("clippy", "clippy"),
}
"""What tests need beside services and contenders, by the name that `needs` takes."""

EXCUSED: Mapping[str, Callable[[], Lack | None]] = {
    "root": _excused("root", _why_not_root),
    "plain-user": _excused("a user who may make a network in a user namespace", why_no_plain_user),
    "mounts": _excused("mounts of its own", _why_no_mounts),
    "network-namespace": _excused("a network of its own", why_no_network_namespace),
    "network-hosts": _excused("hosts on a network", _why_no_network_hosts),
    "own-clock": _excused("a clock of its own", lambda: _refusal("unshare", "--time", "--monotonic=5000", "true")),
    "power-cut": _excused("a disk that loses its power", why_no_power_cut),
    "packet-socket": _excused("packets of loopback", _why_no_packet_socket),
    "idle-limit": _excused("processors kept awake", _why_no_idle_limit),
    "two-processors": _excused("a second processor", _why_no_second_processor),
    "all-processes": _excused("process ids of the machine", _why_not_all_processes),
    "checkout": _excused("a checkout of git", lambda: _refusal("git", "-C", str(ROOT), "ls-files")),
    "perf": _excused("perf", lambda: _refusal("perf", "record", "-o", "/dev/null", "--", "true")),
    "perf-of-system-calls": _excused(
        "perf that counts system calls", lambda: _refusal("perf", "stat", "-e", "raw_syscalls:sys_enter", "--", "true")
    ),
    "strace": _excused("strace", lambda: _refusal("strace", "-c", "-o", "/dev/null", "true")),
    "java": _program("jcmd", Lack("java", "apt install openjdk-17-jdk-headless", excused=True)),
    "py-spy": _program("py-spy", Lack("py-spy", "pipx install py-spy", excused=True)),
    "image": _excused("an image of Fairtrial", lambda: "" if IMAGE in os.environ else "`make image` makes one"),
}
"""Rights, hardware, and programs for a test or two: no machine has to have them."""

OTHERS = {**PROGRAMS, **EXCUSED}


def forget() -> None:
    """Look again from here on: something was installed."""
    lack_of.cache_clear()
    _of_command.cache_clear()
