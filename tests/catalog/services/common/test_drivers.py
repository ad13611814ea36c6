"""Drivers that are not installed beside Fairtrial: fetched when a service's function needs one, from an index that is a
folder here."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common import drivers
from fairtrial.catalog.services.common.pinned import Pinned
from tests.lines import passage

NEEDY = "import tiny_driver\ndef answer(question): return question + tiny_driver.ANSWER\n"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes packages from. A module `needy` needs a driver, which is the only one there is."""
    folder = tmp_path / "index"
    folder.mkdir()
    (tmp_path / "needy.py").write_text(NEEDY)
    (tmp_path / "pins.txt").write_text(f"tiny-driver==1 --hash=sha256:{wheel_in(tmp_path)}\n")
    pinned = Pinned("the tiny driver", "tiny", tmp_path / "pins.txt", drivers.DRIVERS.remedy)
    monkeypatch.setattr(drivers, "MODULES", {"tiny_driver"})
    monkeypatch.setattr(drivers, "DRIVERS", pinned)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel_in(folder: Path) -> str:
    """The SHA-256 of a wheel that is written there."""
    about = "tiny_driver-1.dist-info"
    with zipfile.ZipFile(folder / "tiny_driver-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_driver.py", "ANSWER = 40\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-driver\nVersion: 1\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return hashlib.sha256((folder / "tiny_driver-1-py3-none-any.whl").read_bytes()).hexdigest()


def test_a_driver_is_fetched_when_it_is_needed(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], snapshot: object
) -> None:
    answer = drivers.with_driver("needy:answer")
    with pytest.raises(Problem) as caught:
        answer(2)
    assert passage(str(caught.value), "the tiny", "installed") == snapshot
    assert "pip install 'fairtrial[databases]'" in caught.value.remedy

    (tmp_path / "tiny_driver-1-py3-none-any.whl").rename(index / "tiny_driver-1-py3-none-any.whl")
    capsys.readouterr()
    assert answer(2) == 42
    assert answer(3) == 43
    assert capsys.readouterr().err == snapshot


def test_what_is_lacking_beside_drivers_is_no_reason_to_fetch_them(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mistaken.py").write_text("import no_such_module\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        drivers.with_driver("mistaken:answer")()
    assert not (tmp_path / "cache").exists()


def test_services_are_listed_without_drivers() -> None:
    script = "import sys; from fairtrial.catalog.services import services; services(); print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert "fairtrial.catalog.services.redis" in modules and not drivers.MODULES & set(modules)
