"""Whether the programs of a service are installed, and what they say of themselves."""

import shutil
import subprocess
from collections.abc import Sequence

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Missing

SAID_WITHIN_SECONDS = 10.0


def missing_program(title: str, program: str, package: str) -> Missing | None:
    """Why a service whose program a Debian package of this name brings cannot be brought up, or None."""
    if shutil.which(program):
        return None
    return Missing(
        reason=f"{title} cannot be started: there is no `{program}` on PATH",
        packages=(package,),
        remedy=f"install it (Debian: apt install {package}); no system service of it needs to run",
    )


def assert_installed(missing: Missing | None) -> None:
    """Raise Problem if something is missing."""
    if missing is not None:
        raise Problem(missing.reason, missing.remedy)


def said_version(command: Sequence[str]) -> str | None:
    """The first line that this command answers, or None if it cannot be run."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SAID_WITHIN_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    return printable(lines[0], 200) if done.returncode == 0 and lines else None
