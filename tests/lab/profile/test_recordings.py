"""Profilers at work, or failing at it: stand-ins for those that may not be here, and Node.js' own."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.lab.profile import tool
from fairtrial.lab.profile.recordings import Recordings, Sampled
from fairtrial.record.profile import ProfileNote
from tests.machine.needs import needs
from tests.waiting import wait_for

RAW = "run (app.py:1);work (/the/build/app.py:2) 40\nrun (app.py:1);\x1b[2J<script> 2\n"
WRITES = f"import sys\nopen(sys.argv[sys.argv.index('--output') + 1], 'w').write({RAW!r})"

JAVA = """
public class Allocating {
    static volatile byte[] kept;
    public static void main(String[] words) throws Exception {
        do {
            for (int each = 0; each < 1000; each++) kept = new byte[100_000];
            System.out.println("done");
        } while (System.in.read() >= 0);
    }
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[int]:
    """A process that is called as if it were an interpreter of Python; it does nothing."""
    named = tmp_path / "python3"
    shutil.copy("/bin/sleep", named)
    with subprocess.Popen([named, "60"]) as process:
        yield process.pid
        process.kill()


def stand_in(folder: Path, name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of this name that runs this Python program, before all others on the PATH."""
    commands = folder / "bin"
    commands.mkdir(exist_ok=True)
    file = commands / name
    file.write_text(f"#!{sys.executable}\n{source}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")


def recorded(folder: Path, pid: int, seconds: float = 0.1) -> tuple[dict[str, Sampled], list[ProfileNote]]:
    """What is seen of this process, and what there is to say of it."""
    own = folder / "recordings"
    own.mkdir()
    with Recordings(own, Path("/the/build")) as recordings:
        recordings.begin([pid], seconds)
        recordings.end()
        return recordings.gather(), recordings.notes


@pytest.mark.usefixtures("engine")
def test_what_a_profiler_saw_is_gathered(tmp_path: Path, program: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, "py-spy", WRITES, monkeypatch)
    seen, notes = recorded(tmp_path, program)
    assert notes == []
    assert seen["py-spy"].processes == 1
    assert seen["py-spy"].stacks == {
        ("python3", "run (app.py:1)", "work (app.py:2)"): 40,
        ("python3", "run (app.py:1)", "\\x1b[2J<script>"): 2,
    }


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("source", "reason", "remedy"),
    [
        ("import sys; sys.exit('Permission denied (os error 13)\x1b[2J')", "Permission denied", "ptrace_scope"),
        ("import sys; sys.exit('Failed to find python version')", "Failed to find", "by hand"),
        ("", "left no stacks", "by hand"),
        ("while True: print('x' * 4096)", "printed more than", "shorter"),
        ("import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)", "did not end", "by hand"),
        (WRITES.replace(" 40", " forty"), "line 1", "no file of folded stacks"),
        (WRITES.replace(repr(RAW), "''"), "saw nothing", "busy"),
    ],
)
def test_a_profiler_that_fails_is_a_note_with_a_remedy(
    tmp_path: Path, program: int, monkeypatch: pytest.MonkeyPatch, source: str, reason: str, remedy: str
) -> None:
    monkeypatch.setattr(tool, "MOST_BYTES", 1 << 16)
    if "SIG_IGN" in source:
        monkeypatch.setattr(tool, "LATE_SECONDS", 0.4)
    monkeypatch.setattr("fairtrial.engine.guard.GRACE_SECONDS", 0.1)
    stand_in(tmp_path, "py-spy", source, monkeypatch)
    seen, notes = recorded(tmp_path, program)
    assert seen == {}
    (note,) = notes
    assert reason in note.reason and remedy in note.remedy
    assert "\x1b" not in note.reason


def test_a_profiler_that_is_not_there_is_a_note_that_says_how_to_get_it(
    tmp_path: Path, program: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_arguments, **_options: None)
    seen, (note,) = recorded(tmp_path, program)
    assert seen == {} and "install py-spy" in note.remedy


def test_a_process_that_has_ended_is_a_note(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    seen, notes = recorded(tmp_path, process.pid)
    assert seen == {} and len(notes) == 1


@needs("node")
def test_node_writes_its_own_profile_and_is_not_ended_for_it(tmp_path: Path) -> None:
    """Unlike with `--cpu-prof`, which writes at a clean exit."""
    work = (
        "setInterval(function busy() { const end = Date.now() + 20; while (Date.now() < end); console.log(end); }, 21)"
    )
    own = tmp_path / "recordings"
    own.mkdir()
    with Recordings(own, tmp_path) as recordings:
        environment = {**os.environ, **recordings.settings({})}
        with subprocess.Popen(["node", "-e", work], env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            while not list((own / "shared").glob("*.ready")):
                assert process.stdout.readline()
            recordings.begin([process.pid], 1.0)
            while not list((own / "shared").glob("*.begun")):
                assert process.stdout.readline()
            worked_until = 1000 * (time.time() + 0.3)
            while int(process.stdout.readline()) < worked_until:
                pass
            recordings.end()
            seen = recordings.gather()
            assert process.poll() is None and recordings.notes == []
            process.kill()
    assert any(frame.startswith("busy ([eval]") for stack in seen["node-cpu-profile"].stacks for frame in stack)


@needs("node")
def test_a_node_program_that_lost_the_hook_is_a_note(tmp_path: Path) -> None:
    with subprocess.Popen(["node", "-e", "setTimeout(() => {}, 60000)"]) as process:
        wait_for(lambda: Path(f"/proc/{process.pid}/exe").readlink().name.startswith("node"), "Node.js runs")
        seen, (note,) = recorded(tmp_path, process.pid)
        process.kill()
    assert seen == {} and "NODE_OPTIONS" in note.remedy


@needs("perf")
@pytest.mark.usefixtures("engine")
def test_perf_sees_a_native_program(tmp_path: Path) -> None:
    with subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=1"], stderr=subprocess.DEVNULL) as process:
        seen, notes = recorded(tmp_path, process.pid, seconds=0.5)
        process.kill()
    assert "perf" in seen, notes
    assert any(frame.endswith(" [kernel]") for stack in seen["perf"].stacks for frame in stack)


@pytest.mark.usefixtures("engine")
@needs("py-spy")
def test_py_spy_sees_a_python_program(tmp_path: Path) -> None:
    work = "def busy():\n    while True: sum(range(1000))\nprint(1, flush=True)\nbusy()"
    with subprocess.Popen([sys.executable, "-c", work], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        seen, notes = recorded(tmp_path, process.pid, seconds=1.0)
        process.kill()
    assert "py-spy" in seen, notes
    assert any("busy" in stack[-1] for stack in seen["py-spy"].stacks)


@pytest.mark.usefixtures("engine")
@needs("java")
def test_java_tells_what_it_allocated_while_it_was_recorded(tmp_path: Path) -> None:
    (tmp_path / "Allocating.java").write_text(JAVA)
    own = tmp_path / "recordings"
    own.mkdir()
    command = ["java", "-Xmx64m", str(tmp_path / "Allocating.java")]
    with (
        Recordings(own, tmp_path) as recordings,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None and process.stdout is not None and process.stdout.readline()
        recordings.begin([process.pid], 1.0)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        recordings.end()
        recordings.gather()
        process.kill()
    unit, bytes_in_all = recordings.allocated[process.pid]
    assert unit == "bytes" and 1.0e8 < bytes_in_all < 1.1e8
