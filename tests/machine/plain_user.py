"""A user without rights, as whom tests that run as root start commands."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

USER = 61_234
"""Nobody's, on a usual machine."""

AS_USER = """
set -e
closed=$1 python=$2; shift 2
if [ -n "$closed" ]; then  # what holds the interpreter is closed to others: they get the interpreter alone
    aside=$(mktemp -d) && mount --bind "$python" "$aside"
    mount -t tmpfs -o mode=755 tmpfs "$closed"
    mkdir -p "$python" && mount --bind "$aside" "$python" && umount "$aside" && rmdir "$aside"
fi
exec setpriv --reuid {user} --regid {user} --clear-groups --inh-caps=-all --bounding-set=-all "$@"
"""


def as_plain_user(*command: str) -> list[str]:
    """The command, carried out by a user without rights. It takes root."""
    python = Path(sys.base_prefix).resolve()
    closed = next((str(each) for each in reversed(python.parents) if not each.stat().st_mode & 0o001), "")
    script = AS_USER.replace("{user}", str(USER))
    return ["unshare", "--mount", "sh", "-c", script, "sh", closed, str(python), *command]


def why_no_plain_user() -> str:
    """Why such a command cannot be tried here, or cannot make a network in a user namespace; empty if it can."""
    if os.geteuid() != 0:
        return "the tests do not run as root"
    attempt = run_as_plain_user([sys.executable, "-m", "fairtrial.base.user_namespace"], Path("/"), {})
    return (attempt.stdout + attempt.stderr).strip()


def run_as_plain_user(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command as such a user, in a folder, to its end."""
    return subprocess.run(
        as_plain_user(*command),
        cwd=folder,
        env={"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
