"""The package as others install it, outside the checkout, in an environment of its own, with engine, stacks and
experiments inside; and that its source distribution gives the same."""

import json
import os
import socket
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fairtrial.base.locations import PACKAGE
from fairtrial.engine.binary import engine_binary, guard_binary
from tests.command_line import CALM
from tests.machine.needs import needs
from tests.waiting import wait_for

ROOT = PACKAGE.parents[1]
UV = Path(sys.executable).with_name("uv")
QUICK = (
    """
name = "tour"
title = "One stack, by itself"
workload = "random-item"
service = "sqlite"
stacks = ["python-threads"]
blocks = 1
[dataset]
rows = 20_000
[load]
connections = 2
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
duration_seconds = 0.5
[checks.unanswered]
window_share = 1.0
"""
    + CALM
)
APP = """
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_): ...
http.server.ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
"""


def uv(*arguments: str | Path, **environment: str) -> None:
    # Both read what was downloaded for this checkout, and whatever mirror its user has set.
    subprocess.run([UV, *arguments, "--quiet"], check=True, env={**os.environ, **environment}, cwd="/")


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A wheel of this checkout, and a source distribution of it."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--sdist", "--wheel", "--out-dir", folder, ROOT)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@pytest.fixture(scope="module")
def installed(distributions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`fairtrial`, installed from the wheel into an empty environment. Its folder's name has a space in it."""
    environment = tmp_path_factory.mktemp("an environment") / "of its own"
    uv("venv", "--python", sys.executable, environment)
    python = environment / "bin" / "python"
    uv("pip", "install", "--python", python, "--require-hashes", "--requirement", ROOT / "requirements.lock")
    uv("pip", "install", "--python", python, "--no-deps", distributions["wheel"])
    return environment / "bin" / "fairtrial"


def call(program: Path, folder: Path, *arguments: str | Path, status: int = 0) -> str:
    """What a command printed in `folder`, from where nothing of the checkout is seen."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def engine_of(program: Path) -> Path:
    """The folder of the engine's source within an installed copy."""
    return next(program.parents[1].glob("lib/python*/site-packages/fairtrial/bundled/engine"))


def test_cargo_finds_all_that_the_engine_declares(installed: Path) -> None:
    """Cargo reads no manifest that names a file which is not there: a benchmark, a test, a package beside."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--no-deps"]
    metadata = json.loads(subprocess.check_output(command, cwd=engine_of(installed), stderr=subprocess.DEVNULL))
    targets = [target for package in metadata["packages"] for target in package["targets"]]
    assert {"fairtrial-engine", "fairtrial-guard"} <= {target["name"] for target in targets}
    assert all(Path(target["src_path"]).is_file() for target in targets)


def test_it_is_built_from_the_same_source(installed: Path) -> None:
    """So the engine of this checkout, which other tests have built, is what the installed copy takes from the cache."""
    script = "from fairtrial.engine.binary import *; print(engine_that_is_there(), guard_binary())"
    printed = subprocess.check_output([installed.with_name("python"), "-P", "-c", script], cwd="/", text=True)
    assert printed.split() == [str(engine_binary()), str(guard_binary())]


def test_the_whole_tour(installed: Path, tmp_path: Path) -> None:
    """Every kind of work that a copy does, from a folder of somebody else's."""
    (tmp_path / "tour.toml").write_text(QUICK)
    (tmp_path / "curl.sh").write_text("curl http://127.0.0.1:8000/items/7\n")
    service = tmp_path / "service"
    service.mkdir()
    (service / "app.py").write_text(APP)

    assert "python-threads" in call(installed, tmp_path, "list", "stacks")
    assert "quickstart" in call(installed, tmp_path, "list", "experiments")
    assert "sqlite" in call(installed, tmp_path, "services")
    call(installed, tmp_path, "import", "curl.sh", "-o", "items.workload.toml")
    assert "/items/7" in (tmp_path / "items.workload.toml").read_text()
    assert "clauses hold" in call(installed, tmp_path, "check", "python-threads")
    ran = call(installed, tmp_path, "run", "--quick", "tour.toml", "--out", "results")
    (report,) = tmp_path.glob("results/tour-*/report.html")
    assert str(report.relative_to(tmp_path)) in ran and report.stat().st_size > 100_000
    call(
        installed,
        service,
        "init",
        "--yes",
        "--command",
        f"{sys.executable} app.py",
        "--port",
        "PORT",
        "--requests",
        "/",
    )
    assert (service / "fairtrial.toml").is_file()
    with listening(service) as url:
        assert "verified" in call(installed, tmp_path, "load", "-d", "200ms", "-c", "2", url)


@contextmanager
def listening(folder: Path) -> Iterator[str]:
    """The URL of the service in `folder`, which serves as long as the context lasts."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command, environment = [sys.executable, "app.py"], {**os.environ, "HOST": "127.0.0.1", "PORT": str(port)}
    with subprocess.Popen(command, cwd=folder, env=environment) as server:
        try:
            wait_for(lambda: accepts(port), "the service to listen")
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()


def accepts(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def test_a_wheel_of_the_source_distribution_is_the_same(distributions: dict[str, Path], tmp_path: Path) -> None:
    """Whoever installs the source distribution, of which a wheel is built first, gets what the checkout gives: each
    file, its content and its mode."""
    uv("build", "--wheel", "--out-dir", tmp_path, distributions["sdist"])
    assert files_in(next(tmp_path.glob("*.whl"))) == files_in(distributions["wheel"])


def files_in(wheel: Path) -> dict[str, tuple[int, int]]:
    """By name, checksum and mode of each file."""
    with zipfile.ZipFile(wheel) as opened:
        return {each.filename: (each.CRC, each.external_attr) for each in opened.infolist()}


@needs("checkout")
def test_they_carry_nothing_that_builds_left_behind(distributions: dict[str, Path]) -> None:
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        bundled = {name.partition("/bundled/")[2] for name in wheel.namelist() if "/bundled/" in name}
    with tarfile.open(distributions["sdist"]) as sdist:
        packed = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    assert bundled and bundled <= tracked
    assert packed - tracked == {"PKG-INFO"}
    assert not any(name.startswith(("tests/", ".ci/", "engine/fuzz/")) for name in packed)


def test_the_pages_that_messages_name_are_there(installed: Path, tmp_path: Path) -> None:
    help_text = call(installed, tmp_path, "--help")
    folder = Path("".join(line.strip() for line in help_text.splitlines()).rpartition("docs/: ")[2])
    assert (folder / "load.md").is_file(), help_text
