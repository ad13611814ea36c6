"""What builds the engine, and that it is being built, is said by every command that needs it, before anything else."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairtrial.base.exit_status import ALL_WELL, NOTHING_RAN
from fairtrial.engine.binary import engine_binary, guard_binary
from tests.command_line import Lab
from tests.tools.load.conftest import Target, serve  # noqa: F401 - a fixture
from tests.waiting import wait_for

Serve = Callable[..., Target]
PROGRAMS = (
    *("sh", "env", "git", "ip", "setpriv", "unshare", "mount", "chown", "touch"),
    *("cc", "as", "ld", "mkdir", "cp", "sleep"),
)
CARGO = """#!/bin/sh
# Stands for cargo: "compiles" the binaries that this test already has, as soon as it may.
case "$1" in --version) echo "cargo 1.99.0"; exit ;; esac
while [ $# -gt 0 ]; do
    case "$1" in --profile) profile=$2 ;; --bin) name=$2 ;; --target-dir) target=$2 ;; esac
    shift
done
[ "$name" = fairtrial-guard ] || until [ -e {go} ]; do sleep 0.05; done
mkdir -p "$target/$profile" && cp {binaries}/$name "$target/$profile/"
"""


@pytest.fixture
def bare(lab: Lab) -> Lab:
    """A user who has neither an engine nor what builds one."""
    programs = lab.folder / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        places = (Path(folder) / name for folder in os.get_exec_path())
        (programs / name).symlink_to(next(place for place in places if place.exists()))
    (programs / "python3").symlink_to(sys.executable)
    for name in ("FAIRTRIAL_ENGINE", "FAIRTRIAL_GUARD"):
        lab.environment.pop(name, None)
    lab.environment |= {"PATH": str(programs), "FAIRTRIAL_CACHE": str(lab.folder / "no-cache")}
    return lab


@pytest.fixture
def slow_cargo(bare: Lab) -> Path:
    """A toolchain that ends a build of the engine when the file is there that is returned."""
    go, binaries, programs = bare.folder / "go", bare.folder / "binaries", bare.folder / "programs"
    binaries.mkdir()
    for binary in (engine_binary(), guard_binary()):
        (binaries / binary.name).symlink_to(binary)
    texts = {"cargo": CARGO.format(go=go, binaries=binaries), "rustc": "#!/bin/sh\necho rustc 1.99.0"}
    for name, text in texts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return go


def commands(lab: Lab, url: str) -> dict[str, list[str]]:
    """By what they are called, commands that need the engine; `ab-test` is carried out by what carries out `run`."""
    stack = lab.stack("mine", build=[["touch", "built"]])
    experiment = str(lab.experiment(stack))
    service = lab.folder / "service"
    service.mkdir()
    (service / "app.py").write_text("")
    named = [str(each) for each in lab.named(stack)]
    return {
        "run": ["run", experiment, *named],
        "check": ["check", stack, "--stacks", str(lab.stacks)],
        "check a file": ["check", experiment, *named],
        "init": ["init", str(service), "--yes", "--command", "python3 app.py", "--port", "PORT", "--requests", "/"],
        "load": ["load", "-n", "20", "-c", "2", url],
        "ab": ["ab", "-n", "10", url],
        "wrk": ["wrk", "-d", "1s", "-c", "2", "-t", "1", url],
    }


def test_what_is_missing_is_said_before_anything_is_built(bare: Lab, serve: Serve) -> None:  # noqa: F811
    for name, arguments in commands(bare, serve().url).items():
        done = subprocess.run(
            bare.command(*arguments),
            cwd=bare.folder,
            env=bare.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == NOTHING_RAN, (name, done.stdout, done.stderr)
        assert done.stderr.startswith("error: ") and "there is no `cargo`" in done.stderr, name
        assert "remedy: install Rust" in done.stderr, name
        assert not list((bare.folder / "no-cache").glob("stacks/*")), name
    assert not (bare.folder / "service/fairtrial.toml").exists()


@contextmanager
def started(lab: Lab, arguments: list[str], output: int | None = None) -> Iterator["subprocess.Popen[bytes]"]:
    """A command whose standard error goes to a pipe, or all of its output to a descriptor."""
    process = subprocess.Popen(
        lab.command(*arguments),
        cwd=lab.folder,
        env=lab.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if output is None else output,
        stderr=subprocess.PIPE if output is None else output,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def read_until(descriptor: int, text: bytes) -> bytes:
    """What is read from a descriptor until a text has come."""
    content = b""
    while text not in content:
        block = os.read(descriptor, 1 << 12)
        assert block, content
        content += block
    return content


@pytest.mark.parametrize("name", ["run", "check", "load", "ab"])
def test_a_build_is_said_in_a_pipe(bare: Lab, slow_cargo: Path, serve: Serve, name: str) -> None:  # noqa: F811
    with started(bare, commands(bare, serve().url)[name]) as process:
        assert process.stderr
        read_until(process.stderr.fileno(), b"building the load engine from source (once; some minutes)")
        slow_cargo.touch()
        rest = process.stderr.read()
    assert b"the load engine is built, after" in rest and b"error:" not in rest


def test_a_build_is_said_on_a_terminal(bare: Lab, slow_cargo: Path, serve: Serve) -> None:  # noqa: F811
    """Not that it is connecting, for seconds that it does not take."""
    ours, theirs = os.openpty()
    with started(bare, commands(bare, serve().url)["load"], theirs) as process:
        os.close(theirs)
        assert b"connecting" not in read_until(ours, b"building the load engine from source")
        slow_cargo.touch()
        read_until(ours, b"verified")
        assert process.wait(60) == ALL_WELL
    os.close(ours)


def test_who_waits_for_another_that_builds_says_so(bare: Lab, slow_cargo: Path, serve: Serve) -> None:  # noqa: F811
    arguments = commands(bare, serve().url)["load"]
    with started(bare, arguments) as first:
        wait_for(lambda: list((bare.folder / "no-cache").glob("engine/fairtrial-engine-*.log")), "the build to begin")
        with started(bare, arguments) as second:
            assert second.stderr
            read_until(second.stderr.fileno(), b"another process is building the load engine; this one waits for it")
            slow_cargo.touch()
            assert (first.wait(60), second.wait(60)) == (ALL_WELL, ALL_WELL)
