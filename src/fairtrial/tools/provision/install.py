"""Installing services by the system's package manager, when the user asks for it.

Debian's packages start a system service when they are installed. The lab starts its own servers, so that is prevented
by Debian's own means: a `policy-rc.d` that denies it. An existing one is left as it is; one that was made is removed.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Service
from fairtrial.tools.provision.inventory import Provided

SCRIPT = """
set -e
policy=/usr/sbin/policy-rc.d
made=
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\\nexit 101\\n' > "$policy"
    chmod 755 "$policy"
    made=1
fi
trap 'test -z "$made" || rm -f "$policy"' EXIT
apt-get update --quiet
DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$@"
"""


def missing_packages(services: Sequence[Provided]) -> list[str]:
    """The Debian packages that bring what is missing of these services, sorted."""
    missing = [service.missing() for service in services]
    return sorted({package for reason in missing if reason is not None for package in reason.packages})


def install(console: Console, services: Sequence[Provided]) -> None:
    """Install whatever is missing of these services.

    Raises:
        Problem: there is no apt, the user may not use it, or it failed; or a service is still missing afterwards.
    """
    packages = missing_packages(services)
    if packages:
        _apt_install(console, packages)
    for service in services:
        missing = service.missing()
        if missing is not None and isinstance(service, Service) and service.install is not None:
            console.print(Text(f"installing {service.title} into the cache"))
            service.install()
            missing = service.missing()
        if missing is not None:
            raise Problem(f"{service.title} is still missing: {missing.reason}", missing.remedy)
        console.print(Text.assemble((f"{service.name}  ", "bold"), service.version() or "is installed"))


def _apt_install(console: Console, packages: Sequence[str]) -> None:
    names = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise Problem(
            f"the packages {names} are Debian's, and there is no apt-get here",
            "install the servers as this system does; they only have to be on the PATH",
        )
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    if as_root and shutil.which("sudo") is None:
        raise Problem(f"installing {names} needs root", f"run as root: apt-get install {names}")
    console.print(Text(f"apt-get install {names}", style="bold"))
    done = subprocess.run([*as_root, "sh", "-c", SCRIPT, "sh", *packages], check=False)
    if done.returncode != 0:
        raise Problem(f"apt-get ended with status {done.returncode}", f"see its output above; packages: {names}")
