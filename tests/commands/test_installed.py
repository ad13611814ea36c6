"""The package as others install it, outside the checkout, in an environment of its own, with engine, stacks and
experiments inside; and that its source distribution gives the same.

With `FAIRTRIAL_WHEEL`, that wheel is installed: `make wheels` does so with those for this machine.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fairtrial.base.locations import PACKAGE
from fairtrial.engine.binary import engine_binary, guard_binary
from tests.command_line import CALM
from tests.lines import passage
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
def ready_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel for this machine, with the engine inside that other tests have built."""
    if named := os.environ.get("FAIRTRIAL_WHEEL"):
        return Path(named).resolve()
    folder, programs = tmp_path_factory.mktemp("ready"), tmp_path_factory.mktemp("programs")
    for binary in (engine_binary(), guard_binary()):
        shutil.copy2(binary, programs)
    subprocess.run(
        [sys.executable, ROOT / "scripts/engine_contents.py", f"{os.uname().machine}-unknown-linux-gnu", programs],
        check=True,
    )
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    place = {"FAIRTRIAL_PROGRAMS": str(programs), "FAIRTRIAL_PLATFORM": platform}
    uv("build", "--wheel", "--out-dir", folder, ROOT, **place)
    return next(folder.glob(f"*-py3-none-{platform}.whl"))


@pytest.fixture(scope="module")
def installed(ready_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`fairtrial`, installed from that wheel into an empty environment. Its folder's name has a space in it."""
    environment = tmp_path_factory.mktemp("an environment") / "of its own"
    uv("venv", "--python", sys.executable, environment)
    python = environment / "bin" / "python"
    uv("pip", "install", "--python", python, "--require-hashes", "--requirement", ROOT / "requirements.lock")
    uv("pip", "install", "--python", python, "--no-deps", ready_wheel)
    return environment / "bin" / "fairtrial"


@pytest.fixture(scope="module")
def unpacked(distributions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what a wheel installs that has no engine inside."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        wheel.extractall(folder)
    return folder


def without_cargo() -> dict[str, str]:
    """The environment of somebody who has no Rust, and nothing of the checkout's."""
    hidden = ("PYTHON", "VIRTUAL_ENV", "FAIRTRIAL_ENGINE", "FAIRTRIAL_GUARD")
    folders = [each for each in os.get_exec_path() if not (Path(each) / "cargo").exists()]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return {**kept, "PATH": os.pathsep.join(folders), "COLUMNS": "200"}


def call(program: Path, folder: Path, *arguments: str | Path, status: int = 0) -> str:
    """What a command printed in `folder`, from where nothing of the checkout is seen."""
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={**without_cargo(), "FAIRTRIAL_LOCKS": str(folder)},  # it waits for no lab but its own
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_cargo_finds_all_that_the_engine_declares(unpacked: Path) -> None:
    """Cargo reads no manifest that names a file which is not there: a benchmark, a test, a package beside."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--no-deps"]
    engine = unpacked / "fairtrial/bundled/engine"
    metadata = json.loads(subprocess.check_output(command, cwd=engine, stderr=subprocess.DEVNULL))
    targets = [target for package in metadata["packages"] for target in package["targets"]]
    assert {"fairtrial-engine", "fairtrial-guard"} <= {target["name"] for target in targets}
    assert all(Path(target["src_path"]).is_file() for target in targets)


def programs_of(installed: Path, **environment: str) -> list[Path]:
    """The engine and the guard that Fairtrial takes there, if none has to be built."""
    script = "from fairtrial.engine.binary import *; print(engine_that_is_there(), guard_binary(), sep='\\n')"
    command = [installed.with_name("python"), "-P", "-c", script]
    printed = subprocess.check_output(command, cwd="/", env=without_cargo() | environment, text=True)
    return [Path(line) for line in printed.splitlines()]


def test_it_is_built_from_the_same_source(installed: Path, unpacked: Path) -> None:
    """So the programs of this checkout, once they are built, are what a copy without any takes from the cache."""
    built = [engine_binary(), guard_binary()]  # in the user's cache, whatever cache other tests have
    cache = str(built[0].parents[2])
    assert programs_of(installed, PYTHONPATH=str(unpacked), FAIRTRIAL_CACHE=cache) == built


def test_a_wheel_for_a_platform_has_its_engine_inside(installed: Path, ready_wheel: Path) -> None:
    engine, guard = programs_of(installed)
    assert engine.parent == guard.parent and engine.is_relative_to(installed.parents[1])
    assert engine.read_bytes()[:4] == b"\x7fELF"
    with zipfile.ZipFile(ready_wheel) as wheel:
        bills = {Path(name).name: json.loads(wheel.read(name)) for name in wheel.namelist() if "/sboms/" in name}
    assert set(bills) == {"charts.cdx.json", "engine.cdx.json"}
    inside = {each["name"] for bill in bills.values() for each in bill["components"]}
    assert {"vega", "d3-scale", "rustls", "io-uring", "fairtrial-guard"} <= inside
    assert not {"esbuild", "serde_derive", "rcgen"} & inside, "these only build or test"
    licences = (engine.parent / "LICENSES.txt").read_text()
    assert all(f"{each['name']} {each['version']} (" in licences for each in bills["engine.cdx.json"]["components"])


def test_the_whole_tour(installed: Path, tmp_path: Path) -> None:
    """Every kind of work that a copy does, from a folder of somebody else's, who has no Rust."""
    (tmp_path / "tour.toml").write_text(QUICK)
    (tmp_path / "curl.sh").write_text("curl http://127.0.0.1:8000/items/7\n")
    service = tmp_path / "service"
    service.mkdir()
    (service / "app.py").write_text(APP)

    assert "python-threads" in call(installed, tmp_path, "list", "stacks")
    assert "quickstart" in call(installed, tmp_path, "list", "experiments")
    assert "sqlite" in call(installed, tmp_path, "services")
    assert "installed with Fairtrial" in call(installed, tmp_path, "doctor")
    call(installed, tmp_path, "import", "curl.sh", "-o", "items.workload.toml")
    assert "/items/7" in (tmp_path / "items.workload.toml").read_text()
    assert "clauses hold" in call(installed, tmp_path, "check", "python-threads")
    ran = call(installed, tmp_path, "run", "--quick", "tour.toml", "--out", "results")
    (report,) = tmp_path.glob("results/tour-*/report.html")
    assert str(report.relative_to(tmp_path)) in ran and report.stat().st_size > 100_000
    call(installed, tmp_path, "judge", report.parent)
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


def test_drivers_of_databases_come_when_they_are_needed(installed: Path, tmp_path: Path, snapshot: object) -> None:
    """Into the cache, from the index; they work from there."""
    script = """
from importlib import import_module
from fairtrial.catalog.services.common.drivers import fetch_drivers
fetch_drivers()
for service in "mariadb", "memcached", "mongodb", "postgresql", "redis":
    print(import_module(f"fairtrial.catalog.services.{service}.server").TITLE)
"""
    done = subprocess.run(
        [installed.with_name("python"), "-P", "-c", script],
        env=without_cargo() | {"FAIRTRIAL_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "PostgreSQL" in done.stdout, done.stderr
    assert passage(done.stderr, "fairtrial: fetching", "databases") == snapshot


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
