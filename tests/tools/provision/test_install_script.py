"""The script that installs packages leaves the system as it was, however it ends. A stand-in takes apt-get's place."""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from fairtrial.tools.provision.install import SCRIPT
from tests.conftest import left_running
from tests.waiting import wait_for

# What hangs takes the place of its shell: a shell that starts it would lose an interrupt in that instant.
APT = """#!/bin/sh
echo "$*" >> calls
test -x policy-rc.d && ./policy-rc.d; echo "denied with $?" >> calls
case $MODE in
    fails) exit 100 ;;
    hangs) touch began; exec sleep 300 ;;
esac
"""


APT_CACHE = """#!/bin/sh
shift 2
for package; do case $package in unknown) status=100 ;; *) printf 'Package: %s\nVersion: 1\n\n' "$package" ;; esac; done
exit ${status:-0}
"""


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A folder with an apt-get and an apt-cache."""
    for name, text in (("apt-get", APT), ("apt-cache", APT_CACHE)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def installing(system: Path, mode: str, path: str = "") -> "subprocess.Popen[bytes]":
    """The script, with what `path` names and `system` in front on its PATH."""
    return subprocess.Popen(
        ["/bin/sh", "-c", SCRIPT, "sh", str(system / "policy-rc.d"), str(system / "lock"), "unknown", "redis-server"],
        cwd=system,
        env={**os.environ, "PATH": f"{path}{system}:{os.environ['PATH']}", "MODE": mode},
        start_new_session=True,
    )


@pytest.mark.parametrize(("mode", "status"), [("works", 0), ("fails", 100)])
def test_services_are_not_started_and_the_status_is_that_of_apt(system: Path, mode: str, status: int) -> None:
    assert installing(system, mode).wait(30) == status
    calls = (system / "calls").read_text().splitlines()
    assert calls[:2] == ["update --quiet", "denied with 101"]
    assert (calls[-1] == "denied with 101") and ("install" in calls[-2]) == (mode == "works")
    assert mode != "works" or calls[-2].endswith(" redis-server"), "without what its sources do not have"
    assert not (system / "policy-rc.d").exists()


def test_the_policy_of_the_system_is_left_as_it_is(system: Path) -> None:
    (system / "policy-rc.d").write_text("#!/bin/sh\nexit 104\n")
    (system / "policy-rc.d").chmod(0o755)
    assert installing(system, "works").wait(30) == 0
    assert "denied with 104" in (system / "calls").read_text()
    assert (system / "policy-rc.d").read_text() == "#!/bin/sh\nexit 104\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_killed_with_all_its_group_it_leaves_nothing(system: Path, number: signal.Signals) -> None:
    script = installing(system, "hangs")
    wait_for((system / "began").exists, "it has begun")
    assert (system / "policy-rc.d").exists()
    os.killpg(script.pid, number)
    wait_for(lambda: not (system / "policy-rc.d").exists(), "the policy is removed")
    script.wait(30)
    wait_for(lambda: left_running(system) == [], "nothing runs any more")


def test_an_interrupt_in_the_instant_in_which_apt_starts_reaches_it(system: Path) -> None:
    """On a long PATH the instant is long: the new process goes through it before it becomes apt-get."""
    script = installing(system, "hangs", path="/nowhere:" * 12_000)
    wait_for(lambda: os.access(system / "policy-rc.d", os.X_OK), "the policy is in force")
    first_half = next(
        each for each in psutil.Process(script.pid).children() if os.getsid(each.pid) == os.getsid(script.pid)
    )
    children = Path(f"/proc/{first_half.pid}/task/{first_half.pid}/children")
    while not any(_is_still_a_shell(child) for child in children.read_text().split()):
        if (system / "calls").exists():
            break  # the instant went by while others had the processors
    os.killpg(script.pid, signal.SIGINT)
    wait_for(lambda: not (system / "policy-rc.d").exists(), "the policy is removed")
    script.wait(30)
    wait_for(lambda: left_running(system) == [], "nothing runs any more")


def _is_still_a_shell(pid: str) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text() == "sh\n"
    return False


def test_nothing_begins_before_there_is_who_cleans_up(system: Path) -> None:
    """A machine so busy that the second half of the pipe begins late."""
    (system / "setsid").write_text(f'#!/bin/sh\nsleep 0.3\nexec {shutil.which("setsid")} "$@"\n')
    (system / "setsid").chmod(0o755)
    script = installing(system, "hangs")
    wait_for((system / "began").exists, "it has begun")
    os.killpg(script.pid, signal.SIGINT)
    wait_for(lambda: not (system / "policy-rc.d").exists(), "the policy is removed")
    script.wait(30)
    wait_for(lambda: left_running(system) == [], "nothing runs any more")


def test_while_apt_goes_on_services_are_still_not_started(system: Path) -> None:
    """The script alone is killed: the policy stays until apt has ended."""
    script = installing(system, "hangs")
    wait_for((system / "began").exists, "it has begun")
    wait_for(lambda: "sleep 300" in left_running(system), "it sleeps")
    below = psutil.Process(script.pid).children(recursive=True)
    apt = next(each for each in below if each.cmdline() == ["sleep", "300"])
    script.kill()
    script.wait(30)
    assert (system / "policy-rc.d").exists()
    apt.kill()
    wait_for(lambda: not (system / "policy-rc.d").exists(), "the policy is removed")


def test_what_a_killed_machine_left_is_removed_at_the_next_start(system: Path) -> None:
    script = installing(system, "hangs")
    wait_for((system / "began").exists, "it has begun")
    left = (system / "policy-rc.d").read_bytes()
    os.killpg(script.pid, signal.SIGKILL)
    wait_for(lambda: not (system / "policy-rc.d").exists(), "the policy is removed")
    script.wait(30)
    (system / "policy-rc.d").write_bytes(left)
    assert installing(system, "works").wait(30) == 0
    assert "denied with 101" in (system / "calls").read_text()
    assert not (system / "policy-rc.d").exists()
