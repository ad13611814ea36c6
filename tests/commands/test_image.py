"""The image of the Dockerfile: that it is given what it copies, and a user's first commands in it.

`make image` names the image that it made.
"""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

from fairtrial.base.locations import PACKAGE
from fairtrial.catalog.stacks.container_program import OPTIONS, container_program
from tests.command_line import CALM
from tests.commands.test_installed import APP, listening
from tests.machine.lack import IMAGE
from tests.machine.needs import needs

ROOT = PACKAGE.parents[1]
HELLO = ROOT / "tests" / "fixtures" / "hello.py"
DOCKERFILE = (ROOT / "Dockerfile").read_text()
FILE = (
    """
name = "mounted"
title = "A folder of this machine"
workload = "plaintext"
stacks = ["app"]
blocks = 1
[contenders.app]
folder = "."
command = ["python3", "hello.py"]
[load]
connections = 2
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
duration_seconds = 0.5
"""
    + CALM
)


def in_the_image(*arguments: str, options: tuple[str, ...] = (), status: int = 0) -> str:
    """What `fairtrial ARGUMENTS` printed in it."""
    more = shlex.split(os.environ.get(OPTIONS, ""))
    command = [container_program().path, "run", "--rm", "--network", "host", *more, *options]
    done = subprocess.run(
        [*command, os.environ[IMAGE], *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_the_dockerfile_is_given_what_it_copies() -> None:
    """The wheel in the image is made of what the source distribution has, and of nothing that builds left behind."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert lines[0] == "*"
    given = {line[1:] for line in lines if line.startswith("!")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"]
    named = set(re.findall(r"scripts/\w+\.py|requirements\.lock", DOCKERFILE))
    assert given == {*project["only-include"], *named}
    assert all((ROOT / path).exists() for path in given)
    withheld = [line for line in lines[1:] if not line.startswith("!")]
    for path in ("engine/target", "engine/fuzz", "engine/tests", "src/fairtrial/__pycache__"):
        assert any(fnmatch.fnmatch(path, pattern) for pattern in withheld), path


def test_it_is_run_as_a_user() -> None:
    last_stage = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (.*)$", last_stage, re.MULTILINE) == ["fairtrial"]


@needs("image")
def test_it_loads_a_server_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    with listening(tmp_path) as url:
        assert "verified" in in_the_image("load", "-d", "200ms", "-c", "2", url)


@needs("image")
def test_it_is_fit_for_trials() -> None:
    assert "installed with Fairtrial" in in_the_image("doctor")
    printed = in_the_image("-c", "id -un; command -v cargo || true", options=("--entrypoint", "sh"))
    assert printed.split() == ["fairtrial"], "and without a compiler"


@needs("image")
def test_it_tries_a_service_in_a_folder_of_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    folder.mkdir()
    folder.chmod(0o777)
    shutil.copy(HELLO, folder)
    (folder / "fairtrial.toml").write_text(FILE)
    printed = in_the_image("run", options=("--volume", f"{folder}:/work"))
    assert "valid" in printed
    (report,) = folder.glob("results/mounted-*/report.html")
    assert report.stat().st_size > 100_000
