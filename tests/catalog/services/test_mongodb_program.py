"""Which server `mongodb` is, how it is installed, and what is reported if that fails."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairtrial.base.loopback import LOOPBACK, free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common.server_program import Location
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.services.mongodb.program import installed_program
from tests.catalog.services.stores import documents
from tests.machine.lack import Lack
from tests.machine.needs import needs, skip_for

MONGOD = """#!/bin/sh
# Takes the options of mongod, and starts SecantusDB.
[ "$1" = --version ] && {{ echo 'db version v7.0.14'; exit; }}
while [ $# -gt 0 ]; do
    case $1 in
        --dbpath) path=$2 ;;
        --bind_ip) host=$2 ;;
        --port) port=$2 ;;
        --wiredTigerCacheSizeGB) cache=$2 ;;
        --auth) auth=--auth; shift; continue ;;
        --nounixsocket | --quiet) shift; continue ;;
        *) echo "unknown: $1" >&2; exit 2 ;;
    esac
    shift 2
done
exec {secantus} --storage-path "$path" --host "$host" --port "$port" --cache-size "${{cache}}G" --standalone \\
    --log-file-max 128MB $auth
"""


@pytest.fixture
def tmp_path_for_all() -> Iterator[Path]:
    """A folder that the servers' user reaches."""
    with tempfile.TemporaryDirectory(prefix="fairtrial-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@needs("mongodb")
def test_mongod_is_taken_first_and_what_answers_is_called_by_its_own_name(
    temporary: Path, tmp_path_for_all: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = installed_program()
    assert program is not None
    if program.is_mongod:
        skip_for(Lack("a machine without mongod", "it is tried that one is taken first", excused=True))
    place = tmp_path_for_all / "bin"
    place.mkdir()
    command = program.command(Location(tmp_path_for_all / "data", 1))  # puts a copy where the servers' user reaches it
    fake = place / "mongod"
    fake.write_text(MONGOD.format(secantus=command[0]))
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    chosen = installed_program()
    assert chosen is not None and chosen.is_mongod
    assert pick_service("mongodb").version() == "MongoDB 7.0.14"
    with pick_service("mongodb").start(ServiceStart(documents())) as up:
        assert up.identity.product.startswith("SecantusDB ")
        assert "every 100 ms" in up.identity.settings["journal"]


def test_an_index_that_cannot_be_reached(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PIP_INDEX_URL", f"http://{LOOPBACK}:{free_port()}/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    install: Callable[[], None] | None = pick_service("mongodb").install
    assert install is not None
    with pytest.raises(Problem, match="could not be installed") as caught:
        install()
    assert "index" in caught.value.remedy
    assert installed_program() is None
