"""A stand-in for docker, for the tests of contenders in containers."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.catalog.stacks import container_program as programs

STAND_IN = Path(__file__).parents[2] / "fixtures" / "docker_stand_in.py"


def docker_in(folder: Path) -> Path:
    """A command that is the stand-in's client, and starts fast."""
    command = folder / "docker"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -SE {STAND_IN} "$@"\n')
    command.chmod(0o755)
    return command


@pytest.fixture(scope="module")
def docker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state of a stand-in whose daemon runs; the environment chooses it."""
    state = tmp_path_factory.mktemp("docker")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAND_IN", str(state))
        patch.setenv(programs.CHOICE, str(docker_in(state)))
        with subprocess.Popen([sys.executable, str(STAND_IN), "daemon"]) as daemon:
            try:
                while not (state / "socket").exists():
                    assert daemon.poll() is None
                yield state
                assert list((state / "containers").iterdir()) == [], "no container is left"
            finally:
                daemon.terminate()
