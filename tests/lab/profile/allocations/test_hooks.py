"""Hooks in programs that allocate a known number, in each thread and each process, and such as do not answer."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairtrial.lab.profile.allocations import hooks
from fairtrial.lab.profile.allocations.hooks import FOLDER, NODE_HOOK, RUBY_HOOK, HookCounts, hook_settings
from tests.machine.needs import needs
from tests.waiting import wait_for

NODE = """
const { Worker, isMainThread } = require("node:worker_threads");
const rounds = () => { for (let round = 0; round < 20_000; round++) globalThis.kept = new Array(1_000).fill(round); };
const work = () => {
  if (!require("node:fs").existsSync("go")) return setTimeout(work, 20);
  rounds();
  console.log("done");
};
if (isMainThread) new Worker(process.argv[1]);
setTimeout(work, 20);
setInterval(() => {}, 1000);
"""
RUBY = """
$stdout.sync = true
fork
sleep 0.02 until File.exist?("go")
30_000.times { Object.new }
puts "done"
sleep
"""


@contextmanager
def running(folder: Path, command: list[str], hooked: int) -> Iterator["subprocess.Popen[str]"]:
    """A program with so many hooks, which works once there is a file `go`."""
    settings = hook_settings({}, folder)
    environment = {**os.environ, **settings}
    with subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_for(lambda: len(list(folder.glob("*.ready"))) == hooked, "the hooks are there")
            yield process
        finally:
            os.killpg(process.pid, 9)


def worked(process: "subprocess.Popen[str]", folder: Path, workers: int) -> None:
    """Have the program work."""
    (folder / "go").touch()
    assert process.stdout is not None
    for _ in range(workers):
        assert process.stdout.readline() == "done\n"


def counted_while_working(folder: Path, *command: str) -> tuple[int, dict[int, tuple[str, int]]]:
    """The program's process id, and what hooks of two workers counted by process."""
    counts = HookCounts(folder)
    with running(folder, list(command), 2) as process:
        counts.begin()
        worked(process, folder, 2)
        counts.end()
        return process.pid, counts.by_process()


@needs("node")
def test_bytes_of_all_threads_of_node(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(NODE)
    _, by_process = counted_while_working(tmp_path, "node", "app.js")
    ((unit, bytes_in_all),) = by_process.values()
    assert unit == "bytes" and bytes_in_all == pytest.approx(2 * 20_000 * 8_000, rel=0.03)


@needs("ruby-threads")
def test_objects_of_all_processes_of_ruby(tmp_path: Path) -> None:
    (tmp_path / "app.rb").write_text(RUBY)
    pid, by_process = counted_while_working(tmp_path, "ruby", "app.rb")
    assert len(by_process) == 2 and pid in by_process
    for unit, objects in by_process.values():
        assert unit == "objects" and objects == pytest.approx(30_000, abs=1_000)


@needs("ruby-threads")
def test_where_one_process_has_ended_meanwhile_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "LATE_SECONDS", 0.5)
    (tmp_path / "app.rb").write_text(RUBY)
    counts = HookCounts(tmp_path)
    with running(tmp_path, ["ruby", "app.rb"], 2) as process:
        counts.begin()
        os.kill(process.pid, 9)
        process.wait()
        counts.end()
        assert counts.by_process() == {}


def test_without_a_hook_nothing_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _seconds: pytest.fail("it waits"))
    (tmp_path / "1073741824-0.ready").touch()  # of a process that has ended
    counts = HookCounts(tmp_path)
    counts.begin()
    counts.end()
    assert counts.by_process() == {}


def test_options_that_a_program_has_already_are_kept(tmp_path: Path) -> None:
    before = {"NODE_OPTIONS": "--own", "RUBYOPT": "-W0"}
    assert hook_settings(before, tmp_path) == {
        FOLDER: str(tmp_path),
        "NODE_OPTIONS": f'--own --require "{NODE_HOOK}"',
        "RUBYOPT": f"-W0 -r{RUBY_HOOK}",
    }
    assert hook_settings({}, tmp_path)["RUBYOPT"] == f"-r{RUBY_HOOK}"


def test_a_path_that_rubyopt_would_split_is_not_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ruby would not start."""
    monkeypatch.setattr(hooks, "RUBY_HOOK", Path("/two words/hook.rb"))
    assert "RUBYOPT" not in hook_settings({}, tmp_path)
