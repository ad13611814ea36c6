"""`python -m tests.machine.install [packages]`: installs what tests need of the system, where this user may do that.

Nothing is looked up where nothing is lacking. Where the user may not, one line says what to type. The exit status is 1
only where all of it is required (`FAIRTRIAL_REQUIRE_INSTALLED=1`) and something is still lacking at the end.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import services
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.tools.provision.install import apt_install
from fairtrial.tools.provision.inventory import provided
from tests.machine import lack
from tests.machine.lack import Lack
from tests.machine.needs import required

LOG = Path(__file__).parents[2] / ".venv" / "system-packages.log"
PACKAGES = "packages"
"""The argument with which nothing but packages of the system is installed."""

RUST_COMPONENTS = ("rustfmt", "clippy")


def main(arguments: Sequence[str]) -> int:
    """Install; the exit status."""
    present = installed_packages()
    lacks = [*_of_machine(), *_of_contenders(present)]
    if packages := sorted({package for each in lacks for package in each.packages} - present):
        _install_packages(packages)
    if list(arguments) == [PACKAGES]:
        return 0
    if components := [name for name in RUST_COMPONENTS if name in {each.what for each in lacks}]:
        _add_components(components)
    _install_services()
    return assert_all() if required() else 0


def assert_all() -> int:
    """The exit status: 1 if anything is lacking that is not excused, which is printed."""
    lack.forget()
    lacks = dict.fromkeys([*_of_machine(), *_of_contenders(None)])
    for each in lacks:
        _say(f"error: {each} is lacking, and FAIRTRIAL_REQUIRE_INSTALLED=1 asks for all that tests need")
    return 1 if lacks else 0


def _of_machine() -> list[Lack]:
    return [each for name in (*lack.PROGRAMS, *provided()) if (each := lack.lack_of(name)) is not None]


def _of_contenders(present: Collection[str] | None) -> list[Lack]:
    """Of shipped stacks, and of their variants that are built apart: no other requires more than its stack."""
    names = [
        name if variant is None else f"{name}:{variant}"
        for name, stack in find_stacks().items()
        for variant in (None, *(each for each in stack.variants if stack.built_apart(each) is not None))
    ]
    with ThreadPoolExecutor() as pool:
        lacks = pool.map(lambda name: list(lack.lacks_of_contender(name, present=present)), names)
        return [each for of_contender in lacks for each in of_contender]


def installed_packages() -> frozenset[str]:
    """Debian's. Where one is installed and its program is lacking, something else comes first on PATH."""
    command = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package}\n"]
    with suppress(OSError):
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        return frozenset(line.removeprefix("installed ") for line in lines if line.startswith("installed "))
    return frozenset()


def as_root() -> list[str] | None:
    """What is put before a command that root has to run, without asking for a password; None: this user may not."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    may = subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return ["sudo", "-n"] if may.returncode == 0 else None


def _install_packages(packages: Sequence[str]) -> None:
    names = " ".join(packages)
    if shutil.which("apt-get") is None:
        _say(f"tests need what Debian's packages {names} bring. Without it they are skipped. There is no apt-get here.")
        return
    prefix = as_root()
    if prefix is None:
        root_types = f"su -c '.venv/bin/python -B -m tests.machine.install {PACKAGES}'"
        _say(
            f"{len(packages)} packages that tests need may only be installed by root; without them tests are skipped. "
            f"Type: {'sudo -v' if shutil.which('sudo') else root_types} && make test"
        )
        return
    _say(f"installing what tests need, without starting any of it (once, some minutes): {names}")
    try:
        with LOG.open("wb") as output:
            apt_install(packages, prefix, output)
    except Problem as problem:
        _say(f"{problem.reason}: {LOG} has its output. Tests that need these packages are skipped.")
        return
    if absent := sorted(set(packages) - installed_packages()):
        _say(f"apt-get did not find {' '.join(absent)}: {LOG} has its output. Tests that need them are skipped.")
    else:
        LOG.unlink()


def _add_components(names: Sequence[str]) -> None:
    """Of the user's own Rust."""
    if shutil.which("rustup") is None:
        return
    _say(f"rustup component add {' '.join(names)}")
    done = subprocess.run(["rustup", "component", "add", *names], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        _say(f"rustup failed: {' '.join(done.stderr.split())}")


def _install_services() -> None:
    """What no package brings goes into the lab's cache."""
    for service in services().values():
        if service.install is not None and service.missing() is not None:
            try:
                service.install()
            except Problem as problem:
                _say(f"{problem.reason}. Tests that need it are skipped.")


def _say(line: str) -> None:
    print(f"fairtrial: {' '.join(line.split())}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
