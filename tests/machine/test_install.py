"""What `make test` installs, and what it says where it may not."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from tests.machine import install, lack
from tests.machine.lack import Lack, by_apt

REDIS = by_apt("redis", "redis-server")


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """A Debian on which Redis and Chromium are lacking, for root; the packages that apt-get is asked for."""
    asked: list[str] = []
    present = {"bash"}

    def apt_install(packages: Sequence[str], as_root: Sequence[str], output: object) -> None:
        asked.extend([*as_root, *packages])
        present.update(packages)

    monkeypatch.setattr(install, "apt_install", apt_install)
    monkeypatch.setattr(install, "installed_packages", lambda: frozenset(present))
    monkeypatch.setattr(
        install, "_of_machine", lambda: [] if "chromium" in present else [REDIS, by_apt("x", "chromium")]
    )
    monkeypatch.setattr(install, "_of_contenders", lambda _present: [])
    monkeypatch.setattr(install, "_install_services", lambda: None)
    monkeypatch.setattr(install, "LOG", tmp_path / "log")
    monkeypatch.setattr(install, "as_root", lambda: [])
    monkeypatch.setattr("shutil.which", lambda name, **_: f"/usr/bin/{name}")
    monkeypatch.delenv("FAIRTRIAL_REQUIRE_INSTALLED", raising=False)
    return asked


def test_what_is_lacking_is_installed_once(system: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert install.main([]) == 0
    assert system == ["chromium", "redis-server"]
    assert "installing what tests need" in capsys.readouterr().err
    assert install.main([]) == 0
    assert (len(system), capsys.readouterr().err) == (2, ""), "nothing is looked up, nothing said"


@pytest.mark.parametrize(("sudo", "types"), [(True, "Type: sudo -v && make test"), (False, "Type: su -c '.venv/bin/")])
def test_who_may_not_is_told_in_one_line_what_to_type(
    system: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sudo: bool, types: str
) -> None:
    monkeypatch.setattr(install, "as_root", lambda: None)
    monkeypatch.setattr("shutil.which", lambda name, **_: name if sudo or name != "sudo" else None)
    assert install.main([]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "2 packages" in line and "tests are skipped" in line and types in line
    assert system == []


def test_a_failure_of_apt_is_told_and_fails_only_where_all_is_required(
    system: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise Problem("apt-get ended with status 100", "")

    monkeypatch.setattr(install, "apt_install", fails)
    assert install.main([]) == 0
    assert "status 100" in capsys.readouterr().err
    monkeypatch.setenv("FAIRTRIAL_REQUIRE_INSTALLED", "1")
    assert install.main([]) == 1
    assert "(apt install redis-server) is lacking" in capsys.readouterr().err


def test_a_package_that_is_installed_is_not_asked_for_again(system: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another Ruby comes first on PATH, and does not see Debian's libraries."""
    monkeypatch.setattr(install, "installed_packages", lambda: frozenset({"chromium", "redis-server"}))
    assert install.main([]) == 0
    assert system == []


@pytest.mark.parametrize(("status", "prefix"), [(0, ["sudo", "-n"]), (1, None)])
def test_sudo_is_used_where_it_asks_for_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, prefix: list[str] | None
) -> None:
    (tmp_path / "sudo").write_text(f'#!/bin/sh\n[ "$*" = "-n true" ] && exit {status}\nexit 9\n')
    (tmp_path / "sudo").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert install.as_root() == prefix
    (tmp_path / "sudo").unlink()
    assert install.as_root() is None


def test_what_the_shipped_stacks_need_is_installed_with_all_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """From their remedies. With nothing on PATH, all is lacking that an apt-get could bring."""
    monkeypatch.setenv("PATH", "/nowhere")
    lack.forget()
    lacks: list[Lack] = [*install._of_machine(), *install._of_contenders(frozenset())]
    lack.forget()
    packages = {package for each in lacks for package in each.packages}
    assert packages >= {"ruby", "ruby-pg", "passenger", "puma", "llvm-19", "chromium", "openssh-server", "haproxy"}
    assert not packages & {"nodejs", "npm", "python3", "maven"}, "which may be too old, or bring hundreds of others"
