"""Installing services by the system's package manager, when the user asks for it.

Debian's packages start a system service when they are installed. The lab starts its own servers, so that is prevented
by Debian's own means: a `policy-rc.d` that denies it. An existing one is left as it is; one that was made is removed,
also if the installation is killed. Should that fail, it says whose it is, and the next installation removes it.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import IO

from rich.console import Console
from rich.text import Text

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Service
from fairtrial.tools.provision.inventory import Provided

POLICY = "/usr/sbin/policy-rc.d"
LOCK = "/run/fairtrial-services-install.lock"
"""So that two installations do not take the policy away from each other."""

SCRIPT = r"""
policy=$1 lock=$2
shift 2
ours='# Made by `fairtrial services install`, which removes it when it ends, or else when it is called again.'
is_ours() { [ -f "$policy" ] && grep -qxF "$ours" "$policy"; }
exec 8>>"$lock"
flock 8
if is_ours; then rm -f "$policy"; fi
: >"$lock"
exec 3>&1 4>&2
{
    looks=0
    until [ -s "$lock" ]; do
        looks=$((looks + 1))
        [ "$looks" -lt 600 ] || exit
        sleep 0.05
    done
    if [ ! -e "$policy" ]; then
        { printf '#!/bin/sh\n%s\nexit 101\n' "$ours" > "$policy" && chmod 755 "$policy"; } || exit
    fi
    (apt-get update --quiet >&3 5>&1 8>&-) &&
        known=$(apt-cache show --no-all-versions "$@" 2>/dev/null 8>&- | sed -n 's/^Package: //p' 8>&-) &&
        (DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends $known >&3 5>&1 8>&-)
    echo "$?"
} | setsid sh -c '
    trap "" HUP INT TERM
    echo "$$" >"$3"
    IFS= read -r status
    if [ -f "$1" ] && grep -qxF "$2" "$1"; then rm -f "$1"; fi
    exit "${status:-137}"
' sh "$policy" "$ours" "$lock"
"""
"""The arguments: the path of the policy, that of the lock, packages.

The second half of the pipe waits for the status that the first half ends with, or until nobody is left who could write
one: the pipe is handed to apt-get, too. It is in a session of its own, so that Ctrl-C, a closed terminal, or a SIGKILL
to the first half or to the whole process group do not reach it; and then it takes the policy away. The first half makes
no policy before the second is out of reach, which the second says in the lock file.

A package that this system's sources do not have would keep all others from being installed. It is left out.

apt-get is in parentheses for Ctrl-C in the instant in which it starts. What dash 0.5.12 starts otherwise (vfork) still
has the shell's handler until it is loaded, which only notes the signal: apt-get would go on, and the shell wait for it.
"""


def missing_packages(services: Sequence[Provided]) -> list[str]:
    """The Debian packages that bring what is missing of these services, sorted."""
    missing = [service.missing() for service in services]
    return sorted({package for reason in missing if reason is not None for package in reason.packages})


def install_services(console: Console, services: Sequence[Provided]) -> None:
    """Install whatever is missing of these services.

    Raises:
        Problem: there is no apt, the user may not use it, or it failed; or a service is still missing afterwards.
    """
    packages = missing_packages(services)
    if packages:
        as_root = _as_root(packages)
        console.print(Text(f"apt-get install {' '.join(packages)}", style="bold"))
        apt_install(packages, as_root)
    for service in services:
        if isinstance(service, Service) and service.install is not None:
            service.install()
        missing = service.missing()
        if missing is not None:
            raise Problem(f"{service.title} is still missing: {missing.reason}", missing.remedy)
        console.print(Text.assemble((f"{service.name}  ", "bold"), service.version() or "is installed"))


def apt_install(packages: Sequence[str], as_root: Sequence[str], output: IO[bytes] | None = None) -> None:
    """Install Debian packages, as far as this system's sources have them; no system service of theirs is started.

    Args:
        as_root: what is put before a command that root has to run; empty for root.
        output: of apt-get; None: the terminal's.

    Raises:
        Problem: apt-get failed.
    """
    command = [*as_root, "sh", "-c", SCRIPT, "sh", POLICY, LOCK, *packages]
    status = subprocess.run(command, stdout=output, stderr=output, check=False).returncode
    if status != 0:
        raise Problem(f"apt-get ended with status {status}", f"see its output; packages: {' '.join(packages)}")


def _as_root(packages: Sequence[str]) -> list[str]:
    """The words before a command that installs these; empty for root."""
    names = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise Problem(
            f"the packages {names} are Debian's, and there is no apt-get here",
            "install the servers as this system does; they only have to be on the PATH",
        )
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        raise Problem(f"installing {names} needs root", f"run as root: apt-get install {names}")
    return ["sudo"]
