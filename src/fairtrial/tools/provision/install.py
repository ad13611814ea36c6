"""Bringing services to this machine by its package manager, when the user asks for it.

Debian's packages start a system service when they are installed. The lab starts its own servers, so that is prevented,
by the means Debian has for it: a `policy-rc.d` that says no. One that is there already is left as it is; one that was
made is removed.
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


def wanted_packages(wanted: Sequence[Provided]) -> list[str]:
    """The Debian packages that bring those of them that are missing."""
    found = [missing.packages for one in wanted if (missing := one.missing()) is not None]
    return sorted({package for packages in found for package in packages})


def install(console: Console, wanted: Sequence[Provided]) -> None:
    """Install whatever is missing of these.

    Raises:
        Problem: there is no apt, nobody may use it, or it failed; or a service cannot be brought.
    """
    packages = wanted_packages(wanted)
    if packages:
        _apt(console, packages)
    for one in wanted:
        missing = one.missing()
        if missing is not None and isinstance(one, Service) and one.install is not None:
            console.print(Text(f"installing {one.title} into the cache"))
            one.install()
            missing = one.missing()
        if missing is not None:
            raise Problem(f"{one.title} is still missing: {missing.reason}", missing.remedy)
        console.print(Text.assemble((f"{one.name}  ", "bold"), one.version() or "is here"))


def _apt(console: Console, packages: Sequence[str]) -> None:
    named = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise Problem(
            f"the packages {named} are Debian's, and there is no apt-get here",
            "install the servers as this system does; they only have to be on the PATH",
        )
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    if as_root and shutil.which("sudo") is None:
        raise Problem(f"installing {named} needs root", f"run as root: apt-get install {named}")
    console.print(Text(f"apt-get install {named}", style="bold"))
    done = subprocess.run([*as_root, "sh", "-c", SCRIPT, "sh", *packages], check=False)
    if done.returncode != 0:
        raise Problem(f"apt-get ended with status {done.returncode}", f"see what it said above; packages: {named}")
