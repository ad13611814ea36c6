"""A stack as a user of its own: what it may do, what it finds, and when it is the user of the lab instead."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.stacks.shared_with_stacks import share_with_stacks, stacks_group
from fairtrial.catalog.stacks.unprivileged_user import LABS, VARIABLE, RunsAs, runs_as, why_labs_user
from fairtrial.engine.guard import NO_PLACES, Guarded
from fairtrial.engine.held_to_cpus import is_held_to_cpus
from tests.catalog.stacks.stack_in import stack_in
from tests.machine.lack import Lack
from tests.machine.needs import needs, skip_for

PATIENCE_SECONDS = 30.0

needs_root = needs("root")


@pytest.fixture(autouse=True)
def _as_shipped(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache below a folder that only root may enter, with the stack's build and that of a rival."""
    cache = tmp_path / "cache"
    for name in ("mine", "rivals"):
        (cache / "stacks" / name).mkdir(parents=True)
        (cache / "stacks" / name / "program").write_text(name)
    # However others built it: it is the stack's own folder, and still not to be written.
    (cache / "stacks/mine/program").chmod(0o666)
    assert not tmp_path.parent.stat().st_mode & 0o001
    return cache


@pytest.fixture
def running() -> Iterator[ExitStack]:
    with ExitStack() as running:
        yield running


def own(cache: Path, running: ExitStack, most_processes: int = 200) -> RunsAs:
    folder = cache / "stacks/mine"
    user = runs_as(
        stack_in(cache.parent / "sources", "mine", run=["sh"]), folder, hidden=[cache], most_processes=most_processes
    )
    return running.enter_context(user)


def said(user: RunsAs, folder: Path, script: str, cpus: Sequence[int] = ()) -> list[str]:
    """What a script prints as this user, to its end."""
    log = folder.parent / "log"
    environment = user.environment({"PATH": os.environ["PATH"], "XDG_CACHE_HOME": "/root"}, ())
    with (
        log.open("ab") as output,
        Guarded(
            ["sh", "-c", script],
            folder=folder,
            environment=environment,
            output=output,
            cpus=cpus,
            places=user.seeing(NO_PLACES),
            user=user.command,
        ) as guarded,
    ):
        assert guarded.ends_within(PATIENCE_SECONDS)
    return [line for line in log.read_text().splitlines() if line]


@needs_root
def test_it_reads_its_build_and_neither_writes_there_nor_finds_others(cache: Path, running: ExitStack) -> None:
    user, folder = own(cache, running), cache / "stacks/mine"
    assert user.recorded.own and user.recorded.reason == ""
    sockets = running.enter_context(run_folder("postgresql")) / "data"
    sockets.mkdir()
    (sockets / ".s.PGSQL.5432").touch()
    script = f"""
    cat program; echo; umask; id -G; id -un; id -gn
    echo poison > program; echo poison > added; echo poison > {cache}/stacks/rivals/program
    cat {cache}/stacks/rivals/program; ls {cache}/stacks/rivals; ls {cache}; ls {sockets.parent}; cat /etc/shadow
    kill -KILL $PPID; echo "${{XDG_CACHE_HOME-none}}"
    """
    lines = said(user, folder, script)
    refused = [
        line for line in lines if line.endswith(("denied", "permitted", "system", "directory", "Directory nonexistent"))
    ]
    assert [line for line in lines if line not in refused] == [
        "mine",
        "0077",
        str(stacks_group()),
        "stack",
        "stack",
        "none",
    ]
    assert len(refused) == 9
    assert (folder / "program").read_text() == "mine" and not (folder / "added").exists()
    assert (cache / "stacks/rivals/program").read_text() == "rivals"


@needs_root
@pytest.mark.parametrize("is_found", [True, False])
def test_it_runs_the_python_that_its_build_links_to(
    cache: Path, running: ExitStack, monkeypatch: pytest.MonkeyPatch, is_found: bool
) -> None:
    """Which may lie in the home of root, if that is the Python of the lab: a build opens no folder of its choice."""
    closed = cache.parent / "closed"
    closed.mkdir(mode=0o700)
    (closed / "bin").mkdir()
    interpreter = shutil.copy("/bin/sh", closed / "bin/interpreter")
    link = cache / "stacks/mine/.venv/bin/python"
    link.parent.mkdir(parents=True)
    link.symlink_to(interpreter)
    if is_found:
        (cache.parent / "environment").mkdir()
        (cache.parent / "environment/python3").symlink_to(interpreter)
        monkeypatch.setenv("PATH", f"{cache.parent}/environment:{os.environ['PATH']}")

    (line,) = said(own(cache, running), cache / "stacks/mine", ".venv/bin/python -c 'echo it runs'")

    assert (line == "it runs") is is_found and (is_found or line.endswith("Permission denied"))


@needs_root
def test_what_an_honest_stack_writes_has_its_place(cache: Path, running: ExitStack) -> None:
    with ExitStack() as trial:
        user = own(cache, trial)
        # A home, sockets and temporary files, a log by its name, and what a JVM leaves beside all other users' things.
        script = """
        touch "$HOME/.profile" "$TMPDIR/upload" && mkdir "$TMPDIR/nginx" && (cd && pwd) && mktemp -d -t x-XXXXXX
        echo seen >> /dev/stderr; own=$(mktemp -d /tmp/hsperfdata_XXXXXX) && touch "$own/1" && rm -r "$own" && echo jvm
        """
        home, folder, *rest = said(user, cache / "stacks/mine", script)
        assert rest == ["seen", "jvm"]
        assert user.home is not None and {Path(home), Path(folder).parent} == {user.home / "home", user.home / "tmp"}
    assert not user.home.exists(), "it is removed with all that it holds"


@needs_root
def test_a_fork_bomb_stays_within_its_limit_and_ends(cache: Path, running: ExitStack) -> None:
    user = own(cache, running, most_processes=50)
    said(user, cache / "stacks/mine", "b() { b | b & }; b 2>/dev/null; sleep 0.2")
    assert user.command is not None
    assert [each.pid for each in psutil.process_iter(["uids"]) if each.info["uids"].real == user.command.uid] == []


@needs("root", "two-processors")
def test_it_cannot_leave_its_processors_where_there_is_a_cpuset(cache: Path, running: ExitStack) -> None:
    cpu, *others = sorted(os.sched_getaffinity(0))
    user, log = own(cache, running), cache / "log"
    with (
        log.open("ab") as output,
        Guarded(
            ["sh", "-c", f"sleep 0.1; taskset -p -c {others[0]} $$; echo 0 > /sys/fs/cgroup/cpuset/tasks"],
            folder=cache / "stacks/mine",
            environment={"PATH": os.environ["PATH"]},
            output=output,
            cpus=[cpu],
            user=user.command,
        ) as guarded,
    ):
        held = is_held_to_cpus(guarded.pid)
        assert guarded.ends_within(PATIENCE_SECONDS)
    if not held:
        skip_for(Lack("a cpuset", "none may be made here", excused=True))
    assert "failed to set" in log.read_text() and "ermission denied" in log.read_text()


@needs_root
def test_what_another_user_may_not_read_is_run_as_the_lab(cache: Path, running: ExitStack) -> None:
    (cache / "stacks/mine/key.pem").touch(mode=0o600)
    user = own(cache, running)
    assert (user.command, user.home) == (None, None)
    assert user.recorded.reason.endswith(" read ./key.pem")


def test_why_a_stack_is_the_user_of_the_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = stack_in(tmp_path, "mine", run=["sh"])
    assert "where it lies" in why_labs_user(stack_in(tmp_path, "command", run=["sh"], directory="."))
    assert "already" in why_labs_user(stack_in(tmp_path, "url", url="http://127.0.0.1:1"))
    assert "container" in why_labs_user(stack_in(tmp_path, "image", image="busybox", container_port=80))
    monkeypatch.setattr("fairtrial.catalog.stacks.unprivileged_user.why_not_root", lambda: "the lab is not root")
    assert why_labs_user(built) == "the lab is not root"
    monkeypatch.setenv(VARIABLE, LABS)
    assert VARIABLE in why_labs_user(built)


@needs_root
def test_what_is_shared_follows_no_link_of_a_stack(tmp_path: Path) -> None:
    shared, secret = tmp_path / "shared", tmp_path / "secret"
    (shared / "data").mkdir(parents=True)
    secret.touch(mode=0o600)
    (shared / "data/data.db").touch(mode=0o600)
    (shared / "data/data.db-wal").symlink_to(secret)
    (shared / "data/folder").symlink_to(tmp_path)
    (shared / "data/hard").hardlink_to(secret)
    subprocess.run(["mkfifo", str(shared / "data/pipe")], check=True)
    share_with_stacks(shared, writable=True)
    for path, mode in [(shared, 0o710), (shared / "data", 0o2770), (shared / "data/data.db", 0o660)]:
        about = path.stat()
        assert (about.st_mode & 0o7777, about.st_gid) == (mode, stacks_group())
    assert (secret.stat().st_mode & 0o7777, secret.stat().st_gid) == (0o600, 0)
    assert tmp_path.stat().st_gid == 0
