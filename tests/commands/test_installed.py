"""The package as others install it: a wheel that carries engine, stacks and experiments."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fairtrial.base.locations import PACKAGE

ROOT = PACKAGE.parents[1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    return folder / "site"


def run(unpacked: Path, folder: Path, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-P", "-m", "fairtrial", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(unpacked), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_it_carries_what_it_needs(unpacked: Path, tmp_path: Path) -> None:
    script = "from fairtrial.base.locations import shipped; print(shipped('engine'))"
    command = [sys.executable, "-P", "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    engine = Path(subprocess.check_output(command, cwd=tmp_path, env=environment, text=True).strip())

    assert engine.is_relative_to(unpacked)
    assert (engine / "src" / "main.rs").exists()
    assert (engine / "Cargo.lock").exists()
    assert "rust-axum" in run(unpacked, tmp_path, "list", "stacks")
    assert "quickstart" in run(unpacked, tmp_path, "list", "experiments")


def test_it_carries_nothing_that_builds_left_behind(unpacked: Path) -> None:
    tracked = set(subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines())
    bundled = unpacked / "fairtrial" / "bundled"
    carried = {str(path.relative_to(bundled)) for path in bundled.rglob("*") if path.is_file()}
    assert carried
    assert carried <= tracked
