"""Each property of the machine in each state, with its remedy."""

import os
import resource
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from fairtrial.record.placement import IdleLimit, Placement
from fairtrial.tools.doctor import machine
from fairtrial.tools.doctor.machine import diagnose_machine
from fairtrial.tools.doctor.model import Diagnosis

Diagnose = Callable[[str], Diagnosis]


@pytest.fixture
def diagnose(cache: Path) -> Diagnose:
    def diagnose(subject: str) -> Diagnosis:
        return next(diagnosis for diagnosis in diagnose_machine() if diagnosis.subject == subject)

    return diagnose


def test_every_property_is_looked_at_once(cache: Path) -> None:
    subjects = [diagnosis.subject for diagnosis in diagnose_machine()]
    assert subjects == [
        "processors",
        "other work",
        "frequency governor",
        "idle processors",
        "swap",
        "open files",
        "cache",
        "power cuts",
    ]


def test_what_is_not_good_has_a_remedy(cache: Path) -> None:
    assert all(bool(diagnosis.remedy) is (diagnosis.health != "good") for diagnosis in diagnose_machine())


@pytest.mark.parametrize(("cpus", "health"), [({0}, "poor"), ({0, 1}, "good"), (set(range(64)), "good")])
def test_processors(monkeypatch: pytest.MonkeyPatch, diagnose: Diagnose, cpus: set[int], health: str) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: cpus)
    diagnosis = diagnose("processors")
    assert diagnosis.health == health
    assert diagnosis.observation.startswith(f"{len(cpus)}: ")


@pytest.mark.parametrize(
    ("known", "health"),
    [
        ({"shared_cores": [[0, 1]]}, "poor"),
        ({"server_nodes": [0, 1, 2], "load_nodes": [3]}, "poor"),
        ({"server_kind": "performance", "load_kind": "efficiency"}, "good"),
    ],
)
def test_processors_that_are_not_alike(
    monkeypatch: pytest.MonkeyPatch, diagnose: Diagnose, known: dict[str, object], health: str, snapshot: object
) -> None:
    placement = Placement(load_cpus=[1], server_cpus=[0], disjoint=True).model_copy(update=known)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    monkeypatch.setattr(machine, "local_placement", lambda: placement)
    diagnosis = diagnose("processors")
    assert diagnosis.health == health and diagnosis.observation == snapshot
    assert bool(diagnosis.remedy) is (health == "poor")


@pytest.mark.parametrize(("load", "health"), [(0.4, "good"), (0.41, "poor")])
def test_other_work(monkeypatch: pytest.MonkeyPatch, diagnose: Diagnose, load: float, health: str) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 9.0, 9.0))
    assert diagnose("other work").health == health


@pytest.mark.parametrize(
    ("governors", "health", "observation"),
    [
        ([], "good", "not visible"),
        (["performance", "performance"], "good", "performance"),
        (["powersave", "performance"], "poor", "performance, powersave"),
    ],
)
def test_frequency_governor(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    diagnose: Diagnose,
    governors: list[str],
    health: str,
    observation: str,
) -> None:
    for cpu, governor in enumerate(governors):
        folder = tmp_path / f"cpu{cpu}" / "cpufreq"
        folder.mkdir(parents=True)
        (folder / "scaling_governor").write_text(f"{governor}\n")
    monkeypatch.setattr(machine, "GOVERNORS", tmp_path)
    diagnosis = diagnose("frequency governor")
    assert diagnosis.health == health
    assert diagnosis.observation.startswith(observation)
    assert ("cpupower" in diagnosis.remedy) is (health == "poor")


def test_idle_processors_that_sleep_are_told_with_their_deepest_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, diagnose: Diagnose, snapshot: object
) -> None:
    limit = IdleLimit(driver="intel_idle", reason="this user may not")
    monkeypatch.setattr(machine, "idle_limit", lambda: limit)
    monkeypatch.setattr(machine, "IDLE_STATES", tmp_path)
    sleeping = "driver intel_idle; in trials they sleep as the system decides (this user may not)"
    assert diagnose("idle processors").observation == sleeping
    for number, (name, latency) in enumerate((("POLL", 0), ("C6", 133), ("C1", 2))):
        (tmp_path / f"state{number}").mkdir()
        (tmp_path / f"state{number}" / "name").write_text(f"{name}\n")
        (tmp_path / f"state{number}" / "latency").write_text(f"{latency}\n")
    diagnosis = diagnose("idle processors")
    assert diagnosis.observation == snapshot
    assert (diagnosis.health, bool(diagnosis.remedy)) == ("poor", True)
    limit = limit.model_copy(update={"wakes_within_microseconds": 2, "reason": ""})
    assert diagnose("idle processors").observation == snapshot


@pytest.mark.parametrize(("used", "health"), [(0, "good"), (3 << 29, "poor")])
def test_swap(monkeypatch: pytest.MonkeyPatch, diagnose: Diagnose, used: int, health: str) -> None:
    monkeypatch.setattr(psutil, "swap_memory", lambda: SimpleNamespace(used=used))
    diagnosis = diagnose("swap")
    assert diagnosis.health == health
    assert diagnosis.observation == ("1.5 GiB in use" if used else "none in use")


@pytest.mark.parametrize(
    ("soft", "hard", "remedy"),
    [(4096, 4096, ""), (1024, 1_048_576, "ulimit -n 65536 in"), (1024, 4096, "ulimit -n 4096 in")],
)
def test_open_files(monkeypatch: pytest.MonkeyPatch, diagnose: Diagnose, soft: int, hard: int, remedy: str) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (soft, hard))
    diagnosis = diagnose("open files")
    assert diagnosis.health == ("poor" if remedy else "good")
    assert diagnosis.remedy.startswith(remedy)
    assert str(soft) in diagnosis.observation and str(hard) in diagnosis.observation


@pytest.mark.parametrize(
    ("free", "writable", "health"), [(5 << 30, True, "good"), (3 << 30, True, "poor"), (5 << 30, False, "missing")]
)
def test_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, diagnose: Diagnose, free: int, writable: bool, health: str
) -> None:
    absent = tmp_path / "not" / "yet"
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(absent))
    folders: list[str] = []

    def usage(folder: str) -> SimpleNamespace:
        folders.append(folder)
        return SimpleNamespace(free=free)

    monkeypatch.setattr(psutil, "disk_usage", usage)
    monkeypatch.setattr(os, "access", lambda _path, _mode: writable)
    diagnosis = diagnose("cache")
    assert (diagnosis.health, diagnosis.essential) == (health, not writable)
    assert diagnosis.observation.startswith(f"{absent}, {free >> 30} GiB free")
    assert ("FAIRTRIAL_CACHE" in diagnosis.remedy) is (health != "good")
    assert folders == [str(tmp_path)], "the nearest folder that exists is looked at"


def test_where_power_cuts_cannot_be_tried_it_says_why(
    diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.setattr(machine, "why_no_power_cut", lambda: "the lab is not root")
    diagnosis = diagnose("power cuts")
    assert (diagnosis.health, diagnosis.observation) == ("poor", snapshot)
    assert "as root" in diagnosis.remedy
    monkeypatch.setattr(machine, "why_no_power_cut", lambda: "")
    assert diagnose("power cuts").health == "good"
