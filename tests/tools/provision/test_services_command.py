"""`fairtrial services`: what is here, and bringing the rest."""

import os
import stat
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Missing
from fairtrial.tools.provision import install as installing
from fairtrial.tools.provision.inventory import provided
from tests.command_line import Lab


def test_every_service_is_listed_with_its_variants(lab: Lab) -> None:
    out = lab.fairtrial("services").out
    for name, one in provided().items():
        assert name in out
        for variant in getattr(one, "variants", {}):
            assert variant in out


def test_a_missing_service_is_named_with_its_package(lab: Lab) -> None:
    """Without a PATH nothing is installed, as far as anybody can tell."""
    nowhere = lab.folder / "nowhere"
    nowhere.mkdir()
    lab.environment["PATH"] = str(nowhere)
    out = lab.fairtrial("services").out
    assert "package redis-server" in " ".join(out.split())
    assert "fairtrial services install" in out


def test_what_is_here_is_not_installed_again(lab: Lab) -> None:
    finished = lab.fairtrial("services", "install", "sqlite", "none")
    assert finished.status == 0
    assert "SQLite" in finished.out


def test_an_unknown_service_is_an_error(lab: Lab) -> None:
    finished = lab.fairtrial("services", "install", "oracle")
    assert finished.status == 2
    assert "postgresql" in finished.err


def test_installing_needs_a_package_manager(lab: Lab) -> None:
    nowhere = lab.folder / "nowhere"
    nowhere.mkdir()
    lab.environment["PATH"] = str(nowhere)
    finished = lab.fairtrial("services", "install", "--yes", "redis")
    assert finished.status == 2
    assert "redis-server" in finished.err
    assert "no apt-get" in finished.err


def test_a_package_manager_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for sudo, so that nothing of the system is touched: it runs nothing and fails."""
    for name, status in (("apt-get", 0), ("sudo", 7)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    missing = provided()["nginx"].missing()
    assert isinstance(missing, Missing)
    with pytest.raises(Problem, match="status 7"):
        installing.install(_quiet(), [provided()["nginx"]])


def _quiet() -> "installing.Console":
    return installing.Console(quiet=True)
