"""A disk whose power is cut: what it keeps, what it loses, and that nothing of it is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common import power
from fairtrial.catalog.services.common.power import SMALL_BYTES, disk, why_no_power_cut
from tests.machine.needs import skip_without
from tests.waiting import wait_for

HOLDS_A_DISK = f"""
import sys, time
from pathlib import Path
from fairtrial.catalog.services.common.power import disk
folder = Path(sys.argv[1])
with disk(folder / "disk", folder / "image", {SMALL_BYTES}):
    print("mounted", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder where disks can be made."""
    skip_without("power-cut")
    return tmp_path


def loops(image: Path) -> str:
    return subprocess.run(["losetup", "--associated", str(image)], capture_output=True, text=True, check=True).stdout


def test_what_was_synced_is_kept_and_nothing_else(place: Path) -> None:
    with disk(place / "disk", place / "image", SMALL_BYTES) as tried:
        assert list(tried.folder.iterdir()) == []
        (tried.folder / "synced").write_text("by all")
        tried.sync()
        with (tried.folder / "alone").open("w") as file:
            file.write("by itself")
            file.flush()
            os.fsync(file.fileno())
        (tried.folder / "synced").write_text("changed")
        (tried.folder / "late").write_text("not synced")
        tried.cut_power()
        with pytest.raises(OSError, match="error"):
            (tried.folder / "after").write_text("no power")
        tried.power_on()
        kept = {path.name: path.read_text() for path in tried.folder.iterdir()}
        (tried.folder / "again").write_text("it goes on")
    assert kept["alone"] == "by itself"
    assert kept["synced"] in ("by all", ""), "what was written over it is not there"
    assert not kept.get("late")
    assert list(place.iterdir()) == [place / "disk"] and list((place / "disk").iterdir()) == []
    assert loops(place / "image") == ""


def test_one_that_is_in_use_goes_all_the_same(place: Path) -> None:
    with disk(place / "disk", place / "image", SMALL_BYTES) as tried:
        opened = (tried.folder / "held").open("w")
    opened.close()
    assert not (place / "disk").is_mount() and loops(place / "image") == ""


def test_nothing_is_mounted_for_the_machine_and_nothing_stays_when_its_lab_is_killed(place: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDS_A_DISK, str(place)], stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None and lab.stdout.readline() == "mounted\n"
        assert loops(place / "image") != ""
        assert not (place / "disk").is_mount()
        lab.send_signal(signal.SIGKILL)
    wait_for(lambda: loops(place / "image") == "", "no device is left")


def test_why_not_is_said(monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    attempt = why_no_power_cut.__wrapped__
    monkeypatch.setattr(power, "MAKE", "mkfs.of-nobody")
    if os.geteuid() == 0:
        assert attempt() == snapshot
    monkeypatch.setattr(power, "why_not_root", lambda: "the lab is not root")
    assert attempt() == "the lab is not root"


def test_a_kernel_without_it_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    """One that takes the order and writes everything out nevertheless."""
    monkeypatch.setattr(power, "SHUTDOWN", 0x40049409)  # FICLONE, which ext4 does not know
    assert "cannot be cut" in why_no_power_cut.__wrapped__()
    monkeypatch.setattr(power.Disk, "cut_power", power.Disk.sync)
    assert why_no_power_cut.__wrapped__() == snapshot


def test_a_disk_that_cannot_be_made_leaves_nothing(place: Path) -> None:
    with pytest.raises(Problem, match="mkfs"), disk(place / "disk", place / "image", 4096):
        pass
    assert not (place / "image").exists() and not (place / "disk").is_mount()
